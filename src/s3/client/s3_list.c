/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists keys page by page (ListObjectsV2; the answers of servers with only the first version are parsed, too). Each
 * page must advance: a repeated token, or a marker that does not move, ends the list with an error.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_xml.h"

#include <stdio.h>
#include <string.h>

#define PAGE_MOST  ((uint64_t)16 << 20) /* bytes of one page */
#define PAGES_MOST 100000
#define IDLE_MOST  1000 /* consecutive pages without a key after all earlier ones */

typedef struct listing {
    ncz_s3        *s;
    ncz_buf        prefix; /* with its '/', in the bucket */
    size_t         most, seen;
    ncz_s3_each_fn each;
    void          *arg;
    int            stopped; /* what `each` returned */
    bool           more, encoded;
    ncz_buf        token, last; /* for the next page: NextContinuationToken, or the last key */
    ncz_buf        mark;        /* NextMarker */
    ncz_buf        key;         /* of the <Contents> that is being parsed, and its size */
    uint64_t       size;
    bool           moved; /* this page has a key after all earlier ones */
} listing;

/* ---- one page ---- */

/* In the encoding of lists '+' is a blank. */
static int
decode_key(const listing *l, ncz_buf *text, char **out)
{
    if (!l->encoded) {
        *out = ncz_strndup(ncz_buf_str(text), text->len);
        return *out != NULL ? NC_NOERR : ncz_fail_nomem(text->len);
    }
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == '+')
            text->data[i] = ' ';
    return ncz_uri_decode(ncz_buf_str(text), text->len, out);
}

static int
set_text(ncz_buf *to, const char *text)
{
    ncz_buf_reset(to);
    return ncz_buf_puts(to, text);
}

/* A key, as it is in the list, or a common prefix of the page. */
static int
report_key(listing *l, ncz_buf *text, bool object)
{
    char *key = NULL;
    int   rc;

    if ((rc = decode_key(l, text, &key)) != NC_NOERR)
        return rc;
    if (strcmp(key, ncz_buf_str(&l->last)) > 0) {
        l->moved = true;
        rc = set_text(&l->last, key);
    }
    if (rc == NC_NOERR && strncmp(key, ncz_buf_str(&l->prefix), l->prefix.len) == 0 && key[l->prefix.len] != '\0') {
        l->seen++;
        l->stopped = l->each(key + l->prefix.len, strlen(key + l->prefix.len), object,
                             object ? l->size : NCZ_S3_NO_SIZE, l->arg);
    }
    ncz_free(key);
    return rc;
}

static uint64_t
parse_size(const char *text)
{
    uint64_t size = 0;

    if (*text == '\0')
        return NCZ_S3_NO_SIZE;
    for (; *text >= '0' && *text <= '9'; text++)
        if (!ncz_mul64(size, 10, &size) || !ncz_add64(size, (uint64_t)(*text - '0'), &size))
            return NCZ_S3_NO_SIZE;
    return *text == '\0' ? size : NCZ_S3_NO_SIZE;
}

/* The end of a <Contents>. One without a key is skipped. */
static int
report_object(listing *l)
{
    int rc = l->key.len > 0 ? report_key(l, &l->key, true) : NC_NOERR;

    ncz_buf_reset(&l->key);
    l->size = NCZ_S3_NO_SIZE;
    return rc;
}

static int
handle_element(listing *l, ncz_s3_xml *x)
{
    if (x->depth == 2 && ncz_s3_xml_is(x, "Key") && ncz_s3_xml_in(x, "Contents"))
        return set_text(&l->key, ncz_buf_str(&x->text));
    if (x->depth == 2 && ncz_s3_xml_is(x, "Size") && ncz_s3_xml_in(x, "Contents"))
        l->size = parse_size(ncz_buf_str(&x->text));
    if (x->depth == 2 && ncz_s3_xml_is(x, "Prefix") && ncz_s3_xml_in(x, "CommonPrefixes"))
        return report_key(l, &x->text, false);
    if (x->depth != 1)
        return NC_NOERR;
    if (ncz_s3_xml_is(x, "Contents"))
        return report_object(l);
    if (ncz_s3_xml_is(x, "IsTruncated"))
        l->more = strcmp(ncz_buf_str(&x->text), "true") == 0;
    else if (ncz_s3_xml_is(x, "NextContinuationToken"))
        return set_text(&l->token, ncz_buf_str(&x->text));
    else if (ncz_s3_xml_is(x, "NextMarker"))
        return set_text(&l->mark, ncz_buf_str(&x->text));
    return NC_NOERR;
}

static bool
is_done(const listing *l)
{
    return l->stopped != 0 || (l->most != 0 && l->seen >= l->most);
}

/* Some servers say after the keys whether they are encoded: a first pass (`looking`) finds that. */
static int
parse_page(listing *l, const ncz_buf *page, bool looking)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    int              rc = NC_NOERR;

    ncz_s3_xml_init(&x, ncz_buf_str(page), page->len);
    while (rc == NC_NOERR && event != NCZ_S3_XML_END && !(is_done(l) && !looking)) {
        if ((rc = ncz_s3_xml_next(&x, &event)) != NC_NOERR)
            break;
        if (event == NCZ_S3_XML_OPEN && x.depth == 1 && !ncz_s3_xml_is(&x, "ListBucketResult"))
            rc = ncz_fail(NC_ES3, "%s: the answer to a list request has the root element <%.*s>", l->s->name,
                          (int)(x.name.len < 40 ? x.name.len : 40), x.name.at);
        else if (event == NCZ_S3_XML_CLOSE && looking && x.depth == 1 && ncz_s3_xml_is(&x, "EncodingType"))
            l->encoded = strcmp(ncz_buf_str(&x.text), "url") == 0;
        else if (event == NCZ_S3_XML_CLOSE && !looking)
            rc = handle_element(l, &x);
    }
    ncz_s3_xml_clear(&x);
    return rc;
}

/* ---- page by page ---- */

static int
fetch_page(listing *l, bool deep, bool first_version, ncz_buf *page)
{
    char        most[24];
    ncz_s3_pair query[8];
    size_t      n = 0;
    ncz_s3_op   op = {.verb = NCZ_S3_GET, .len = NCZ_S3_WHOLE, .most = PAGE_MOST, .body = page};

    snprintf(most, sizeof most, "%zu", l->most != 0 && l->most < 1000 ? l->most + 1 : (size_t)1000);
    query[n++] = (ncz_s3_pair){"prefix", ncz_buf_str(&l->prefix)};
    query[n++] = (ncz_s3_pair){"max-keys", most};
    query[n++] = (ncz_s3_pair){"encoding-type", "url"};
    if (!deep)
        query[n++] = (ncz_s3_pair){"delimiter", "/"};
    if (!first_version)
        query[n++] = (ncz_s3_pair){"list-type", "2"};
    if (l->token.len > 0)
        query[n++] = (ncz_s3_pair){"continuation-token", l->token.data};
    else if (l->mark.len > 0)
        query[n++] = (ncz_s3_pair){"marker", l->mark.data};
    op.query = query;
    op.nquery = n;
    return ncz_s3_do(l->s, &op);
}

static int
fail_endless(const listing *l)
{
    return ncz_fail(NC_ES3, "%s: the list of keys does not advance: the server repeats itself", l->s->name);
}

/* Sets where the next page begins; `before` is where this one began. */
static int
advance_mark(listing *l, const ncz_buf *before)
{
    char *mark = NULL;
    int   rc;

    if (l->token.len > 0)
        return strcmp(l->token.data, ncz_buf_str(before)) != 0 ? NC_NOERR : fail_endless(l);
    if (l->mark.len > 0) { /* the first version: a key, encoded as the keys are */
        if ((rc = decode_key(l, &l->mark, &mark)) != NC_NOERR)
            return rc;
        rc = set_text(&l->mark, mark);
        ncz_free(mark);
    } else {
        rc = set_text(&l->mark, ncz_buf_str(&l->last));
    }
    if (rc != NC_NOERR)
        return rc;
    return strcmp(ncz_buf_str(&l->mark), ncz_buf_str(before)) > 0 ? NC_NOERR : fail_endless(l);
}

static int
list_pages(listing *l, bool deep)
{
    ncz_buf page = NCZ_BUF_INIT, before = NCZ_BUF_INIT;
    bool    first_version = false;
    int     rc = NC_NOERR;

    for (unsigned pages = 0, idle = 0; rc == NC_NOERR; pages++) {
        if (pages == PAGES_MOST || idle == IDLE_MOST) {
            rc = fail_endless(l);
            break;
        }
        ncz_buf_reset(&page);
        rc = fetch_page(l, deep, first_version, &page);
        if (rc == NC_ENOTBUILT && !first_version) {
            first_version = true;
            rc = fetch_page(l, deep, first_version, &page);
        }
        if (rc != NC_NOERR ||
            (rc = set_text(&before, l->token.len > 0 ? l->token.data : ncz_buf_str(&l->mark))) != NC_NOERR)
            break;
        ncz_buf_reset(&l->token);
        ncz_buf_reset(&l->mark);
        l->more = l->encoded = l->moved = false;
        if ((rc = parse_page(l, &page, true)) != NC_NOERR || (rc = parse_page(l, &page, false)) != NC_NOERR)
            break;
        if (is_done(l) || !l->more)
            break;
        idle = l->moved ? 0 : idle + 1;
        rc = advance_mark(l, &before);
    }
    ncz_buf_clear(&page);
    ncz_buf_clear(&before);
    return rc;
}

int
ncz_s3_list(ncz_s3 *s, const char *prefix, bool deep, size_t most, ncz_s3_each_fn each, void *arg)
{
    listing     l = {.s = s, .most = most, .each = each, .arg = arg, .size = NCZ_S3_NO_SIZE};
    const char *parts[2] = {s->settings->prefix, prefix};
    int         rc = NC_NOERR;

    for (size_t i = 0; i < 2 && rc == NC_NOERR; i++)
        if (parts[i][0] != '\0' && (rc = ncz_buf_puts(&l.prefix, parts[i])) == NC_NOERR)
            rc = ncz_buf_putc(&l.prefix, '/');
    if (rc == NC_NOERR)
        rc = list_pages(&l, deep);
    ncz_buf_clear(&l.prefix);
    ncz_buf_clear(&l.token);
    ncz_buf_clear(&l.last);
    ncz_buf_clear(&l.mark);
    ncz_buf_clear(&l.key);
    return rc != NC_NOERR ? rc : l.stopped;
}
