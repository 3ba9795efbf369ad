/* SPDX-License-Identifier: BSD-3-Clause */
/* NCZarr's keys as text, as far as both versions of Zarr have them. The inner names are the same in each document that
 * has a key; only releases before 4.9.3 have others. No state; any thread. */
#include "format/format_int.h"
#include "format/zarr/zarr.h"

static void
write_dim(const ncz_dim *d, ncz_zarr_dim_form form, ncz_jsonw *w)
{
    ncz_jsonw_key(w, d->name);
    if (form != NCZ_ZARR_DIM_BOTH && (form == NCZ_ZARR_DIM_LENGTH || !d->unlimited)) {
        ncz_jsonw_u64(w, d->len);
        return;
    }
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "size");
    ncz_jsonw_u64(w, d->len);
    ncz_jsonw_key(w, "unlimited");
    ncz_jsonw_u64(w, d->unlimited);
    ncz_jsonw_close_object(w);
}

int
ncz_zarr_group_write(const ncz_group *g, const char *key, ncz_zarr_dim_form form, bool types, ncz_jsonw *w)
{
    bool old = form == NCZ_ZARR_DIM_LENGTH;
    int  rc = NC_NOERR;

    ncz_jsonw_key(w, key);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, old ? "dims" : "dimensions");
    ncz_jsonw_open_object(w);
    for (size_t i = 0; i < g->ndims; i++)
        if (!g->dims[i]->hidden)
            write_dim(g->dims[i], form, w);
    ncz_jsonw_close_object(w);
    ncz_jsonw_key(w, old ? "vars" : "arrays");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < g->nvars; i++)
        ncz_jsonw_cstr(w, g->vars[i]->name);
    ncz_jsonw_close_array(w);
    ncz_jsonw_key(w, "groups");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < g->ngroups; i++)
        ncz_jsonw_cstr(w, g->groups[i]->name);
    ncz_jsonw_close_array(w);
    if (types)
        rc = ncz_format_types_write(g, w);
    ncz_jsonw_close_object(w);
    return rc;
}

void
ncz_zarr_superblock_write(const char *key, const ncz_format_opts *style, ncz_jsonw *w)
{
    ncz_jsonw_key(w, key);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "version");
    ncz_jsonw_cstr(w, style->dialect->zarr->nczarr);
    if (style->classic) {
        ncz_jsonw_key(w, NCZ_STRICT);
        ncz_jsonw_u64(w, 1);
    }
    ncz_jsonw_close_object(w);
}

int
ncz_zarr_array_write(const ncz_var *v, bool old, ncz_jsonw *w)
{
    ncz_buf fqn = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    ncz_jsonw_key(w, old ? "dimrefs" : "dimension_references");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < v->rank && rc == NC_NOERR; i++) {
        ncz_buf_reset(&fqn);
        if ((rc = ncz_dim_fqn(v->dims[i], &fqn)) == NC_NOERR)
            ncz_jsonw_str(w, ncz_buf_str(&fqn), fqn.len);
    }
    ncz_jsonw_close_array(w);
    ncz_buf_clear(&fqn);
    if (v->rank == 0 && !old) {
        ncz_jsonw_key(w, "scalar");
        ncz_jsonw_u64(w, 1);
    }
    ncz_jsonw_key(w, "storage");
    /* Releases before 4.9.2 take any other word for a scalar. */
    ncz_jsonw_cstr(w, !old ? ncz_format_storage_word(v) : v->rank == 0 ? "scalar" : "chunked");
    return rc;
}
