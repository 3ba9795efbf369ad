/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One array by its document alone, for a copy: the document of a variable as plain Zarr has it, and a new variable from
 * such a document. What the library does not understand of it, an element type or a codec, is kept as it is spelled.
 */
#include "dialects/dialects_int.h"

#include <string.h>

/* ---- variable -> document ---------------------------------------------------------------------------------------- */

typedef struct taking {
    const char *name; /* of the document that is wanted */
    ncz_buf    *out;
} taking;

static int
take_document(void *arg, const char *name, bool visible, const ncz_buf *text)
{
    taking *t = arg;

    (void)visible;
    if (strcmp(name, t->name) != 0)
        return NC_NOERR;
    ncz_buf_reset(t->out);
    return ncz_buf_append(t->out, ncz_buf_str(text), text->len);
}

/* `names`: as in format.h. */
static int
write_names(const ncz_var *v, ncz_buf *names)
{
    const ncz_format_var *kept = v->format;

    if (kept == NULL || !kept->named)
        return NC_NOERR;
    return ncz_buf_puts(names, kept->xarray[0] != '\0' ? kept->xarray : " ");
}

int
ncz_dialects_array_write(const ncz_model *m, const ncz_var *v, ncz_buf *out, ncz_buf *names)
{
    const ncz_format_opts style = {.dialect = m->dialect, .gen = NCZ_FORM_PLAIN};
    ncz_var               bare = *v; /* the caller copies attributes */
    ncz_buf               text = NCZ_BUF_INIT;
    taking                t = {.name = m->dialect->docs.array, .out = out};
    int                   rc;

    bare.atts = (ncz_atts){.n = 0};
    rc = m->dialect->write_node(m, v->group, &bare, &style, &text, take_document, &t);
    ncz_buf_clear(&text);
    return rc == NC_NOERR ? write_names(v, names) : rc;
}

/* ---- document -> variable ---------------------------------------------------------------------------------------- */

/* The number of the document among those of a node. */
static size_t
array_number(const ncz_dialect_ops *dialect)
{
    size_t i = 0;

    while (strcmp(dialect->docs.all[i], dialect->docs.array) != 0)
        i++;
    return i;
}

/* An element type or a codec that is not known can be carried along; what decides where chunks lie cannot. */
static int
check_carried(const ncz_array_meta *z, size_t rank, const char *name)
{
    int code = z->unusable->code;

    if (code != NC_NOERR && code != NC_EBADTYPE && code != NC_ENOFILTER)
        return ncz_err_adopt(z->unusable);
    if (z->rank != rank || z->shapeless)
        return ncz_fail(NC_EINVAL, "%s: %zu dimensions, its document has %zu", name, rank, z->rank);
    return NC_NOERR;
}

/* That some dimensions have no names is a part of what documents say. */
static int
keep_names(ncz_var *v, const char *names)
{
    size_t          len = strlen(names);
    ncz_format_var *kept = ncz_zalloc(sizeof *kept + len + 1);

    if (kept == NULL)
        return ncz_fail_nomem(len);
    kept->named = true;
    memcpy(kept->xarray, names, len);
    v->format = kept;
    return NC_NOERR;
}

/* What parsing left, as an error of the call. */
static int
node_failure(const ncz_node *n)
{
    return n->err != NULL ? ncz_err_adopt(n->err) : NC_NOERR;
}

static int
parse_array(ncz_loader *l, const ncz_json *doc, ncz_node *n)
{
    ncz_node_docs docs = {.doc = {NULL}};
    int           rc;

    docs.doc[array_number(l->dialect)] = doc;
    rc = l->dialect->reader.parse_node(l, n, &docs, n->name);
    return rc == NC_NOERR ? node_failure(n) : rc;
}

int
ncz_dialects_array_define(ncz_model *m, ncz_group *g, const char *name, const ncz_json *doc, const char *names,
                          const ncz_type *type, size_t rank, ncz_dim *const *dims, ncz_var **out)
{
    ncz_loader l = {.dialect = m->dialect, .m = m};
    ncz_node   n = {.name = name, .kind = NCZ_NODE_ARRAY, .group = g};
    int        rc;

    if ((rc = pthread_mutex_init(&l.lock, NULL)) != 0)
        return ncz_fail_errno(rc, "making a lock"); /* not covered: glibc makes every mutex */
    if ((rc = parse_array(&l, doc, &n)) == NC_NOERR && (rc = check_carried(&n.said->z, rank, name)) == NC_NOERR)
        rc = ncz_dialects_build_var(&l, &n, g, type, dims, out);
    if (rc == NC_NOERR && names[0] != '\0' && (rc = keep_names(*out, names[0] == ' ' ? "" : names)) != NC_NOERR)
        ncz_model_drop_var(m, *out);
    ncz_format_node_meta_clear(n.said);
    ncz_format_arenas_keep(&l); /* also after a failure: the model may refer to them */
    ncz_format_arenas_clear(&l);
    ncz_free(n.err);
    (void)pthread_mutex_destroy(&l.lock);
    return rc;
}
