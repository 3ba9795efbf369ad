/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_compare: are the definitions of all ranks the same? Each rank writes the documents that it would store;
 * the same model gives the same bytes. One number of each rank is compared, a hash. Only if they differ:
 *
 *   1 rank 0 gives its definitions to all (par_definitions.c); each rank looks for the first difference
 *   2 where only values of attributes differ, as a `history` with a clock does, the ranks take those of rank 0, and
 *     rank 0 logs the names of the attributes
 *   3 the documents are compared again; if they still differ, in something that the definitions do not list, rank 0
 *     gives its documents to all for the text of the error
 */
#include "dataset/file/dataset_file.h"
#include "par/par_int.h"

#include <string.h>

#define SHOWN 40 /* bytes of a text in an error text, on each side of the difference */

/* The consolidated document only repeats the others. */
static int
add_document(void *arg, const ncz_doc_out *doc)
{
    ncz_buf *out = arg;
    int      rc;

    if (doc->stage == NCZ_STAGE_CONSOLIDATED)
        return NC_NOERR;
    if ((rc = ncz_par_put_bytes(out, doc->key, strlen(doc->key))) != NC_NOERR)
        return rc;
    return ncz_par_put_bytes(out, doc->text, doc->len);
}

/* FNV-1a: the same in all processes. It finds mistakes, and need not resist anyone. */
static uint64_t
digest_of(const ncz_buf *b)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);

    for (size_t i = 0; i < b->len; i++)
        h = (h ^ (unsigned char)b->data[i]) * UINT64_C(0x100000001B3);
    return h;
}

static bool
equal_spans(ncz_span a, ncz_span b)
{
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static int
fail_text(ncz_span name, ncz_span ours, ncz_span first)
{
    size_t at = 0, from;

    while (at < ours.len && at < first.len && ours.p[at] == first.p[at])
        at++;
    from = at < SHOWN ? 0 : at - SHOWN;
    return ncz_fail(
        NC_EINVAL, "definitions differ: %.*s: here \"%s%.*s\", on rank 0 \"%s%.*s\"; all ranks must define the same",
        (int)name.len, name.p, from != 0 ? "..." : "",
        (int)(ours.len - from < 2 * SHOWN ? ours.len - from : 2 * SHOWN), ours.p + from, from != 0 ? "..." : "",
        (int)(first.len - from < 2 * SHOWN ? first.len - from : 2 * SHOWN), first.p + from);
}

/* `ours`, `first`: the names of the entries at the first place where the lists have different ones; NULL at an end. */
static int
fail_names(ncz_span ours, ncz_span first)
{
    if (first.p == NULL)
        return ncz_fail(
            NC_EINVAL,
            "definitions differ: this rank has changed %.*s, and rank 0 has not; all ranks must define the "
            "same",
            (int)ours.len, ours.p);
    return ncz_fail(NC_EINVAL,
                    "definitions differ: rank 0 has changed %.*s, and this rank %.*s; all ranks must define the same",
                    (int)first.len, first.p, ours.p != NULL ? (int)ours.len : 8, ours.p != NULL ? ours.p : "has not");
}

/* ---- definitions ----------------------------------------------------------------------------------------------- */

typedef struct comparison {
    ncz_dataset    *ds;
    ncz_definitions ours;
    ncz_buf         first;  /* rank 0's list */
    uint64_t       *differ; /* for each entry: 1 if this rank took other values for it */
} comparison;

static int
compare_entry(comparison *c, size_t i, ncz_span text)
{
    const ncz_definition *e = &c->ours.v[i];
    ncz_span              name = {ncz_buf_str(&e->name), e->name.len}, own = {ncz_buf_str(&e->text), e->text.len};
    bool                  taken;
    int                   rc;

    if (equal_spans(own, text))
        return NC_NOERR;
    if (e->atts == NULL)
        return fail_text(name, own, text);
    if (e->fixed)
        return ncz_fail(NC_EINVAL,
                        "definitions differ: %.*s has another value on rank 0; all ranks must define the same",
                        (int)name.len, name.p);
    if ((rc = ncz_par_definition_take_values(c->ds->model, e, text, &taken)) != NC_NOERR)
        return rc;
    c->differ[i] = 1;
    return taken
               ? NC_NOERR
               : ncz_fail(NC_EINVAL,
                          "definitions differ: %.*s has other values on rank 0, of a type whose values ranks do not "
                          "exchange; all ranks must define the same",
                          (int)name.len, name.p);
}

static int
compare_lists(comparison *c)
{
    ncz_cursor first = ncz_cursor_at(c->first.data, c->first.len);
    ncz_span   name, text;
    size_t     i = 0;
    int        rc = NC_NOERR;

    for (; rc == NC_NOERR && ncz_par_next_span(&first, &name) && ncz_par_next_span(&first, &text); i++) {
        ncz_span own = {0};

        if (i < c->ours.n)
            own = (ncz_span){ncz_buf_str(&c->ours.v[i].name), c->ours.v[i].name.len};
        rc = own.p != NULL && equal_spans(own, name) ? compare_entry(c, i, text) : fail_names(own, name);
    }
    if (rc == NC_NOERR && i < c->ours.n)
        rc = fail_names((ncz_span){ncz_buf_str(&c->ours.v[i].name), c->ours.v[i].name.len}, (ncz_span){0});
    return rc;
}

/* Lists this rank's definitions; on rank 0 also as what the others get. */
static int
list_definitions(comparison *c)
{
    int rc = ncz_par_definitions_list(c->ds->model, &c->ours);

    if (rc != NC_NOERR)
        return rc;
    if ((c->differ = ncz_zalloc_n(c->ours.n != 0 ? c->ours.n : 1, sizeof *c->differ)) == NULL)
        return ncz_fail_nomem(c->ours.n * sizeof *c->differ);
    return ncz_comm_first(ncz_par_comm(c->ds)) ? ncz_par_definitions_write(&c->ours, &c->first) : NC_NOERR;
}

/* The ranks have lists of equal length now. */
static int
log_attributes(const comparison *c)
{
    int rc = ncz_comm_max(ncz_par_comm(c->ds), c->differ, c->ours.n);

    for (size_t i = 0; rc == NC_NOERR && ncz_comm_first(ncz_par_comm(c->ds)) && i < c->ours.n; i++)
        if (c->differ[i] != 0)
            ncz_log(NCZ_LOG_WARN, "%s: the values of %s differ between ranks; those of rank 0 are stored",
                    c->ds->path, ncz_buf_str(&c->ours.v[i].name));
    return rc;
}

/* Steps 1 and 2. */
static int
compare_definitions(ncz_dataset *ds, ncz_comm_call call)
{
    comparison c = {.ds = ds, .first = NCZ_BUF_INIT};
    int        rc = ncz_comm_agree(ncz_par_comm(ds), call, 0, list_definitions(&c));

    if (rc == NC_NOERR && (rc = ncz_comm_share(ncz_par_comm(ds), call, &c.first)) == NC_NOERR &&
        (rc = ncz_comm_agree(ncz_par_comm(ds), call, 0,
                             ncz_comm_first(ncz_par_comm(ds)) ? NC_NOERR : compare_lists(&c))) == NC_NOERR)
        rc = log_attributes(&c);
    ncz_par_definitions_clear(&c.ours);
    ncz_buf_clear(&c.first);
    ncz_free(c.differ);
    return rc;
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

/* Compares this rank's documents with rank 0's. */
static int
compare_documents(const ncz_buf *ours, const ncz_buf *first)
{
    ncz_cursor a = ncz_cursor_at(ours->data, ours->len), b = ncz_cursor_at(first->data, first->len);
    ncz_span   key = {0}, text = {0}, first_key = {0}, first_text = {0};

    for (;;) {
        bool more = ncz_par_next_span(&a, &key) && ncz_par_next_span(&a, &text);
        bool first_more = ncz_par_next_span(&b, &first_key) && ncz_par_next_span(&b, &first_text);

        if (!more && !first_more)
            return NC_NOERR;
        if (!more || !first_more || !equal_spans(key, first_key))
            return fail_names(more ? key : (ncz_span){0}, first_more ? first_key : (ncz_span){0});
        if (!equal_spans(text, first_text))
            return fail_text(key, text, first_text);
    }
}

/* A dataset that is one file has a head in place of documents. */
static int
write_head(const ncz_dataset *ds, ncz_buf *out)
{
    ncz_buf head = NCZ_BUF_INIT;
    int     rc = ncz_file_ops_of(ds)->write_head(ds->model, ds->style.gen, &head);

    if (rc == NC_NOERR && (rc = ncz_par_put_bytes(out, "header", strlen("header"))) == NC_NOERR)
        rc = ncz_par_put_bytes(out, head.data, head.len);
    ncz_buf_clear(&head);
    return rc;
}

/* Writes the documents of this rank. *same: all ranks have the same. */
static int
plan_documents(ncz_dataset *ds, ncz_comm_call call, ncz_buf *ours, bool *same)
{
    int rc;

    ncz_buf_reset(ours);
    rc = ncz_par_is_file(ds) ? write_head(ds, ours)
                             : ncz_dialects_plan(ds->model, &ds->style, false, add_document, ours);
    if ((rc = ncz_comm_agree(ncz_par_comm(ds), call, 0, rc)) != NC_NOERR)
        return rc;
    return ncz_comm_same(ncz_par_comm(ds), digest_of(ours), same);
}

int
ncz_par_compare(ncz_dataset *ds, ncz_comm_call call)
{
    ncz_buf ours = NCZ_BUF_INIT, first = NCZ_BUF_INIT;
    bool    same = false;
    int     rc = plan_documents(ds, call, &ours, &same);

    if (rc != NC_NOERR || same || (rc = compare_definitions(ds, call)) != NC_NOERR ||
        (rc = plan_documents(ds, call, &ours, &same)) != NC_NOERR || same)
        goto done;
    if (ncz_comm_first(ncz_par_comm(ds))) {
        first = ours;
        ours = NCZ_BUF_INIT;
    }
    if ((rc = ncz_comm_share(ncz_par_comm(ds), call, &first)) == NC_NOERR)
        rc = ncz_comm_agree(ncz_par_comm(ds), call, 0,
                            ncz_comm_first(ncz_par_comm(ds)) ? NC_NOERR : compare_documents(&ours, &first));
done:
    ncz_buf_clear(&ours);
    ncz_buf_clear(&first);
    return rc;
}
