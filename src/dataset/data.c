/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * data: get and put of one selection, and the growing of unlimited dimensions. Under the dataset's lock, shared, or
 * alone where a put changes more than chunks.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* One past the last index that a selection touches in dimension `d`. */
static uint64_t
end_of(const ncz_select *sel, size_t d)
{
    return sel->count[d] == 0 ? 0 : sel->start[d] + (sel->count[d] - 1) * sel->stride[d] + 1;
}

static bool
is_empty(const ncz_select *sel)
{
    for (size_t d = 0; d < sel->rank; d++)
        if (sel->count[d] == 0)
            return true;
    return false;
}

bool
ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel)
{
    if (ds->defining || !v->written)
        return true;
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > v->dims[d]->len)
            return !is_empty(sel);
    return false;
}

/* Can this variable's data be touched? An unusable one says why. */
static int
usable(const ncz_var *v)
{
    return v->unusable->code == NC_NOERR ? NC_NOERR : ncz_err_adopt(v->unusable);
}

int
ncz_dataset_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, nc_type mem, void *out)
{
    ncz_dims shape;
    int      rc;

    if (ds->classic && ds->defining)
        return ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    if ((rc = usable(v)) != NC_NOERR || is_empty(sel))
        return rc;
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    rc = ncz_engine_read(
        ds->engine, &(ncz_plan){.spec = v->spec, .shape = shape.v, .sel = *sel, .mem = mem, .classic = ds->classic},
        out);
    ncz_dims_clear(&shape);
    return rc;
}

/* ---- put ---- */

/* Elements of a selection, wherever they lie in memory, side by side in C order: element i of `item` bytes. */
static void
gather(const ncz_select *sel, const char *from, size_t item, char *to, uint64_t *at, uint64_t nelems)
{
    const char *p = from;

    memset(at, 0, sel->rank * sizeof *at);
    for (uint64_t i = 0; i < nelems; i++) {
        memcpy(to, p, item);
        to += item;
        for (size_t d = sel->rank; d-- > 0;) {
            p += sel->imap[d] * (ptrdiff_t)item;
            if (++at[d] < sel->count[d])
                break;
            p -= (ptrdiff_t)sel->count[d] * sel->imap[d] * (ptrdiff_t)item;
            at[d] = 0;
        }
    }
}

/*
 * The selection's data in the variable's own type, packed and rounded, for a quantized variable. *rc keeps NC_ERANGE:
 * all is converted even so.
 */
static int
rounded(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, nc_type mem, const void *in, void **out)
{
    size_t   item = ncz_type_size(v->type), from = ncz_type_size(mem), nbytes;
    uint64_t nelems;
    ncz_dims at;
    void    *raw = NULL, *own = NULL;
    int      rc;

    if (!ncz_select_nelems(sel, &nelems) || nelems > SIZE_MAX ||
        !ncz_mul((size_t)nelems, item > from ? item : from, &nbytes))
        return ncz_fail(NC_EINVAL, "the selection is too large to be rounded at once");
    if ((rc = ncz_dims_init(&at, sel->rank)) != NC_NOERR)
        return rc;
    raw = ncz_alloc(nbytes);
    own = ncz_alloc(nbytes);
    if (raw == NULL || own == NULL) {
        rc = ncz_fail_nomem(nbytes);
        goto done;
    }
    gather(sel, in, from, raw, at.v, nelems);
    rc = ncz_convert(mem, raw, v->type, own, (size_t)nelems, ds->classic);
    if (rc != NC_NOERR && rc != NC_ERANGE)
        goto done;
    ncz_dataset_quantize(v->quantize_mode, v->quantize_nsd, v->type, own, (size_t)nelems,
                         v->fill_mode == NCZ_FILL_VALUE ? v->fill : ncz_type_fill(v->type));
    *out = own;
    own = NULL;
done:
    ncz_free(raw);
    ncz_free(own);
    ncz_dims_clear(&at);
    return rc;
}

static int
write_rounded(ncz_dataset *ds, ncz_var *v, const ncz_plan *plan, const void *in)
{
    ncz_plan   own = *plan;
    void      *data = NULL;
    ptrdiff_t *imap = ncz_alloc_n(plan->sel.rank, sizeof *imap);
    int        range, rc;

    if (imap == NULL)
        return ncz_fail_nomem(plan->sel.rank * sizeof *imap);
    rc = range = rounded(ds, v, &plan->sel, plan->mem, in, &data);
    if (data != NULL && !ncz_grid_packed_imap(plan->sel.count, plan->sel.rank, imap))
        rc = ncz_fail(NC_EINVAL, "the selection is too large");
    else if (data != NULL) {
        own.mem = v->type;
        own.sel.imap = imap;
        if ((rc = ncz_engine_write(ds->engine, &own, data)) == NC_NOERR)
            rc = range;
    }
    ncz_free(imap);
    ncz_free(data);
    return rc;
}

static void
grow(ncz_dataset *ds, ncz_var *v, const uint64_t *shape)
{
    for (size_t d = 0; d < v->rank; d++)
        if (shape[d] > v->dims[d]->len)
            ncz_model_grow_dim(ds->model, v->dims[d], shape[d]);
}

int
ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, nc_type mem, const void *in)
{
    ncz_dims shape;
    ncz_plan plan;
    int      rc;

    if ((rc = usable(v)) != NC_NOERR || is_empty(sel))
        return rc;
    if ((rc = ncz_dims_init(&shape, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, shape.v);
    for (size_t d = 0; d < v->rank; d++)
        if (end_of(sel, d) > shape.v[d])
            shape.v[d] = end_of(sel, d);

    plan = (ncz_plan){.spec = v->spec, .shape = shape.v, .sel = *sel, .mem = mem, .classic = ds->classic};
    rc =
        v->quantize_mode == NC_NOQUANTIZE ? ncz_engine_write(ds->engine, &plan, in) : write_rounded(ds, v, &plan, in);
    if (rc == NC_NOERR || rc == NC_ERANGE) { /* the chunks have it: now the shape may say so */
        grow(ds, v, shape.v);
        if (!v->written) /* others may be reading it: touched only when this put is alone */
            v->written = true;
    }
    ncz_dims_clear(&shape);
    return rc;
}
