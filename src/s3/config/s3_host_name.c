/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host names: the bucket and the region that they contain. Only text, no look-up.
 *
 * Amazon: [bucket.]s3[.dualstack][.region].amazonaws.com, and s3-fips, s3-accelerate, the old s3-region, private
 * links. Google, Cloudflare, DigitalOcean, Linode, Aliyun: see `providers`. Others that name a host as Amazon does:
 * [bucket.]s3.region.domain.
 */
#include "s3/config/s3_host_name.h"
#include "util/util.h"

#include <arpa/inet.h>
#include <string.h>

enum { LABELS = 16, NAME_MOST = 253 };

typedef struct label {
    const char *s;
    size_t      len;
} label;

static bool
is_label(label l, const char *word)
{
    return l.len == strlen(word) && memcmp(l.s, word, l.len) == 0;
}

static bool
begins_label(label l, const char *word)
{
    return l.len >= strlen(word) && memcmp(l.s, word, strlen(word)) == 0;
}

/* The labels of host[0..len); 0 when there are more than any host of S3 has. */
static size_t
split_labels(const char *host, size_t len, label out[LABELS])
{
    size_t n = 0;

    for (size_t i = 0; i <= len; n++) {
        const char *dot = memchr(host + i, '.', len - i);
        size_t      end = dot != NULL ? (size_t)(dot - host) : len;

        if (n == LABELS)
            return 0;
        out[n] = (label){host + i, end - i};
        i = end + 1;
    }
    return n;
}

static const struct {
    const char *begins, *domain;
} partitions[] = {
    {"cn-", "amazonaws.com.cn"}, {"us-iso-", "c2s.ic.gov"}, {"us-isob-", "sc2s.sgov.gov"},
    {"eusc-", "amazonaws.eu"},   {"", "amazonaws.com"},
};

const char *
ncz_s3_amazon_domain(const char *region)
{
    size_t i = 0;

    while (strncmp(region, partitions[i].begins, strlen(partitions[i].begins)) != 0)
        i++;
    return partitions[i].domain;
}

/* The length of the text before the domain and its dot, 0 for other hosts. */
static size_t
find_domain(const char *host, const char *domain)
{
    size_t len = strlen(host), n = strlen(domain);
    bool   below = len > n + 1 && host[len - n - 1] == '.' && strcmp(host + len - n, domain) == 0;

    return below ? len - n - 1 : 0;
}

/* The length of the text before one of Amazon's domains and its dot, 0 for other hosts. */
static size_t
find_amazon_domain(const char *host)
{
    size_t head = 0;

    for (size_t i = 0; i < NCZ_LEN(partitions) && head == 0; i++)
        head = find_domain(host, partitions[i].domain);
    return head;
}

static void
set_region(ncz_s3_host *h, const char *host, label region)
{
    h->region_at = (size_t)(region.s - host);
    h->region_len = region.len;
}

static const char *
find_refusal(label l)
{
    static const struct {
        const char *begins, *why;
    } rows[] = {
        {"s3-website", "a web site endpoint is not an S3 endpoint (try https without mode=s3)"},
        {"s3-accesspoint", "access points are not supported (use the access point's alias as the bucket)"},
        {"s3-object-lambda", "object lambdas are not supported"},
        {"s3-outposts", "outposts are not supported"},
        {"s3-control", "this host does not hold objects"},
        {"s3express-", "directory buckets (S3 Express) are not supported"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (begins_label(l, rows[i].begins))
            return rows[i].why;
    return NULL;
}

/* Label `at` of n is `s3`: parses those after it. */
static void
parse_amazon_tail(ncz_s3_host *h, const char *host, const label *l, size_t at, size_t n)
{
    size_t tail = at + 1;

    if (n > tail && is_label(l[n - 1], "vpce")) {
        h->kept = true;
        h->bucket_len = 0;
        n--;
    }
    if (tail < n && is_label(l[tail], "dualstack"))
        tail++;
    if (tail < n)
        set_region(h, host, l[tail]);
    else if (is_label(l[at], "s3-external-1"))
        h->region_len = 0;
    else if (l[at].len > 3 && !is_label(l[at], "s3-accelerate") && !is_label(l[at], "s3-fips"))
        set_region(h, host, (label){l[at].s + 3, l[at].len - 3});
}

static ncz_s3_host
parse_amazon(const char *host, size_t head)
{
    ncz_s3_host h = {.amazon = true, .known = true};
    label       l[LABELS];
    size_t      n = split_labels(host, head, l), at = n;

    while (at-- > 0)
        if (is_label(l[at], "s3") || begins_label(l[at], "s3-") || begins_label(l[at], "s3express-")) {
            if ((h.refused = find_refusal(l[at])) != NULL)
                return h;
            h.bucket_len = at > 0 ? (size_t)(l[at].s - host) - 1 : 0;
            parse_amazon_tail(&h, host, l, at, n);
            return h;
        }
    h.refused = "this host of Amazon is not one of S3";
    return h;
}

/* ---- other providers ---- */

typedef enum layout {
    NOTHING, /* [bucket.]DOMAIN */
    REGION,  /* [bucket.]region[.cdn].DOMAIN */
    ACCOUNT, /* [bucket.]account[.jurisdiction].DOMAIN */
    OSS,     /* [bucket.][s3.]oss-region[-internal].DOMAIN */
} layout;

static const struct {
    const char *domain;
    layout      layout;
} providers[] = {
    {"storage.googleapis.com", NOTHING},
    {"r2.cloudflarestorage.com", ACCOUNT},
    {"digitaloceanspaces.com", REGION},
    {"linodeobjects.com", REGION},
    {"aliyuncs.com", OSS},
};

/* How many of the n labels before the domain belong to the endpoint; the bucket is before them. */
static size_t
count_own_labels(layout form, const label *l, size_t n)
{
    switch (form) {
    case REGION: return n > 1 && is_label(l[n - 1], "cdn") ? 2 : 1;
    case ACCOUNT: return n > 1 && (is_label(l[n - 1], "eu") || is_label(l[n - 1], "fedramp")) ? 2 : 1;
    case OSS: return n > 1 && is_label(l[n - 2], "s3") ? 2 : 1;
    case NOTHING: break;
    }
    return 0;
}

/* The region in "oss-cn-hangzhou-internal". */
static label
parse_oss_region(label l)
{
    static const char internal[] = "-internal";
    size_t            n = strlen(internal);

    l = (label){l.s + 4, l.len - 4};
    if (l.len > n && memcmp(l.s + l.len - n, internal, n) == 0)
        l.len -= n;
    return l;
}

/* False: not a host with objects. */
static bool
parse_provider(const char *host, size_t head, layout form, ncz_s3_host *h)
{
    label  l[LABELS];
    size_t n = head > 0 ? split_labels(host, head, l) : 0, own = count_own_labels(form, l, n);

    if (n < own || (form == OSS && !begins_label(l[n - 1], "oss-")))
        return false;
    *h = (ncz_s3_host){.known = true, .no_path = form == OSS};
    if (n > own)
        h->bucket_len = own > 0 ? (size_t)(l[n - own].s - host) - 1 : head;
    if (form == REGION)
        set_region(h, host, l[n - own]);
    else if (form == OSS && !begins_label(l[n - 1], "oss-accelerate"))
        set_region(h, host, parse_oss_region(l[n - 1]));
    return true;
}

/* Does it look like a region: us-west-1, eu-central-003, fr-par? A region ends in a digit, unless it is two letters, a
 * hyphen and a few more. */
static bool
looks_like_region(label l)
{
    const char *hyphen = memchr(l.s, '-', l.len);
    bool        digit = l.len > 0 && l.s[l.len - 1] >= '0' && l.s[l.len - 1] <= '9';

    return hyphen != NULL && hyphen - l.s == 2 && (digit || l.len <= 6);
}

/* Other hosts are only parsed if they have both the label s3 and something like a region's name. */
static ncz_s3_host
parse_other(const char *host)
{
    ncz_s3_host h = {.amazon = false};
    label       l[LABELS];
    size_t      n = split_labels(host, strlen(host), l);

    for (size_t at = 0; at + 3 < n; at++)
        if (is_label(l[at], "s3") && looks_like_region(l[at + 1])) {
            h.bucket_len = at > 0 ? (size_t)(l[at].s - host) - 1 : 0;
            set_region(&h, host, l[at + 1]);
            return h;
        }
    return h;
}

ncz_s3_host
ncz_s3_host_parse(const char *host)
{
    size_t      head = find_amazon_domain(host);
    ncz_s3_host h;

    if (ncz_s3_is_ip(host))
        return (ncz_s3_host){.amazon = false};
    if (head > 0)
        return parse_amazon(host, head);
    for (size_t i = 0; i < NCZ_LEN(providers); i++) {
        head = find_domain(host, providers[i].domain);
        if ((head > 0 || strcmp(host, providers[i].domain) == 0) &&
            parse_provider(host, head, providers[i].layout, &h))
            return h;
    }
    return parse_other(host);
}

bool
ncz_s3_is_ip(const char *host)
{
    return strchr(host, ':') != NULL || host[strspn(host, "0123456789.")] == '\0';
}

bool
ncz_s3_is_address(const char *host)
{
    struct in_addr four;

    return strchr(host, ':') != NULL || inet_pton(AF_INET, host, &four) == 1;
}

/* A label of a DNS name. With dots the certificate for *.s3.amazonaws.com does not fit. */
bool
ncz_s3_is_dns_label(const char *s)
{
    size_t len = strlen(s);

    return len >= 3 && len <= 63 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0' && s[0] != '-' &&
           s[len - 1] != '-';
}

bool
ncz_s3_is_region(const char *s)
{
    return s[0] != '\0' && strlen(s) <= 63 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

bool
ncz_s3_is_amazon(const char *host, size_t len)
{
    char        name[NAME_MOST + 1];
    ncz_s3_host h;

    if (len > NAME_MOST)
        return false;
    memcpy(name, host, len);
    name[len] = '\0';
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != len)
        return false;
    h = ncz_s3_host_parse(name);
    return h.amazon && h.refused == NULL;
}
