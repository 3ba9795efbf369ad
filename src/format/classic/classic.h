/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic netCDF: CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data). One file holds a header and the data of all
 * variables, big-endian. Those of fixed shape lie one after the other; the others in records, which follow at the end,
 * each with a slab of every such variable. Source: netCDF's file format specification.
 *
 * A dataset is the only object of its store, whose key is "".
 */
#ifndef NCZ_FORMAT_CLASSIC_H
#define NCZ_FORMAT_CLASSIC_H

#include "format/dialect.h"

extern const ncz_dialect_ops ncz_classic;

/* ---- the header as it is stored (classic_header.c) ------------------------------------------------------------- */

typedef struct ncz_classic_dim {
    char    *name;
    uint64_t len; /* 0: the record dimension */
} ncz_classic_dim;

typedef struct ncz_classic_var {
    char           *name;
    const ncz_type *type;
    size_t          rank;
    size_t         *dims; /* their numbers */
    ncz_att        *atts; /* values as in memory */
    size_t          natts;
    bool            record; /* its first dimension is the record dimension */
    uint64_t        begin;  /* in bytes from the start of the file */
    uint64_t        nbytes; /* of its data, or of those of one record, without padding */
} ncz_classic_var;

/* A header. All that it points to is in the arena that it was parsed into. */
typedef struct ncz_classic_header {
    unsigned         version; /* 1, 2 or 5 */
    uint64_t         nrecords;
    ncz_classic_dim *dims;
    ncz_att         *atts;
    ncz_classic_var *vars;
    size_t           ndims, natts, nvars;
    size_t           nbytes; /* of the header in the file */
    uint64_t         first;  /* where the first record begins; 0: no variable has records */
    uint64_t         pitch;  /* bytes from one record to the next */
    size_t           nrecordvars;
} ncz_classic_header;

/* Whether a file begins so: with the magic number of a version that is known. `n`: how many bytes there are. */
bool ncz_classic_is(const void *bytes, size_t n);

/*
 * Parses the first `n` bytes of a file of `size` bytes (UINT64_MAX: not known). *need: how many bytes are needed at
 * least, if that is more than `n`; then *out is not set, and the call succeeds. Counts are checked against the size
 * before memory is allocated for them, and the places of variables against the header and each other.
 *
 * NC_EINVAL: a part that is missing or is no such list, a place that cannot be. NC_EBADTYPE, NC_EBADDIM, NC_EUNLIMIT,
 * NC_EUNLIMPOS, NC_EBADNAME, NC_EMAXNAME, NC_EVARSIZE: as in netCDF.
 */
int ncz_classic_parse(const void *bytes, size_t n, uint64_t size, const ncz_limits *limits, ncz_arena *arena,
                      ncz_classic_header *out, size_t *need);

/* ---- where chunks lie (classic_layout.c) ------------------------------------------------------------------------ */

/* Where the data of one variable lie. One block of memory without pointers, so that it can be copied. */
typedef struct ncz_classic_place {
    size_t   nbytes;       /* of the block */
    uint64_t size;         /* of the file: what lies beyond it reads as zeros. UINT64_MAX: not known */
    uint64_t begin, pitch; /* as in the header; a pitch of 0: it has no records */
    size_t   element;      /* bytes of an element */
    uint64_t n[];          /* lengths (of records: in the file), lengths of a chunk: rank each */
} ncz_classic_place;

/* Makes the place of a variable, and chooses its chunks. `far`: the file is read over a network. */
int ncz_classic_place_new(const ncz_classic_header *h, const ncz_classic_var *v, uint64_t size, bool far,
                          ncz_classic_place **out);
/* As ncz_make_layout_fn, from v->place. */
int ncz_classic_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);

#endif /* NCZ_FORMAT_CLASSIC_H */
