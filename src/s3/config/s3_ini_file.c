/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The config and credentials files of AWS's tools, as a flat list of their items.
 *
 * A value ends at white space followed by '#' or ';' and nowhere else: secrets contain these characters, and '=' and
 * '[', but no blanks. A line indented deeper than the key above belongs to that key: as a pair of its block if the key
 * has no value, else as another line of its value.
 */
#include "s3/config/s3_ini_file.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>

enum { VALUE_MOST = 65536 }; /* bytes of a value of several lines */

static void
item_clear(ncz_s3_ini_item *item)
{
    ncz_free(item->section);
    ncz_free(item->block);
    ncz_free(item->key);
    ncz_free_secret(item->value);
}

void
ncz_s3_ini_clear(ncz_s3_ini *ini)
{
    for (size_t i = 0; i < ini->n; i++)
        item_clear(&ini->v[i]);
    ncz_free(ini->v);
    ncz_free(ini->file);
    *ini = NCZ_S3_INI_INIT;
}

/* ---- lines ---- */

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* `t` does not begin its line: the character before it may be read. */
static ncz_line
strip_comment(ncz_line t)
{
    for (size_t i = 0; i < t.len; i++)
        if ((t.s[i] == '#' || t.s[i] == ';') && is_blank(t.s[(ptrdiff_t)i - 1]))
            t.len = i;
    return ncz_line_trim(t);
}

static bool
is_word(ncz_line t, const char *word)
{
    return t.len == strlen(word) && memcmp(t.s, word, t.len) == 0;
}

/* ---- reading ---- */

typedef struct reader {
    ncz_s3_ini     *ini;
    bool            credentials;
    unsigned        line;
    bool            in_section;
    ncz_s3_ini_kind kind;
    ncz_line        section;
    bool            weak;
    bool            in_key; /* a key is above */
    size_t          indent; /* of that key */
    size_t          at;     /* and where it is in the list */
} reader;

static int
fail_line(const reader *r, const char *what)
{
    return ncz_fail(NC_EAUTH, "%s:%u: %s", r->ini->file, r->line, what);
}

static char *
copy_span(ncz_line t, bool lower)
{
    char *s = ncz_strndup(t.s, t.len);

    for (char *c = s; lower && c != NULL && *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return s;
}

/* An empty `key`: the section itself. */
static int
add_item(reader *r, const char *block, ncz_line key, ncz_line value)
{
    ncz_s3_ini      *ini = r->ini;
    ncz_s3_ini_item *v = ncz_grow(ini->v, ini->n + 1, sizeof *v), item;

    if (v == NULL)
        return ncz_fail_nomem((ini->n + 1) * sizeof *v);
    ini->v = v;
    item = (ncz_s3_ini_item){.kind = r->kind,
                             .section = copy_span(r->section, false),
                             .block = block != NULL ? ncz_strdup(block) : NULL,
                             .key = key.len > 0 ? copy_span(key, true) : NULL,
                             .value = copy_span(value, false),
                             .line = r->line,
                             .weak = r->weak};
    if (item.section == NULL || item.value == NULL || (block != NULL && item.block == NULL) ||
        (key.len > 0 && item.key == NULL)) {
        item_clear(&item);
        return ncz_fail_nomem(value.len + 1);
    }
    v[ini->n++] = item;
    return NC_NOERR;
}

/* `kind name` or `kind "name"`, or a name alone. */
static void
parse_section_name(reader *r, ncz_line t)
{
    static const struct {
        const char     *word;
        ncz_s3_ini_kind kind;
    } kinds[] = {
        {"profile", NCZ_S3_INI_PROFILE}, {"sso-session", NCZ_S3_INI_SSO_SESSION}, {"services", NCZ_S3_INI_SERVICES}};
    size_t word = 0;

    r->weak = false;
    r->section = t;
    r->kind = r->credentials ? NCZ_S3_INI_PROFILE : NCZ_S3_INI_OTHER;
    if (r->credentials)
        return;
    if (is_word(t, "default")) {
        r->kind = NCZ_S3_INI_PROFILE;
        r->weak = true;
        return;
    }
    while (word < t.len && !is_blank(t.s[word]) && t.s[word] != '"' && t.s[word] != '\'')
        word++;
    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        if (word < t.len && is_word((ncz_line){t.s, word}, kinds[i].word)) {
            r->kind = kinds[i].kind;
            r->section = ncz_line_trim((ncz_line){t.s + word, t.len - word});
        }
    if (r->section.len >= 2 && (r->section.s[0] == '"' || r->section.s[0] == '\'') &&
        r->section.s[r->section.len - 1] == r->section.s[0])
        r->section = (ncz_line){r->section.s + 1, r->section.len - 2};
}

static int
parse_section(reader *r, ncz_line t)
{
    const char *close = memchr(t.s, ']', t.len);
    ncz_line    rest;

    if (close == NULL)
        return fail_line(r, "a section without its ']'");
    rest = ncz_line_trim((ncz_line){close + 1, t.len - (size_t)(close + 1 - t.s)});
    if (rest.len > 0 && rest.s[0] != '#' && rest.s[0] != ';')
        return fail_line(r, "text after a section's ']'");
    t = ncz_line_trim((ncz_line){t.s + 1, (size_t)(close - t.s - 1)});
    if (t.len == 0)
        return fail_line(r, "a section without a name");
    parse_section_name(r, t);
    r->in_section = true;
    r->in_key = false;
    return add_item(r, NULL, (ncz_line){"", 0}, (ncz_line){"", 0});
}

/* Appends a line to the last value. */
static int
continue_value(reader *r, ncz_line t)
{
    ncz_s3_ini_item *item = &r->ini->v[r->at];
    char            *joined;

    if (strlen(item->value) + t.len > VALUE_MOST)
        return fail_line(r, "a value with too many lines");
    joined = ncz_sprintf("%s%s%.*s", item->value, item->value[0] != '\0' ? "\n" : "", (int)t.len, t.s);

    if (joined == NULL)
        return ncz_fail_nomem(strlen(item->value) + t.len + 2);
    ncz_free_secret(item->value);
    item->value = joined;
    return NC_NOERR;
}

static int
parse_pair(reader *r, ncz_line t, size_t indent)
{
    const char *eq = memchr(t.s, '=', t.len);
    bool        deeper = r->in_key && indent > r->indent;
    bool        nested = deeper && r->ini->v[r->at].value[0] == '\0';
    ncz_line    key, value;
    int         rc;

    if (eq == NULL)
        return deeper ? continue_value(r, strip_comment(t)) : fail_line(r, "neither [section] nor key = value");
    key = ncz_line_trim((ncz_line){t.s, (size_t)(eq - t.s)});
    value = strip_comment((ncz_line){eq + 1, t.len - (size_t)(eq + 1 - t.s)});
    if (key.len == 0)
        return fail_line(r, "a value without a key");
    if (nested)
        return add_item(r, r->ini->v[r->at].key, key, value);
    if ((rc = add_item(r, NULL, key, value)) != NC_NOERR)
        return rc;
    r->in_key = true;
    r->indent = indent;
    r->at = r->ini->n - 1;
    return NC_NOERR;
}

static int
parse_line(reader *r, ncz_line line)
{
    ncz_line t = ncz_line_trim(line);
    size_t   indent = (size_t)(t.s - line.s);

    if (t.len == 0 || t.s[0] == '#' || t.s[0] == ';')
        return NC_NOERR;
    if (memchr(t.s, '\0', t.len) != NULL)
        return fail_line(r, "a zero byte");
    if (t.s[0] == '[' && indent == 0)
        return parse_section(r, t);
    if (!r->in_section)
        return fail_line(r, "a line before any [section]");
    return parse_pair(r, t, indent);
}

int
ncz_s3_ini_parse(const char *text, size_t len, const char *file, bool credentials, ncz_s3_ini *out)
{
    ncz_s3_ini ini = {.file = ncz_strdup(file)};
    reader     r = {.ini = &ini, .credentials = credentials};
    ncz_line   rest, line;
    int        rc = NC_NOERR;

    if (ini.file == NULL)
        return ncz_fail_nomem(strlen(file) + 1);
    if (len > NCZ_S3_INI_MOST)
        rc = ncz_fail(NC_EAUTH, "%s: %zu bytes are too many for a configuration file", file, len);
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        len -= 3;
    }
    rest = (ncz_line){text, len};
    while (rc == NC_NOERR && ncz_line_next(&rest, &line)) {
        r.line++;
        rc = parse_line(&r, line);
    }
    if (rc != NC_NOERR) {
        ncz_s3_ini_clear(&ini);
        return rc;
    }
    *out = ini;
    return NC_NOERR;
}

/* ---- looking up ---- */

static bool
is_in_section(const ncz_s3_ini_item *item, ncz_s3_ini_kind kind, const char *section)
{
    return item->kind == kind && strcmp(item->section, section) == 0;
}

bool
ncz_s3_ini_has(const ncz_s3_ini *ini, ncz_s3_ini_kind kind, const char *section)
{
    for (size_t i = 0; i < ini->n; i++)
        if (is_in_section(&ini->v[i], kind, section))
            return true;
    return false;
}

/* [profile default] hides all of [default]. */
static bool
is_hidden(const ncz_s3_ini *ini, const ncz_s3_ini_item *item)
{
    for (size_t i = 0; item->weak && i < ini->n; i++)
        if (!ini->v[i].weak && is_in_section(&ini->v[i], NCZ_S3_INI_PROFILE, "default"))
            return true;
    return false;
}

const char *
ncz_s3_ini_get(const ncz_s3_ini *ini, ncz_s3_ini_kind kind, const char *section, const char *block, const char *key)
{
    for (size_t i = ini->n; i-- > 0;) {
        const ncz_s3_ini_item *item = &ini->v[i];

        if (item->key == NULL || strcmp(item->key, key) != 0 || !is_in_section(item, kind, section))
            continue;
        if ((block == NULL) != (item->block == NULL) || (block != NULL && strcmp(block, item->block) != 0))
            continue;
        if (!is_hidden(ini, item))
            return item->value;
    }
    return NULL;
}
