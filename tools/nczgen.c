/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczgen: creates a dataset from CDL text. It has the options of ncgen; those without a meaning here are ignored.
 */
#include "gen/gen.h"
#include "common/char_notice.h"
#include "common/dataset_kind.h"
#include "common/error_text.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "common/mode_words.h"
#include "common/options.h"
#include "common/path_parts.h"
#include "common/redact_url.h"
#include "common/zarr_version.h"
#include "platform/platform.h"

#include <errno.h>
#include <nczarr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const option_row rows[] = {
    {'b', 'b', NULL, NULL, NULL, "write a dataset, named after the text",
     ": NAME.zarr, or NAME.nc with -k of a file"},
    {'o', 'o', NULL, "PATH", ":files", "write the dataset PATH", ", a path or a URL; implies -b"},
    {'m', 0, "mode", "MODES", "nczarr zarr v2 v3 noxarray consolidated file zip s3", "how it is stored",
     ": nczarr (the default), zarr, noxarray ... as in #mode=MODES of a URL"},
    {'z', 0, "zarr-format", "N", "2 3", "version 2 or 3 of Zarr",
     "; else that of PATH's fragment, of _ZarrFormat in the text, or 2"},
    {'k', 'k', NULL, "KIND", "nc3 nc4 nc5 nc6 nc7 nczarr zarr", "kind of dataset",
     ": nc4 (a netCDF-4 file), nc7 (one of the classic model), nc3, nc6 or nc5 (a classic file: CDF-1, 2, 5), also "
     "ncgen's other names and numbers, and nczarr or zarr as in --mode; implies -b, as in ncgen"},
    {'3', '3', NULL, NULL, NULL, NULL, NULL},
    {'4', '4', NULL, NULL, NULL, NULL, NULL},
    {'5', '5', NULL, NULL, NULL, NULL, NULL},
    {'6', '6', NULL, NULL, NULL, NULL, NULL},
    {'7', '7', NULL, NULL, NULL, "short for -k nc3 ... nc7", NULL},
    {'N', 'N', NULL, "NAME", NULL, "the dataset's name", " in place of the one in the text"},
    {'H', 'H', NULL, NULL, NULL, "definitions only, no data", NULL},
    {'x', 'x', NULL, NULL, NULL, "do not pre-fill variables", NULL},
    {'l', 'l', NULL, "b", "b", "the only output language", ": b, a dataset"},
    {'P', 'P', NULL, NULL, NULL, "keep the dataset in memory until it is closed", NULL},
    {'W', 'W', NULL, "N", NULL, "write at most about N bytes in one piece", NULL},
    {'L', 'L', NULL, "N", NULL, NULL, NULL},
    {'d', 'd', NULL, NULL, NULL, NULL, NULL},
    {'D', 'D', NULL, "N", NULL, "accepted and ignored", NULL},
};

static const option_table options = {
    .command = "nczgen",
    .usage =
        "usage: nczgen [options] [FILE]\n"
        "Creates a dataset from CDL text in FILE, or in standard input. Without -b, -o or a kind the text is only\n"
        "checked.\n"
        "options:\n",
    .rows = rows,
    .n = sizeof rows / sizeof *rows,
    .hidden = "h",
};

typedef struct gen_request {
    const char         *in, *out, *mode, *name;
    bool                binary, diskless;
    const dataset_kind *kind;        /* -k and its like; NULL: none */
    bool                zarr;        /* the name or an option says Zarr, where `kind` is a netCDF-4 file */
    int                 zarr_format; /* 0: not given */
    gen_opts            gen;
} gen_request;

static void
print_message(void *ctx, bool is_error, const char *text)
{
    (void)ctx;
    (void)is_error;
    message_print("%s", text);
}

static bool
fail_value(const char *what, const char *value)
{
    return message_refuse("%s%s", what, value);
}

/* ---- input and output ------------------------------------------------------------------------------------- */

/* Reads all of `in` and appends a NUL; NULL with errno. */
static char *
read_all(FILE *in, size_t *len)
{
    size_t cap = 65536, n = 0, got;
    char  *text = malloc(cap), *more;

    while (text != NULL && (got = fread(text + n, 1, cap - n - 1, in)) > 0) {
        n += got;
        if (cap - n > 1)
            continue;
        more = cap > (size_t)-1 / 2 ? NULL : realloc(text, cap *= 2);
        if (more == NULL) {
            free(text);
            errno = ENOMEM;
        }
        text = more;
    }
    if (text != NULL && ferror(in)) {
        free(text);
        return NULL;
    }
    if (text != NULL)
        text[n] = '\0';
    *len = n;
    return text;
}

static int
parse_input(const gen_request *o, gen_cdl **out)
{
    bool   std = o->in == NULL || strcmp(o->in, "-") == 0;
    FILE  *in = std ? stdin : ncz_sys_fopen(o->in, "rb");
    size_t len;
    char  *text;
    int    rc = NC_EINVAL;

    if (in == NULL)
        return message_error(rc, "%s: %s", o->in, strerror(errno));
    text = read_all(in, &len);
    if (text == NULL)
        message_print("%s: %s", std ? "standard input" : o->in, strerror(errno));
    else
        rc = gen_parse(std ? "<stdin>" : o->in, text, len, o->gen.report, out);
    free(text);
    if (!std)
        fclose(in);
    return rc;
}

static bool
makes_classic(const gen_request *o)
{
    return o->kind != NULL && o->kind->file;
}

/* A classic netCDF file, or a netCDF-4 one. */
static bool
makes_file(const gen_request *o)
{
    return makes_classic(o) || (o->kind != NULL && o->kind->netcdf4 && !o->zarr);
}

/* The version of Zarr that the path must ask for: that of the option; else the text's if it is not the default and the
 * path does not say. 0: none. */
static int
choose_version(const gen_request *o, const gen_cdl *cdl, const nczarr_path_parts *parts)
{
    int said = makes_file(o) ? 0 : gen_zarr_format(cdl);

    if (o->zarr_format != 0)
        return o->zarr_format;
    return parts->zarr_format == 0 && zarr_version_is_said(said) ? said : 0;
}

/* The modes of --mode, or else those of the kind; NULL: none. */
static const char *
choose_modes(const gen_request *o)
{
    return o->mode == NULL && o->kind != NULL && !(o->kind->netcdf4 && o->zarr) ? o->kind->mode : o->mode;
}

/* PATH as given, or NAME.zarr (.zip with that mode, .nc of a file). In fresh memory. */
static char *
choose_name(const gen_request *o, const gen_cdl *cdl)
{
    const char *name = o->out != NULL ? o->out : o->name != NULL ? o->name : gen_name(cdl);
    const char *suffix = o->out != NULL                                      ? ""
                         : makes_file(o)                                     ? ".nc"
                         : o->mode != NULL && strstr(o->mode, "zip") != NULL ? ".zip"
                                                                             : ".zarr";
    char       *path = NULL;

    return asprintf(&path, "%s%s", name, suffix) < 0 ? NULL : path;
}

/* Returned in place of a netCDF code: the value of an option is wrong. It is reported. */
#define WRONG_OPTION (1 << 21)

/* The library does not take the path that -o and --mode give. */
static int
report_bad_path(const char *path, int rc)
{
    (void)message_fail(rc, path);
    return rc == NC_ENOMEM ? rc : WRONG_OPTION;
}

/* Puts the modes that the options ask for into the fragment of *path. */
static int
add_modes(const gen_request *o, const gen_cdl *cdl, char **path)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    char             *keys, *full;
    int               rc = nczarr_path_split(*path, &parts);

    if (rc != NC_NOERR)
        return report_bad_path(*path, rc);
    keys = path_mode_keys(choose_modes(o), choose_version(o, cdl, &parts));
    full = keys != NULL ? path_with_keys(&parts, keys) : NULL;
    nczarr_path_clear(&parts);
    free(keys);
    if (full == NULL)
        return message_error(NC_ENOMEM, "out of memory");
    free(*path);
    *path = full;
    return NC_NOERR;
}

/*
 * By its name a file is what the text asks for; else a classic one of the oldest version that has its types, or, where
 * no classic file has all of it, netCDF-4. NULL: the dataset is Zarr, or has the name of a file that is not written
 * there.
 */
static const dataset_kind *
kind_by_name(const nczarr_path_parts *parts, const gen_cdl *cdl)
{
    static const char *const versions[] = {[1] = "cdf1", [2] = "cdf2", [5] = "cdf5"};
    const dataset_kind      *said = gen_format(cdl);

    if (parts->classic != 0)
        return dataset_kind_parse(versions[parts->classic]);
    if (parts->netcdf4)
        return said != NULL && said->netcdf4 ? said : dataset_kind_parse("nc4");
    if (path_is_zarr(parts) || path_name_of(parts) == PATH_NAME_ANY)
        return NULL;
    if (path_name_of(parts) == PATH_NAME_NETCDF4)
        return said != NULL && said->netcdf4 ? said : dataset_kind_parse("nc4");
    return said != NULL                               ? said
           : path_name_of(parts) == PATH_NAME_CLASSIC ? gen_classic_kind(cdl)
                                                      : gen_file_kind(cdl);
}

/* What -k, a mode of the path, or the path's name says. */
static int
choose_kind(gen_request *o, const gen_cdl *cdl)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    int               rc;

    o->zarr = o->mode != NULL || o->zarr_format != 0;
    if (o->out == NULL)
        return NC_NOERR;
    if ((rc = nczarr_path_split(o->out, &parts)) != NC_NOERR)
        return report_bad_path(o->out, rc);
    if (o->kind == NULL && !o->zarr)
        o->kind = kind_by_name(&parts, cdl);
    o->zarr = o->zarr || (path_is_zarr(&parts) && path_promises_object(&parts) == NULL);
    nczarr_path_clear(&parts);
    return NC_NOERR;
}

/* At a URL a name of a file would be that of many objects. Nowhere is it that of another format. */
static int
check_name(const gen_request *o, const char *path)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    const char       *object;
    int               rc = nczarr_path_split(path, &parts);

    if (rc != NC_NOERR)
        return report_bad_path(path, rc);
    if (o->mode != NULL && parts.fragment[0] == '\0') {
        message_print(PATH_BAD_MODE, o->mode);
        rc = WRONG_OPTION;
    } else if (!makes_file(o) && (object = path_promises_object(&parts)) != NULL) {
        message_print(PATH_REMOTE_NAME, parts.shown, object);
        rc = NC_EINVAL;
    } else if (!makes_file(o) && (object = path_other_format(&parts)) != NULL) {
        message_print(PATH_OTHER_FORMAT, parts.shown, object);
        rc = NC_EINVAL;
    }
    nczarr_path_clear(&parts);
    return rc;
}

/* A name from the text must stay in the current directory. */
static bool
is_plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && name[0] != '[' && strpbrk(name, "/#:") == NULL;
}

static void
say_notice(const char *path, const char *notice)
{
    char *shown = redact_url(path);

    message_print("%s: %s", shown != NULL ? shown : "the dataset", notice);
    free(shown);
}

/* Writes the data and closes the dataset, or removes it. */
static int
write_dataset(const gen_request *o, const gen_cdl *cdl, const char *path, int ncid)
{
    int         rc = gen_write(cdl, ncid, &o->gen), gone;
    const char *notice;
    char       *shown;

    if (rc == NC_NOERR && interrupt_seen())
        rc = GEN_STOPPED;
    if (rc == NC_NOERR) {
        notice = char_notice(ncid);
        if ((rc = nc_close(ncid)) != NC_NOERR) {
            message_fail(rc, path);
            gone = rc == NC_EEXIST ? NC_NOERR : nc_delete(path); /* NC_EEXIST: it is another writer's */
            if (gone != NC_NOERR && gone != NC_ENOOBJECT)
                message_fail(gone, path);
        } else if (notice != NULL) {
            say_notice(path, notice);
        }
        return rc;
    }
    if ((gone = nc_abort(ncid)) != NC_NOERR)
        message_fail(gone, path);
    if (rc == GEN_STOPPED) {
        shown = redact_url(path);
        message_print("%s: interrupted; %s. The same command starts from the beginning", shown != NULL ? shown : "",
                      gone == NC_NOERR ? "nothing is left of it" : "some of it is left");
        free(shown);
    }
    return rc;
}

/* Creates the dataset at its path, and removes it when it cannot be completed. */
static int
generate(const gen_request *o, const gen_cdl *cdl)
{
    const dataset_kind *model = o->kind != NULL ? o->kind : gen_format(cdl);
    bool                classic = model != NULL && model->classic_model;
    int                 mode = makes_classic(o) ? NC_CLOBBER : NC_CLOBBER | NC_NETCDF4;
    char               *path = choose_name(o, cdl);
    int                 ncid, rc;

    if (path == NULL)
        return message_error(NC_ENOMEM, "out of memory");
    if (o->out == NULL && !is_plain_name(o->name != NULL ? o->name : gen_name(cdl))) {
        message_print("\"%s\" cannot be the name of a dataset: give it a path with -o", path);
        free(path);
        return o->name != NULL ? WRONG_OPTION : NC_EBADNAME;
    }
    if ((rc = add_modes(o, cdl, &path)) != NC_NOERR || (rc = check_name(o, path)) != NC_NOERR) {
        free(path);
        return rc;
    }
    mode |= (classic ? NC_CLASSIC_MODEL : 0) | (o->diskless ? NC_DISKLESS | NC_PERSIST : 0);
    interrupt_catch();
    rc = nc_create(path, mode, &ncid);
    if (rc != NC_NOERR)
        message_fail(rc, path);
    else
        rc = write_dataset(o, cdl, path, ncid);
    free(path);
    return rc;
}

/* ---- options ---------------------------------------------------------------------------------------------- */

static bool
parse_byte_count(const char *text, size_t *out)
{
    char              *end;
    unsigned long long n;

    errno = 0;
    n = strtoull(text, &end, 0);
    *out = (size_t)n;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && n > 0;
}

/* Of -D and -L, which are ignored */
static bool
is_level(const char *text)
{
    char *end;

    (void)strtol(text, &end, 10);
    return end != text && *end == '\0';
}

static bool
take_kind(gen_request *o, const dataset_kind *kind, const char *value)
{
    o->kind = kind;
    o->binary = true;
    return kind != NULL || fail_value("unknown kind of dataset: ", value);
}

static bool
take_option(void *ctx, int id, const char *value)
{
    gen_request *o = ctx;

    switch (id) {
    case 'b': o->binary = true; return true;
    case 'o':
        o->out = value;
        o->binary = true;
        return true;
    case 'm': o->mode = value; return mode_words_check(value);
    case 'z': return option_zarr_format(value, &o->zarr_format);
    case 'k': return take_kind(o, dataset_kind_parse(value), value);
    case '3':
    case '4':
    case '5':
    case '6':
    case '7': return take_kind(o, dataset_kind_of_letter(id), "");
    case 'N': return option_name("-N", value, &o->name);
    case 'H': o->gen.header_only = true; return true;
    case 'x': o->gen.nofill = true; return true;
    case 'l': o->binary = true; return strcmp(value, "b") == 0 || fail_value("no output language but b: ", value);
    case 'P': o->diskless = true; return true;
    case 'W': return parse_byte_count(value, &o->gen.put_bytes) || fail_value("-W: not a number of bytes: ", value);
    case 'D': return is_level(value) || fail_value("-D: not a number: ", value);
    case 'L': return is_level(value) || fail_value("-L: not a number: ", value);
    default: return true; /* -d */
    }
}

int
main(int argc, char **argv)
{
    gen_request o = {.gen = {.report.say = print_message, .stop = interrupt_seen}};
    gen_cdl    *cdl = NULL;
    int         rc, status = options_take(&options, &argc, &argv, take_option, &o);

    if (status >= 0)
        return status;
    if (argc > 1) {
        message_print("one input file at most, not also %s", argv[1]);
        return options_fail();
    }
    if (makes_classic(&o) && o.mode != NULL) {
        message_print("-k %s is a classic file, which has no --mode: %s", o.kind->name, o.mode);
        return options_fail();
    }
    o.in = argc > 0 ? argv[0] : NULL;
    rc = parse_input(&o, &cdl);
    if (rc == NC_NOERR && o.binary && (rc = choose_kind(&o, cdl)) == NC_NOERR)
        rc = generate(&o, cdl);
    else if (rc == NC_NOERR && !o.binary)
        message_print("the text is correct; nothing was written: -o PATH writes a dataset");
    gen_free(cdl);
    if (rc == GEN_STOPPED)
        interrupt_end();
    return rc == NC_NOERR ? EXIT_SUCCESS : rc == WRONG_OPTION ? EXIT_USAGE : EXIT_FAILURE;
}
