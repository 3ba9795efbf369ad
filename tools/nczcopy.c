/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczcopy: copies a dataset into another store, dialect, chunking or compression. This file reads the options;
 * tools/copy does the work.
 *
 * Exit status: 0; 1 when something failed; 2 for a wrong command line; 3 when all is done but for damaged chunks, with
 * --damaged.
 */
#include "common/dataset_kind.h"
#include "common/message.h"
#include "common/mode_words.h"
#include "common/options.h"
#include "common/path_parts.h"
#include "copy/copy.h"

#include <nczarr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_MODE = OPTION_FIRST,
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
    OPT_REPLACE_ALL,
    OPT_SKIP_UNREADABLE,
    OPT_DAMAGED,
    OPT_NETCDF_TYPES,
    OPT_PROGRESS,
    OPT_FLATTEN,
    OPT_REPACK,
    OPT_CMIP7,
    OPT_BBOX,
    OPT_AGGREGATE,
    OPT_REFERENCES,
    OPT_INLINE,
    OPT_PREFIX,
    OPT_ALONG,
};

static const option_row rows[] = {
    {.help = "What is copied:"},
    {'v', 'v', "variables", "LIST", ":vars", "data of these variables only", NULL},
    {'V', 'V', "only-variables", "LIST", ":vars", "these variables only", ", definitions and data"},
    {'g', 'g', "groups", "LIST", ":groups", "data of these groups only", NULL},
    {'G', 'G', "only-groups", "LIST", ":groups", "these groups only", ", definitions and data"},
    {OPT_DIM, 'd', "dim", "DIM,FIRST[,[LAST][,STRIDE]]", ":dims", "only this part of a dimension",
     ": indices, or values: 10.,20., or dates: 2001-02-01,2001-03"},
    {OPT_BBOX, 0, "bbox", "W,S,E,N", NULL, "only what is within these degrees east and north", NULL},
    {OPT_SKIP_UNREADABLE, 0, "skip-unreadable", NULL, NULL, "leave out variables whose type or codec cannot be read",
     ", with a warning"},
    {OPT_DAMAGED, 0, "damaged", "HOW", "stop fill skip", "damaged chunks",
     ": stop (the default); fill: the fill value in their place; skip: leave out their variables; a list at the end, "
     "and exit status 3"},
    {OPT_ALONG, 0, "along", "DIM", ":dims", "join several sources along this dimension",
     "; else along the unlimited one, or time"},
    {OPT_ALONG, 0, "concat", "DIM", ":dims", NULL, NULL},
    {.help = "How it is stored:"},
    {'k', 'k', "kind", "KIND", "nc3 nc6 nc5 nc4 nc7 nczarr zarr", "kind of dataset",
     ": nc3, nc6 or nc5 is a classic file (CDF-1, 2, 5); nc4, or nc7 for the classic model, is a netCDF-4 file, or "
     "Zarr if the target's name says so; else as that name says, or the source"},
    {'3', '3', NULL, NULL, NULL, NULL, NULL},
    {'4', '4', NULL, NULL, NULL, NULL, NULL},
    {'5', '5', NULL, NULL, NULL, NULL, NULL},
    {'6', '6', NULL, NULL, NULL, NULL, NULL},
    {'7', '7', NULL, NULL, NULL, "short for -k nc3 to -k nc7", NULL},
    {OPT_FLATTEN, 0, "flatten", NULL, NULL,
     "into a classic file, make groups prefixes of names, strings characters, enums integers", NULL},
    {OPT_REPACK, 0, "repack", NULL, NULL, "as a netCDF-4 file with all metadata in front",
     ", chunks and codecs as they are"},
    {OPT_CMIP7, 0, "cmip7", NULL, NULL, "the same, with the chunks that CMIP7 asks for",
     ": time and its bounds in one, the variable variable_id in chunks of 4 MiB, with shuffle, deflate and "
     "fletcher32"},
    {OPT_MODE, 0, "mode", "MODES", "nczarr zarr v2 v3 noxarray consolidated file zip s3", "how the target is stored",
     ": nczarr, zarr, zip ..., as in #mode=MODES of a URL; else as the source, with NCZarr's metadata or without"},
    {OPT_ZARR_FORMAT, 0, "zarr-format", "N", "2 3", "version 2 or 3 of Zarr", "; else as the source"},
    {OPT_CONSOLIDATE, 0, "consolidate", NULL, NULL, "with consolidated metadata", NULL},
    {'c', 'c', "chunks", "SPEC", NULL, "chunk lengths",
     ": 'DIM/LENGTH,...', 'VAR:LENGTH,...', 'VAR:contiguous' or '/'"},
    {OPT_SHARDS, 0, "shards", "SPEC", NULL, "shard lengths",
     " in elements: 'DIM/LENGTH,...', 'VAR:LENGTH,...', 'VAR:none' or 'none'"},
    {'M', 'M', "min-chunked", "SIZE", NULL, "leave smaller fixed variables alone",
     " in -c and --shards by dimension (8192; 0: none)"},
    {'d', 'd', "deflate", "N", "0 1 2 3 4 5 6 7 8 9", "compress with deflate, level N",
     " (0: not at all), replacing other compression"},
    {'s', 's', "shuffle", NULL, NULL, "shuffle before deflate", NULL},
    {'F', 'F', "filter", "SPEC", NULL, "codecs of variables",
     ": 'VARIABLES,FILTER|FILTER...'; '*,none', 't&u,zstd,3'"},
    {'u', 'u', "unlimited-to-fixed", NULL, NULL, "unlimited dimensions become fixed", NULL},
    {OPT_NETCDF_TYPES, 0, "netcdf-types", NULL, NULL,
     "store bool, UCS-4 text, half floats and times as types that netCDF-C can read", NULL},
    {OPT_AGGREGATE, 0, "aggregate", NULL, NULL, "as aggregation variables, which say in which sources values lie",
     " (CF-1.13)"},
    {OPT_REFERENCES, 0, "references", NULL, NULL, "as references to the chunks of the sources, in JSON",
     ", as kerchunk makes and reads them"},
    {OPT_INLINE, 0, "inline", "SIZE", NULL, "with --references, have chunks of at most so many bytes in it",
     " (500; 0: none)"},
    {OPT_PREFIX, 0, "prefix", "URL", NULL, "with --references, what relative places have before them", NULL},
    {.help = "How it is done:"},
    {OPT_DRY_RUN, 0, "dry-run", NULL, NULL, "print what would be written, write nothing", NULL},
    {OPT_VERIFY, 0, "verify", NULL, NULL, "read the target again and compare all of it", NULL},
    {OPT_RESUME, 0, "resume", NULL, NULL, "continue a copy that was interrupted", NULL},
    {OPT_NO_CLOBBER, 0, "no-clobber", NULL, NULL, "do not replace a dataset", NULL},
    {OPT_REPLACE_ALL, 0, "replace-all", NULL, NULL, "replace all that is at the target",
     ", also what is not part of a dataset"},
    {OPT_IN_PLACE, 0, "in-place", NULL, NULL,
     "write the metadata of the version of --zarr-format beside those of the other, over the same chunks", NULL},
    {OPT_REMOVE_OLD, 0, "remove-old", NULL, NULL, "with --in-place, remove those of the other version", NULL},
    {OPT_MEMORY, 0, "memory", "SIZE", NULL, "most memory for data", " (256M)"},
    {'m', 'm', "buffer", "SIZE", NULL, "most bytes read in one piece", NULL},
    {'h', 'h', "cache", "SIZE", NULL, "chunk cache of each of the two datasets", NULL},
    {'e', 'e', "cache-elems", "N", NULL, "slots of each chunk cache", NULL},
    {'r', 'r', NULL, NULL, NULL, "read all of the source into memory first", NULL},
    {'w', 'w', NULL, NULL, NULL, "keep the target in memory until it is complete", NULL},
    {OPT_PROGRESS, 0, "progress", "[=json]", "json", "show the progress even without a terminal",
     "; as lines of JSON on stderr"},
    {'q', 'q', "quiet", NULL, NULL, "never show the progress", NULL},
    {'L', 'L', "log", "LEVEL", "-1 0 1 2 3 4", "log level of the library", NULL},
};

static const option_table options = {
    .command = "nczcopy",
    .usage = "usage: nczcopy [options] SOURCE... TARGET\n"
             "       nczcopy --references [options] SOURCE... TARGET.json\n"
             "       nczcopy --aggregate [options] SOURCE... TARGET.nc\n"
             "       nczcopy --in-place --zarr-format N [options] DATASET\n",
    .rows = rows,
    .n = sizeof rows / sizeof *rows,
};

static bool
take_progress(copy_opts *o, const char *arg)
{
    o->progress = COPY_YES;
    o->progress_json = arg != NULL;
    if (arg == NULL || strcmp(arg, "json") == 0)
        return true;
    return message_refuse("--progress: only json is known: %s", arg);
}

/* The kind of dataset, by the names of nccopy's -k. A mode that is given says more than a kind of Zarr does. */
static bool
take_kind(copy_opts *o, const dataset_kind *kind, const char *arg)
{
    if (kind == NULL)
        return message_refuse("-k: %s: unknown kind of dataset: nc3, nc6, nc5, nc4, nc7, nczarr or zarr", arg);
    o->classic = kind->classic_model;
    o->kind_given = true;
    o->kind = kind->mode;
    o->file = kind->file;
    o->netcdf4 = kind->netcdf4;
    return true;
}

static bool
take_repack(copy_opts *o, bool cmip7)
{
    o->repack = true;
    o->cmip7 = o->cmip7 || cmip7;
    return true;
}

/* --repack makes a netCDF-4 file, of the source's model unless -k says another one. */
static bool
settle_repack(copy_opts *o)
{
    const char *other = o->mode != NULL                ? "--mode"
                        : o->zarr_format != 0          ? "--zarr-format"
                        : o->in_place                  ? "--in-place"
                        : o->kind_given && !o->netcdf4 ? "-k of another kind"
                                                       : NULL;

    if (!o->repack)
        return true;
    if (other != NULL)
        return message_refuse("%s: makes a netCDF-4 file: not with %s", o->cmip7 ? "--cmip7" : "--repack", other);
    o->netcdf4 = true;
    o->mode = dataset_kind_parse("nc4")->mode;
    return true;
}

/* -v, -V, -g, -G */
static bool
take_names(copy_opts *o, int id, const char *arg)
{
    o->vars_only = o->vars_only || id == 'V';
    o->groups_only = o->groups_only || id == 'G';
    return option_names((const char[]){'-', (char)id, '\0'}, arg, id == 'v' || id == 'V' ? &o->vars : &o->groups);
}

/* Options without a letter or without an argument. */
static bool
take_flag(copy_opts *o, int id)
{
    switch (id) {
    case 's': o->shuffle = true; return true;
    case 'u': o->fixed = true; return true;
    case OPT_FLATTEN: o->flatten = true; return true;
    case OPT_REPACK: return take_repack(o, false);
    case OPT_CMIP7: return take_repack(o, true);
    case 'q': o->progress = COPY_NO; return true;
    case 'r': o->memory_in = true; return true;
    case 'w': o->memory_out = true; return true;
    case OPT_AGGREGATE: o->aggregate = true; return true;
    case OPT_REFERENCES: o->references = true; return true;
    case OPT_IN_PLACE: o->in_place = true; return true;
    case OPT_REMOVE_OLD: o->remove_old = true; return true;
    case OPT_CONSOLIDATE: o->consolidate = true; return true;
    case OPT_DRY_RUN: o->dry_run = true; return true;
    case OPT_VERIFY: o->verify = true; return true;
    case OPT_RESUME: o->resume = true; return true;
    case OPT_REPLACE_ALL: o->replace_all = true; return true;
    case OPT_NETCDF_TYPES: o->netcdf_types = true; return true;
    case OPT_SKIP_UNREADABLE: o->skip_unreadable = true; return true;
    default: o->keep = true; return true; /* --no-clobber */
    }
}

static bool
take_option(void *ctx, int id, const char *arg)
{
    copy_opts *o = ctx;

    switch (id) {
    case 'd':
        return strchr(arg, ',') != NULL
                   ? option_limits(arg, &o->limits)
                   : option_number("-d", arg, NC_MIN_DEFLATE_LEVEL, NC_MAX_DEFLATE_LEVEL, &o->deflate);
    case OPT_DIM: return option_limits(arg, &o->limits);
    case OPT_BBOX: return option_box(arg, &o->limits);
    case 'F': return copy_parse_filters(o, arg);
    case 'c': return copy_parse_chunks(o, arg);
    case 'M': return option_size_or_0("-M", arg, &o->min_chunked);
    case 'v':
    case 'V':
    case 'g':
    case 'G': return take_names(o, id, arg);
    case 'k': return take_kind(o, dataset_kind_parse(arg), arg);
    case OPT_MODE: o->mode = arg; return mode_words_check(arg);
    case OPT_ZARR_FORMAT: return option_zarr_format(arg, &o->zarr_format);
    case OPT_DAMAGED: return option_damaged(arg, &o->damaged);
    case OPT_SHARDS: return copy_parse_shards(o, arg);
    case OPT_MEMORY: return option_size("--memory", arg, &o->memory);
    case 'm': return option_size("-m", arg, &o->buffer);
    case 'h': return option_size("-h", arg, &o->cache);
    case 'e': return option_count("-e", arg, 1, 1 << 30, &o->cache_elems);
    case 'L': return option_log_level(arg);
    case '3':
    case '4':
    case '5':
    case '6':
    case '7': return take_kind(o, dataset_kind_of_letter(id), "");
    case OPT_INLINE: return option_size_or_0("--inline", arg, &o->inlined);
    case OPT_PREFIX: return option_name("--prefix", arg, &o->prefix);
    case OPT_ALONG: return option_name("--along", arg, &o->along);
    case OPT_PROGRESS: return take_progress(o, arg);
    default: return take_flag(o, id);
    }
}

/* `n`: arguments after the options. */
static bool
check_arguments(const copy_opts *o, char *const *args, int n)
{
    if (o->remove_old && !o->in_place)
        return message_refuse("--remove-old: only with --in-place");
    if (o->in_place && o->zarr_format == 0)
        return message_refuse("--in-place: needs --zarr-format 2 or 3");
    if (o->replace_all && (o->keep || o->in_place))
        return message_refuse("--replace-all: not with %s", o->keep ? "--no-clobber" : "--in-place");
    if (o->file && (o->mode != NULL || o->zarr_format != 0))
        return message_refuse("-k: a classic file has no %s", o->mode != NULL ? "--mode" : "--zarr-format");
    if (o->in_place && (o->file || o->flatten))
        return message_refuse("--in-place: not with %s", o->file ? "-k of a classic file" : "--flatten");
    if (o->in_place && o->limits.n > 0)
        return message_refuse("-d and --bbox: not with --in-place, which copies nothing");
    if (o->in_place && o->damaged != DAMAGE_STOP)
        return message_refuse("--damaged: not with --in-place, which reads no chunks");
    if (o->in_place ? n == 1 : n >= 2) {
        for (int i = 0; i < n; i++)
            if (!path_check(args[i]))
                return false;
        return true;
    }
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
    copy_opts o = COPY_OPTS_INIT;
    int       status = options_take(&options, &argc, &argv, take_option, &o);

    if (status < 0 && (!settle_repack(&o) || !check_arguments(&o, argv, argc))) {
        status = options_fail();
    } else if (status < 0) {
        o.in = argv[0];
        o.ins = argv;
        o.nins = (size_t)(o.in_place ? 1 : argc - 1);
        o.out = o.in_place ? NULL : argv[argc - 1];
        if (o.mode == NULL && !o.netcdf4) /* that depends on the target's name */
            o.mode = o.kind;
        if ((status = choose_status(copy_run(&o))) == EXIT_USAGE)
            (void)options_fail();
    }
    copy_opts_clear(&o);
    return status;
}
