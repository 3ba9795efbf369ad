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
ncz_record_make(const ncz_type *t, ncz_record **out)
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
                                .offset = r->size,
                                .dtype = ncz_dtype_of(t->fields[i].type, false, 0),
                                .rank = t->fields[i].rank,
                                .shape = t->fields[i].shape,
                                .nelems = t->fields[i].nelems};
        r->size += f->dtype.size * f->nelems; /* at most the compound's size in memory */
    }
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
    if (t->items != NULL)
        return mem->class == NCZ_TYPE_VLEN && ncz_type_value(mem->base) == t->items
                   ? NC_NOERR
                   : ncz_fail(NC_EBADTYPE, "sequences of %s convert to and from a type of such sequences only",
                              t->items->name);
    if (stored->class == NCZ_TYPE_NONE)
        return ncz_fail(NC_EBADTYPE, "elements of %zu bytes have no netCDF type", t->size);
    if (mem->class == NCZ_TYPE_NONE || mem->id > NC_MAX_ATOMIC_TYPE)
        return ncz_fail(NC_EBADTYPE, "%d is not an atomic type", (int)mem->id);
    if (stored == mem)
        return NC_NOERR;
    if (stored->class == NCZ_TYPE_STRING || mem->class == NCZ_TYPE_STRING)
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
    bool        classic;
    bool       *bad;
} record_run;

static int
strings_out(const ncz_dtype *t, const record_run *q)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < q->n; i++) {
        char *s = NULL;

        rc = ncz_grid_string_out(t, q->src + (ptrdiff_t)i * q->ss, &s);
        memcpy(q->dst + (ptrdiff_t)i * q->ds, &s, sizeof s);
    }
    return rc;
}

static void
strings_in(const ncz_dtype *t, const record_run *q)
{
    for (size_t i = 0; i < q->n; i++) {
        const char *s;

        memcpy(&s, q->src + (ptrdiff_t)i * q->ss, sizeof s);
        ncz_grid_string_in(t, s, q->dst + (ptrdiff_t)i * q->ds);
    }
}

static int fields_out(const ncz_record *r, const ncz_type *mem, const record_run *q);
static int fields_in(const ncz_record *r, const ncz_type *mem, const record_run *q);

/* `nelems` adjacent elements of a field, in each of the run's records. Numbers take one call for all. */
static int
field_out(const ncz_record_field *f, const ncz_type *mem, record_run q)
{
    const ncz_type *type = ncz_type_value(mem);
    int             rc = NC_NOERR;

    if (f->dtype.kind != NCZ_KIND_RECORD && type->class != NCZ_TYPE_STRING) {
        ncz_convert_run run = ncz_grid_convert_run_out(&f->dtype, type, q.classic);
        ncz_runs        rows = {.src = q.src,
                                .dst = q.dst,
                                .src_step = (ptrdiff_t)f->dtype.size,
                                .dst_step = (ptrdiff_t)type->size,
                                .src_row = q.ss,
                                .dst_row = q.ds,
                                .n = f->nelems,
                                .rows = q.n};

        *q.bad = ncz_grid_convert_runs(&run, &rows) || *q.bad;
        return NC_NOERR;
    }
    for (size_t k = 0; rc == NC_NOERR && k < f->nelems; k++, q.src += f->dtype.size, q.dst += type->size)
        rc = f->dtype.kind == NCZ_KIND_RECORD ? fields_out(f->dtype.record, type, &q) : strings_out(&f->dtype, &q);
    return rc;
}

static int
field_in(const ncz_record_field *f, const ncz_type *mem, record_run q)
{
    const ncz_type *type = ncz_type_value(mem);
    int             rc = NC_NOERR;

    if (f->dtype.kind != NCZ_KIND_RECORD && type->class != NCZ_TYPE_STRING) {
        ncz_convert_run run = ncz_grid_convert_run_in(type, &f->dtype, q.classic);
        ncz_runs        rows = {.src = q.src,
                                .dst = q.dst,
                                .src_step = (ptrdiff_t)type->size,
                                .dst_step = (ptrdiff_t)f->dtype.size,
                                .src_row = q.ss,
                                .dst_row = q.ds,
                                .n = f->nelems,
                                .rows = q.n};

        *q.bad = ncz_grid_convert_runs(&run, &rows) || *q.bad;
        return NC_NOERR;
    }
    for (size_t k = 0; rc == NC_NOERR && k < f->nelems; k++, q.src += type->size, q.dst += f->dtype.size) {
        if (f->dtype.kind == NCZ_KIND_RECORD)
            rc = fields_in(f->dtype.record, type, &q);
        else
            strings_in(&f->dtype, &q);
    }
    return rc;
}

static int
fields_out(const ncz_record *r, const ncz_type *mem, const record_run *q)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->nfields; i++) {
        record_run here = *q;

        here.src += r->fields[i].offset;
        here.dst += mem->fields[i].offset;
        rc = field_out(&r->fields[i], mem->fields[i].type, here);
    }
    return rc;
}

static int
fields_in(const ncz_record *r, const ncz_type *mem, const record_run *q)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->nfields; i++) {
        record_run here = *q;

        here.src += mem->fields[i].offset;
        here.dst += r->fields[i].offset;
        rc = field_in(&r->fields[i], mem->fields[i].type, here);
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
    int rc = NC_NOERR;

    if (mem->owns)
        reset_elems(mem, runs, false);
    for (size_t row = 0; rc == NC_NOERR && row < runs->rows; row++)
        rc = fields_out(r, mem,
                        &(record_run){.src = runs->src + (ptrdiff_t)row * runs->src_row,
                                      .dst = runs->dst + (ptrdiff_t)row * runs->dst_row,
                                      .ss = runs->src_step,
                                      .ds = runs->dst_step,
                                      .n = runs->n,
                                      .classic = classic,
                                      .bad = bad});
    if (rc != NC_NOERR && mem->owns)
        reset_elems(mem, runs, true);
    return rc;
}

int
ncz_grid_records_in(const ncz_record *r, const ncz_type *mem, bool classic, const ncz_runs *runs, bool *bad)
{
    int rc = NC_NOERR;

    for (size_t row = 0; rc == NC_NOERR && row < runs->rows; row++)
        rc = fields_in(r, mem,
                       &(record_run){.src = runs->src + (ptrdiff_t)row * runs->src_row,
                                     .dst = runs->dst + (ptrdiff_t)row * runs->dst_row,
                                     .ss = runs->src_step,
                                     .ds = runs->dst_step,
                                     .n = runs->n,
                                     .classic = classic,
                                     .bad = bad});
    return rc;
}
