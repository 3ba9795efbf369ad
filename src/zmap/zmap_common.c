/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all stores do in the same way: computing how much of an object a request gets, completing a request, and
 * passing on the children of a prefix in order. No state; any thread.
 */
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int
zmap_answer_range(zmap_get_req *r, uint64_t size, uint64_t *off, size_t *n)
{
    uint64_t want = r->len, from = r->off;

    r->size = size;
    if (r->from_end) {
        want = want < size ? want : size;
        from = size - want;
    }
    if (r->cut && from <= size && want > size - from)
        want = size - from;
    if (from > size || (want != ZMAP_WHOLE && want > size - from))
        return ncz_fail(NC_EINVAL, "%s: bytes %" PRIu64 " to %" PRIu64 " of an object of %" PRIu64, r->key, from,
                        want == ZMAP_WHOLE ? size : from + want, size);
    if (want == ZMAP_WHOLE)
        want = size - from;
    if (r->into != NULL && want > r->into_cap)
        return ncz_fail(NC_ETRUNC, "%s: %" PRIu64 " bytes, where %zu are expected", r->key, want, r->into_cap);
    /* Compare before subtracting: a body that the caller filled may already exceed its limit. */
    if (r->into == NULL && (want > SIZE_MAX || (r->body.limit != 0 &&
                                                (r->body.len > r->body.limit || want > r->body.limit - r->body.len))))
        return ncz_fail(NC_ENOMEM, "%s: %" PRIu64 " bytes are more than the limit of %zu for one object", r->key,
                        want, r->body.limit);
    *off = from;
    *n = (size_t)want;
    return NC_NOERR;
}

int
zmap_answer_bytes(zmap_get_req *r, const void *object, size_t size)
{
    uint64_t off = 0;
    size_t   n = 0;
    int      rc;

    if ((rc = zmap_answer_range(r, size, &off, &n)) != NC_NOERR)
        return rc;
    if (r->into == NULL)
        rc = ncz_buf_append(&r->body, n != 0 ? (const char *)object + off : NULL, n);
    else if (n != 0)
        memcpy(r->into, (const char *)object + off, n);
    if (rc == NC_NOERR)
        r->nread = n;
    return rc;
}

/* An absent object is a common answer. It gets no text, because formatting one is most of the cost of a failure. */
void
zmap_get_end(zmap_get_req *r, int rc, zmap_done_fn done, void *arg)
{
    r->err.code = rc;
    r->err.text[0] = '\0';
    if (rc == NC_NOERR && r->off == 0 && r->len == ZMAP_WHOLE)
        r->size = r->nread;
    if (rc != NC_NOERR) {
        r->nread = 0;
        r->size = ZMAP_NO_SIZE;
        if (rc != NC_EEMPTY)
            ncz_err_save(&r->err, rc);
    }
    if (done != NULL)
        done(r, arg);
}

void
zmap_put_end(zmap_put_req *r, int rc)
{
    r->err.code = rc;
    r->err.text[0] = '\0';
    if (rc != NC_NOERR)
        ncz_err_save(&r->err, rc);
}

void
zmap_range_end(zmap_range_req *r, int rc)
{
    r->err.code = rc;
    r->err.text[0] = '\0';
    if (rc != NC_NOERR)
        ncz_err_save(&r->err, rc);
}

int
zmap_children_add(zmap_children *c, const char *name, size_t len, bool leaf)
{
    char *copy;
    int   rc = ncz_make_room(&c->items, c->n, &c->cap, sizeof *c->items);

    if (rc != NC_NOERR)
        return rc;
    if ((copy = ncz_strndup(name, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    c->items[c->n++] = (zmap_child){.name = copy, .leaf = leaf};
    return NC_NOERR;
}

static int
compare_children(const void *a, const void *b)
{
    const zmap_child *x = a, *y = b;
    int               order = strcmp(x->name, y->name);

    return order != 0 ? order : (int)y->leaf - (int)x->leaf; /* an object comes before the prefix of the same name */
}

int
zmap_children_each(zmap_children *c, zmap_each_fn each, void *arg)
{
    if (c->n > 1)
        qsort(c->items, c->n, sizeof *c->items, compare_children);
    for (size_t i = 0; i < c->n; i++) {
        int rc;

        if (i > 0 && compare_children(&c->items[i], &c->items[i - 1]) == 0)
            continue;
        if ((rc = each(c->items[i].name, c->items[i].leaf, arg)) != 0)
            return rc;
    }
    return NC_NOERR;
}

void
zmap_children_clear(zmap_children *c)
{
    for (size_t i = 0; i < c->n; i++)
        ncz_free(c->items[i].name);
    ncz_free(c->items);
    *c = (zmap_children){NULL, 0, 0};
}
