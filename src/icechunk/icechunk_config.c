/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the configuration of a repository says of places of chunks: the name of each and the URL that its locations
 * begin with. Everything else in it concerns writers. It is a FlexBuffer in `repo`, and YAML in `config.yaml` of spec
 * 1: of YAML this reads what Icechunk writes, a block of indented lines.
 */
#include "icechunk/icechunk_flex.h"
#include "icechunk/icechunk_int.h"

#include <string.h>

#define CONTAINERS_MOST 10000

void
ncz_ice_containers_clear(ncz_ice_containers *c)
{
    for (size_t i = 0; i < c->n; i++) {
        ncz_free(c->v[i].name);
        ncz_free(c->v[i].prefix);
    }
    ncz_free(c->v);
    *c = (ncz_ice_containers){.v = NULL};
}

static int
add_container(ncz_ice_containers *c, ncz_line name, ncz_line prefix)
{
    ncz_ice_container one = {.name = NULL};
    int               rc;

    if (c->n >= CONTAINERS_MOST)
        return ncz_fail(NC_EZARRMETA, "the configuration of a repository has more than %d places of chunks",
                        CONTAINERS_MOST);
    if ((rc = ncz_make_room(&c->v, c->n, &c->cap, sizeof *c->v)) != NC_NOERR)
        return rc;
    one.prefix = ncz_strndup(prefix.s, prefix.len);
    if (name.s != NULL)
        one.name = ncz_strndup(name.s, name.len);
    if (one.prefix == NULL || (name.s != NULL && one.name == NULL)) {
        ncz_free(one.prefix);
        ncz_free(one.name);
        return ncz_fail_nomem(prefix.len + name.len);
    }
    c->v[c->n++] = one;
    return NC_NOERR;
}

/* ---- a FlexBuffer ---------------------------------------------------------------------------------------------- */

static bool
get_text(const ncz_flex *map, const char *name, ncz_line *out)
{
    ncz_flex v;
    bool     there;

    *out = (ncz_line){.s = NULL};
    return ncz_flex_get(map, name, &there, &v) && (!there || ncz_flex_text(&v, out));
}

int
ncz_ice_config_flex(const void *bytes, size_t n, const char *what, ncz_ice_containers *out)
{
    ncz_flex root, all, one;
    ncz_line key, name, prefix;
    size_t   count = 0;
    bool     there = false;
    int      rc = NC_NOERR;

    if (!ncz_flex_root(bytes, n, &root) || !ncz_flex_get(&root, "virtual_chunk_containers", &there, &all) ||
        (there && !ncz_flex_count(&all, &count)))
        return ncz_ice_damaged(what, "its configuration");
    for (size_t i = 0; rc == NC_NOERR && i < count; i++) {
        if (!ncz_flex_at(&all, i, &key, &one) || !get_text(&one, "name", &name) ||
            !get_text(&one, "url_prefix", &prefix))
            return ncz_ice_damaged(what, "its configuration");
        rc = add_container(out, name, prefix.s != NULL ? prefix : key);
    }
    return rc;
}

/* ---- YAML ------------------------------------------------------------------------------------------------------ */

static size_t
indent_of(ncz_line line)
{
    size_t n = 0;

    while (n < line.len && line.s[n] == ' ')
        n++;
    return n;
}

/* "key: value" at the beginning of the line, whatever the value is. */
static bool
has_key(ncz_line line, const char *key, ncz_line *value)
{
    size_t len = strlen(key);

    if (line.len <= len || memcmp(line.s, key, len) != 0 || line.s[len] != ':' ||
        (line.len > len + 1 && line.s[len + 1] != ' '))
        return false;
    *value = ncz_line_trim((ncz_line){.s = line.s + len + 1, .len = line.len - len - 1});
    return true;
}

/* A character of a text in double quotes, behind its backslash: those that a URL or name may have. */
static bool
unescape(char c, char *out)
{
    static const char from[] = "\"\\/ ";

    *out = c;
    return c != '\0' && strchr(from, c) != NULL;
}

/* The text of a value: plain, or in quotes. `null` and `~` are none. */
static int
read_value(ncz_line value, ncz_buf *out, bool *there)
{
    char   quote = value.len > 1 && (value.s[0] == '"' || value.s[0] == '\'') ? value.s[0] : '\0';
    size_t i = quote != '\0', end = value.len - (quote != '\0');
    int    rc = NC_NOERR;

    *there = !(value.len == 0 || (value.len == 1 && value.s[0] == '~') ||
               (value.len == 4 && memcmp(value.s, "null", 4) == 0));
    if (quote != '\0' && value.s[value.len - 1] != quote)
        return ncz_fail(NC_EZARRMETA, "config.yaml: a text that begins with %c does not end in its line", quote);
    for (; *there && rc == NC_NOERR && i < end; i++) {
        char c = value.s[i];

        if (quote == '\'' && c == '\'')
            i++;
        else if (quote == '"' && c == '\\' && (++i >= end || !unescape(value.s[i], &c)))
            return ncz_fail(NC_EZARRMETA, "config.yaml: an escape that is not known");
        rc = ncz_buf_putc(out, c);
    }
    return rc;
}

/* An entry, as its lines come. */
typedef struct yaml_entry {
    ncz_buf name, prefix;
    bool    named, placed;
} yaml_entry;

static int
end_entry(yaml_entry *e, ncz_ice_containers *out)
{
    ncz_line name = {.s = e->named ? ncz_buf_str(&e->name) : NULL, .len = e->name.len};
    ncz_line prefix = {.s = ncz_buf_str(&e->prefix), .len = e->prefix.len};
    int      rc = e->placed ? add_container(out, name, prefix) : NC_NOERR;

    ncz_buf_clear(&e->name);
    ncz_buf_clear(&e->prefix);
    *e = (yaml_entry){.named = false};
    return rc;
}

/* A line of the block. Entries are keys with the smallest indent; their members that count have one level more. */
static int
read_line(ncz_line line, size_t *outer, size_t *inner, yaml_entry *e, ncz_ice_containers *out)
{
    size_t   indent = indent_of(line);
    ncz_line value;
    int      rc = NC_NOERR;

    line.s += indent;
    line.len -= indent;
    if (*outer == 0)
        *outer = indent;
    if (indent == *outer && line.len > 2 && line.s[0] == ':' && line.s[1] == ' ') { /* the value of a long key */
        line.s += 2;
        line.len -= 2;
        indent += 2;
    } else if (indent == *outer) {
        *inner = 0;
        return end_entry(e, out);
    }
    if (*inner == 0)
        *inner = indent;
    if (indent != *inner)
        return NC_NOERR;
    if (has_key(line, "name", &value))
        rc = read_value(value, &e->name, &e->named);
    else if (has_key(line, "url_prefix", &value))
        rc = read_value(value, &e->prefix, &e->placed);
    return rc;
}

int
ncz_ice_config_yaml(const char *text, size_t n, ncz_ice_containers *out)
{
    ncz_line   rest = {.s = text, .len = n}, line, value;
    yaml_entry e = {.named = false};
    size_t     outer = 0, inner = 0;
    bool       in = false;
    int        rc = NC_NOERR, end;

    while (rc == NC_NOERR && ncz_line_next(&rest, &line)) {
        if (line.len == 0 || line.s[0] == '#')
            continue;
        if (line.s[0] != ' ')
            in = has_key(line, "virtual_chunk_containers", &value);
        else if (in)
            rc = read_line(line, &outer, &inner, &e, out);
    }
    end = end_entry(&e, out);
    return rc != NC_NOERR ? rc : end;
}
