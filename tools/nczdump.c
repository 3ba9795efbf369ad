/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczdump: prints a dataset as CDL, JSON, NcML, a tree or a map of its chunks. This file reads the options;
 * tools/dump does the work.
 *
 * Exit status: 0; 1 when something could not be read; 2 for a wrong command line; 3 when all but damaged chunks was
 * read, with --damaged.
 */
#include "common/memory.h"
#include "common/message.h"
#include "common/options.h"
#include "common/path_parts.h"
#include "common/redact_url.h"
#include "common/unfinished.h"
#include "dump/dump.h"
#include "report/report.h"

#include <nczarr.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MIN = 10, DIGITS_MAX = 20 };

enum {
    OPT_JSON = OPTION_FIRST,
    OPT_TREE,
    OPT_CHUNKS,
    OPT_S3_EXPLAIN,
    OPT_STATS,
    OPT_HTML,
    OPT_SAMPLE,
    OPT_PLOT,
    OPT_SHOW,
    OPT_RANGE,
    OPT_COLORS,
    OPT_SIZE,
    OPT_MEMBER,
    OPT_GRAPHICS,
    OPT_COLOR,
    OPT_LIST,
    OPT_SIZES,
    OPT_DAMAGED,
    OPT_CHECK,
    OPT_STRUCTURE,
    OPT_LOG,
    OPT_BBOX,
    OPT_ALONG
};

static const option_row rows[] = {
    {.help = "What is printed:"},
    {'h', 'h', "header", NULL, NULL, "no data", NULL},
    {'c', 'c', "coords", NULL, NULL, "data of coordinate variables only", NULL},
    {'v', 'v', "variables", "LIST", ":vars", "data of these variables only",
     " (names or paths), or of a part: v[0:10,:,3]"},
    {'g', 'g', "groups", "LIST", ":groups", "data of these groups only", NULL},
    {'d', 'd', "dim", "DIM,FIRST[,[LAST][,STRIDE]]", ":dims", "only this part of a dimension",
     ": indices, or values: 10.,20., or dates: 2001-02-01,2001-03"},
    {OPT_BBOX, 0, "bbox", "W,S,E,N", NULL, "only what is within these degrees east and north", NULL},
    {OPT_ALONG, 0, "along", "DIM", ":dims", "join several datasets along this dimension",
     "; else along the unlimited one, or time"},
    {OPT_DAMAGED, 0, "damaged", "HOW", "stop fill skip", "damaged chunks",
     ": stop (the default); fill: print the fill value in their place; skip: leave out their variables; a list at "
     "the "
     "end, and exit status 3"},
    {.help = "CDL:"},
    {'s', 's', "special", NULL, NULL, "also virtual attributes", ": chunks, filters, byte order, provenance"},
    {'F', 'F', NULL, NULL, NULL, "filters as _Filter and _Codecs", " instead of _DeflateLevel and similar"},
    {'X', 'X', NULL, "+p", NULL, "no _NCProperties", NULL},
    {'X', 'X', NULL, "+F", NULL, "show the type of _FillValue", NULL},
    {'t', 't', "times", NULL, NULL, "times as dates", NULL},
    {'i', 'i', NULL, NULL, NULL, "times as dates with a T before the time of day", NULL},
    {'p', 'p', "precision", "F[,D]", NULL, "significant digits", " of float and double values (9,17 loses nothing)"},
    {'b', 'b', NULL, "c|f", "c f", "an index comment for each row", ", as in C or Fortran"},
    {'f', 'f', NULL, "c|f", "c f", "an index comment for each value", ", as in C or Fortran"},
    {'l', 'l', "line", "LENGTH", NULL, "line length of the data section", " (80)"},
    {'n', 'n', "name", "NAME", NULL, "name of the dataset in the output", NULL},
    {.help = "Other forms of output:"},
    {'k', 'k', "kind", NULL, NULL, "only the kind of dataset", NULL},
    {'x', 'x', "ncml", NULL, NULL, "NcML instead of CDL, without data", NULL},
    {OPT_JSON, 0, "json", "[=header]", "header", "JSON instead of CDL", NULL},
    {OPT_TREE, 0, "tree", NULL, NULL, "an overview of groups, variables, chunks and codecs", NULL},
    {OPT_SIZES, 0, "sizes", NULL, NULL, "with --tree, the bytes of a dataset on a server, too",
     ", if it can list: costs requests"},
    {OPT_CHUNKS, 0, "chunks", "[=json]", "json", "which chunks are stored",
     ", their bytes and ratio; with -v of these variables"},
    {OPT_LIST, 0, "list", "WHAT", "vars dims groups", "names only: of vars, dims or groups", NULL},
    {OPT_CHECK, 0, "check", NULL, NULL, "read every chunk, and compare consolidated metadata with the documents",
     ": exit status 0 if all is sound, 3 if chunks or documents are damaged or differ"},
    {OPT_STRUCTURE, 0, "structure", NULL, NULL, "with --check, the structure of a netCDF-4 file in place of its data",
     ": what is wrong, by address; which bytes are for what"},
    {OPT_LOG, 0, "log", NULL, NULL, "branches, tags and the history of an Icechunk repository",
     "; with --plot and --show, a logarithmic scale"},
    {OPT_HTML, 0, "html", NULL, NULL, "a page about the dataset for a browser", ", with statistics and pictures"},
    {OPT_SAMPLE, 0, "sample", "N", NULL, "with --html, statistics of at most N values of a variable",
     " (all of up to 64 MiB)"},
    {OPT_PLOT, 0, "plot", "VAR", ":vars", "a picture of one variable",
     ", in OUT.svg, OUT.png, OUT.pdf, or VAR.png: a map of its last two dimensions, or a line; or of a part: "
     "v[0,:,:]"},
    {OPT_SHOW, 0, "show", "VAR", ":vars", "the same on the terminal", NULL},
    {OPT_GRAPHICS, 0, "graphics", "HOW", "auto sixel kitty blocks", "how --show draws",
     ": as sixel, kitty, blocks, or auto, as the terminal can"},
    {OPT_RANGE, 0, "range", "LO,HI", NULL, "with --plot and --show, the ends of the colors", ", or of a line's axis"},
    {OPT_COLORS, 0, "colors", "NAME", "auto blue-yellow blue-red white-blue grey",
     "the colors of --plot, --show and --html", ": auto, blue-yellow, blue-red, white-blue or grey"},
    {OPT_SIZE, 0, "size", "WxH", NULL, "with --plot and --show, the picture's pixels",
     " (1200 wide; the terminal's)"},
    {OPT_MEMBER, 0, "member", "N", NULL, "with --plot, --show and --html, the member of an ensemble",
     " (0, the first)"},
    {OPT_S3_EXPLAIN, 0, "s3-explain", NULL, NULL, "the settings that an S3 URL resolves to",
     ": address, region, credentials"},
    {.help = "More:"},
    {OPT_COLOR, 0, "color", "WHEN", "auto always never", "CDL, --tree, --chunks and --show in color",
     ": auto, always or never"},
    {OPT_STATS, 0, "stats", NULL, NULL, "counts of store operations, on stderr at the end", NULL},
    {'L', 'L', NULL, "LEVEL", "-1 0 1 2 3 4", "log level of the library", NULL},
    {'w', 'w', NULL, NULL, NULL, NULL, NULL},
    {'X', 'X', NULL, "+m", NULL, "accepted as by ncdump", NULL},
};

static const option_table options = {
    .command = "nczdump",
    .usage = "usage: nczdump [options] PATH-or-URL...\n"
             "       nczdump --plot VAR[SUBSCRIPTS] [options] PATH-or-URL OUT.svg|OUT.png|OUT.pdf\n",
    .rows = rows,
    .n = sizeof rows / sizeof *rows,
};

/* What the command line asks for. */
typedef struct dump_request {
    dump_opts       dump;
    const char     *name;      /* -n */
    const char     *along;     /* --along */
    const char     *output;    /* the option that says what is printed in place of CDL; NULL: none */
    bool            structure; /* --structure */
    bool            log;       /* --log */
    bool            explain;
    bool            html;
    size_t          sample;
    bool            plot, show;
    report_look     look;
    report_graphics graphics;
    report_when     color;
} dump_request;

static bool
fail_value(const char *option, const char *wanted, const char *value)
{
    return message_refuse("%s: not %s: %s", option, wanted, value);
}

static bool
take_index_comments(dump_opts *o, dump_index_comments comments, const char *arg)
{
    char lang = (char)tolower((unsigned char)arg[0]);

    if (lang != 'c' && lang != 'f')
        return fail_value(comments == DUMP_COMMENTS_ROWS ? "-b" : "-f", "c or f", arg);
    o->comments = comments;
    o->comments_fortran = lang == 'f';
    return true;
}

/* The number at *p; moves behind it. */
static bool
parse_digits(const char **p, int *out)
{
    char *end;
    long  n = strtol(*p, &end, 10);

    if (end == *p || n < 1 || n > DIGITS_MAX)
        return false;
    *out = (int)n;
    *p = end;
    return true;
}

/* F, F,D or ,D */
static bool
take_precision(dump_opts *o, const char *arg)
{
    const char *p = arg;
    bool        taken = *p == ',' || parse_digits(&p, &o->float_digits);

    if (taken && *p == ',') {
        p++;
        taken = parse_digits(&p, &o->double_digits);
    }
    if (taken && *p == '\0')
        return true;
    return message_refuse("-p: not F, F,D or ,D with numbers from 1 to %d: %s", DIGITS_MAX, arg);
}

static bool
take_special(dump_opts *o, const char *arg)
{
    if (strcmp(arg, "p") == 0)
        o->hide_provenance = true;
    else if (strcmp(arg, "F") == 0)
        o->fill_type = true;
    else if (strcmp(arg, "m") != 0)
        return fail_value("-X", "p, F or m", arg);
    return true;
}

/* One thing is printed. The same option again is no fault. */
static bool
take_output(dump_request *r, const char *option)
{
    if (r->output != NULL && strcmp(r->output, option) != 0)
        return message_refuse("%s and %s: one form of output at a time", r->output, option);
    r->output = option;
    return true;
}

static bool
take_form(dump_request *r, const char *option, dump_form form)
{
    r->dump.form = form;
    return take_output(r, option);
}

static bool
take_json(dump_opts *o, const char *arg)
{
    o->form = DUMP_JSON;
    if (arg != NULL && strcmp(arg, "header") == 0)
        o->part = DUMP_HEADER;
    else if (arg != NULL)
        return fail_value("--json", "header", arg);
    return true;
}

static bool
take_chunks(dump_opts *o, const char *arg)
{
    o->form = arg != NULL ? DUMP_CHUNKS_JSON : DUMP_CHUNKS;
    return arg == NULL || strcmp(arg, "json") == 0 || fail_value("--chunks", "json", arg);
}

static bool
take_vars(dump_opts *o, const char *option, const char *arg)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (dump_names_add_with_subscripts(&o->vars, &o->limits, arg, why))
        return true;
    return message_refuse("%s: %s", option, why);
}

static bool
take_graphics(dump_request *r, const char *arg)
{
    static const char *const words[] = {"auto", "sixel", "kitty", "blocks"};
    int                      n;

    if (!option_word("--graphics", arg, words, 4, &n))
        return false;
    r->graphics = (report_graphics)n;
    return true;
}

static bool
take_color(dump_request *r, const char *arg)
{
    static const char *const words[] = {"auto", "always", "never"};
    int                      n;

    if (!option_word("--color", arg, words, 3, &n))
        return false;
    r->color = (report_when)n;
    return true;
}

static bool
take_picture(dump_request *r, bool show, const char *arg)
{
    if (r->plot)
        return message_refuse("--plot and --show: one picture at a time");
    r->plot = true;
    r->show = show;
    return take_output(r, show ? "--show" : "--plot") && take_vars(&r->dump, r->output, arg);
}

static bool
take_list(dump_opts *o, const char *arg)
{
    static const char *const words[] = {"vars", "dims", "groups"};
    static const dump_form   forms[] = {DUMP_LIST_VARS, DUMP_LIST_DIMS, DUMP_LIST_GROUPS};
    int                      n;

    if (!option_word("--list", arg, words, 3, &n))
        return false;
    o->form = forms[n];
    return true;
}

/* Options with a long form alone. */
static bool
take_long_option(dump_request *r, int id, const char *arg)
{
    dump_opts *o = &r->dump;

    switch (id) {
    case OPT_JSON: return take_output(r, "--json") && take_json(o, arg);
    case OPT_TREE: return take_form(r, "--tree", DUMP_TREE);
    case OPT_SIZES: o->sizes = true; return true;
    case OPT_CHUNKS: return take_output(r, "--chunks") && take_chunks(o, arg);
    case OPT_LIST: return take_output(r, "--list") && take_list(o, arg);
    case OPT_DAMAGED: return option_damaged(arg, &o->damaged);
    case OPT_CHECK: o->check = true; return take_output(r, "--check");
    case OPT_STRUCTURE: r->structure = true; return true;
    case OPT_ALONG: return option_name("--along", arg, &r->along);
    case OPT_LOG: r->log = true; return true;
    case OPT_STATS: o->stats = true; return true;
    case OPT_HTML: r->html = true; return take_output(r, "--html");
    case OPT_SAMPLE: return option_count("--sample", arg, 1, 100000000, &r->sample);
    case OPT_PLOT: return take_picture(r, false, arg);
    case OPT_SHOW: return take_picture(r, true, arg);
    case OPT_RANGE: return report_parse_range(arg, &r->look);
    case OPT_COLORS: return report_parse_colors(arg, &r->look);
    case OPT_SIZE: return report_parse_size(arg, &r->look);
    case OPT_MEMBER: return option_count("--member", arg, 0, 1000000, &r->look.member);
    case OPT_GRAPHICS: return take_graphics(r, arg);
    case OPT_COLOR: return take_color(r, arg);
    default: r->explain = true; return take_output(r, "--s3-explain");
    }
}

static bool
take_option(void *ctx, int id, const char *arg)
{
    dump_request *r = ctx;
    dump_opts    *o = &r->dump;

    switch (id) {
    case 'h': o->part = DUMP_HEADER; return true;
    case 'c': o->part = o->part == DUMP_HEADER ? DUMP_HEADER : DUMP_COORDS; return true;
    case 'v': return take_vars(o, "-v", arg);
    case 'd': return option_limits(arg, &o->limits);
    case OPT_BBOX: return option_box(arg, &o->limits);
    case 'g': return option_names("-g", arg, &o->groups);
    case 'b': return take_index_comments(o, DUMP_COMMENTS_ROWS, arg);
    case 'f': return take_index_comments(o, DUMP_COMMENTS_VALUES, arg);
    case 'l': return option_count("-l", arg, LINE_MIN, 1 << 30, &o->line_len);
    case 'n': return option_name("-n", arg, &r->name);
    case 'p': return take_precision(o, arg);
    case 'k': return take_form(r, "-k", DUMP_KIND);
    case 'x': return take_form(r, "-x", DUMP_NCML);
    case 's': o->special = true; return true;
    case 'F': o->special = o->filters_generic = true; return true;
    case 't':
    case 'i':
        o->times = true;
        o->time_separator = id == 'i' ? 'T' : ' ';
        return true;
    case 'X': return take_special(o, arg);
    case 'L': return option_log_level(arg);
    case 'w': return true;
    default: return take_long_option(r, id, arg);
    }
}

static bool
check_look(const dump_request *r)
{
    const report_look *look = &r->look;
    const char        *option = look->has_range ? "--range" : look->width > 0 ? "--size" : NULL;

    if (!r->plot && option != NULL)
        return message_refuse("%s: only with --plot and --show", option);
    if (!r->plot && !r->html && look->colors != REPORT_COLORS_AUTO)
        return message_refuse("--colors: only with --plot, --show and --html");
    if (!r->plot && !r->html && look->member > 0)
        return message_refuse("--member: only with --plot, --show and --html");
    if (r->plot && r->log && look->has_range && look->range[0] <= 0)
        return message_refuse("--range: its ends are greater than 0 with --log");
    return true;
}

/* `n` arguments after the options */
static bool
check_arguments(const dump_request *r, char *const *args, int n)
{
    const dump_opts *o = &r->dump;

    if (r->log && !r->plot && r->output != NULL)
        return message_refuse("--log and %s: one form of output at a time", r->output);
    if (o->damaged != DAMAGE_STOP && (r->html || r->plot || (o->form != DUMP_CDL && o->form != DUMP_JSON)))
        return message_refuse("--damaged: only with CDL and --json, which print data");
    if (o->check && (o->part != DUMP_ALL || o->damaged != DAMAGE_STOP))
        return message_refuse("--check: not with -h, -c and --damaged");
    if (r->structure && (!o->check || o->vars.n > 0 || o->groups.n > 0 || o->limits.n > 0))
        return message_refuse(o->check ? "--structure: of a whole file, not with -v, -g, -d and --bbox"
                                       : "--structure: only with --check");
    if (r->plot && o->vars.n != 1)
        return message_refuse(r->show ? "--show: of one variable, without -v: nczdump --show VAR FILE"
                                      : "--plot: of one variable, without -v: nczdump --plot VAR FILE OUT.png");
    if (r->plot && !r->show && n != 1 && n != 2)
        return message_refuse("--plot: a dataset is needed, and at most one file for the picture");
    if (r->plot && !r->show && n == 2 && args[1][0] == '\0')
        return message_refuse("--plot: the name of the picture's file is empty");
    if (!check_look(r))
        return false;
    if (r->plot && !r->show)
        return n < 2 || report_check_path(args[1]);
    if (n == 0 || (n > 1 && (r->plot || r->explain || r->structure || r->log || o->check)))
        return message_refuse(n == 0 ? "no dataset given" : "only one dataset at a time");
    if (o->sizes && o->form != DUMP_TREE)
        return message_refuse("--sizes: only with --tree");
    if (o->limits.n > 0 && (r->html || o->form == DUMP_TREE || o->form == DUMP_CHUNKS || o->form == DUMP_CHUNKS_JSON))
        return message_refuse("-d and --bbox: not with --tree, --chunks and --html, which show what is stored");
    return true;
}

static bool
check_paths(char *const *args, int n)
{
    for (int i = 0; i < n; i++)
        if (!path_check(args[i]))
            return false;
    return true;
}

static int
explain_url(const char *url, const char *shown)
{
    char *text = NULL;
    int   rc = nczarr_s3_explain(url, &text);

    if (text != NULL)
        fputs(text, stdout);
    if (rc != NC_NOERR)
        (void)message_fail(rc, shown);
    free(text);
    return rc;
}

/* What was passed over, because something else served. */
static void
report_warnings(const char *shown, int ncid)
{
    const char *const *texts = NULL;
    size_t             n = 0;

    (void)nczarr_inq_warnings(ncid, &n, &texts);
    for (size_t i = 0; i < n; i++)
        message_print("%s: warning: %s", shown, texts[i]);
}

static int
plot_dataset(int ncid, const dump_request *r, const char *path)
{
    report_look look = r->look;

    look.log = r->log;
    return report_plot(ncid, &(report_plot_opts){.dump = &r->dump,
                                                 .file = r->dump.file,
                                                 .path = r->show        ? NULL
                                                         : path != NULL ? path
                                                                        : "",
                                                 .look = look,
                                                 .graphics = r->graphics,
                                                 .color = r->color});
}

static int
dump_dataset(int ncid, const char *path, const char *picture, dump_request *r)
{
    dump_opts *o = &r->dump;
    char      *own = dump_default_name(path);
    int        rc;

    o->color = report_wants_color(r->color);
    if (o->form != DUMP_KIND && nc_inq_attid(ncid, NC_GLOBAL, UNFINISHED_ATT, NULL) == NC_NOERR)
        message_print("%s: this copy is not complete: values that are missing show as fill", o->file);
    if (o->form != DUMP_KIND)
        report_warnings(o->file, ncid);
    if (o->check || o->damaged != DAMAGE_STOP) /* else it reads as zeros, as ncdump shows it */
        (void)nczarr_set_missing(ncid, NCZARR_MISSING_ERROR);
    if (r->name == NULL)
        r->name = own;
    if (r->plot)
        rc = plot_dataset(ncid, r, picture);
    else if (o->check)
        rc = dump_check(ncid, path, o, stdout);
    else if (r->html)
        rc =
            report_html(ncid, r->name, &(report_opts){.file = o->file, .sample = r->sample, .look = r->look}, stdout);
    else
        rc = dump_run(ncid, r->name, o, stdout);
    if (o->stats)
        dump_stats(ncid, stderr);
    free(own);
    return rc;
}

/* One dataset, or several as one. */
static int
open_all(char *const *args, int n, const char *along, int *ncid)
{
    if (n == 1 && along == NULL)
        return nc_open(args[0], NC_NOWRITE, ncid);
    return nczarr_open_joined((size_t)n, (const char *const *)args, along, NC_NOWRITE, ncid);
}

/* `args`: n datasets, and behind them the file of a picture or NULL. */
static int
run_request(char **args, int n, dump_request *r)
{
    char *shown = memory_need(redact_url(args[0]));
    int   ncid, rc;

    r->dump.file = shown;
    if (r->explain)
        rc = explain_url(args[0], shown);
    else if (r->structure)
        rc = dump_structure(args[0], shown, stdout);
    else if (r->log && !r->plot)
        rc = dump_log(args[0], shown, stdout);
    else if ((rc = open_all(args, n, r->along, &ncid)) != NC_NOERR) {
        (void)message_fail(rc, shown);
        if (n == 1 && r->dump.check && dump_check_unopened(args[0], &r->dump, stdout) == DUMP_DAMAGED)
            rc = DUMP_DAMAGED;
    } else {
        rc = dump_dataset(ncid, args[0], args[n], r);
        (void)nc_close(ncid);
    }
    free(shown);
    return rc == NC_NOERR ? EXIT_SUCCESS : rc == DUMP_DAMAGED ? DAMAGE_EXIT : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
    dump_request r = {.dump = DUMP_OPTS_INIT};
    option_table t = options;
    int          status;

    t.library = report_library();
    status = options_take(&t, &argc, &argv, take_option, &r);
    if (status < 0)
        status = check_arguments(&r, argv, argc) && check_paths(argv, r.plot ? 1 : argc)
                     ? run_request(argv, r.plot ? 1 : argc, &r)
                     : options_fail();
    name_list_clear(&r.dump.vars);
    name_list_clear(&r.dump.groups);
    hyperslab_limits_clear(&r.dump.limits);
    return status;
}
