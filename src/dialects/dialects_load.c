/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entry points of the format: identify the dialect from the root's documents, load the rest, prepare a new model.
 */
#include "dialects/dialects_int.h"

#include <string.h>

/* ---- loading -------------------------------------------------------------------------------------------------- */

/* No dialect recognises the root's documents. `zarr_format`: the one that was asked for; 0: any. */
static int
fail_unknown(int zarr_format)
{
    ncz_buf     names = NCZ_BUF_INIT;
    const char *comma = "";
    int         rc = NC_NOERR;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++) {
        if (zarr_format != 0 && zarr_format != ncz_format_zarr_version(ncz_dialects[i]))
            continue;
        for (const char *const *doc = ncz_dialects[i]->docs.root; rc == NC_NOERR && *doc != NULL; doc++, comma = ", ")
            rc = ncz_buf_printf(&names, "%s%s", comma, *doc);
    }
    if (rc == NC_NOERR && zarr_format != 0)
        rc = ncz_fail(NC_ENOTZARR, "no dataset of Zarr v%d: none of %s exists", zarr_format, ncz_buf_str(&names));
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_ENOTZARR, "no Zarr dataset: none of %s exists", ncz_buf_str(&names));
    ncz_buf_clear(&names);
    return rc;
}

/* A writer changes the documents of one dialect only. */
static void
warn_of_others(const ncz_loader *l, const ncz_docs_got *got)
{
    for (size_t k = 0; !l->wish.look && ncz_dialects[k] != NULL; k++) {
        bool found = false;

        for (const char *const *doc = ncz_dialects[k]->docs.root; *doc != NULL; doc++, got++)
            found = found || got->doc != NULL;
        if (found && ncz_dialects[k] != l->dialect)
            ncz_log(NCZ_LOG_WARN, "there are documents of %s as well: what changes now changes in those of %s alone",
                    ncz_dialects[k]->name, l->dialect->name);
    }
}

static int
warn_broken(ncz_loader *l, const ncz_err *broken, const ncz_dialect_ops *d)
{
    char *text = ncz_sprintf("%s; the dataset is read as %s", broken->text, d->name);
    int   rc;

    if (text == NULL)
        return ncz_fail_nomem(NCZ_ERR_TEXT);
    ncz_log(NCZ_LOG_WARN, "%s", text);
    rc = ncz_format_warn(l, text);
    ncz_free(text);
    return rc;
}

/*
 * Offers the root's documents to each dialect in turn until one recognises them. `got` holds the dialects' documents
 * one after the other. A broken document of one dialect fails the load only if no other recognises the dataset: it may
 * be of an interrupted migration, or of any program.
 */
static int
identify_dialect(ncz_loader *l, ncz_node *root, const ncz_docs_got *got, ncz_node_docs *docs)
{
    const ncz_docs_got *first = got;
    ncz_err             broken = ncz_err_none;

    for (size_t k = 0; ncz_dialects[k] != NULL; k++) {
        const ncz_dialect_ops *d = ncz_dialects[k];
        bool                   is = false;
        int                    rc = d->reader.identify != NULL && ncz_dialects_is_wanted(&l->wish, d)
                                        ? d->reader.identify(l, root, got, docs, &is)
                                        : NC_NOERR;

        if (rc == NC_NOERR && is) {
            if (broken.code != NC_NOERR && (rc = warn_broken(l, &broken, d)) != NC_NOERR)
                return rc;
            l->dialect = l->m->dialect = d;
            warn_of_others(l, first);
            return NC_NOERR;
        }
        if (rc != NC_NOERR && rc != NC_EZARRMETA)
            return rc;
        if (rc != NC_NOERR && broken.code == NC_NOERR)
            ncz_err_save(&broken, rc);
        for (const char *const *doc = d->docs.root; *doc != NULL; doc++)
            got++;
    }
    return broken.code != NC_NOERR ? ncz_err_adopt(&broken) : fail_unknown(l->wish.zarr_format);
}

/* Parses the root's documents with the dialect that recognises them. */
static void
root_arrived(void *arg, size_t i, const ncz_docs_got *got)
{
    ncz_loader   *l = arg;
    ncz_node     *root = &l->nodes[i];
    ncz_node_docs docs = {.doc = {NULL}};
    int           rc = identify_dialect(l, root, got, &docs);

    if (rc == NC_NOERR)
        rc = l->dialect->reader.parse_node(l, root, &docs, "");
    if (rc != NC_NOERR)
        ncz_format_node_fail(root, rc);
}

/* Sets the model's functions and defaults. */
static void
ready_model(ncz_model *m, const ncz_dialect_ops *dialect, int gen, ncz_make_layout_fn make_layout)
{
    m->dialect = dialect;
    m->ordered_types = dialect->traits.ordered_types;
    m->unmasked_fill = dialect->unmasked_fill != NULL ? dialect->unmasked_fill(gen) : NCZ_UNMASKED_NONE;
    m->make_layout = make_layout;
    m->own_chunks = dialect->file != NULL && dialect->file->lay_out != NULL;
    if (m->format_free == NULL) /* a dialect that has looked has set its own */
        m->format_free = ncz_free;
}

/* ---- dialects that look for themselves ---- */

/* One round: what a dialect has asked to see. */
typedef struct looking {
    ncz_loader            *l;
    const ncz_dialect_ops *dialect;
    ncz_look               next;
    bool                   is;
    int                    rc;
    ncz_err                err;
} looking;

/* So many bytes of an object that is far away come with the first look, for all dialects: a header of a classic file,
 * or the structure of an HDF5 file that has it in front. */
enum { FAR_LOOK = 1 << 18 };

/* Keeps the first bytes of an object, which may be asked for again: of one that grows they go with the size that came
 * with them. Without memory they are not kept. */
static void
keep_first(ncz_loader *l, const ncz_docs_got *got)
{
    l->first_size = got->size;
    if ((l->docs->far || l->docs->one_object) && l->first.len == 0 &&
        ncz_buf_append(&l->first, got->bytes, got->len) != NC_NOERR)
        ncz_err_clear();
}

/* Whether these bytes are at hand: all of them, or up to the object's end. */
static bool
has_first(const ncz_loader *l, const ncz_look *look)
{
    return l->first.len > 0 && look->bytes && look->off == 0 && look->len != 0 &&
           (look->len <= l->first.len || l->first.len == l->first_size);
}

static void
look_arrived(void *arg, size_t i, const ncz_docs_got *got)
{
    looking *k = arg;
    bool     first = k->next.off == 0;

    (void)i;
    k->next = (ncz_look){.key = NULL};
    if (first && k->l->docs->one_object && k->l->other == NULL && got->err == NULL && got->bytes != NULL)
        k->l->other = ncz_dialects_name_other(got->bytes, got->len);
    if (first && got->err == NULL && got->bytes != NULL)
        keep_first(k->l, got);
    k->rc = got->err != NULL ? ncz_err_adopt(got->err) : k->dialect->reader.look(k->l, got, &k->next, &k->is);
    ncz_err_save(&k->err, k->rc);
}

/* Fetches what the dialect wants to see, until it knows. The document's own failure is that of the load. */
static int
look_on(looking *k)
{
    int rc = k->dialect->reader.look(k->l, NULL, &k->next, &k->is);

    while (rc == NC_NOERR && !k->is && k->next.key != NULL) {
        ncz_docs_req req = {.keys = &k->next.key,
                            .n = 1,
                            .as = k->next.bytes ? NCZ_DOCS_BYTES : NCZ_DOCS_JSON,
                            .off = k->next.off,
                            .len = k->next.len};

        if (has_first(k->l, &k->next)) {
            look_arrived(k, 0,
                         &(ncz_docs_got){
                             .bytes = ncz_buf_str(&k->l->first), .len = k->l->first.len, .size = k->l->first_size});
        } else {
            if (k->l->docs->far && req.off == 0 && req.len != 0 && req.len < FAR_LOOK)
                req.len = FAR_LOOK;
            rc = k->l->docs->fetch(k->l->docs->arg, &req, 1, look_arrived, k);
        }
        if (rc == NC_NOERR && k->rc != NC_NOERR)
            rc = ncz_err_adopt(&k->err);
    }
    return rc;
}

/* After no dialect has recognised the root's documents, which `unknown` says. */
static int
look_further(ncz_loader *l, int unknown)
{
    ncz_err err;

    ncz_err_save(&err, unknown);
    for (size_t i = 0; l->wish.zarr_format == 0 && ncz_dialects[i] != NULL; i++) {
        looking k = {.l = l, .dialect = ncz_dialects[i]};
        int     rc;

        if (k.dialect->reader.look == NULL || (k.dialect->file != NULL) != l->docs->one_object ||
            (l->wish.hdf5 && k.dialect->traits.spelling != NCZ_SPELLING_HDF5))
            continue;
        ncz_err_clear();
        if ((rc = look_on(&k)) != NC_NOERR)
            return rc;
        if (k.is) {
            l->dialect = l->m->dialect = k.dialect;
            l->make_layout = k.dialect->make_layout;
            return k.dialect->reader.check != NULL ? k.dialect->reader.check(l) : NC_NOERR;
        }
        ncz_free(l->state);
        l->state = NULL;
    }
    return l->other != NULL ? ncz_fail(NC_ENOTZARR, "%s", l->other) : ncz_err_adopt(&err);
}

int
ncz_dialects_load_root(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_loader **out)
{
    ncz_loader *l = ncz_zalloc(sizeof *l);
    int         rc;

    if (l == NULL)
        return ncz_fail_nomem(sizeof *l);
    *l = (ncz_loader){.docs = docs, .wish = *wish, .m = m, .first = NCZ_BUF_INIT, .names = NCZ_ARENA_INIT};
    if ((rc = pthread_mutex_init(&l->lock, NULL)) != 0) {
        ncz_free(l);
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    }
    if (wish->hdf5)
        rc = ncz_fail(NC_ENOTZARR, "it is no HDF5 file, which mode=hdf5 is for");
    else
        rc = docs->one_object ? ncz_fail(NC_ENOTZARR, "its first bytes are those of no known format")
                              : ncz_dialects_fetch_root(l, root_arrived);
    if (rc == NC_ENOTZARR)
        rc = look_further(l, rc);
    if (rc == NC_NOERR) {
        *out = l;
        l = NULL;
    }
    ncz_dialects_loader_free(l);
    return rc;
}

int
ncz_dialects_load_rest(ncz_loader *l, ncz_format_opts *out)
{
    bool lone = l->nnodes > 0 && l->nodes[0].kind == NCZ_NODE_ARRAY;
    int  rc;

    ready_model(l->m, l->dialect, l->gen, l->make_layout);
    l->m->native_big = l->writer.native_big;
    rc = lone || l->dialect->reader.load != NULL ? NC_NOERR : ncz_dialects_fetch_tree(l);
    if (rc == NC_NOERR)
        rc = l->dialect->reader.load != NULL ? l->dialect->reader.load(l) : ncz_dialects_build(l);
    ncz_format_arenas_keep(l); /* also after a failure: the model may refer to them */
    if (rc != NC_NOERR)
        return rc;
    ncz_dialects_mark_stored(l->m);
    *out = (ncz_format_opts){
        .dialect = l->dialect,
        .gen = l->gen,
        .xarray = l->wish.xarray,
        .consolidated = l->copies,
        .classic = l->classic,
        /* A dataset that cannot be rewritten without loss must not be overwritten. */
        .readonly = lone || l->ignored || l->damaged || !ncz_format_is_written(l->dialect),
    };
    out->readonly = out->readonly || ncz_format_old_writer(out) != NULL;
    return NC_NOERR;
}

int
ncz_dialects_load_names(ncz_loader *l, ncz_names *out)
{
    ncz_buf path = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    if (l->nodes[0].kind == NCZ_NODE_ARRAY || l->dialect->reader.load != NULL)
        return NC_NOERR;
    l->names_only = true;
    rc = ncz_dialects_fetch_tree(l);
    for (size_t i = 1; rc == NC_NOERR && i < l->nnodes; i++) {
        ncz_buf_reset(&path);
        if (l->nodes[i].kind != NCZ_NODE_NONE && (rc = ncz_dialects_node_path(l, i, &path)) == NC_NOERR)
            rc = ncz_names_put(out, ncz_buf_str(&path), i);
    }
    ncz_buf_clear(&path);
    return rc;
}

bool
ncz_dialects_has_lists(const ncz_loader *l)
{
    return l->nczarr;
}

bool
ncz_dialects_is_fixed(const ncz_loader *l)
{
    return l->dialect != NULL && l->dialect->file != NULL && (l->dialect->file->fixed || l->docs->far);
}

void
ncz_dialects_loader_free(ncz_loader *l)
{
    if (l == NULL)
        return;
    ncz_dialects_fetch_clear(l);
    ncz_format_arenas_clear(l);
    ncz_free(l->state);
    ncz_buf_clear(&l->first);
    (void)pthread_mutex_destroy(&l->lock);
    ncz_free(l);
}

int
ncz_dialects_load(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_format_opts *out)
{
    ncz_loader *l = NULL;
    int         rc;

    if ((rc = ncz_dialects_load_root(docs, wish, m, &l)) == NC_NOERR)
        rc = ncz_dialects_load_rest(l, out);
    ncz_dialects_loader_free(l);
    return rc;
}

/* ---- a new dataset, and after storing ------------------------------------------------------------------------- */

int
ncz_dialects_create(ncz_model *m, const ncz_format_opts *style, const char *properties)
{
    int rc = ncz_format_check_written(style, NC_EINVAL);

    if (rc != NC_NOERR)
        return rc;
    ready_model(m, style->dialect, style->gen, style->dialect->make_layout);
    if (style->dialect->file != NULL && style->dialect->file->rewrite != NULL)
        style->dialect->file->rewrite(m);
    if (properties == NULL)
        return NC_NOERR;
    return ncz_atts_set(m, &m->root->atts, "_NCProperties", ncz_type_of(NC_CHAR), strlen(properties), properties,
                        NULL);
}

void
ncz_dialects_mark_stored(ncz_model *m)
{
    for (size_t i = 0; i < m->ngroups; i++) {
        ncz_group *g = m->groups[i];

        g->document = NCZ_DOCUMENT_STORED;
        g->atts.dirty = false;
        for (size_t k = 0; k < g->nvars; k++) {
            g->vars[k]->document = NCZ_DOCUMENT_STORED;
            g->vars[k]->atts.dirty = false;
        }
    }
}
