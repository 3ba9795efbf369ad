/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The documents to store, in an order that leaves a readable dataset if the writing stops after any of them:
 *   1. of arrays, those of the deepest groups first; of each array the document that makes it visible last
 *   2. of groups but the root, deepest first, so that a group lists only what exists
 *   3. the consolidated document, if the dialect has one
 *   4. of the root, which may contain the consolidated metadata: the last one is the commit point
 */
#include "dialects/dialects_int.h"

#include <string.h>

typedef ncz_node_doc_fn doc_fn; /* gets the plan and a whole key */

typedef struct plan {
    const ncz_model       *m;
    const ncz_format_opts *style;
    bool                   all;
    ncz_emit_fn            emit;
    void                  *arg;
    ncz_stage              stage;
    size_t                 count; /* documents emitted */
    ncz_buf                key, text;
    size_t                 prefix; /* bytes of the node's key in `key` */
    ncz_jsonw              w;      /* for the consolidated document */
    doc_fn                 each;
} plan;

/* ---- the documents of one node --------------------------------------------------------------------------------- */

static int
hand_out(void *arg, const char *key, bool visible, const ncz_buf *text)
{
    plan             *p = arg;
    const ncz_doc_out doc = {
        .stage = p->stage, .visible = visible, .key = key, .text = ncz_buf_str(text), .len = text->len};

    p->count++;
    return p->emit(p->arg, &doc);
}

/* The first `p->prefix` bytes of p->key are the node's key; the document's name is appended for the call. */
static int
give_document(void *arg, const char *name, bool visible, const ncz_buf *text)
{
    plan *p = arg;
    int   rc;

    p->key.len = p->prefix;
    if ((p->prefix > 0 && (rc = ncz_buf_putc(&p->key, '/')) != NC_NOERR) ||
        (rc = ncz_buf_puts(&p->key, name)) != NC_NOERR)
        return rc;
    return p->each(p, p->key.data, visible, text);
}

/* The documents of a variable, or of the group if `v` is NULL. */
static int
give_node(plan *p, const ncz_group *g, const ncz_var *v)
{
    int rc;

    ncz_buf_reset(&p->key);
    if ((rc = v != NULL ? ncz_var_key(v, &p->key) : ncz_group_key(g, &p->key)) != NC_NOERR)
        return rc;
    p->prefix = p->key.len;
    return p->m->dialect->write_node(p->m, g, v, p->style, &p->text, give_document, p);
}

static int
give_var(plan *p, const ncz_var *v)
{
    const ncz_format_var *kept = v->format;

    if (kept != NULL && kept->frozen)
        return NC_NOERR; /* its documents could not be parsed, and stay unchanged */
    return give_node(p, v->group, v);
}

int
ncz_dialects_check_rewritable(const ncz_var *v)
{
    const ncz_format_var *kept = v->format;

    if (kept == NULL || !kept->frozen)
        return NC_NOERR;
    return ncz_fail(NC_EPERM, "%s: its document is not fully understood, and so not rewritten%s%s", v->name,
                    v->unusable->code != NC_NOERR ? ": " : "", v->unusable->text);
}

static int
give_group(plan *p, const ncz_group *g)
{
    return give_node(p, g, NULL);
}

static bool
var_changed(const plan *p, const ncz_var *v)
{
    return p->all || v->document != NCZ_DOCUMENT_STORED || v->atts.dirty;
}

/* Pure Zarr has no lists of a group's members. */
static bool
group_changed(const plan *p, const ncz_group *g)
{
    return p->all || g->document == NCZ_DOCUMENT_NEW || g->atts.dirty ||
           (g->document == NCZ_DOCUMENT_CHANGED && !ncz_format_is_plain(p->style));
}

/* ---- the consolidated document -------------------------------------------------------------------------------- */

static int
put_into_copy(void *arg, const char *key, bool visible, const ncz_buf *text)
{
    plan *p = arg;

    (void)visible;
    ncz_jsonw_key(&p->w, key);
    ncz_jsonw_raw(&p->w, text->data, text->len);
    return NC_NOERR;
}

/* In netCDF-C's order: a group's own documents, then its variables', then those of its subgroups. */
static int
give_consolidated(plan *p)
{
    const ncz_dialect_copies *copies = &p->m->dialect->copies;
    const ncz_format_opts    *own = p->style;
    ncz_format_opts           style = *own;
    ncz_buf                   all = NCZ_BUF_INIT;
    ncz_group                *g = NULL;
    int                       rc = NC_NOERR;

    p->w = ncz_jsonw_on(&all);
    p->each = put_into_copy;
    style.copying = true;
    p->style = &style;
    ncz_jsonw_open_object(&p->w);
    ncz_jsonw_key(&p->w, copies->member);
    ncz_jsonw_open_object(&p->w);
    while ((g = ncz_model_next_group(p->m, g)) != NULL && rc == NC_NOERR) {
        rc = give_group(p, g);
        for (size_t i = 0; i < g->nvars && rc == NC_NOERR; i++)
            rc = give_var(p, g->vars[i]);
    }
    ncz_jsonw_close_object(&p->w);
    ncz_jsonw_key(&p->w, copies->version);
    ncz_jsonw_u64(&p->w, 1);
    if (style.unasked) {
        ncz_jsonw_key(&p->w, copies->unasked);
        ncz_jsonw_bool(&p->w, true);
    }
    ncz_jsonw_close_object(&p->w);
    if (rc == NC_NOERR)
        rc = ncz_jsonw_end(&p->w);
    p->each = hand_out;
    p->style = own;
    if (rc == NC_NOERR)
        rc = hand_out(p, copies->key, true, &all);
    ncz_buf_clear(&all);
    return rc;
}

/* ---- the order ------------------------------------------------------------------------------------------------ */

/* The groups, deepest first, by id within a depth. A parent's id is smaller than its children's, so one pass finds
 * all depths. */
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
    bool   inside;                   /* the root's document contains copies of changed ones */
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
    /* The consolidated metadata change with any other document. */
    p->stage = NCZ_STAGE_CONSOLIDATED;
    if (p->style->consolidated && p->m->dialect->copies.key != NULL &&
        (p->count > 0 || group_changed(p, p->m->root)) && (rc = give_consolidated(p)) != NC_NOERR)
        return rc;
    p->stage = NCZ_STAGE_ROOT;
    inside = p->style->consolidated && p->m->dialect->copies.key == NULL && p->count > 0;
    return inside || group_changed(p, p->m->root) ? give_group(p, p->m->root) : NC_NOERR;
}

int
ncz_dialects_plan(const ncz_model *m, const ncz_format_opts *style, bool all, ncz_emit_fn emit, void *arg)
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

    if ((rc = ncz_format_check_written(style, NC_EPERM)) != NC_NOERR)
        return rc;
    if ((rc = order_groups(m, &order)) == NC_NOERR)
        rc = give_all(&p, order);
    ncz_free(order);
    ncz_buf_clear(&p.key);
    ncz_buf_clear(&p.text);
    return rc;
}
