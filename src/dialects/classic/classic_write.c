/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a classic file: model -> bytes, the same bytes that netCDF-C writes for the same definitions. No I/O,
 * no state.
 */
#include "dialects/classic/classic.h"

#include <inttypes.h>
#include <string.h>

/* The unlimited dimension, or NULL. */
static const ncz_dim *
record_dimension(const ncz_model *m)
{
    for (size_t i = 0; i < m->root->ndims; i++)
        if (m->root->dims[i]->unlimited)
            return m->root->dims[i];
    return NULL;
}

int
ncz_classic_slab(const ncz_var *v, uint64_t *nbytes)
{
    uint64_t n = v->type->size, end;
    bool     fits = true;

    for (size_t d = ncz_var_has_records(v); d < v->rank && fits; d++)
        fits = ncz_mul64(n, v->dims[d]->len, &n);
    if (!fits || !ncz_add64(n, 3, &end) || end > INT64_MAX)
        return ncz_fail(NC_EVARSIZE, "variable %s exceeds 2^63 - 1 bytes", v->name);
    *nbytes = n;
    return NC_NOERR;
}

/* A header is measured and written by the functions below; to measure it they write nothing. */
typedef struct writer {
    ncz_buf *out;  /* NULL: it is measured */
    size_t   n;    /* bytes so far */
    bool     wide; /* CDF-5: counts and lengths have 8 bytes */
    int      version;
    int      rc; /* the first failure; what follows it is of no use */
} writer;

/* Room for the next `n` bytes, which are filled up to a multiple of 4; NULL: there is nothing to write. */
static inline char *
take_room(writer *w, size_t n)
{
    size_t   padded = (n + 3) / 4 * 4;
    ncz_buf *out = w->out;
    char    *here;

    w->n += padded;
    if (out == NULL || w->rc != NC_NOERR ||
        (out->cap - out->len <= padded && (w->rc = ncz_buf_reserve(out, padded)) != NC_NOERR))
        return NULL;
    here = out->data + out->len;
    out->len += padded;
    if (padded > n)
        memset(here + padded - 4, 0, 4); /* before the bytes are put */
    return here;
}

static inline void
put_u32(writer *w, uint32_t v)
{
    char *here = take_room(w, 4);

    for (size_t i = 0; here != NULL && i < 4; i++)
        here[i] = (char)(v >> (24 - 8 * i));
}

static inline void
put_u64(writer *w, uint64_t v)
{
    char *here = take_room(w, 8);

    for (size_t i = 0; here != NULL && i < 8; i++)
        here[i] = (char)(v >> (56 - 8 * i));
}

static void
fail_count(writer *w, uint64_t v)
{
    if (w->rc == NC_NOERR)
        w->rc = ncz_fail(NC_EVARSIZE, "CDF-%d has no count or length as large as %" PRIu64, w->version, v);
}

static inline void
put_count(writer *w, uint64_t v)
{
    if (w->wide) {
        put_u64(w, v);
        return;
    }
    if (v > UINT32_MAX)
        fail_count(w, v);
    put_u32(w, (uint32_t)v);
}

static void
put_name(writer *w, const char *name)
{
    size_t n = strlen(name);
    char  *here;

    put_count(w, n);
    if ((here = take_room(w, n)) != NULL)
        memcpy(here, name, n);
}

/* The start of a list; an absent one has tag and count 0. */
static void
put_list(writer *w, uint32_t tag, size_t n)
{
    put_u32(w, n > 0 ? tag : 0);
    put_count(w, n);
}

static void
put_values(writer *w, const ncz_att *a)
{
    size_t    nbytes = a->len * a->type->size; /* it is in memory */
    char     *here = take_room(w, nbytes), *room;
    ncz_dtype stored;
    double    few[8]; /* room for most, aligned for all types */

    if (here == NULL || nbytes == 0)
        return;
    if (a->type->size == 1) { /* a file has them as memory does */
        memcpy(here, a->data, nbytes);
        return;
    }
    room = nbytes <= sizeof few ? (char *)few : ncz_alloc(nbytes);
    if (room == NULL) {
        w->rc = ncz_fail_nomem(nbytes);
        return;
    }
    stored = ncz_dtype_of(a->type, true, 1);
    w->rc = ncz_convert_in(a->type, a->data, &stored, room, a->len, false);
    memcpy(here, room, nbytes);
    if (room != (char *)few)
        ncz_free(room);
}

/* att_list = ABSENT | NC_ATTRIBUTE nelems [attr ...] */
static void
put_atts(writer *w, const ncz_atts *atts)
{
    put_list(w, NCZ_CLASSIC_ATTS, atts->n);
    for (size_t i = 0; i < atts->n; i++) {
        put_name(w, atts->v[i].name);
        put_u32(w, (uint32_t)atts->v[i].type->id);
        put_count(w, atts->v[i].len);
        put_values(w, &atts->v[i]);
    }
}

/* var = name nelems [dimid ...] vatt_list nc_type vsize begin. A vsize that does not fit is 2^32 - 1. */
static void
put_var(writer *w, const ncz_var *v)
{
    uint64_t nbytes = 0;

    put_name(w, v->name);
    put_count(w, v->rank);
    for (size_t d = 0; d < v->rank; d++)
        put_count(w, (uint64_t)v->dims[d]->id);
    put_atts(w, &v->atts);
    put_u32(w, (uint32_t)v->type->id);
    if (w->rc == NC_NOERR)
        w->rc = ncz_classic_slab(v, &nbytes);
    nbytes = ncz_classic_pad(nbytes);
    put_count(w, w->version != 5 && nbytes > NCZ_CLASSIC_VSIZE_MOST ? UINT32_MAX : nbytes);
    if (w->version == 1)
        put_u32(w, (uint32_t)ncz_classic_begin(v)); /* it was checked when the variable got its place */
    else
        put_u64(w, ncz_classic_begin(v));
}

/* header = magic numrecs dim_list gatt_list var_list */
static void
put_header(writer *w, const ncz_model *m)
{
    const ncz_group *g = m->root;
    const ncz_dim   *record = record_dimension(m);

    put_u32(w, UINT32_C(0x43444600) | (uint32_t)w->version); /* "CDF", and the version */
    put_count(w, record != NULL ? record->len : 0);
    put_list(w, NCZ_CLASSIC_DIMS, g->ndims);
    for (size_t i = 0; i < g->ndims; i++) {
        put_name(w, g->dims[i]->name);
        put_count(w, g->dims[i]->unlimited ? 0 : g->dims[i]->len);
    }
    put_atts(w, &g->atts);
    put_list(w, NCZ_CLASSIC_VARS, g->nvars);
    for (size_t i = 0; i < g->nvars && w->rc == NC_NOERR; i++)
        put_var(w, g->vars[i]);
}

int
ncz_classic_measure(const ncz_model *m, int version, size_t *nbytes)
{
    writer w = {.version = version, .wide = version == 5};

    put_header(&w, m);
    *nbytes = w.n;
    return w.rc;
}

int
ncz_classic_write(const ncz_model *m, int version, ncz_buf *out)
{
    writer w = {.out = out, .version = version, .wide = version == 5};
    size_t before = out->len;

    if (m->format != NULL) /* all at once; where it has grown since, it grows */
        w.rc = ncz_buf_reserve(out, ((const ncz_classic_file *)m->format)->head);
    put_header(&w, m);
    if (w.rc != NC_NOERR)
        out->len = before;
    if (out->data != NULL)
        out->data[out->len] = '\0';
    return w.rc;
}
