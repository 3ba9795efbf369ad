/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a classic file: model -> bytes, the same bytes that netCDF-C writes for the same definitions. No I/O,
 * no state.
 */
#include "format/classic/classic.h"

#include <inttypes.h>
#include <string.h>

const ncz_dim *
ncz_classic_record_dim(const ncz_model *m)
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
        return ncz_fail(NC_EVARSIZE, "variable %s is larger than a file can be", v->name);
    *nbytes = n;
    return NC_NOERR;
}

/* A header is measured and written by the functions below; to measure it they write nothing. */
typedef struct writer {
    ncz_buf *out; /* NULL: it is measured */
    size_t   n;   /* bytes so far */
    int      version;
    int      rc; /* the first failure; what follows it is of no use */
} writer;

/* Room for the next `n` bytes, which are filled up to a multiple of 4; NULL: there is nothing to write. */
static char *
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
    memset(here + n, 0, padded - n);
    return here;
}

static void
put_bytes(writer *w, const void *bytes, size_t n)
{
    char *here = take_room(w, n);

    if (here != NULL && n > 0)
        memcpy(here, bytes, n);
}

static void
put_number(writer *w, uint64_t v, size_t nbytes)
{
    char *here = take_room(w, nbytes);

    for (size_t i = nbytes; here != NULL && i-- > 0; v >>= 8)
        here[i] = (char)(v & 0xff);
}

static void
put_count(writer *w, uint64_t v)
{
    if (w->rc == NC_NOERR && w->version != 5 && v > UINT32_MAX)
        w->rc = ncz_fail(NC_EVARSIZE, "CDF-%d has no count or length as large as %" PRIu64, w->version, v);
    put_number(w, v, w->version == 5 ? 8 : 4);
}

static void
put_name(writer *w, const char *name)
{
    size_t n = strlen(name);

    put_count(w, n);
    put_bytes(w, name, n);
}

/* An absent list has tag and count 0. */
static void
put_list(writer *w, uint32_t tag, size_t n)
{
    put_number(w, n > 0 ? tag : 0, 4);
    put_count(w, n);
}

static void
put_values(writer *w, const ncz_att *a)
{
    ncz_dtype stored = ncz_dtype_of(a->type, true, 1);
    size_t    nbytes = a->len * a->type->size; /* it is in memory */
    char     *here = take_room(w, nbytes), *room;
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
    w->rc = ncz_convert_in(a->type, a->data, &stored, room, a->len, false);
    memcpy(here, room, nbytes);
    if (room != (char *)few)
        ncz_free(room);
}

static void
put_atts(writer *w, const ncz_atts *atts)
{
    put_list(w, NCZ_CLASSIC_ATTS, atts->n);
    for (size_t i = 0; i < atts->n; i++) {
        put_name(w, atts->v[i].name);
        put_number(w, (uint64_t)atts->v[i].type->id, 4);
        put_count(w, atts->v[i].len);
        put_values(w, &atts->v[i]);
    }
}

static void
put_var(writer *w, const ncz_var *v)
{
    const ncz_classic_place *p = v->place;
    uint64_t                 nbytes = 0;

    put_name(w, v->name);
    put_count(w, v->rank);
    for (size_t d = 0; d < v->rank; d++)
        put_count(w, (uint64_t)v->dims[d]->id);
    put_atts(w, &v->atts);
    put_number(w, (uint64_t)v->type->id, 4);
    if (w->rc == NC_NOERR)
        w->rc = ncz_classic_slab(v, &nbytes);
    nbytes = ncz_classic_pad(nbytes);
    put_count(w, w->version != 5 && nbytes > NCZ_CLASSIC_VSIZE_MOST ? UINT32_MAX : nbytes);
    put_number(w, p != NULL ? p->begin : 0, w->version == 1 ? 4 : 8);
}

static void
put_header(writer *w, const ncz_model *m)
{
    const ncz_group *g = m->root;
    const ncz_dim   *record = ncz_classic_record_dim(m);
    const char       magic[4] = {'C', 'D', 'F', (char)w->version};

    put_bytes(w, magic, sizeof magic);
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
    writer w = {.version = version};

    put_header(&w, m);
    *nbytes = w.n;
    return w.rc;
}

int
ncz_classic_write(const ncz_model *m, int version, ncz_buf *out)
{
    writer w = {.out = out, .version = version};
    size_t before = out->len;

    put_header(&w, m);
    if (w.rc != NC_NOERR)
        out->len = before;
    if (out->data != NULL)
        out->data[out->len] = '\0';
    return w.rc;
}
