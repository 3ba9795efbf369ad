/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic netCDF: CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data). One file holds a header and the data of all
 * variables, big-endian. Those of fixed shape lie one after the other; the others in records, which follow at the end,
 * each with a slab of every such variable.
 *
 * Source: the grammar in netCDF's File Format Specifications (the classic and the 64-bit offset format, and CDF-5 as
 * PnetCDF describes it), whose symbols comments cite, as `vatt_list`. NON_NEG, the type of counts and lengths, has 4
 * bytes, in CDF-5 8; OFFSET has 4 bytes in CDF-1, else 8.
 *
 * A dataset is the only object of its store, whose key is "".
 */
#ifndef NCZ_FORMAT_CLASSIC_H
#define NCZ_FORMAT_CLASSIC_H

#include "format/dialect.h"

#include <stdatomic.h>

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
    size_t           nbytes;     /* of the header in the file */
    uint64_t         fixed, end; /* where the data of fixed variables begin, and end with padding */
    uint64_t         first;      /* where the first record begins; 0: no variable has records */
    uint64_t         pitch;      /* bytes from one record to the next */
    size_t           nrecordvars;
    /* As long as it is not whole: */
    size_t listed;      /* variables that there are to be, once their list has begun; `nvars` are parsed */
    size_t vars_at, at; /* where the first one begins, and where the next one does; 0: the list has not begun */
} ncz_classic_header;

/* Whether a file begins so: with the magic number of a version that is known. `n`: how many bytes there are. */
bool ncz_classic_is(const void *bytes, size_t n);

/*
 * Parses the first `n` bytes of a file of `size` bytes (UINT64_MAX: not known). *need: if the header is longer than
 * that, an estimate of its length, more than `n`; then the call succeeds, and the next one, with more bytes from the
 * start and the same *out and arena, goes on. *out is all 0 at first, and has no use before it is whole. Counts are
 * checked against the size before memory is allocated for them, and the places of variables against the header and each
 * other.
 *
 * NC_EINVAL: a part that is missing or is no such list, a place that cannot be. NC_EBADTYPE, NC_EBADDIM, NC_EUNLIMIT,
 * NC_EUNLIMPOS, NC_EBADNAME, NC_EMAXNAME, NC_EVARSIZE: as in netCDF.
 */
int ncz_classic_parse(const void *bytes, size_t n, uint64_t size, const ncz_limits *limits, ncz_arena *arena,
                      ncz_classic_header *out, size_t *need);

/* ---- the same from the model (classic_write.c, classic_places.c) ----------------------------------------------- */

enum { NCZ_CLASSIC_DIMS = 10, NCZ_CLASSIC_VARS = 11, NCZ_CLASSIC_ATTS = 12 }; /* tags of lists */

#define NCZ_CLASSIC_VSIZE_MOST                                                                                       \
    (UINT32_MAX - UINT64_C(3)) /* larger sizes of variables are not in a header of 32 bits */

/* What a model keeps of its file (ncz_model.format). It outlives the layouts, which read the number of records. */
typedef struct ncz_classic_file {
    _Atomic uint64_t nrecords;
    uint64_t         fixed, records; /* where the data of fixed variables and the records begin; 0: not laid out */
    uint64_t         end;            /* of the fixed variables, with padding */
    uint64_t         pitch;          /* bytes from one record to the next */
    _Atomic uint64_t size;           /* of the file, as it was read; UINT64_MAX: not known, or it is changed */
    uint64_t         whole;          /* where the last value ended then, as the header has it */
    size_t           head;           /* bytes of the header as it was measured last; 0: not yet */
    atomic_int       missing;        /* ncz_missing: what reads as what, where the file is cut */
    bool             far;            /* each request takes long */
    bool             alone;          /* when it was read, one variable had records */
} ncz_classic_file;

static inline uint64_t
ncz_classic_pad(uint64_t n)
{
    return n + 3 - (n + 3) % 4; /* no overflow: it was checked that a file can end there */
}

/* The bytes of a variable's data, or of those of one record, without padding. NC_EVARSIZE: more than a file holds. */
int ncz_classic_slab(const ncz_var *v, uint64_t *nbytes);
/* Appends the header. Variables without a place begin at 0. */
int ncz_classic_write(const ncz_model *m, int version, ncz_buf *out);
int ncz_classic_measure(const ncz_model *m, int version, size_t *nbytes); /* how many it appends */
/*
 * Gives all variables their places, as netCDF-C does: in the order of definition, behind the room that the header has
 * now or needs. What has a place keeps it, where there is room. NC_EVARSIZE: a size or an offset that the version
 * cannot express.
 */
int ncz_classic_lay_out(ncz_model *m, int version, const ncz_file_room *room);

/* ---- where chunks lie (classic_layout.c) ------------------------------------------------------------------------ */

/* What the place of a variable depends on. */
typedef struct ncz_classic_spot {
    const ncz_classic_file *file;
    size_t                  rank, element; /* bytes of an element */
    const uint64_t         *len;           /* rank entries; of the record dimension it is not used */
    bool                    record, alone; /* alone: the only variable with records */
    uint64_t                begin, nbytes; /* as in ncz_classic_var */
} ncz_classic_spot;

/* Where the data of one variable lie: behind the common members of its layout. It owns nothing. */
typedef struct ncz_classic_place {
    const ncz_classic_file *file;
    uint64_t                begin, slab; /* as in the header; of one record, or all; without padding */
    uint64_t                pitch;       /* from one record to the next; 0: it has no records */
    size_t                  element;     /* bytes of an element */
    uint64_t                n[];         /* lengths, lengths of a chunk: rank each */
} ncz_classic_place;

/* The bytes of a place; SIZE_MAX: too many. */
size_t ncz_classic_place_bytes(size_t rank);
/* Makes the place of a variable, and chooses its chunks. `out` has room for it. */
void ncz_classic_place_make(const ncz_classic_spot *spot, ncz_classic_place *out);
/* What all variables of classic files have in common: the byte order, and that they lie together. */
void ncz_classic_set_form(ncz_var *v);
/* Gives it to the variable, with a new spec if it has another one. */
int ncz_classic_place_set(ncz_model *m, ncz_var *v, ncz_classic_place *p);
/* NULL: it has none until define mode ends. */
const ncz_classic_place *ncz_classic_place_of(const ncz_var *v);
uint64_t                 ncz_classic_begin(const ncz_var *v); /* where its data begin; 0: it has no place yet */
/* As ncz_make_layout_fn, from v->place, or if that is NULL from the place that the variable has. */
int ncz_classic_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);

/* ---- files that are cut (classic_cut.c) -------------------------------------------------------------------------- */

/* The first element, or the first record, of which not all is there, and how many there should be. */
typedef struct ncz_classic_cut {
    uint64_t first, n;
} ncz_classic_cut;

uint64_t ncz_classic_end(const ncz_classic_header *h); /* where the last value ends, without padding behind it */
/* Whether values are missing at the end of a file of that size; UINT64_MAX: it is not known. */
bool ncz_classic_is_cut(const ncz_classic_header *h, uint64_t size);
/* Then warns of it. The loader's model has its file. */
int ncz_classic_warn_of_cut(struct ncz_loader *l, const ncz_classic_header *h, uint64_t size);
/* The place of a chunk that ends behind the file. NC_ETRUNC: with NCZ_MISSING_ERROR. */
int ncz_classic_cut_chunk(const ncz_layout *l, const ncz_classic_place *p, uint64_t size, ncz_chunk_addr *where);

#endif /* NCZ_FORMAT_CLASSIC_H */
