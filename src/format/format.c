/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The format's front: looks what stands at the root, tells the dialect and the writer, and has the rest loaded.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- who wrote it --------------------------------------------------------------------------------------------- */

/* The number after a dot or at the start; moves *p behind it. */
static unsigned
take_part(const char **p)
{
    unsigned n = 0;

    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = n < 1000 ? n * 10 + (unsigned)(**p - '0') : n;
    if (**p == '.')
        (*p)++;
    return n;
}

/* "version=2,netcdf=4.9.2,nczarr=2.0.0" tells the release, and so its faults. */
static ncz_writer
tell_writer(const ncz_json *zattrs, ncz_generation gen)
{
    const char *text = ncz_json_str(ncz_json_get(zattrs, "_NCProperties"), NULL);
    const char *p = text == NULL ? NULL : strstr(text, "netcdf=");
    ncz_writer  w = {.char_u1 = gen == NCZ_GEN_1 || gen == NCZ_GEN_2};
    unsigned    release;

    w.ours = text != NULL && strstr(text, "libnczarr=") != NULL;
    if (p == NULL)
        return w;
    p += strlen("netcdf=");
    release = take_part(&p) * 1000000;
    release += take_part(&p) * 1000;
    release += take_part(&p);
    w.netcdf = true;
    w.native_big = release >= 4008000 && release <= 4009002;
    w.char_u1 = w.char_u1 || (release >= 4008000 && release <= 4009000);
    return w;
}

static bool
says_classic(const ncz_node_docs *root)
{
    uint64_t flag = 0;

    return ncz_json_u64(ncz_format_nczarr_get(root, NCZ_KEY_SUPER, NCZ_STRICT, NCZ_STRICT), &flag) && flag != 0;
}

/* ---- loading -------------------------------------------------------------------------------------------------- */

/* The root's documents: what they say of the dataset, and then what they say. Without one of them it is not known
 * what stands here, so one that is broken fails the load; zarr.json is none of ours, and may be anything. */
static void
root_arrived(void *arg, size_t i, const ncz_docs_got *got)
{
    ncz_loader   *l = arg;
    ncz_node     *root = &l->nodes[i];
    ncz_node_docs papers = {.doc = {NULL}};
    bool          known = false;
    int           rc = NC_NOERR;

    for (size_t k = 0; k < NCZ_ROOT_DOCS && rc == NC_NOERR; k++) {
        ncz_doc d = ncz_format_root_docs[k];

        if (got[k].err != NULL)
            rc = ncz_err_adopt(got[k].err);
        else if (got[k].doc != NULL && !ncz_json_is(got[k].doc, NCZ_JSON_OBJECT))
            rc = ncz_fail(NC_EZARRMETA, "%s: not a JSON object", ncz_format_doc_names[d]);
        papers.doc[d] = got[k].doc;
        known = known || got[k].doc != NULL;
    }
    if (rc == NC_NOERR && !known)
        rc = got[NCZ_ROOT_DOCS].doc != NULL
                 ? ncz_fail(NC_ENOTZARR, "this is a Zarr v3 dataset (zarr.json); version 3 is not supported yet")
                 : ncz_fail(NC_ENOTZARR,
                            "no Zarr dataset: there is none of .zgroup, .zarray, .zattrs, .nczarr, .nczgroup");
    if (rc != NC_NOERR) {
        ncz_format_node_fail(root, rc);
        return;
    }
    l->gen = l->found = ncz_format_generation(&papers);
    l->writer = tell_writer(papers.doc[NCZ_DOC_ZATTRS], l->gen);
    if (l->wish.pure)
        l->gen = NCZ_GEN_PURE;
    l->nczarr = l->gen != NCZ_GEN_PURE;
    l->classic = l->nczarr && says_classic(&papers);
    if (!l->nczarr && papers.doc[NCZ_DOC_ZARRAY] != NULL)
        root->kind = NCZ_NODE_ARRAY;
    if ((rc = ncz_format_parse_node(l, root, &papers, "")) != NC_NOERR)
        ncz_format_node_fail(root, rc);
}

/* A lone array at the root: its chunks stand at the top, whatever the variable is called. */
static int
root_locate(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    ncz_spec bare = *spec;
    char     none[1] = "";

    bare.path = none;
    return ncz_zarr2_locate(&bare, index, key, where);
}

/* New datasets of netCDF-C's forms stay as netCDF-C writes them. */
static void
ready_model(ncz_model *m, ncz_generation gen, ncz_locate_fn locate)
{
    m->small_fill = gen == NCZ_GEN_BOTH ? NCZ_SMALL_NULL : gen == NCZ_GEN_PURE ? NCZ_SMALL_NONE : NCZ_SMALL_DEFAULT;
    m->locate = locate;
    m->format_free = ncz_free;
}

int
ncz_format_load_root(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_loader **out)
{
    ncz_loader *l = ncz_zalloc(sizeof *l);
    int         rc;

    if (l == NULL)
        return ncz_fail_nomem(sizeof *l);
    *l = (ncz_loader){.docs = docs, .wish = *wish, .m = m};
    if ((rc = pthread_mutex_init(&l->lock, NULL)) != 0) {
        ncz_free(l);
        return ncz_fail_errno(rc, "making a lock");
    }
    if ((rc = ncz_format_fetch_root(l, root_arrived)) == NC_NOERR) {
        *out = l;
        l = NULL;
    }
    ncz_format_loader_free(l);
    return rc;
}

int
ncz_format_load_rest(ncz_loader *l, ncz_format_opts *out)
{
    bool lone = l->nodes[0].kind == NCZ_NODE_ARRAY;
    bool keys_ignored = !l->nczarr && l->found != NCZ_GEN_PURE;
    int  rc;

    ready_model(l->m, l->gen, lone ? root_locate : ncz_zarr2_locate);
    l->m->native_big = l->writer.native_big;
    rc = lone ? NC_NOERR : ncz_format_fetch_tree(l);
    if (rc == NC_NOERR)
        rc = ncz_format_build(l);
    ncz_format_arenas_keep(l); /* also when that failed: some of it may be in the model */
    if (rc != NC_NOERR)
        return rc;
    ncz_format_mark_stored(l->m);
    *out = (ncz_format_opts){
        .gen = l->gen,
        .xarray = l->wish.xarray,
        .classic = l->classic,
        /* What we could not say again as it was must not be written over. */
        .readonly = l->gen == NCZ_GEN_1 || l->gen == NCZ_GEN_2 || lone || keys_ignored || l->damaged,
    };
    return NC_NOERR;
}

void
ncz_format_loader_free(ncz_loader *l)
{
    if (l == NULL)
        return;
    ncz_format_fetch_clear(l);
    ncz_format_arenas_clear(l);
    (void)pthread_mutex_destroy(&l->lock);
    ncz_free(l);
}

int
ncz_format_load(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_format_opts *out)
{
    ncz_loader *l = NULL;
    int         rc;

    if ((rc = ncz_format_load_root(docs, wish, m, &l)) == NC_NOERR)
        rc = ncz_format_load_rest(l, out);
    ncz_format_loader_free(l);
    return rc;
}

/* ---- a new dataset, and after storing ------------------------------------------------------------------------- */

int
ncz_format_create(ncz_model *m, const ncz_format_opts *style, const char *properties)
{
    if (style->gen == NCZ_GEN_1)
        return ncz_fail(NC_EINVAL, "the first NCZarr generation is read only");
    ready_model(m, style->gen, ncz_zarr2_locate);
    if (properties == NULL)
        return NC_NOERR;
    return ncz_atts_set(m, &m->root->atts, "_NCProperties", ncz_type_of(NC_CHAR), strlen(properties), properties,
                        NULL);
}

void
ncz_format_mark_stored(ncz_model *m)
{
    for (size_t i = 0; i < m->ngroups; i++) {
        ncz_group *g = m->groups[i];

        g->dirty = g->fresh = g->atts.dirty = false;
        for (size_t k = 0; k < g->nvars; k++)
            g->vars[k]->dirty = g->vars[k]->fresh = g->vars[k]->atts.dirty = false;
    }
}
