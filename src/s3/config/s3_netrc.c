/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A netrc file is words between blanks: `machine NAME login NAME password WORD`, in as many lines as its writer likes.
 * As in curl, a word in quotes may hold blanks, and \" \\ \n \r \t in it; a comment is a line whose first character
 * is '#'. A macro ends with an empty line.
 */
#include "s3/config/s3_netrc.h"
#include "s3/protocol/s3_hash.h"

#include <string.h>
#include <strings.h>

#define NETRC_MOST ((size_t)1 << 20)

void
ncz_s3_netrc_clear(ncz_s3_netrc *n)
{
    ncz_free_secret(n->login);
    ncz_free_secret(n->password);
    ncz_free(n->file);
    *n = (ncz_s3_netrc){.login = NULL};
}

typedef struct scanner {
    const char *s, *end;
    bool        line; /* at the beginning of a line */
    ncz_buf     word;
} scanner;

static void
skip_line(scanner *c)
{
    while (c->s < c->end && *c->s != '\n')
        c->s++;
}

static void
skip_blanks(scanner *c)
{
    for (; c->s < c->end; c->s++) {
        if (*c->s == '#' && c->line)
            skip_line(c);
        if (c->s == c->end || (*c->s != ' ' && *c->s != '\t' && *c->s != '\r' && *c->s != '\n'))
            return;
        c->line = *c->s == '\n' || (c->line && *c->s != '\r');
    }
}

static char
unescape(char c)
{
    return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
}

static int
scan_quoted(scanner *c)
{
    int rc = NC_NOERR;

    for (c->s++; rc == NC_NOERR && c->s < c->end && *c->s != '"' && *c->s != '\n'; c->s++)
        if (*c->s == '\\' && c->s + 1 < c->end)
            rc = ncz_buf_putc(&c->word, unescape(*++c->s));
        else
            rc = ncz_buf_putc(&c->word, *c->s);
    if (rc == NC_NOERR && (c->s == c->end || *c->s != '"'))
        return ncz_fail(NC_EAUTH, "a word that begins with \" does not end in its line");
    c->s++;
    return rc;
}

/* The next word; *found false: there is none. */
static int
next_word(scanner *c, bool *found)
{
    const char *begin;

    skip_blanks(c);
    ncz_wipe(c->word.data, c->word.len);
    ncz_buf_reset(&c->word);
    c->line = false;
    *found = c->s < c->end;
    if (!*found)
        return NC_NOERR;
    if (*c->s == '"')
        return scan_quoted(c);
    for (begin = c->s; c->s < c->end && strchr(" \t\r\n", *c->s) == NULL;)
        c->s++;
    return ncz_buf_append(&c->word, begin, (size_t)(c->s - begin));
}

/* A macro ends before an empty line. */
static void
skip_macro(scanner *c)
{
    bool empty = false;

    for (skip_line(c); c->s < c->end && !empty; skip_line(c)) {
        c->s++;
        empty = c->s == c->end || *c->s == '\n' || *c->s == '\r';
    }
}

static int
keep_word(const scanner *c, char **to)
{
    ncz_free_secret(*to);
    *to = ncz_strndup(ncz_buf_str(&c->word), c->word.len);
    return *to != NULL ? NC_NOERR : ncz_fail_nomem(c->word.len + 1);
}

/* What follows a keyword. */
static int
take_value(scanner *c, const char *machine, bool *ours, ncz_s3_netrc *n)
{
    const char *key = ncz_buf_str(&c->word);
    char      **to = *ours && strcmp(key, "login") == 0      ? &n->login
                     : *ours && strcmp(key, "password") == 0 ? &n->password
                                                             : NULL;
    bool        names = strcmp(key, "machine") == 0,
         takes = names || strcmp(key, "login") == 0 || strcmp(key, "password") == 0 || strcmp(key, "account") == 0;
    bool found;
    int  rc;

    if (!takes)
        return NC_NOERR;
    if ((rc = next_word(c, &found)) != NC_NOERR || !found)
        return rc;
    if (names)
        *ours = strcasecmp(ncz_buf_str(&c->word), machine) == 0;
    return to != NULL ? keep_word(c, to) : NC_NOERR;
}

int
ncz_s3_netrc_parse(const char *text, size_t len, const char *machine, ncz_s3_netrc *out)
{
    scanner      c = {.s = text, .end = text + len, .line = true};
    ncz_s3_netrc n = {.login = NULL};
    bool         found = true, ours = false;
    int          rc = ncz_buf_reserve(&c.word, 4096); /* growing would leave copies of secrets */

    while (rc == NC_NOERR && (n.login == NULL || n.password == NULL) && (rc = next_word(&c, &found)) == NC_NOERR &&
           found) {
        if (strcmp(ncz_buf_str(&c.word), "macdef") == 0)
            skip_macro(&c);
        else if (strcmp(ncz_buf_str(&c.word), "default") == 0)
            ours = false;
        else
            rc = take_value(&c, machine, &ours, &n);
    }
    ncz_wipe(c.word.data, c.word.cap);
    ncz_buf_clear(&c.word);
    if (rc == NC_NOERR && n.login != NULL && n.password != NULL) {
        out->login = n.login;
        out->password = n.password;
        return NC_NOERR;
    }
    ncz_s3_netrc_clear(&n);
    return rc;
}

int
ncz_s3_netrc_find(const char *home, const char *machine, ncz_s3_netrc *out)
{
    const char  *named = ncz_env("NETRC");
    ncz_buf      text = NCZ_BUF_INIT;
    ncz_s3_netrc n = {.login = NULL};
    bool         absent = false;
    int          rc = NC_NOERR;

    *out = n;
    if (named == NULL && home == NULL)
        return NC_NOERR;
    n.file = named != NULL ? ncz_strdup(named) : ncz_sprintf("%s/.netrc", home);
    if (n.file == NULL)
        return ncz_fail_nomem(64);
    if ((rc = ncz_read_secret_file(n.file, NETRC_MOST, &absent, &text)) == NC_NOERR && !absent)
        rc = ncz_s3_netrc_parse(ncz_buf_str(&text), text.len, machine, &n);
    ncz_wipe(text.data, text.cap);
    ncz_buf_clear(&text);
    if (rc == NC_NOERR) {
        *out = n;
        return NC_NOERR;
    }
    if (rc != NC_ENOMEM) {
        ncz_err err;

        ncz_err_save(&err, rc);
        rc = ncz_fail(NC_EAUTH, "%.200s: %s", n.file, err.text);
    }
    ncz_s3_netrc_clear(&n);
    return rc;
}
