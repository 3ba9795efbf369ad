/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One exchange on one libcurl handle. libcurl does HTTP/1.1 and TLS and nothing else: it follows no redirects, decodes
 * no content, reads no netrc and changes no path.
 *
 * A handle belongs to one thread at a time.
 */
#include "s3/http/http_int.h"
#include "s3/protocol/s3_hash.h"

#include <netinet/in.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#define HEAD_MOST    ((size_t)64 << 10)
#define HEADS_MOST   ((uint64_t)1 << 20) /* with all interim answers (100) */
#define BUFFER_BYTES (128L << 10)        /* read by libcurl at once */
#define SLOW_BYTES   1024L               /* per second: less is a stall */

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static CURLcode       init_code;

/*
 * libcurl reads some variables even in set-user-id programs. SSLKEYLOGFILE names a file that it writes.
 *
 * OpenSSL keeps memory for each thread, and frees it when the thread ends, but not once OpenSSL itself has ended at the
 * exit of the process. So the workers end before: what is registered last with atexit() is called first.
 */
static void
init_libcurl(void)
{
    if (ncz_env_secure())
        ncz_env_hide("SSLKEYLOGFILE");
    init_code = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)OPENSSL_init_crypto(0, NULL);
    (void)atexit(ncz_threads_end);
}

int
ncz_http_init(void)
{
    (void)pthread_once(&init_once, init_libcurl);
    if (init_code != CURLE_OK)
        return ncz_fail(NC_ECURL, "libcurl: %s", curl_easy_strerror(init_code));
    return NC_NOERR;
}

/* ---- SIGPIPE ---- */

void
ncz_http_pipe_begin(ncz_http_pipe *p)
{
    sigset_t pipe, pending, before;

    *p = (ncz_http_pipe){.blocked = false};
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGPIPE) == 1)
        return;
    if (pthread_sigmask(SIG_BLOCK, &pipe, &before) == 0)
        p->blocked = sigismember(&before, SIGPIPE) == 0;
}

void
ncz_http_pipe_end(const ncz_http_pipe *p)
{
    const struct timespec at_once = {0, 0};
    sigset_t              pipe;

    if (!p->blocked)
        return;
    (void)sigemptyset(&pipe);
    (void)sigaddset(&pipe, SIGPIPE);
    while (sigtimedwait(&pipe, NULL, &at_once) == SIGPIPE)
        ;
    (void)pthread_sigmask(SIG_UNBLOCK, &pipe, NULL);
}

/* ---- the head of an answer ----
 *
 * Stored as alternating names and values, each with its NUL.
 */

const char *
ncz_http_head(const ncz_buf *head, const char *name, size_t n)
{
    const char *at = head->data, *end = at != NULL ? at + head->len : NULL;

    while (at != NULL && at < end) {
        const char *value = at + strlen(at) + 1;

        if (strcasecmp(at, name) == 0 && n-- == 0)
            return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}

const char *
ncz_http_header(const ncz_http_call *c, const char *name)
{
    return ncz_http_head(&c->head, name, 0);
}

static int
append_header(ncz_http_call *c, const char *line, size_t len)
{
    const char *colon = memchr(line, ':', len), *value;
    size_t      before = c->head.len;
    int         rc;

    if (colon == NULL || colon == line || memchr(line, '\0', len) != NULL)
        return NC_NOERR;
    value = colon + 1;
    len -= (size_t)(value - line);
    for (; len > 0 && (*value == ' ' || *value == '\t'); len--)
        value++;
    while (len > 0 && strchr(" \t\r\n", value[len - 1]) != NULL)
        len--;
    if ((rc = ncz_buf_append(&c->head, line, (size_t)(colon - line))) != NC_NOERR ||
        (rc = ncz_buf_putc(&c->head, '\0')) != NC_NOERR || (rc = ncz_buf_append(&c->head, value, len)) != NC_NOERR ||
        (rc = ncz_buf_putc(&c->head, '\0')) != NC_NOERR)
        c->head.len = before;
    return rc;
}

static int
finish_head(ncz_http_slot *s)
{
    ncz_http_call *c = s->call;

    (void)curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &c->status);
    if (c->status < 200)
        return NC_NOERR;
    s->in_body = true;
    return c->on_head != NULL ? c->on_head(c) : NC_NOERR;
}

/* One line of the head. A line after the beginning of the body is a trailer, which is ignored. */
static size_t
on_header(char *line, size_t one, size_t len, void *arg)
{
    ncz_http_slot *s = arg;
    int            rc = NC_NOERR;

    (void)one;
    if (s->in_body)
        return len;
    s->call->nreceived += len;
    if (s->call->nreceived > HEADS_MOST)
        rc = ncz_fail(NC_ECURL, "the head of an answer does not end");
    else if (len >= 5 && strncmp(line, "HTTP/", 5) == 0)
        ncz_buf_reset(&s->call->head);
    else if (len <= 2 && (line[0] == '\r' || line[0] == '\n'))
        rc = finish_head(s);
    else
        rc = append_header(s->call, line, len);
    s->stopped = rc;
    return rc == NC_NOERR ? len : 0;
}

static size_t
on_write(char *data, size_t one, size_t len, void *arg)
{
    ncz_http_slot *s = arg;

    (void)one;
    s->call->nreceived += len;
    if (s->call->on_data != NULL)
        s->stopped = s->call->on_data(s->call, data, len);
    return s->stopped == NC_NOERR ? len : 0;
}

/* ---- a handle ---- */

int
ncz_http_slot_init(ncz_http_slot *s)
{
    *s = (ncz_http_slot){.easy = curl_easy_init()};
    return s->easy != NULL ? NC_NOERR : ncz_fail_nomem(0);
}

/* Headers do not reveal the signing key, but they contain the session token. */
static void
free_headers(ncz_http_slot *s)
{
    for (struct curl_slist *h = s->headers; h != NULL; h = h->next)
        ncz_wipe(h->data, strlen(h->data));
    curl_slist_free_all(s->headers);
    s->headers = NULL;
}

void
ncz_http_slot_clear(ncz_http_slot *s)
{
    curl_easy_cleanup(s->easy);
    free_headers(s);
    *s = (ncz_http_slot){.easy = NULL};
}

static bool
add_header(ncz_http_slot *s, const char *line)
{
    struct curl_slist *list = curl_slist_append(s->headers, line);

    if (list == NULL)
        return false;
    s->headers = list;
    return true;
}

/* Removes headers that libcurl adds by itself: the content type of a form, and Expect before a body. */
static int
set_headers(ncz_http_slot *s, const ncz_http_call *c)
{
    bool good =
        add_header(s, "Accept: */*") && (!c->sends || (add_header(s, "Content-Type:") && add_header(s, "Expect:")));

    for (const char *line = c->headers; good && line != NULL && *line != '\0';) {
        size_t len = strcspn(line, "\n");
        char  *copy = ncz_strndup(line, len);

        good = copy != NULL && (len == 0 || add_header(s, copy));
        ncz_free_secret(copy);
        line += len + (line[len] == '\n');
    }
    return good ? NC_NOERR : ncz_fail_nomem(0);
}

static void
set_common_options(CURL *e, const ncz_http_common *common)
{
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(e, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(e, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(e, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(e, CURLOPT_DNS_SHUFFLE_ADDRESSES, 1L);
    curl_easy_setopt(e, CURLOPT_BUFFERSIZE, BUFFER_BYTES);
    curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, common->connect_ms);
    if (common->stall_s > 0) {
        curl_easy_setopt(e, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
        curl_easy_setopt(e, CURLOPT_LOW_SPEED_TIME, common->stall_s);
    }
    if (common->user_agent != NULL)
        curl_easy_setopt(e, CURLOPT_USERAGENT, common->user_agent);
    else
        curl_easy_setopt(e, CURLOPT_USERAGENT, "nczarr/" NCZARR_VERSION);
    if (common->proxy != NULL) /* "": none, even if the environment names one */
        curl_easy_setopt(e, CURLOPT_PROXY, common->proxy);
    else if (ncz_env_secure())
        curl_easy_setopt(e, CURLOPT_PROXY, "");
    if (common->no_proxy != NULL)
        curl_easy_setopt(e, CURLOPT_NOPROXY, common->no_proxy);
    if (common->share != NULL)
        curl_easy_setopt(e, CURLOPT_SHARE, common->share);
}

/* ---- addresses ---- */

static bool
is_local4(const unsigned char a[4])
{
    return a[0] == 169 && a[1] == 254;
}

bool
ncz_http_is_local(const struct sockaddr *a)
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff}, nat64[12] = {0x00, 0x64, 0xff, 0x9b};
    static const unsigned char amazon[4] = {0xfd, 0x00, 0x0e, 0xc2};
    const unsigned char       *six;

    if (a->sa_family == AF_INET)
        return is_local4((const unsigned char *)&((const struct sockaddr_in *)(const void *)a)->sin_addr);
    if (a->sa_family != AF_INET6)
        return false;
    six = ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr.s6_addr;
    if (memcmp(six, mapped, sizeof mapped) == 0 || memcmp(six, nat64, sizeof nat64) == 0)
        return is_local4(six + 12);
    return (six[0] == 0xfe && (six[1] & 0xc0) == 0x80) || memcmp(six, amazon, sizeof amazon) == 0;
}

/* The host name has been resolved to an address here. */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    ncz_http_slot *s = arg;

    (void)purpose;
    if (!ncz_http_is_local(&a->addr))
        return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
    s->stopped =
        ncz_fail(NC_ECURL, "redirected to a link-local address, where cloud metadata services are: not followed");
    return CURL_SOCKET_BAD;
}

uint64_t
ncz_http_slot_moved(ncz_http_slot *s)
{
    curl_off_t up = 0;
    uint64_t   all, more;

    if (s->call->sends)
        (void)curl_easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    all = s->call->nreceived + (up > 0 ? (uint64_t)up : 0);
    more = all - s->counted;
    s->counted = all;
    return more;
}

static CURLcode
set_method(CURL *e, const ncz_http_call *c)
{
    CURLcode code;

    if (c->sends) {
        (void)curl_easy_setopt(e, CURLOPT_POST, 1L);
        (void)curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->ndata);
        if ((code = curl_easy_setopt(e, CURLOPT_POSTFIELDS, c->ndata > 0 ? c->data : "")) != CURLE_OK)
            return code;
    } else if (strcmp(c->method, "HEAD") == 0) {
        return curl_easy_setopt(e, CURLOPT_NOBODY, 1L);
    } else {
        (void)curl_easy_setopt(e, CURLOPT_HTTPGET, 1L);
    }
    return curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, c->method);
}

/* Only with TLS: reading the system's certificates takes longer than many programs run. */
static int
set_trust(CURL *e, const ncz_http_call *c, const ncz_http_common *common)
{
    ncz_http_trust *trust;
    int             rc;

    if (strncmp(c->url, "https:", 6) != 0)
        return NC_NOERR;
    if ((rc = ncz_http_trust_get(common->ca_file, common->ca_dir, &trust)) == NC_NOERR)
        ncz_http_trust_set(e, trust, common->ca_file, common->ca_dir);
    return rc;
}

/* The options of this exchange. */
static void
set_call_options(ncz_http_slot *s)
{
    const ncz_http_call *c = s->call;
    CURL                *e = s->easy;

    if (c->most_ms > 0)
        curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, c->most_ms);
    if (c->wary) {
        curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
        curl_easy_setopt(e, CURLOPT_OPENSOCKETDATA, s);
    }
    curl_easy_setopt(e, CURLOPT_ERRORBUFFER, s->text);
    curl_easy_setopt(e, CURLOPT_PRIVATE, s);
    curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(e, CURLOPT_HEADERDATA, s);
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, s);
}

static int
prepare_handle(ncz_http_slot *s, ncz_http_call *c, const ncz_http_common *common)
{
    CURL    *e = s->easy;
    CURLcode code;
    int      rc;

    s->call = c;
    s->in_body = false;
    s->stopped = NC_NOERR;
    s->counted = 0;
    s->text[0] = '\0';
    s->begun = ncz_now_ms();
    c->rc = NC_NOERR;
    c->how = NCZ_HTTP_PERMANENT;
    c->status = 0;
    c->nreceived = c->nsent = 0;
    c->ms = 0;
    c->head.limit = HEAD_MOST;
    ncz_buf_reset(&c->head);
    curl_easy_reset(e); /* keeps connections */
    set_common_options(e, common);
    if ((rc = set_trust(e, c, common)) != NC_NOERR || (rc = set_headers(s, c)) != NC_NOERR)
        return rc;
    if ((code = curl_easy_setopt(e, CURLOPT_URL, c->url)) == CURLE_OK && (code = set_method(e, c)) == CURLE_OK)
        code = curl_easy_setopt(e, CURLOPT_HTTPHEADER, s->headers);
    if (code != CURLE_OK)
        return code == CURLE_OUT_OF_MEMORY ? ncz_fail_nomem(0)
                                           : ncz_fail(NC_ECURL, "libcurl: %s", curl_easy_strerror(code));
    set_call_options(s);
    return NC_NOERR;
}

static void
release_slot(ncz_http_slot *s)
{
    free_headers(s);
    s->call = NULL;
}

int
ncz_http_slot_begin(ncz_http_slot *s, ncz_http_call *c, const ncz_http_common *common)
{
    int rc = prepare_handle(s, c, common);

    if (rc != NC_NOERR)
        release_slot(s);
    return rc;
}

static ncz_http_how
classify_code(CURLcode code, const char *url)
{
    switch (code) {
    case CURLE_OK: return NCZ_HTTP_ANSWER;
    case CURLE_OPERATION_TIMEDOUT: return NCZ_HTTP_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT: return NCZ_HTTP_UNREACHABLE;
    case CURLE_UNSUPPORTED_PROTOCOL: /* of the URL, or an answer that is not HTTP */
        return strncmp(url, "http", 4) == 0 ? NCZ_HTTP_BROKEN : NCZ_HTTP_PERMANENT;
    case CURLE_URL_MALFORMAT:
    case CURLE_NOT_BUILT_IN:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_BAD_FUNCTION_ARGUMENT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ISSUER_ERROR: return NCZ_HTTP_PERMANENT;
    default: return NCZ_HTTP_BROKEN;
    }
}

/* "bucket.s3.amazonaws.com:443" of a URL: safe in messages, without path and query. */
static int
find_host(const char *url, const char **host)
{
    const char *at = strstr(url, "://");

    *host = at != NULL ? at + 3 : url;
    return (int)strcspn(*host, "/?#");
}

void
ncz_http_slot_end(ncz_http_slot *s, CURLcode code)
{
    ncz_http_call *c = s->call;
    curl_off_t     up = 0;
    const char    *host;
    int            len;

    (void)curl_easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &up);
    c->nsent = up > 0 ? (uint64_t)up : 0;
    c->ms = ncz_now_ms() - s->begun;
    c->how = classify_code(code, c->url);
    if (s->stopped != NC_NOERR) {
        c->how = NCZ_HTTP_STOPPED;
        c->rc = s->stopped; /* already recorded */
    } else if (code == CURLE_OUT_OF_MEMORY) {
        c->rc = ncz_fail_nomem(0);
    } else if (code != CURLE_OK) {
        len = find_host(c->url, &host);
        c->rc = ncz_fail(NC_ECURL, "%.*s: %s", len, host, s->text[0] != '\0' ? s->text : curl_easy_strerror(code));
    } else if (!s->in_body) {
        c->how = NCZ_HTTP_BROKEN;
        len = find_host(c->url, &host);
        c->rc = ncz_fail(NC_ECURL, "%.*s: malformed response: no status line", len, host);
    }
    release_slot(s);
}
