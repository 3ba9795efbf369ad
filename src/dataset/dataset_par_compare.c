/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_par_compare: are the definitions of all ranks the same? Each rank writes the documents that it would store;
 * the same model gives the same bytes. One number of each rank is compared, a hash. Only if they differ, rank 0 gives
 * its documents to all, and each rank looks for the first difference.
 *
 * A list of documents is, for each: the length of its key, the key, the length of its text, the text; numbers are 8
 * bytes, little-endian.
 */
#include "dataset/dataset_par.h"

#include <string.h>

#define SHOWN 40 /* bytes of a document in an error text, on each side of the difference */

static int
put_bytes(ncz_buf *out, const char *bytes, size_t len)
{
    char n[8];
    int  rc;

    for (size_t i = 0; i < sizeof n; i++)
        n[i] = (char)((uint64_t)len >> 8 * i & 0xFF);
    if ((rc = ncz_buf_append(out, n, sizeof n)) != NC_NOERR)
        return rc;
    return ncz_buf_append(out, bytes, len);
}

/* The consolidated document only repeats the others. */
static int
add_document(void *arg, const ncz_doc_out *doc)
{
    ncz_buf *out = arg;
    int      rc;

    if (doc->stage == NCZ_STAGE_CONSOLIDATED)
        return NC_NOERR;
    if ((rc = put_bytes(out, doc->key, strlen(doc->key))) != NC_NOERR)
        return rc;
    return put_bytes(out, doc->text, doc->len);
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

typedef struct span {
    const char *p;
    size_t      len;
} span;

/* The next key or text of a list; false at the end. */
static bool
next_span(ncz_cursor *c, span *out)
{
    uint64_t             len = ncz_cursor_u64le(c);
    const unsigned char *p = c->good && len <= SIZE_MAX ? ncz_cursor_bytes(c, (size_t)len) : NULL;

    *out = (span){(const char *)p, p != NULL ? (size_t)len : 0};
    return p != NULL;
}

static bool
equal_spans(span a, span b)
{
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

static int
fail_text(span key, span ours, span first)
{
    size_t at = 0, from;

    while (at < ours.len && at < first.len && ours.p[at] == first.p[at])
        at++;
    from = at < SHOWN ? 0 : at - SHOWN;
    return ncz_fail(
        NC_EINVAL,
        "definitions differ: %.*s has ...%.*s..., but on rank 0 ...%.*s...; all ranks must define the same",
        (int)key.len, key.p, (int)(ours.len - from < 2 * SHOWN ? ours.len - from : 2 * SHOWN), ours.p + from,
        (int)(first.len - from < 2 * SHOWN ? first.len - from : 2 * SHOWN), first.p + from);
}

/* Compares this rank's list with rank 0's. */
static int
find_difference(const ncz_buf *ours, const ncz_buf *first)
{
    ncz_cursor a = ncz_cursor_at(ours->data, ours->len), b = ncz_cursor_at(first->data, first->len);
    span       key = {0}, text = {0}, first_key = {0}, first_text = {0};

    for (;;) {
        bool more = next_span(&a, &key) && next_span(&a, &text);
        bool first_more = next_span(&b, &first_key) && next_span(&b, &first_text);

        if (!more && !first_more)
            return NC_NOERR;
        if (!more || (first_more && !equal_spans(key, first_key)))
            return ncz_fail(NC_EINVAL,
                            "definitions differ: rank 0 has changed %.*s, and this rank %.*s; all ranks must define "
                            "the same",
                            first_more ? (int)first_key.len : 7, first_more ? first_key.p : "nothing",
                            more ? (int)key.len : 7, more ? key.p : "nothing");
        if (!first_more)
            return ncz_fail(NC_EINVAL,
                            "definitions differ: this rank has changed %.*s, and rank 0 not; all ranks must define "
                            "the same",
                            (int)key.len, key.p);
        if (!equal_spans(text, first_text))
            return fail_text(key, text, first_text);
    }
}

int
ncz_par_compare(ncz_dataset *ds, ncz_comm_call call)
{
    ncz_buf ours = NCZ_BUF_INIT, first = NCZ_BUF_INIT;
    bool    same = false;
    int     rc = ncz_format_plan(ds->model, &ds->style, false, add_document, &ours);

    if ((rc = ncz_comm_agree(ds->comm, call, 0, rc)) != NC_NOERR ||
        (rc = ncz_comm_same(ds->comm, digest_of(&ours), &same)) != NC_NOERR || same)
        goto done;
    if (ncz_comm_first(ds->comm)) {
        first = ours;
        ours = NCZ_BUF_INIT;
    }
    if ((rc = ncz_comm_share(ds->comm, call, &first)) == NC_NOERR)
        rc = ncz_comm_agree(ds->comm, call, 0, ncz_comm_first(ds->comm) ? NC_NOERR : find_difference(&ours, &first));
done:
    ncz_buf_clear(&ours);
    ncz_buf_clear(&first);
    return rc;
}
