/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_record: elements of NCZ_KIND_RECORD: packed fields, each of a stored type of its own, and a compound in memory.
 * Fields correspond by their place. A run of records is converted field by field, so that the kernels for runs do the
 * work. Recursion is as deep as records nest.
 */
#include "grid/grid_int.h"

#include <string.h>

/* ---- the stored form of a compound ---- */

int
ncz_record_make(const ncz_type *t, bool gaps, ncz_record **out)
{
    size_t            nbytes = 0;
    ncz_record       *r;
    ncz_record_field *f;

    *out = NULL;
    if (t->owns || t->class != NCZ_TYPE_COMPOUND)
        return NC_NOERR;
    if (!ncz_mul(t->nfields, sizeof *f, &nbytes) || !ncz_add(nbytes, sizeof *r, &nbytes) ||
        (r = ncz_alloc(nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    f = (ncz_record_field *)(r + 1);
    *r = (ncz_record){.nfields = t->nfields, .fields = f};
    for (size_t i = 0; i < t->nfields; i++, f++) {
        *f = (ncz_record_field){.name = t->fields[i].name,
                                .offset = gaps ? t->fields[i].offset : r->size,
                                .dtype = ncz_dtype_of(t->fields[i].type, false, 0),
                                .rank = t->fields[i].rank,
                                .shape = t->fields[i].shape,
                                .nelems = t->fields[i].nelems};
        r->size += f->dtype.size * f->nelems; /* at most the compound's size in memory */
    }
    if (gaps)
        r->size = t->size;
    *out = r;
    return NC_NOERR;
}

static int
check_record(const ncz_record *r, const ncz_type *mem)
{
    int rc = NC_NOERR;

    if (mem->class != NCZ_TYPE_COMPOUND || mem->nfields != r->nfields)
        return ncz_fail(NC_EBADTYPE, "a record converts to and from its own compound only");
    for (size_t i = 0; rc == NC_NOERR && i < r->nfields; i++)
        rc = r->fields[i].nelems != mem->fields[i].nelems
                 ? ncz_fail(NC_EBADTYPE, "%s: the field has another number of elements", mem->fields[i].name)
                 : ncz_transfer_check(&r->fields[i].dtype, mem->fields[i].type);
    return rc;
}

int
ncz_transfer_check(const ncz_dtype *t, const ncz_type *mem)
{
    const ncz_type *stored = ncz_dtype_type(t);

    mem = ncz_type_value(mem);
    if (t->kind == NCZ_KIND_RECORD)
        return check_record(t->record, mem);
    if (t->kind == NCZ_KIND_RAW)
        return mem->class == NCZ_TYPE_OPAQUE && mem->size == t->size
                   ? NC_NOERR
                   : ncz_fail(NC_EBADTYPE, "%zu raw bytes convert to and from an opaque type only", t->size);
    if (ncz_dtype_is_packed(t))
        return mem == t->items
                   ? NC_NOERR
                   : ncz_fail(NC_EBADTYPE, "elements of type %s convert to and from no other type", t->items->name);
    if (t->items != NULL)
        return mem->class == NCZ_TYPE_VLEN && ncz_type_value(mem->base) == t->items
                   ? NC_NOERR
                   : ncz_fail(NC_EBADTYPE, "sequences of %s convert to and from a type of such sequences only",
                              t->items->name);
    if (stored->class == NCZ_TYPE_STRING && ncz_type_is_text(mem))
        return NC_NOERR;
    if (stored->class == NCZ_TYPE_NONE)
        return ncz_fail(NC_EBADTYPE, "elements of %zu bytes have no netCDF type", t->size);
    if (mem->class == NCZ_TYPE_NONE || mem->id > NC_MAX_ATOMIC_TYPE)
        return ncz_fail(NC_EBADTYPE, "%d is not an atomic type", (int)mem->id);
    if (stored == mem)
        return NC_NOERR;
    if (stored->class == NCZ_TYPE_STRING || ncz_type_is_text(mem))
        return ncz_fail(NC_EBADTYPE, "strings convert to and from strings only");
    if (stored->class == NCZ_TYPE_CHAR || mem->class == NCZ_TYPE_CHAR)
        return ncz_fail(NC_ECHAR, "text does not convert to or from numbers");
    return NC_NOERR;
}

/* ---- runs of elements of one type, `ss` and `ds` bytes apart ---- */

typedef struct record_run {
    const char *src;
    char       *dst;
    ptrdiff_t   ss, ds;
    size_t      n;
    bool        out; /* from records to compounds; else the other way */
    bool        classic;
    bool       *bad;
} record_run;

static int
move_strings(const ncz_dtype *t, const record_run *q)
{
    const char *src = q->src;
    char       *dst = q->dst;
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < q->n; i++, src += q->ss, dst += q->ds) {
        char *s = NULL;

        if (q->out) {
            rc = ncz_grid_string_out(t, src, &s, NULL);
            memcpy(dst, &s, sizeof s);
        } else {
            memcpy(&s, src, sizeof s);
            ncz_grid_string_in(t, s, s != NULL ? strlen(s) : 0, dst);
        }
    }
    return rc;
}

static int move_fields(const ncz_record *r, const ncz_type *mem, const record_run *q);

/* `nelems` adjacent elements of a field, in each of the run's records. Numbers take one call for all. */
static int
move_field(const ncz_record_field *f, const ncz_type *mem, record_run q)
{
    const ncz_type *type = ncz_type_value(mem);
    size_t          src = q.out ? f->dtype.size : type->size, dst = q.out ? type->size : f->dtype.size;
    int             rc = NC_NOERR;

    if (f->dtype.kind != NCZ_KIND_RECORD && type->class != NCZ_TYPE_STRING) {
        ncz_convert_run run = q.out ? ncz_grid_convert_run_out(&f->dtype, type, q.classic)
                                    : ncz_grid_convert_run_in(type, &f->dtype, q.classic);
        ncz_runs        rows = {.src = q.src,
                                .dst = q.dst,
                                .src_step = (ptrdiff_t)src,
                                .dst_step = (ptrdiff_t)dst,
                                .src_row = q.ss,
                                .dst_row = q.ds,
                                .n = f->nelems,
                                .rows = q.n};

        *q.bad = ncz_grid_convert_runs(&run, &rows) || *q.bad;
        return NC_NOERR;
    }
    for (size_t k = 0; rc == NC_NOERR && k < f->nelems; k++, q.src += src, q.dst += dst)
        rc = f->dtype.kind == NCZ_KIND_RECORD ? move_fields(f->dtype.record, type, &q) : move_strings(&f->dtype, &q);
    return rc;
}

static int
move_fields(const ncz_record *r, const ncz_type *mem, const record_run *q)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->nfields; i++) {
        size_t     stored = r->fields[i].offset, held = mem->fields[i].offset;
        record_run here = *q;

        here.src += q->out ? stored : held;
        here.dst += q->out ? held : stored;
        rc = move_field(&r->fields[i], mem->fields[i].type, here);
    }
    return rc;
}

static int
move_rows(const ncz_record *r, const ncz_type *mem, const ncz_runs *runs, record_run q)
{
    int rc = NC_NOERR;

    q.ss = runs->src_step;
    q.ds = runs->dst_step;
    q.n = runs->n;
    for (size_t row = 0; rc == NC_NOERR && row < runs->rows; row++) {
        q.src = runs->src + (ptrdiff_t)row * runs->src_row;
        q.dst = runs->dst + (ptrdiff_t)row * runs->dst_row;
        rc = move_fields(r, mem, &q);
    }
    return rc;
}

/* Zeroes the elements, or frees what they own first. */
static void
reset_elems(const ncz_type *mem, const ncz_runs *runs, bool release)
{
    for (size_t row = 0; row < runs->rows; row++)
        for (size_t i = 0; i < runs->n; i++) {
            char *at = runs->dst + (ptrdiff_t)row * runs->dst_row + (ptrdiff_t)i * runs->dst_step;

            if (release)
                ncz_type_free_elems(mem, at, 1);
            else
                memset(at, 0, mem->size);
        }
}

int
ncz_grid_records_out(const ncz_record *r, const ncz_type *mem, bool classic, const ncz_runs *runs, bool *bad)
{
    int rc;

    if (mem->owns)
        reset_elems(mem, runs, false);
    rc = move_rows(r, mem, runs, (record_run){.out = true, .classic = classic, .bad = bad});
    if (rc != NC_NOERR && mem->owns)
        reset_elems(mem, runs, true);
    return rc;
}

int
ncz_grid_records_in(const ncz_record *r, const ncz_type *mem, bool classic, const ncz_runs *runs, bool *bad)
{
    return move_rows(r, mem, runs, (record_run){.classic = classic, .bad = bad});
}
