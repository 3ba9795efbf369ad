/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczcopy: copies a dataset into another store, dialect, chunking or compression. This file reads the options;
 * tools/copy does the work.
 *
 * Exit status: 0; 1 when something failed; 2 for a wrong command line; 3 when all is done but for damaged chunks, with
 * --damaged.
 */
#include "common/message.h"
#include "common/version_text.h"
#include "copy/copy.h"
#include "platform/platform.h"

#include <getopt.h>
#include <nczarr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

enum {
    OPT_MODE = 256,
    OPT_DIM,
    OPT_ZARR_FORMAT,
    OPT_SHARDS,
    OPT_MEMORY,
    OPT_CONSOLIDATE,
    OPT_IN_PLACE,
    OPT_REMOVE_OLD,
    OPT_DRY_RUN,
    OPT_VERIFY,
    OPT_RESUME,
    OPT_NO_CLOBBER,
    OPT_SKIP_UNREADABLE,
    OPT_DAMAGED,
    OPT_NETCDF_TYPES,
    OPT_PROGRESS,
    OPT_QUIET,
    OPT_HELP,
    OPT_VERSION,
};

static const char usage_text[] =
    "usage: nczcopy [options] SOURCE TARGET\n"
    "       nczcopy --in-place --zarr-format N [options] DATASET\n"
    "  -d, --dim DIM,FIRST[,[LAST][,STRIDE]]  only this part of a dimension: indices, or values: 10.,20.,\n"
    "                          or dates: 2001-02-01,2001-03\n"
    "  -d, --deflate N         compress with deflate, level N (0: not at all), replacing other compression\n"
    "  -s, --shuffle           ... with shuffle before it\n"
    "  -F, --filter SPEC       codecs of variables: 'VARIABLES,FILTER|FILTER...'; '*,none', 't&u,zstd,3'\n"
    "  -c, --chunks SPEC       chunk lengths: 'DIM/LENGTH,...', 'VAR:LENGTH,...', 'VAR:contiguous' or '/'\n"
    "      --shards SPEC       shard lengths in elements: 'DIM/LENGTH,...', 'VAR:LENGTH,...', 'VAR:none' or 'none'\n"
    "  -M, --min-chunked SIZE  leave smaller fixed variables alone in -c and --shards by dimension (8192; 0: none)\n"
    "  -u, --unlimited-to-fixed  unlimited dimensions become fixed\n"
    "      --netcdf-types      store bool, UCS-4 text, half floats and times as types that netCDF-C can read\n"
    "  -v, --variables LIST    data of these variables only\n"
    "  -V, --only-variables LIST  these variables only, definitions and data\n"
    "  -g, --groups LIST       data of these groups only\n"
    "  -G, --only-groups LIST  these groups only, definitions and data\n"
    "  -k, --kind KIND         nc4, or nc7 for the classic model; -4 and -7 are short for them; else as the source\n"
    "      --mode MODES        how the target is stored: nczarr, zarr, zip ..., as in #mode=MODES of a URL; else as "
    "the\n"
    "                          source, with NCZarr's metadata or without\n"
    "      --zarr-format N     version 2 or 3 of Zarr; else as the source\n"
    "      --in-place          write the metadata of that version beside those of the other, over the same chunks\n"
    "      --remove-old        ... and then remove those of the other version\n"
    "      --consolidate       with consolidated metadata\n"
    "      --memory SIZE       most memory for data (256M)\n"
    "  -m, --buffer SIZE       most bytes read in one piece\n"
    "  -h, --cache SIZE        chunk cache of each of the two datasets\n"
    "  -e, --cache-elems N     its number of slots\n"
    "      --dry-run           print what would be written, write nothing\n"
    "      --verify            read the target again and compare all of it\n"
    "      --resume            continue a copy that was interrupted\n"
    "      --no-clobber        do not replace a dataset\n"
    "      --skip-unreadable   leave out variables whose type or codec cannot be read, with a warning\n"
    "      --damaged=HOW       damaged chunks: stop (the default); fill: the fill value in their place;\n"
    "                          skip: leave out their variables; a list at the end, and exit status 3\n"
    "      --progress[=json]   show the progress even without a terminal; as lines of JSON on stderr\n"
    "  -q, --quiet             never show it\n"
    "  -L, --log LEVEL         log level of the library\n"
    "  -r                      read all of the source into memory first\n"
    "  -w                      keep the target in memory until it is complete\n"
    "      --help, --version\n";

static const struct option long_options[] = {
    {"dim", required_argument, NULL, OPT_DIM},
    {"deflate", required_argument, NULL, 'd'},
    {"shuffle", no_argument, NULL, 's'},
    {"filter", required_argument, NULL, 'F'},
    {"chunks", required_argument, NULL, 'c'},
    {"shards", required_argument, NULL, OPT_SHARDS},
    {"min-chunked", required_argument, NULL, 'M'},
    {"unlimited-to-fixed", no_argument, NULL, 'u'},
    {"variables", required_argument, NULL, 'v'},
    {"only-variables", required_argument, NULL, 'V'},
    {"groups", required_argument, NULL, 'g'},
    {"only-groups", required_argument, NULL, 'G'},
    {"kind", required_argument, NULL, 'k'},
    {"mode", required_argument, NULL, OPT_MODE},
    {"zarr-format", required_argument, NULL, OPT_ZARR_FORMAT},
    {"in-place", no_argument, NULL, OPT_IN_PLACE},
    {"remove-old", no_argument, NULL, OPT_REMOVE_OLD},
    {"consolidate", no_argument, NULL, OPT_CONSOLIDATE},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"buffer", required_argument, NULL, 'm'},
    {"cache", required_argument, NULL, 'h'},
    {"cache-elems", required_argument, NULL, 'e'},
    {"dry-run", no_argument, NULL, OPT_DRY_RUN},
    {"verify", no_argument, NULL, OPT_VERIFY},
    {"resume", no_argument, NULL, OPT_RESUME},
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    {"skip-unreadable", no_argument, NULL, OPT_SKIP_UNREADABLE},
    {"damaged", required_argument, NULL, OPT_DAMAGED},
    {"netcdf-types", no_argument, NULL, OPT_NETCDF_TYPES},
    {"progress", optional_argument, NULL, OPT_PROGRESS},
    {"quiet", no_argument, NULL, 'q'},
    {"log", required_argument, NULL, 'L'},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

static bool
take_number(const char *option, const char *arg, long least, long most, long *out)
{
    char *end;

    *out = strtol(arg, &end, 10);
    if (end != arg && *end == '\0' && *out >= least && *out <= most)
        return true;
    message_print("%s: not a number from %ld to %ld: %s", option, least, most, arg);
    return false;
}

static bool
take_deflate(copy_opts *o, const char *arg)
{
    long n;

    if (!take_number("-d", arg, NC_MIN_DEFLATE_LEVEL, NC_MAX_DEFLATE_LEVEL, &n))
        return false;
    o->deflate = (int)n;
    return true;
}

static bool
take_progress(copy_opts *o, const char *arg)
{
    o->progress = COPY_YES;
    o->progress_json = arg != NULL;
    if (arg == NULL || strcmp(arg, "json") == 0)
        return true;
    message_print("--progress: only json is known: %s", arg);
    return false;
}

static bool
take_damaged(copy_opts *o, const char *arg)
{
    if (damage_parse_policy(arg, &o->damaged))
        return true;
    message_print("--damaged: not stop, fill or skip: %s", arg);
    return false;
}

static bool
take_limits(copy_opts *o, const char *arg)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (hyperslab_parse(&o->limits, arg, why))
        return true;
    message_print("-d: %s", why);
    return false;
}

/* The data model, by the names of nccopy's -k. netCDF-3 and HDF5 files are not supported as targets. */
static bool
take_kind(copy_opts *o, const char *arg)
{
    static const struct {
        const char *name;
        bool        classic;
        const char *mode;
    } known[] = {
        {"nc4", false, NULL},
        {"netCDF-4", false, NULL},
        {"netCDF4", false, NULL},
        {"enhanced", false, NULL},
        {"3", false, NULL},
        {"nczarr", false, "nczarr"},
        {"NCZarr", false, "nczarr"},
        {"zarr", false, "zarr"},
        {"nc7", true, NULL},
        {"4", true, NULL},
        {"netCDF-4 classic model", true, NULL},
        {"netCDF-4-classic", true, NULL},
        {"netCDF4_classic", true, NULL},
        {"enhanced-nc3", true, NULL},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(arg, known[i].name) == 0) {
            o->classic = known[i].classic;
            o->kind_given = true;
            if (o->mode == NULL)
                o->mode = known[i].mode;
            return true;
        }
    message_print("-k: %s: not a kind that is written here: nc4, nc7, nczarr or zarr", arg);
    return false;
}

static bool
take_names(name_list *list, const char *arg, bool *only)
{
    name_list_add_all(list, arg);
    if (only != NULL)
        *only = true;
    if (list->n == 0)
        message_print("an empty list of names");
    return list->n > 0;
}

static bool
take_log_level(const char *arg)
{
    long n;

    if (!take_number("-L", arg, -1, 100, &n))
        return false;
    (void)nc_set_log_level((int)n);
    return true;
}

static bool
take_elems(copy_opts *o, const char *arg)
{
    long n;

    if (!take_number("-e", arg, 1, 1L << 30, &n))
        return false;
    o->cache_elems = (size_t)n;
    return true;
}

static bool
take_zarr_format(copy_opts *o, const char *arg)
{
    if (strcmp(arg, "2") != 0 && strcmp(arg, "3") != 0) {
        message_print("--zarr-format: neither 2 nor 3: %s", arg);
        return false;
    }
    o->zarr_format = arg[0] - '0';
    return true;
}

/* Options without a letter or without an argument. */
static bool
take_flag(copy_opts *o, int c)
{
    switch (c) {
    case 's': o->shuffle = true; return true;
    case 'u': o->fixed = true; return true;
    case '4':
    case '7':
        o->classic = c == '7';
        o->kind_given = true;
        return true;
    case 'q': o->progress = COPY_NO; return true;
    case 'r': o->memory_in = true; return true;
    case 'w': o->memory_out = true; return true;
    case OPT_IN_PLACE: o->in_place = true; return true;
    case OPT_REMOVE_OLD: o->remove_old = true; return true;
    case OPT_CONSOLIDATE: o->consolidate = true; return true;
    case OPT_DRY_RUN: o->dry_run = true; return true;
    case OPT_VERIFY: o->verify = true; return true;
    case OPT_RESUME: o->resume = true; return true;
    case OPT_NETCDF_TYPES: o->netcdf_types = true; return true;
    case OPT_SKIP_UNREADABLE: o->skip_unreadable = true; return true;
    case OPT_NO_CLOBBER: o->keep = true; return true;
    case OPT_PROGRESS: return take_progress(o, optarg);
    default: return false; /* getopt has reported it */
    }
}

static bool
take_option(copy_opts *o, int c, const char *arg)
{
    switch (c) {
    case 'd': return strchr(arg, ',') != NULL ? take_limits(o, arg) : take_deflate(o, arg);
    case OPT_DIM: return take_limits(o, arg);
    case 'F': return copy_parse_filters(o, arg);
    case 'c': return copy_parse_chunks(o, arg);
    case 'M': return copy_parse_min_chunked(o, arg);
    case 'v': return take_names(&o->vars, arg, NULL);
    case 'V': return take_names(&o->vars, arg, &o->vars_only);
    case 'g': return take_names(&o->groups, arg, NULL);
    case 'G': return take_names(&o->groups, arg, &o->groups_only);
    case 'k': return take_kind(o, arg);
    case OPT_MODE: return copy_parse_mode(o, arg);
    case OPT_ZARR_FORMAT: return take_zarr_format(o, arg);
    case OPT_DAMAGED: return take_damaged(o, arg);
    case OPT_SHARDS: return copy_parse_shards(o, arg);
    case OPT_MEMORY: return copy_parse_size("--memory", arg, &o->memory);
    case 'm': return copy_parse_size("-m", arg, &o->buffer);
    case 'h': return copy_parse_size("-h", arg, &o->cache);
    case 'e': return take_elems(o, arg);
    case 'L': return take_log_level(arg);
    case '3':
    case '5':
    case '6': message_print("-%c: netCDF-3 files are not written here", c); return false;
    default: return take_flag(o, c);
    }
}

/* `n`: arguments after the options. */
static bool
check_arguments(const copy_opts *o, int n)
{
    if (o->remove_old && !o->in_place) {
        message_print("--remove-old: only with --in-place");
        return false;
    }
    if (o->in_place && o->zarr_format == 0) {
        message_print("--in-place: needs --zarr-format 2 or 3");
        return false;
    }
    if (o->in_place && o->limits.n > 0) {
        message_print("-d: not with --in-place, which copies nothing");
        return false;
    }
    if (o->in_place && o->damaged != DAMAGE_STOP) {
        message_print("--damaged: not with --in-place, which reads no chunks");
        return false;
    }
    if (n == (o->in_place ? 1 : 2))
        return true;
    if (o->in_place)
        message_print("--in-place: one dataset is needed, %d given", n);
    else
        message_print("a source and a target are needed, %d given", n);
    return false;
}

/* `rc`: of copy_run(). */
static int
choose_status(int rc)
{
    switch (rc) {
    case NC_NOERR: return EXIT_SUCCESS;
    case COPY_DAMAGED: return DAMAGE_EXIT;
    case COPY_USAGE: return EXIT_USAGE;
    default: return EXIT_FAILURE;
    }
}

int
main(int argc, char **argv)
{
    static char program[] = "nczcopy"; /* getopt's messages name argv[0] */
    copy_opts   o = COPY_OPTS_INIT;
    int         c, status = EXIT_SUCCESS;

    message_set_command("nczcopy");
    ncz_sys_start(&argc, &argv);
    if (argc > 0)
        argv[0] = program;
    while (status == EXIT_SUCCESS &&
           (c = getopt_long(argc, argv, "34567c:d:e:F:g:G:h:k:L:m:M:qrsuv:V:w", long_options, NULL)) != -1) {
        if (c == OPT_HELP || c == OPT_VERSION) {
            if (c == OPT_HELP)
                fputs(usage_text, stdout);
            else
                print_version("nczcopy", NULL);
            goto done;
        }
        if (!take_option(&o, c, optarg))
            status = EXIT_USAGE;
    }
    if (status == EXIT_SUCCESS && !check_arguments(&o, argc - optind))
        status = EXIT_USAGE;
    if (status == EXIT_SUCCESS) {
        o.in = argv[optind];
        o.out = o.in_place ? NULL : argv[optind + 1];
        status = choose_status(copy_run(&o));
    }
    if (status == EXIT_USAGE)
        fprintf(stderr, "Try 'nczcopy --help'.\n");
done:
    copy_opts_clear(&o);
    return status;
}
