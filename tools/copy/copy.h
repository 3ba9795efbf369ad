/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.h: the engine of nczcopy, for its main program and for tests.
 *
 * copy_run() copies one dataset into another, between any two stores and dialects that the library has. It uses the
 * public API only. What it promises:
 *
 *   The source is only read. Memory for data stays within `memory`, however large the arrays.
 *   A directory is made under another name beside the target and takes its place when it is complete; an archive
 *   appears when it is complete; elsewhere an attribute of the root says so as long as it is not. A copy that was
 *   interrupted is continued with `resume`, or leaves nothing.
 *   Chunks whose bytes need no change are copied without decoding them.
 *
 * With `in_place` nothing is copied: `in` gets the documents of another version of Zarr over the same chunks.
 */
#ifndef NCZCOPY_COPY_H
#define NCZCOPY_COPY_H

#include "common/damage.h"
#include "common/hyperslab.h"
#include "common/name_list.h"

#include <stdbool.h>
#include <stddef.h>

/* One setting of -c or --shards: for a dimension (`len` is one number), a variable, or everything. */
typedef struct copy_lengths {
    char   *dim, *var; /* both NULL: all variables: one chunk; no shards */
    size_t *len;       /* 0: as long as the dimension */
    size_t  n;         /* of a variable: 0: one chunk; no shards */
} copy_lengths;

typedef struct copy_lengths_list {
    copy_lengths *v;
    size_t        n;
} copy_lengths_list;

/* One setting of -F: the codecs of some variables, replacing their own. */
typedef struct copy_filters {
    name_list vars; /* "*": all */
    char     *spec; /* "none", "307,9|fletcher32", or JSON */
} copy_filters;

typedef enum copy_tri { COPY_AUTO, COPY_YES, COPY_NO } copy_tri;

typedef struct copy_opts {
    const char       *in, *out;
    char *const      *ins; /* several, which are joined; NULL: `in` alone */
    size_t            nins;
    const char       *along;       /* ... along this dimension; NULL: it is seen */
    const char       *mode;        /* --mode: of the target's fragment; NULL: none */
    bool              classic;     /* -k nc7: the classic model */
    bool              kind_given;  /* else the source's model is taken */
    const char       *kind;        /* ... the mode that is meant; NULL: none */
    bool              file;        /* -k nc3, nc6, nc5: a classic file, as `mode` says */
    bool              netcdf4;     /* -k nc4, nc7: a netCDF-4 file, unless the target's name says Zarr; once
                                  * the target is chosen: it is one */
    bool              repack;      /* --repack: a netCDF-4 file */
    bool              cmip7;       /* --cmip7: the chunks that CMIP7 asks for */
    bool              flatten;     /* what a classic file lacks is stored in another form */
    bool              fixed;       /* -u: unlimited dimensions become fixed */
    int               deflate;     /* -d; -1: as the source has it */
    bool              shuffle;     /* -s */
    int               zarr_format; /* --zarr-format; 0: as the source */
    copy_lengths_list chunks, shards;
    size_t            min_chunked; /* -M: smaller fixed variables get no lengths by dimension */
    copy_filters     *filters;
    size_t            nfilters;
    name_list         vars, groups;           /* -v, -V, -g, -G */
    hyperslab_limits  limits;                 /* -d: only this part of dimensions */
    bool              vars_only, groups_only; /* ... leave out the other ones' definitions too */
    size_t            memory; /* most bytes for data; 0: COPY_MEMORY, COPY_REPACK_MEMORY, or what the chunks need */
    size_t            buffer; /* -m: most bytes read in one piece; 0: as memory allows */
    size_t            cache, cache_elems;                         /* -h, -e; 0: chosen */
    bool              memory_in, memory_out;                      /* -r, -w: the whole dataset in memory */
    bool              consolidate, dry_run, verify, resume, keep; /* keep: --no-clobber */
    bool              replace_all; /* what is at the target goes, also what is not part of a dataset */
    bool              skip_unreadable;
    damage_policy     damaged;      /* --damaged: what becomes of damaged chunks */
    bool              in_place;     /* write the documents of the other version of Zarr beside those of `in` */
    bool              remove_old;   /* ... and remove these */
    bool              netcdf_types; /* store types that netCDF has in place of bool, UCS-4, half floats and times */
    bool              aggregate;    /* an aggregation is made */
    bool              references;   /* a set of references is made, as kerchunk does it */
    size_t            inlined;      /* ... chunks of at most so many bytes are in it */
    const char       *prefix;       /* ... before relative places; NULL: none */
    copy_tri          progress;
    bool              progress_json; /* lines of JSON in place of one that is redrawn */
} copy_opts;

#define COPY_MEMORY        ((size_t)256 << 20)
#define COPY_REPACK_MEMORY ((size_t)52 << 20) /* the process stays within 64 MiB */

#define COPY_INLINED ((size_t)500) /* kerchunk's */

#define COPY_OPTS_INIT ((copy_opts){.deflate = -1, .min_chunked = 8192, .inlined = COPY_INLINED})

/* Each parses the text of one option into `o`, and reports errors on stderr. */
bool copy_parse_chunks(copy_opts *o, const char *spec);
bool copy_parse_shards(copy_opts *o, const char *spec);
bool copy_parse_filters(copy_opts *o, const char *spec);

void copy_opts_clear(copy_opts *o);

#define COPY_DAMAGED (1 << 20) /* returned in place of a netCDF code: the copy is complete, but for damaged chunks */
#define COPY_USAGE   (1 << 21) /* the same: the options contradict each other, or the value of one is wrong */
/* 0, COPY_DAMAGED, COPY_USAGE, or the first failure's code; failures and damaged chunks are reported on stderr. */
int copy_run(const copy_opts *o);

#endif /* NCZCOPY_COPY_H */
