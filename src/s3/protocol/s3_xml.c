/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scanner of S3's answers; see s3_xml.h. Invariant: at <= end, and the names of open elements lie in the document.
 */
#include "s3/protocol/s3_xml.h"

#include <string.h>

static int
fail_xml(const ncz_s3_xml *x, const char *what)
{
    return ncz_fail(NC_ES3, "the answer is not XML as S3 sends it: %s at byte %zu", what, (size_t)(x->at - x->doc));
}

static bool
starts_with(const ncz_s3_xml *x, const char *s)
{
    size_t n = strlen(s);

    return (size_t)(x->end - x->at) >= n && memcmp(x->at, s, n) == 0;
}

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Moves past the next `s`. */
static int
skip_past(ncz_s3_xml *x, const char *s)
{
    const char *found = x->at < x->end ? memmem(x->at, (size_t)(x->end - x->at), s, strlen(s)) : NULL;

    if (found == NULL)
        return fail_xml(x, "something that does not end");
    x->at = found + strlen(s);
    return NC_NOERR;
}

/* ---- text ---- */

static int
append_utf8(ncz_s3_xml *x, uint32_t c)
{
    char   out[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return fail_xml(x, "a reference to no character");
    if (n == 1)
        return ncz_buf_putc(&x->text, (char)c);
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00 >> n & 0xff) | c); /* as many leading one bits as bytes */
    return ncz_buf_append(&x->text, out, n);
}

static int
parse_number_reference(ncz_s3_xml *x, const char *digits, const char *end)
{
    bool     hex = digits < end && *digits == 'x';
    uint32_t value = 0;

    digits += hex;
    if (digits == end || end - digits > 8) /* as many as fit in 32 bits, in either base */
        return fail_xml(x, "a reference to no character");
    for (; digits < end; digits++) {
        unsigned d = (unsigned char)*digits - '0';

        if (d > 9 && hex)
            d = ((unsigned char)*digits | 0x20) - 'a' + 10U;
        if (d >= (hex ? 16U : 10U))
            return fail_xml(x, "a reference to no character");
        value = value * (hex ? 16 : 10) + d;
    }
    return append_utf8(x, value);
}

static int
parse_entity(ncz_s3_xml *x)
{
    static const struct {
        const char *name;
        char        c;
    } known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    size_t      room = (size_t)(x->end - x->at), len;
    const char *semicolon = memchr(x->at, ';', room < 12 ? room : 12); /* longer than any that is known */
    int         rc;

    if (semicolon == NULL)
        return fail_xml(x, "an unknown entity");
    len = (size_t)(semicolon - x->at) - 1;
    if (len > 1 && x->at[1] == '#') {
        rc = parse_number_reference(x, x->at + 2, semicolon);
        x->at = semicolon + 1;
        return rc;
    }
    for (size_t i = 0; i < NCZ_LEN(known); i++)
        if (strlen(known[i].name) == len && memcmp(known[i].name, x->at + 1, len) == 0) {
            x->at = semicolon + 1;
            return ncz_buf_putc(&x->text, known[i].c);
        }
    return fail_xml(x, "an unknown entity");
}

/* Text up to the next '<'. Outside the root element only blanks are allowed. */
static int
parse_text(ncz_s3_xml *x)
{
    int rc = NC_NOERR;

    while (rc == NC_NOERR && x->at < x->end && *x->at != '<') {
        size_t n = 0;

        if (x->depth == 0) {
            if (!is_space(*x->at))
                return fail_xml(x, "text outside the document's element");
            x->at++;
        } else if (*x->at == '&') {
            rc = parse_entity(x);
        } else {
            while (x->at + n < x->end && x->at[n] != '<' && x->at[n] != '&' && x->at[n] != '\0')
                n++;
            if (n == 0)
                return fail_xml(x, "a zero byte"); /* a key would be cut there */
            rc = ncz_buf_append(&x->text, x->at, n);
            x->at += n;
        }
    }
    return rc;
}

static int
parse_cdata(ncz_s3_xml *x)
{
    const char *from = x->at + strlen("<![CDATA[");
    int         rc;

    if (x->depth == 0)
        return fail_xml(x, "text outside the document's element");
    if ((rc = skip_past(x, "]]>")) != NC_NOERR)
        return rc;
    if (x->at - from < 3)
        return fail_xml(x, "something that does not end");
    if (memchr(from, '\0', (size_t)(x->at - from)) != NULL)
        return fail_xml(x, "a zero byte");
    return ncz_buf_append(&x->text, from, (size_t)(x->at - from) - 3);
}

/* ---- elements ---- */

/* Without the prefix of a namespace, which servers choose freely. */
static ncz_s3_xml_name
parse_name(ncz_s3_xml *x)
{
    ncz_s3_xml_name n = {.at = x->at};

    while (x->at < x->end && !is_space(*x->at) && strchr("/>=<\"'&", *x->at) == NULL) {
        if (*x->at == ':')
            n.at = x->at + 1;
        x->at++;
    }
    n.len = (size_t)(x->at - n.at);
    return n;
}

/* Skips the attributes and the tag's end; a quoted value may contain '>'. */
static int
skip_attributes(ncz_s3_xml *x, bool *empty)
{
    *empty = false;
    while (x->at < x->end && *x->at != '>') {
        char c = *x->at++;

        if (c == '<')
            return fail_xml(x, "'<' in a tag");
        if (c == '"' || c == '\'') {
            const char *close = memchr(x->at, c, (size_t)(x->end - x->at));

            if (close == NULL)
                return fail_xml(x, "something that does not end");
            x->at = close + 1;
        }
        *empty = c == '/'; /* the last one before '>' counts */
    }
    if (x->at == x->end)
        return fail_xml(x, "an unterminated tag");
    x->at++;
    return NC_NOERR;
}

static int
open_element(ncz_s3_xml *x, ncz_s3_xml_event *event)
{
    bool empty;
    int  rc;

    if (x->depth == 0 && x->begun)
        return fail_xml(x, "a second document");
    if (x->depth == NCZ_S3_XML_DEPTH)
        return fail_xml(x, "elements nested too deep");
    x->at++;
    x->name = parse_name(x);
    if (x->name.len == 0)
        return fail_xml(x, "a tag without a name");
    if ((rc = skip_attributes(x, &empty)) != NC_NOERR)
        return rc;
    x->open[x->depth++] = x->name;
    x->begun = true;
    x->closing = empty;
    *event = NCZ_S3_XML_OPEN;
    return NC_NOERR;
}

static int
close_element(ncz_s3_xml *x, ncz_s3_xml_event *event)
{
    ncz_s3_xml_name name;

    x->at += 2;
    name = parse_name(x);
    while (x->at < x->end && is_space(*x->at))
        x->at++;
    if (x->at == x->end || *x->at != '>')
        return fail_xml(x, "an unterminated tag");
    if (x->depth == 0 || x->open[x->depth - 1].len != name.len ||
        memcmp(x->open[x->depth - 1].at, name.at, name.len) != 0)
        return fail_xml(x, "an end tag without its start tag");
    x->at++;
    x->depth--;
    x->name = name;
    *event = NCZ_S3_XML_CLOSE;
    return NC_NOERR;
}

int
ncz_s3_xml_next(ncz_s3_xml *x, ncz_s3_xml_event *event)
{
    int rc;

    if (x->closing) { /* <Empty/> */
        ncz_buf_reset(&x->text);
        x->closing = false;
        x->name = x->open[--x->depth];
        *event = NCZ_S3_XML_CLOSE;
        return NC_NOERR;
    }
    ncz_buf_reset(&x->text);
    for (;;) {
        if ((rc = parse_text(x)) != NC_NOERR)
            return rc;
        if (x->at == x->end)
            break;
        if (starts_with(x, "<?"))
            rc = skip_past(x, "?>");
        else if (starts_with(x, "<!--"))
            rc = skip_past(x, "-->");
        else if (starts_with(x, "<![CDATA["))
            rc = parse_cdata(x);
        else if (starts_with(x, "<!"))
            return fail_xml(x, "a declaration");
        else if (starts_with(x, "</"))
            return close_element(x, event);
        else
            return open_element(x, event);
        if (rc != NC_NOERR)
            return rc;
    }
    if (x->depth > 0 || !x->begun)
        return fail_xml(x, "its data end too early");
    *event = NCZ_S3_XML_END;
    return NC_NOERR;
}

void
ncz_s3_xml_init(ncz_s3_xml *x, const void *doc, size_t len)
{
    const char *at = len > 0 ? doc : "";

    *x = (ncz_s3_xml){.doc = at, .at = at, .end = at + len};
    if (len >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        x->at += 3;
}

void
ncz_s3_xml_clear(ncz_s3_xml *x)
{
    ncz_buf_clear(&x->text);
}

static bool
is_name(const ncz_s3_xml_name *n, const char *name)
{
    return n->len == strlen(name) && memcmp(n->at, name, n->len) == 0;
}

bool
ncz_s3_xml_is(const ncz_s3_xml *x, const char *name)
{
    return is_name(&x->name, name);
}

bool
ncz_s3_xml_in(const ncz_s3_xml *x, const char *parent)
{
    return x->depth > 0 && is_name(&x->open[x->depth - 1], parent);
}

int
ncz_s3_xml_escape(ncz_buf *out, const char *text)
{
    int rc = NC_NOERR;

    for (; rc == NC_NOERR && *text != '\0'; text++)
        switch (*text) {
        case '&': rc = ncz_buf_puts(out, "&amp;"); break;
        case '<': rc = ncz_buf_puts(out, "&lt;"); break;
        case '>': rc = ncz_buf_puts(out, "&gt;"); break;
        default: rc = ncz_buf_putc(out, *text);
        }
    return rc;
}
