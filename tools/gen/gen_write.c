/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the tree to a dataset: definitions. For each group: types, dimensions, variables with their properties,
 * attributes, then subgroups. So everything that a definition refers to exists already, because CDL declares before it
 * uses.
 */
#include "gen_int.h"
#include "nczarr_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One string where the format has text only becomes text. Several stay what they are, which the format refuses. */
static bool
is_text_here(int ncid, const gen_list *l)
{
    int format = 0;

    return l->type.user == NULL && l->type.type == NC_STRING && l->nelems == 1 &&
           nc_inq_format(ncid, &format) == NC_NOERR && format != NC_FORMAT_NETCDF4;
}

static int
put_att(const gen_writer *w, int ncid, int varid, const gen_att *a)
{
    const gen_list *l = a->values;
    const char     *text;

    if (is_text_here(ncid, l)) {
        text = *(char *const *)l->values != NULL ? *(char *const *)l->values : "";
        return nc_put_att_text(ncid, varid, a->name, strlen(text), text);
    }
    if (l->type.type == NC_CHAR)
        return nc_put_att_text(ncid, varid, a->name, l->nelems, l->values != NULL ? (const char *)l->values : "");
    return nc_put_att(ncid, varid, a->name, gen_type_id(w, &l->type), l->nelems,
                      l->values != NULL ? (const void *)l->values : "");
}

/* A dump of a file whose format reserves less may have attributes with names that the dataset's format reserves. */
static int
def_att(gen_writer *w, int ncid, int varid, const gen_att *a)
{
    int rc = put_att(w, ncid, varid, a);

    if (rc == NC_ENAMEINUSE) {
        gen_say(w->opts->report, false, w->cdl->file, a->pos,
                "attribute %s is left out: the format reserves that name", a->name);
        return NC_NOERR;
    }
    return rc == NC_NOERR ? NC_NOERR : gen_nc_error(w, rc, a->pos, "attribute", a->name);
}

static int
def_dim(gen_writer *w, int ncid, const gen_dim *d)
{
    int rc = nc_def_dim(ncid, d->name, d->unlimited ? (size_t)NC_UNLIMITED : (size_t)d->size, &w->dimids[d->index]);

    return rc == NC_NOERR ? NC_NOERR : gen_nc_error(w, rc, d->pos, "dimension", d->name);
}

/* ---- properties ------------------------------------------------------------------------------------------- */

static int
def_filters(gen_writer *w, int ncid, int varid, const gen_var *v)
{
    const gen_filter *f = v->props.filters;

    for (size_t i = 0; i < v->props.nfilters; i++) {
        int rc = nc_def_var_filter(ncid, varid, f[i].id, f[i].nwords, f[i].words);

        if (rc != NC_NOERR) {
            char what[64];

            snprintf(what, sizeof what, "filter %u of variable", f[i].id);
            return gen_nc_error(w, rc, v->props.pos[GEN_FILTERS], what, v->name);
        }
    }
    return NC_NOERR;
}

/* True for a list in the spelling of Zarr v3, {"name", "configuration"}, which counts as a whole. */
static bool
is_v3_list(const gen_props *p)
{
    return p->ncodecs > 0 && strstr(p->codecs[0], "\"name\"") != NULL && strstr(p->codecs[0], "\"id\"") == NULL;
}

/* Defines the codecs in list order. In Zarr v2's spelling skips scalars, which some writers' dumps list them for. */
static int
def_codecs(gen_writer *w, int ncid, int varid, const gen_var *v)
{
    const gen_props *p = &v->props;

    if (is_v3_list(p)) {
        int rc = nczarr_def_var_codecs(ncid, varid, p->codec_list);

        return rc == NC_NOERR ? rc : gen_nc_error(w, rc, p->pos[GEN_CODECS], "codecs of variable", v->name);
    }
    for (size_t i = 0; v->rank > 0 && i < p->ncodecs; i++) {
        int rc = nczarr_def_var_codec(ncid, varid, p->codecs[i]);

        if (rc != NC_NOERR)
            return gen_nc_error(w, rc, p->pos[GEN_CODECS], "codec of variable", v->name);
    }
    return NC_NOERR;
}

/* Defines the filters in netCDF's order. _Codecs is the complete chain; if it is given, the rest is ignored. */
static int
def_chain(gen_writer *w, int ncid, int varid, const gen_var *v)
{
    const gen_props *p = &v->props;
    bool             shuffle = p->pos[GEN_SHUFFLE].line != 0 && p->value[GEN_SHUFFLE];
    bool             deflate = p->pos[GEN_DEFLATE].line != 0;
    gen_prop         of = deflate ? GEN_DEFLATE : GEN_SHUFFLE;
    int              rc = NC_NOERR;

    if (p->pos[GEN_CODECS].line != 0)
        return def_codecs(w, ncid, varid, v);
    if (p->pos[GEN_FLETCHER].line != 0 &&
        (rc = nc_def_var_fletcher32(ncid, varid, p->value[GEN_FLETCHER])) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_FLETCHER], "checksum of variable", v->name);
    if ((shuffle || deflate) &&
        (rc = nc_def_var_deflate(ncid, varid, shuffle, deflate, p->value[GEN_DEFLATE])) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[of], "compression of variable", v->name);
    return def_filters(w, ncid, varid, v);
}

static int
def_props(gen_writer *w, int ncid, int varid, const gen_var *v)
{
    const gen_props *p = &v->props;
    bool             chunks = p->pos[GEN_CHUNKS].line != 0 && p->nchunks > 0;
    gen_prop         storage = chunks ? GEN_CHUNKS : GEN_STORAGE;
    int              rc = NC_NOERR;

    if (p->pos[GEN_DTYPE].line != 0 && (rc = nczarr_def_var_dtype(ncid, varid, p->dtype)) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_DTYPE], "stored type of variable", v->name);
    if (p->pos[storage].line != 0)
        rc = nc_def_var_chunking(ncid, varid, chunks ? NC_CHUNKED : p->value[GEN_STORAGE], chunks ? p->chunks : NULL);
    if (rc != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[storage], "storage of variable", v->name);
    if (v->rank > 0 && p->nshards > 0 && (rc = nczarr_def_var_shards(ncid, varid, p->shards)) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_SHARDS], "shards of variable", v->name);
    if ((rc = def_chain(w, ncid, varid, v)) != NC_NOERR)
        return rc;
    if (p->pos[GEN_ENDIAN].line != 0 && (rc = nc_def_var_endian(ncid, varid, p->value[GEN_ENDIAN])) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_ENDIAN], "byte order of variable", v->name);
    if (p->pos[GEN_NOFILL].line != 0 &&
        (rc = nc_def_var_fill(ncid, varid, p->value[GEN_NOFILL] ? NC_NOFILL : NC_FILL, NULL)) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_NOFILL], "fill mode of variable", v->name);
    if (p->pos[GEN_QUANTIZE].line != 0 &&
        (rc = nc_def_var_quantize(ncid, varid, p->quantize_mode, p->value[GEN_QUANTIZE])) != NC_NOERR)
        return gen_nc_error(w, rc, p->pos[GEN_QUANTIZE], "quantization of variable", v->name);
    return NC_NOERR;
}

/* ---- variables and groups --------------------------------------------------------------------------------- */

static int
def_var(gen_writer *w, int ncid, const gen_var *v)
{
    int *dimids = gen_grow(NULL, v->rank, sizeof *dimids);
    int *varid = &w->varids[v->index];
    int  rc;

    if (dimids == NULL)
        return gen_nc_error(w, NC_ENOMEM, v->pos, "variable", v->name);
    for (size_t i = 0; i < v->rank; i++)
        dimids[i] = w->dimids[v->dims[i]->index];
    w->grpids[v->index] = ncid;
    rc = nc_def_var(ncid, v->name, gen_type_id(w, &v->type), (int)v->rank, dimids, varid);
    free(dimids);
    if (rc != NC_NOERR)
        return gen_nc_error(w, rc, v->pos, "variable", v->name);
    return def_props(w, ncid, *varid, v);
}

/* Defines all groups, types and dimensions first, since a variable may have a dimension of any group. */
static int
def_groups(gen_writer *w, int ncid, const gen_group *g)
{
    int rc = gen_def_types(w, ncid, g), sub_id;

    for (const gen_dim *d = g->dims; rc == NC_NOERR && d != NULL; d = d->next)
        rc = def_dim(w, ncid, d);
    for (const gen_group *sub = g->groups; rc == NC_NOERR && sub != NULL; sub = sub->next) {
        if ((rc = nc_def_grp(ncid, sub->name, &sub_id)) != NC_NOERR)
            return gen_nc_error(w, rc, sub->pos, "group", sub->name);
        rc = def_groups(w, sub_id, sub);
    }
    return rc;
}

static int
def_contents(gen_writer *w, int ncid, const gen_group *g)
{
    int rc = NC_NOERR, sub_id;

    for (const gen_var *v = g->vars; rc == NC_NOERR && v != NULL; v = v->next)
        rc = def_var(w, ncid, v);
    for (const gen_att *a = g->atts; rc == NC_NOERR && a != NULL; a = a->next)
        rc = def_att(w, ncid, NC_GLOBAL, a);
    for (const gen_var *v = g->vars; rc == NC_NOERR && v != NULL; v = v->next)
        for (const gen_att *a = v->atts; rc == NC_NOERR && a != NULL; a = a->next)
            rc = def_att(w, ncid, w->varids[v->index], a);
    for (const gen_group *sub = g->groups; rc == NC_NOERR && sub != NULL; sub = sub->next) {
        if ((rc = nc_inq_grp_ncid(ncid, sub->name, &sub_id)) != NC_NOERR)
            return gen_nc_error(w, rc, sub->pos, "group", sub->name);
        rc = def_contents(w, sub_id, sub);
    }
    return rc;
}

static int
write_all(gen_writer *w, int ncid)
{
    const gen_cdl *cdl = w->cdl;
    gen_pos        none = {0, 0};
    int            rc, old;

    if (w->opts->nofill && (rc = nc_set_fill(ncid, NC_NOFILL, &old)) != NC_NOERR)
        return gen_nc_error(w, rc, none, "dataset", cdl->name);
    if ((rc = def_groups(w, ncid, cdl->root)) != NC_NOERR || (rc = def_contents(w, ncid, cdl->root)) != NC_NOERR)
        return rc;
    if ((rc = nc_enddef(ncid)) != NC_NOERR)
        return gen_nc_error(w, rc, none, "dataset", cdl->name);
    return w->opts->header_only ? NC_NOERR : gen_write_data(w, cdl->root);
}

int
gen_write(const gen_cdl *cdl, int ncid, const gen_opts *opts)
{
    gen_writer w = {.cdl = cdl, .opts = opts, .ncid = ncid};
    int        rc = NC_ENOMEM;

    w.dimids = gen_grow(NULL, cdl->ndims, sizeof(int));
    w.grpids = gen_grow(NULL, cdl->nvars, sizeof(int));
    w.varids = gen_grow(NULL, cdl->nvars, sizeof(int));
    w.typeids = gen_grow(NULL, cdl->ntypes, sizeof(nc_type));
    if (w.dimids != NULL && w.grpids != NULL && w.varids != NULL && w.typeids != NULL)
        rc = write_all(&w, ncid);
    else
        gen_nc_error(&w, rc, (gen_pos){0, 0}, "dataset", cdl->name);
    free(w.dimids);
    free(w.grpids);
    free(w.varids);
    free(w.typeids);
    return rc;
}
