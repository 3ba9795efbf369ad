/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczdump: prints a dataset as CDL, JSON, NcML, a tree or a map of its chunks. This file reads the options;
 * tools/dump does the work.
 *
 * Exit status: 0; 1 when something could not be read; 2 for a wrong command line; 3 when all but damaged chunks was
 * read, with --damaged.
 */
#include "common/message.h"
#include "common/redact_url.h"
#include "common/unfinished.h"
#include "common/version_text.h"
#include "dump/dump.h"
#include "report/report.h"
#include "platform/platform.h"

#include <nczarr.h>

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2, LINE_MIN = 10, DIGITS_MAX = 20 };

enum {
    OPT_JSON = 256,
    OPT_TREE,
    OPT_CHUNKS,
    OPT_S3_EXPLAIN,
    OPT_HELP,
    OPT_VERSION,
    OPT_STATS,
    OPT_HTML,
    OPT_SAMPLE,
    OPT_PLOT,
    OPT_SHOW,
    OPT_GRAPHICS,
    OPT_COLOR,
    OPT_LIST,
    OPT_SIZES,
    OPT_DAMAGED,
    OPT_CHECK
};

static const char usage_text[] =
    "usage: nczdump [options] PATH-or-URL\n"
    "       nczdump --plot VAR[SUBSCRIPTS] [options] PATH-or-URL OUT.png\n"
    "  -h, --header            no data\n"
    "  -c, --coords            data of coordinate variables only\n"
    "  -v, --variables LIST    data of these variables only (names or paths), or of a part: v[0:10,:,3]\n"
    "  -g, --groups LIST       data of these groups only\n"
    "  -d, --dim DIM,FIRST[,[LAST][,STRIDE]]  only this part of a dimension: indices, or values: 10.,20.,\n"
    "                          or dates: 2001-02-01,2001-03\n"
    "  -s, --special           also virtual attributes: chunks, filters, byte order, provenance\n"
    "  -F                      filters as _Filter and _Codecs instead of _DeflateLevel and similar\n"
    "  -Xp                     no _NCProperties         -XF  show the type of _FillValue\n"
    "  -t, --times             times as dates           -i   ... with a T before the time of day\n"
    "  -p, --precision F[,D]   significant digits of float and double values (9,17 loses nothing)\n"
    "  -b c|f, -f c|f          index comments: one for a row, or for each value; as in C or Fortran\n"
    "  -l, --line LENGTH       line length of the data section (80)\n"
    "  -n, --name NAME         name of the dataset in the output\n"
    "  -k, --kind              only the kind of dataset\n"
    "  -x, --ncml              NcML instead of CDL, without data\n"
    "      --json[=header]     JSON instead of CDL\n"
    "      --html              a page about the dataset for a browser, with statistics and pictures\n"
    "      --sample N          ... statistics of at most N values of a variable (100000)\n"
    "      --plot VAR          a picture of one variable, in FILE after the dataset, or VAR.png: a map of its last "
    "two\n"
    "                          dimensions, or a line; or of a part: v[0,:,:]\n"
    "      --show VAR          the same on the terminal\n"
    "      --graphics HOW      ... as sixel, kitty, blocks, or auto, as the terminal can\n"
    "      --color WHEN        ... and CDL, --tree, --chunks in color: auto, always or never\n"
    "      --tree              an overview of groups, variables, chunks and codecs\n"
    "      --sizes             ... with the bytes of a dataset on a server, too, if it can list: costs requests\n"
    "      --s3-explain        the settings that an S3 URL resolves to: address, region, credentials\n"
    "      --chunks[=json]     which chunks are stored, their bytes and ratio; with -v of these variables\n"
    "      --list=WHAT         names only: of vars, dims or groups\n"
    "      --damaged=HOW       damaged chunks: stop (the default); fill: print the fill value in their place;\n"
    "                          skip: leave out their variables; a list at the end, and exit status 3\n"
    "      --check             read every chunk, and compare consolidated metadata with the documents: exit status "
    "0\n"
    "                          if all is sound, 3 if chunks or documents are damaged or differ\n"
    "      --stats             counts of store operations, on stderr at the end\n"
    "  -w, -Xm, -L LEVEL       accepted as by ncdump    -L  also sets the log level\n"
    "      --help, --version\n";

static const struct option long_options[] = {
    {"header", no_argument, NULL, 'h'},
    {"coords", no_argument, NULL, 'c'},
    {"variables", required_argument, NULL, 'v'},
    {"groups", required_argument, NULL, 'g'},
    {"dim", required_argument, NULL, 'd'},
    {"special", no_argument, NULL, 's'},
    {"times", no_argument, NULL, 't'},
    {"precision", required_argument, NULL, 'p'},
    {"line", required_argument, NULL, 'l'},
    {"name", required_argument, NULL, 'n'},
    {"kind", no_argument, NULL, 'k'},
    {"ncml", no_argument, NULL, 'x'},
    {"json", optional_argument, NULL, OPT_JSON},
    {"tree", no_argument, NULL, OPT_TREE},
    {"s3-explain", no_argument, NULL, OPT_S3_EXPLAIN},
    {"chunks", optional_argument, NULL, OPT_CHUNKS},
    {"damaged", required_argument, NULL, OPT_DAMAGED},
    {"check", no_argument, NULL, OPT_CHECK},
    {"stats", no_argument, NULL, OPT_STATS},
    {"html", no_argument, NULL, OPT_HTML},
    {"sample", required_argument, NULL, OPT_SAMPLE},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"show", required_argument, NULL, OPT_SHOW},
    {"graphics", required_argument, NULL, OPT_GRAPHICS},
    {"color", required_argument, NULL, OPT_COLOR},
    {"list", required_argument, NULL, OPT_LIST},
    {"sizes", no_argument, NULL, OPT_SIZES},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

static bool
fail_value(const char *option, const char *value)
{
    message_print("%s: not a valid value: %s", option, value);
    return false;
}

static bool
take_index_comments(dump_opts *o, dump_index_comments comments, const char *arg)
{
    char lang = (char)tolower((unsigned char)arg[0]);

    if (lang != 'c' && lang != 'f')
        return fail_value(comments == DUMP_COMMENTS_ROWS ? "-b" : "-f", arg);
    o->comments = comments;
    o->comments_fortran = lang == 'f';
    return true;
}

static bool
take_number(const char *option, const char *arg, long least, long most, const char **end, long *out)
{
    char *stop;

    *out = strtol(arg, &stop, 10);
    *end = stop;
    return (stop != arg && *out >= least && *out <= most) || fail_value(option, arg);
}

/* F, F,D or ,D */
static bool
take_precision(dump_opts *o, const char *arg)
{
    const char *end = arg;
    long        n;

    if (*arg != ',') {
        if (!take_number("-p", arg, 1, DIGITS_MAX, &end, &n))
            return false;
        o->float_digits = (int)n;
    }
    if (*end == ',') {
        if (!take_number("-p", end + 1, 1, DIGITS_MAX, &end, &n))
            return false;
        o->double_digits = (int)n;
    }
    return *end == '\0' || fail_value("-p", arg);
}

static bool
take_line(dump_opts *o, const char *arg)
{
    const char *end;
    long        n;

    if (!take_number("-l", arg, LINE_MIN, 1L << 30, &end, &n))
        return false;
    o->line_len = (size_t)n;
    return *end == '\0' || fail_value("-l", arg);
}

static bool
take_log_level(const char *arg)
{
    const char *end;
    long        n;

    if (!take_number("-L", arg, -1, 100, &end, &n))
        return false;
    if (*end != '\0')
        return fail_value("-L", arg);
    (void)nc_set_log_level((int)n);
    return true;
}

static bool
take_special(dump_opts *o, const char *arg)
{
    if (strcmp(arg, "p") == 0)
        o->hide_provenance = true;
    else if (strcmp(arg, "F") == 0)
        o->fill_type = true;
    else if (strcmp(arg, "m") != 0)
        return fail_value("-X", arg);
    return true;
}

static bool
take_json(dump_opts *o, const char *arg)
{
    o->form = DUMP_JSON;
    if (arg != NULL && strcmp(arg, "header") == 0)
        o->part = DUMP_HEADER;
    else if (arg != NULL)
        return fail_value("--json", arg);
    return true;
}

static bool
take_chunks(dump_opts *o, const char *arg)
{
    o->form = arg != NULL ? DUMP_CHUNKS_JSON : DUMP_CHUNKS;
    return arg == NULL || strcmp(arg, "json") == 0 || fail_value("--chunks", arg);
}

/* --html and --sample */
typedef struct html_opts {
    bool   on;
    size_t sample;
} html_opts;

static bool
take_html(html_opts *html, int c)
{
    const char *end;
    long        n;

    if (c == OPT_HTML) {
        html->on = true;
        return true;
    }
    if (!take_number("--sample", optarg, 1, 100000000, &end, &n))
        return false;
    html->sample = (size_t)n;
    return *end == '\0' || fail_value("--sample", optarg);
}

static bool
take_vars(dump_opts *o, const char *arg)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (dump_names_add_with_subscripts(&o->vars, &o->limits, arg, why))
        return true;
    message_print("-v: %s", why);
    return false;
}

static bool
take_limits(dump_opts *o, const char *arg)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (hyperslab_parse(&o->limits, arg, why))
        return true;
    message_print("-d: %s", why);
    return false;
}

/* --plot, --show and what goes with them */
typedef struct plot_opts {
    bool            on, show;
    report_graphics graphics;
    report_when     color;
} plot_opts;

/* The place of `arg` in a list of words. */
static bool
take_word(const char *option, const char *arg, const char *const *words, int n, int *out)
{
    for (*out = 0; *out < n; ++*out)
        if (strcmp(arg, words[*out]) == 0)
            return true;
    return fail_value(option, arg);
}

static bool
take_plot(dump_opts *o, plot_opts *plot, int c)
{
    static const char *const graphics[] = {"auto", "sixel", "kitty", "blocks"}, *const when[] = {"auto", "always",
                                                                                                 "never"};
    const char *why;
    int         n;

    if (c == OPT_GRAPHICS) {
        if (!take_word("--graphics", optarg, graphics, 4, &n))
            return false;
        plot->graphics = (report_graphics)n;
        return true;
    }
    if (c == OPT_COLOR) {
        if (!take_word("--color", optarg, when, 3, &n))
            return false;
        plot->color = (report_when)n;
        return true;
    }
    if (c == OPT_PLOT && !report_can_plot(&why)) {
        message_print("%s", why);
        return false;
    }
    if (plot->on) {
        message_print("--plot and --show: one picture at a time");
        return false;
    }
    plot->on = true;
    plot->show = c == OPT_SHOW;
    return take_vars(o, optarg);
}

static bool
take_list(dump_opts *o)
{
    static const char *const words[] = {"vars", "dims", "groups"};
    static const dump_form   forms[] = {DUMP_LIST_VARS, DUMP_LIST_DIMS, DUMP_LIST_GROUPS};
    int                      n;

    if (!take_word("--list", optarg, words, 3, &n))
        return false;
    o->form = forms[n];
    return true;
}

/* Applies one option; false when it is invalid. */
static bool
take_option(dump_opts *o, html_opts *html, plot_opts *plot, const char **name, int c)
{
    switch (c) {
    case 'h': o->part = DUMP_HEADER; return true;
    case 'c': o->part = o->part == DUMP_HEADER ? DUMP_HEADER : DUMP_COORDS; return true;
    case 'v': return take_vars(o, optarg);
    case 'd': return take_limits(o, optarg);
    case 'g': name_list_add_all(&o->groups, optarg); return true;
    case 'b': return take_index_comments(o, DUMP_COMMENTS_ROWS, optarg);
    case 'f': return take_index_comments(o, DUMP_COMMENTS_VALUES, optarg);
    case 'l': return take_line(o, optarg);
    case 'n': *name = optarg; return true;
    case 'p': return take_precision(o, optarg);
    case 'k': o->form = DUMP_KIND; return true;
    case 'x': o->form = DUMP_NCML; return true;
    case 's': o->special = true; return true;
    case 'F': o->special = o->filters_generic = true; return true;
    case 't':
    case 'i':
        o->times = true;
        o->time_separator = c == 'i' ? 'T' : ' ';
        return true;
    case 'X': return take_special(o, optarg);
    case 'L': return take_log_level(optarg);
    case 'w': return true;
    case OPT_JSON: return take_json(o, optarg);
    case OPT_TREE: o->form = DUMP_TREE; return true;
    case OPT_SIZES: o->sizes = true; return true;
    case OPT_CHUNKS: return take_chunks(o, optarg);
    case OPT_LIST: return take_list(o);
    case OPT_DAMAGED:
        return damage_parse_policy(optarg, &o->damaged) || fail_value("--damaged: stop, fill or skip", optarg);
    case OPT_CHECK: o->check = true; return true;
    case OPT_STATS: o->stats = true; return true;
    case OPT_HTML:
    case OPT_SAMPLE: return take_html(html, c);
    case OPT_PLOT:
    case OPT_SHOW:
    case OPT_GRAPHICS:
    case OPT_COLOR: return take_plot(o, plot, c);
    default: return false; /* getopt has reported it */
    }
}

/* `n`: arguments after the options. */
static bool
check_arguments(const dump_opts *o, bool html, const plot_opts *plot, int n)
{
    if (o->damaged != DAMAGE_STOP && (html || plot->on || (o->form != DUMP_CDL && o->form != DUMP_JSON))) {
        message_print("--damaged: only with CDL and --json, which print data");
        return false;
    }
    if (o->check && (html || plot->on || o->form != DUMP_CDL || o->part != DUMP_ALL || o->damaged != DAMAGE_STOP)) {
        message_print("--check: not with --damaged or other forms of output");
        return false;
    }
    if (plot->on && (o->vars.n != 1 || html || o->form != DUMP_CDL)) {
        message_print(o->vars.n != 1 ? "--plot and --show: of one variable"
                                     : "--plot and --show: not with other forms of output");
        return false;
    }
    if (plot->on && !plot->show && n != 1 && n != 2) {
        message_print("--plot: a dataset is needed, and at most one file for the picture");
        return false;
    }
    if (plot->on && !plot->show)
        return true;
    if (n != 1) {
        message_print(n == 0 ? "no dataset given" : "only one dataset at a time");
        return false;
    }
    if (o->sizes && o->form != DUMP_TREE) {
        message_print("--sizes: only with --tree");
        return false;
    }
    if (o->limits.n > 0 && (html || o->form == DUMP_TREE || o->form == DUMP_CHUNKS || o->form == DUMP_CHUNKS_JSON)) {
        message_print("-d: not with --tree, --chunks and --html, which show what is stored");
        return false;
    }
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
    return rc == NC_NOERR ? EXIT_SUCCESS : EXIT_FAILURE;
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
dump_path(const char *path, const char *shown, const char *name, const char *png, dump_opts *o, const html_opts *html,
          const plot_opts *plot)
{
    char *own = dump_default_name(path);
    int   ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc != NC_NOERR) {
        (void)message_fail(rc, shown);
    } else {
        o->file = shown;
        o->color = report_wants_color(plot->color);
        if (o->form != DUMP_KIND && nc_inq_attid(ncid, NC_GLOBAL, UNFINISHED_ATT, NULL) == NC_NOERR)
            message_print("%s: this copy is not complete: values that are missing show as fill", shown);
        if (o->form != DUMP_KIND)
            report_warnings(shown, ncid);
        if (name == NULL)
            name = own;
        if (plot->on)
            rc = report_plot(ncid, &(report_plot_opts){.dump = o,
                                                       .file = shown,
                                                       .png = plot->show    ? NULL
                                                              : png != NULL ? png
                                                                            : "",
                                                       .graphics = plot->graphics,
                                                       .color = plot->color});
        else if (o->check)
            rc = dump_check(ncid, path, o, stdout);
        else if (html->on)
            rc = report_html(ncid, name, &(report_opts){.file = shown, .sample = html->sample}, stdout);
        else
            rc = dump_run(ncid, name, o, stdout);
        if (o->stats)
            dump_stats(ncid, stderr);
        (void)nc_close(ncid);
    }
    free(own);
    return rc == NC_NOERR ? EXIT_SUCCESS : rc == DUMP_DAMAGED ? DAMAGE_EXIT : EXIT_FAILURE;
}

static int
dump_or_explain(char **args, bool explained, const char *name, dump_opts *o, const html_opts *html,
                const plot_opts *plot)
{
    const char *path = args[0];
    char       *shown = redact_url(path);
    int         status = EXIT_FAILURE;

    if (shown == NULL)
        message_print("out of memory");
    else
        status = explained ? explain_url(path, shown) : dump_path(path, shown, name, args[1], o, html, plot);
    free(shown);
    return status;
}

int
main(int argc, char **argv)
{
    dump_opts   o = DUMP_OPTS_INIT;
    html_opts   html = {.sample = REPORT_SAMPLE};
    plot_opts   plot = {.on = false};
    const char *name = NULL;
    static char program[] = "nczdump"; /* getopt's messages name argv[0] */
    bool        explained = false;
    int         c, status = EXIT_SUCCESS;

    message_set_command("nczdump");
    ncz_sys_start(&argc, &argv);
    if (argc > 0)
        argv[0] = program;
    while (status == EXIT_SUCCESS &&
           (c = getopt_long(argc, argv, "b:cd:f:g:hikl:n:p:stv:wxFL:X:", long_options, NULL)) != -1) {
        if (c == OPT_HELP || c == OPT_VERSION) {
            if (c == OPT_HELP)
                fputs(usage_text, stdout);
            else
                print_version("nczdump", report_has_png ? "libpng" : NULL);
            goto done;
        }
        if (c == OPT_S3_EXPLAIN)
            explained = true;
        else if (!take_option(&o, &html, &plot, &name, c))
            status = EXIT_USAGE;
    }
    if (status == EXIT_SUCCESS && !check_arguments(&o, html.on, &plot, argc - optind))
        status = EXIT_USAGE;
    if (status == EXIT_USAGE)
        fprintf(stderr, "Try 'nczdump --help'.\n");
    else
        status = dump_or_explain(argv + optind, explained, name, &o, &html, &plot);
done:
    name_list_clear(&o.vars);
    name_list_clear(&o.groups);
    hyperslab_limits_clear(&o.limits);
    return status;
}
