/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_journal: the journal of a change in place. An object of its own, little-endian:
 *
 *     8  "nczjrnl1"
 *     8  the offset of the change
 *     8  how many old bytes, then how many new ones: 8
 *     …  the old bytes, the new ones
 *     4  CRC-32C of all that precedes it
 *
 * It is put before the first byte is changed, and removed after the last one.
 */
#include "zmap/zmap_journal.h"

#include "zmap/file/zmap_file.h"
#include "zmap/zmap_unfinished.h"

#include <string.h>

enum {
    MAGIC = 8,
    HEAD = MAGIC + 3 * 8,
    SUM = 4,
    JOURNAL_MOST = 1 << 30, /* of a journal that is read */
};

static const char magic[] = "nczjrnl1";

static void
set_le(char *out, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (char)(v >> (8 * i));
}

static uint64_t
get_le(const char *in, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)(unsigned char)in[i] << (8 * i);
    return v;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static int
compose(uint64_t at, const void *old, size_t nold, const void *bytes, size_t len, ncz_buf *out)
{
    char head[HEAD], sum[SUM];
    int  rc;

    memcpy(head, magic, MAGIC);
    set_le(head + MAGIC, at, 8);
    set_le(head + MAGIC + 8, nold, 8);
    set_le(head + MAGIC + 16, len, 8);
    if ((rc = ncz_buf_append(out, head, HEAD)) != NC_NOERR || (rc = ncz_buf_append(out, old, nold)) != NC_NOERR ||
        (rc = ncz_buf_append(out, bytes, len)) != NC_NOERR)
        return rc;
    set_le(sum, ncz_crc32c(out->data, out->len), SUM);
    return ncz_buf_append(out, sum, SUM);
}

/* Puts a journal that is complete or, after a death, without a sum that fits. */
static int
put_journal(zmap *m, const char *key, const char *name, const ncz_buf *text)
{
    int rc = zmap_file_make(m, name, key);

    if (rc == NC_EOBJECT && (rc = zmap_del(m, &name, 1)) == NC_NOERR) /* left by another change, which is finished */
        rc = zmap_file_make(m, name, key);
    return rc == NC_NOERR ? zmap_put_range(m, name, 0, text->data, text->len) : rc;
}

/* *made: a journal is there. A directory that no file can be made in may hold a file that is changed all the same. */
static int
begin_change(zmap *m, const char *key, const char *name, const ncz_buf *text, bool *made)
{
    int rc = put_journal(m, key, name, text);

    *made = rc == NC_NOERR;
    if (rc != NC_EACCESS && rc != NC_EPERM)
        return rc;
    ncz_log(NCZ_LOG_WARN, "%s: it is changed in place without a journal: %s", key, ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
}

int
zmap_journal_change(zmap *m, const char *key, uint64_t at, const void *old, size_t nold, const void *bytes,
                    size_t len, bool durable)
{
    ncz_buf text = NCZ_BUF_INIT;
    char   *name = NULL;
    bool    made = false;
    int     rc;

    if (len <= 1)
        return zmap_put_range(m, key, at, bytes, len);
    if ((name = zmap_unfinished_journal(key)) == NULL)
        return NC_ENOMEM;
    if ((rc = compose(at, old, nold, bytes, len, &text)) != NC_NOERR ||
        (rc = begin_change(m, key, name, &text, &made)) != NC_NOERR || (durable && (rc = zmap_sync(m)) != NC_NOERR) ||
        (rc = zmap_put_range(m, key, at, bytes, len)) != NC_NOERR || (durable && (rc = zmap_sync(m)) != NC_NOERR))
        goto done;
    if (made)
        rc = zmap_del(m, &(const char *){name}, 1);
done:
    ncz_buf_clear(&text);
    ncz_free(name);
    return rc;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

typedef struct journal {
    uint64_t    at;
    const char *old, *bytes;
    size_t      nold, len;
} journal;

/* False: it was not written to its end, or is no journal. */
static bool
parse_journal(const ncz_buf *text, journal *j)
{
    uint64_t nold, len, sum;

    if (text->len < HEAD + SUM || memcmp(text->data, magic, MAGIC) != 0)
        return false;
    j->at = get_le(text->data + MAGIC, 8);
    nold = get_le(text->data + MAGIC + 8, 8);
    len = get_le(text->data + MAGIC + 16, 8);
    if (!ncz_add64(nold, len, &sum) || sum != text->len - HEAD - SUM || nold > len || j->at > INT64_MAX - len)
        return false;
    j->nold = (size_t)nold;
    j->len = (size_t)len;
    j->old = text->data + HEAD;
    j->bytes = j->old + j->nold;
    return get_le(text->data + text->len - SUM, SUM) == ncz_crc32c(text->data, text->len - SUM);
}

/* Whether each byte that is there is the old one or the new one; *mixed: and there are both. */
static bool
is_begun(const journal *j, const char *now, size_t n, bool *mixed)
{
    bool some_old = n < j->len, some_new = false;

    if (n < j->nold)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool old = i < j->nold && now[i] == j->old[i], new = now[i] == j->bytes[i];

        if (!old && !new && (i < j->nold || now[i] != 0)) /* what lies behind the old end may be zeros */
            return false;
        some_old = some_old || !new;
        some_new = some_new || !old;
    }
    *mixed = some_old && some_new;
    return true;
}

static int
compare_object(zmap *m, const char *key, const journal *j, zmap_patch *out)
{
    zmap_get_req r = {.key = key, .off = j->at, .len = j->len, .cut = true, .body = NCZ_BUF_LIMIT(j->len)};
    bool         mixed = false;
    int          rc;

    (void)zmap_get_batch(m, &r, 1, NULL, NULL);
    if ((rc = r.err.code) == NC_NOERR && is_begun(j, r.body.data, r.body.len, &mixed) && mixed) {
        out->at = j->at;
        rc = ncz_buf_append(&out->bytes, j->bytes, j->len);
    }
    ncz_buf_clear(&r.body);
    return rc == NC_NOERR || rc == NC_ENOMEM ? rc : NC_NOERR; /* the object is too short, or gone: not that one */
}

/* *there: there is a journal. */
static int
look(zmap *m, const char *key, const char *name, zmap_patch *out, bool *there)
{
    ncz_buf text = NCZ_BUF_LIMIT(JOURNAL_MOST);
    journal j;
    int     rc = zmap_get(m, name, &text);

    *there = rc != NC_EEMPTY;
    if (rc == NC_NOERR && parse_journal(&text, &j))
        rc = compare_object(m, key, &j, out);
    ncz_buf_clear(&text);
    ncz_err_clear();
    return rc == NC_ENOMEM ? ncz_fail_nomem(JOURNAL_MOST) : NC_NOERR;
}

int
zmap_journal_look(zmap *m, const char *key, zmap_patch *out)
{
    char *name = zmap_unfinished_journal(key);
    bool  there;
    int   rc;

    *out = (zmap_patch){.bytes = NCZ_BUF_INIT};
    if (name == NULL)
        return NC_ENOMEM;
    rc = look(m, key, name, out, &there);
    ncz_free(name);
    return rc;
}

int
zmap_journal_finish(zmap *m, const char *key)
{
    char      *name = zmap_unfinished_journal(key);
    zmap_patch left = {.bytes = NCZ_BUF_INIT};
    bool       there = false;
    int        rc;

    if (name == NULL)
        return NC_ENOMEM;
    if ((rc = look(m, key, name, &left, &there)) != NC_NOERR || !there)
        goto done;
    if (left.bytes.len > 0) {
        ncz_log(NCZ_LOG_WARN, "%s: a change that its writer did not finish is finished", key);
        if ((rc = zmap_put_range(m, key, left.at, left.bytes.data, left.bytes.len)) != NC_NOERR ||
            (rc = zmap_sync(m)) != NC_NOERR)
            goto done;
    }
    if (zmap_del(m, &(const char *){name}, 1) != NC_NOERR)
        ncz_err_clear(); /* it says nothing about the object any more, once that is changed */
done:
    ncz_buf_clear(&left.bytes);
    ncz_free(name);
    return rc;
}
