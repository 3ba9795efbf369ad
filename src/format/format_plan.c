/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which documents must be stored, and in which order, so that a dataset opens whatever is lost after any of them:
 *   1. of arrays, those of the deepest groups first: .zattrs, then .zarray, by which an array comes to be
 *   2. of groups but the root, deepest first: .zattrs, then .zgroup; a group names nothing that is not there
 *   3. the consolidated copy of all
 *   4. of the root: .zattrs, then .zgroup: the commit point
 */
#include "format/nczarr_write.h"

#include <string.h>

typedef int (*doc_fn)(void *plan, const char *key, const ncz_buf *text);

typedef struct plan {
    const ncz_model       *m;
    const ncz_format_opts *style;
    bool                   all;
    ncz_emit_fn            emit;
    void                  *arg;
    ncz_stage              stage;
    size_t                 count; /* documents emitted */
    ncz_buf                key, text;
    ncz_jsonw              w; /* for the consolidated document */
    doc_fn                 each;
} plan;

/* ---- single documents ----------------------------------------------------------------------------------------- */

static int
hand_out(void *arg, const char *key, const ncz_buf *text)
{
    plan *p = arg;

    p->count++;
    return p->emit(p->arg, p->stage, key, ncz_buf_str(text), text->len);
}

/* `prefix` stands in p->key already; `doc` is put behind it for the call. */
static int
give(plan *p, size_t prefix, ncz_doc doc)
{
    int rc;

    p->key.len = prefix;
    if ((prefix > 0 && (rc = ncz_buf_putc(&p->key, '/')) != NC_NOERR) ||
        (rc = ncz_buf_puts(&p->key, ncz_format_doc_names[doc])) != NC_NOERR)
        return rc;
    return p->each(p, p->key.data, &p->text);
}

static int
give_var(plan *p, const ncz_var *v)
{
    const ncz_format_var *kept = v->format;
    size_t                prefix;
    int                   rc;

    if (kept != NULL && kept->frozen)
        return NC_NOERR; /* its documents could not be understood: they stay as they are */
    ncz_buf_reset(&p->key);
    if ((rc = ncz_var_key(v, &p->key)) != NC_NOERR)
        return rc;
    prefix = p->key.len;
    ncz_buf_reset(&p->text);
    if ((rc = ncz_format_var_attrs_write(v, p->style, &p->text)) != NC_NOERR ||
        (rc = give(p, prefix, NCZ_DOC_ZATTRS)) != NC_NOERR)
        return rc;
    ncz_buf_reset(&p->text);
    if ((rc = ncz_format_zarray_write(v, p->style, &p->text)) != NC_NOERR)
        return rc;
    return give(p, prefix, NCZ_DOC_ZARRAY);
}

static int
give_group(plan *p, const ncz_group *g)
{
    size_t prefix;
    int    rc;

    ncz_buf_reset(&p->key);
    if ((rc = ncz_group_key(g, &p->key)) != NC_NOERR)
        return rc;
    prefix = p->key.len;
    ncz_buf_reset(&p->text);
    if ((rc = ncz_format_group_attrs_write(g, p->style, &p->text)) != NC_NOERR ||
        (rc = give(p, prefix, NCZ_DOC_ZATTRS)) != NC_NOERR)
        return rc;
    ncz_buf_reset(&p->text);
    if ((rc = ncz_format_group_write(g, p->style, &p->text)) != NC_NOERR)
        return rc;
    return give(p, prefix, NCZ_DOC_ZGROUP);
}

static bool
var_changed(const plan *p, const ncz_var *v)
{
    return p->all || v->fresh || v->dirty || v->atts.dirty;
}

static bool
group_changed(const plan *p, const ncz_group *g)
{
    return p->all || g->fresh || g->dirty || g->atts.dirty;
}

/* ---- the consolidated document -------------------------------------------------------------------------------- */

static int
put_into_copy(void *arg, const char *key, const ncz_buf *text)
{
    plan *p = arg;

    ncz_jsonw_key(&p->w, key);
    ncz_jsonw_raw(&p->w, text->data, text->len);
    return NC_NOERR;
}

/* netCDF-C's order: a group's own documents, then its variables', then the groups below. */
static int
give_consolidated(plan *p)
{
    ncz_buf    all = NCZ_BUF_INIT;
    ncz_group *g = NULL;
    int        rc = NC_NOERR;

    p->w = ncz_jsonw_on(&all);
    p->each = put_into_copy;
    ncz_jsonw_open_object(&p->w);
    ncz_jsonw_key(&p->w, "metadata");
    ncz_jsonw_open_object(&p->w);
    while ((g = ncz_model_next_group(p->m, g)) != NULL && rc == NC_NOERR) {
        rc = give_group(p, g);
        for (size_t i = 0; i < g->nvars && rc == NC_NOERR; i++)
            rc = give_var(p, g->vars[i]);
    }
    ncz_jsonw_close_object(&p->w);
    ncz_jsonw_key(&p->w, "zarr_consolidated_format");
    ncz_jsonw_u64(&p->w, 1);
    ncz_jsonw_close_object(&p->w);
    if (rc == NC_NOERR)
        rc = ncz_jsonw_end(&p->w);
    p->each = hand_out;
    if (rc == NC_NOERR)
        rc = hand_out(p, ".zmetadata", &all);
    ncz_buf_clear(&all);
    return rc;
}

/* ---- the order ------------------------------------------------------------------------------------------------ */

/* Groups, deepest first; those of one depth in the order of their ids. A parent's id is smaller than its children's.
 */
static int
order_groups(const ncz_model *m, ncz_group ***out)
{
    ncz_group **order = ncz_alloc_n(m->ngroups, sizeof *order);
    size_t     *depth = ncz_zalloc_n(m->ngroups, sizeof *depth);
    size_t      deepest = 0, n = 0;

    if (order == NULL || depth == NULL) {
        ncz_free(order);
        ncz_free(depth);
        return ncz_fail_nomem(m->ngroups * sizeof *order);
    }
    for (size_t i = 1; i < m->ngroups; i++) {
        depth[i] = depth[m->groups[i]->parent->id] + 1;
        deepest = depth[i] > deepest ? depth[i] : deepest;
    }
    for (size_t d = deepest + 1; d-- > 0;)
        for (size_t i = 0; i < m->ngroups; i++)
            if (depth[i] == d)
                order[n++] = m->groups[i];
    ncz_free(depth);
    *out = order;
    return NC_NOERR;
}

static int
give_all(plan *p, ncz_group *const *order)
{
    size_t last = p->m->ngroups - 1; /* the root */
    int    rc;

    p->stage = NCZ_STAGE_ARRAY;
    for (size_t i = 0; i <= last; i++)
        for (size_t k = 0; k < order[i]->nvars; k++)
            if (var_changed(p, order[i]->vars[k]) && (rc = give_var(p, order[i]->vars[k])) != NC_NOERR)
                return rc;
    p->stage = NCZ_STAGE_GROUP;
    for (size_t i = 0; i < last; i++)
        if (group_changed(p, order[i]) && (rc = give_group(p, order[i])) != NC_NOERR)
            return rc;
    p->stage = NCZ_STAGE_CONSOLIDATED;
    if (p->style->consolidated && (p->count > 0 || group_changed(p, p->m->root)) &&
        (rc = give_consolidated(p)) != NC_NOERR)
        return rc;
    p->stage = NCZ_STAGE_ROOT;
    return group_changed(p, p->m->root) ? give_group(p, p->m->root) : NC_NOERR;
}

int
ncz_format_plan(const ncz_model *m, const ncz_format_opts *style, bool all, ncz_emit_fn emit, void *arg)
{
    plan        p = {.m = m,
                     .style = style,
                     .all = all,
                     .emit = emit,
                     .arg = arg,
                     .each = hand_out,
                     .key = NCZ_BUF_INIT,
                     .text = NCZ_BUF_INIT};
    ncz_group **order = NULL;
    int         rc;

    if (style->gen == NCZ_GEN_1)
        return ncz_fail(NC_EPERM, "the first NCZarr generation is read only");
    if ((rc = order_groups(m, &order)) == NC_NOERR)
        rc = give_all(&p, order);
    ncz_free(order);
    ncz_buf_clear(&p.key);
    ncz_buf_clear(&p.text);
    return rc;
}
