/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does to a store what it is told, one line at a time, and answers each line with one: what chaos_run.py speaks to.
 * Keys and bytes travel as hexadecimal digits, "-" is none. Commands: open URL (read URL: only to read), get K,
 * range K OFF LEN, gets K..., put K D, putnew K D, putif K VERSION D, puts K D..., dels K..., list K, close.
 * Answers: ok, absent, past, exists, gone, data D VERSION, names K K/ ..., fail CODE TEXT; of batches with " ; "
 * between.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nczarr_zmap.h"
#include "zmap/zmap.h"

enum { WORDS = 64 };

static zmap *store;

static _Noreturn void
die(const char *why)
{
    fprintf(stderr, "s3_ops: %s\n", why);
    exit(2);
}

static void
say_hex(const void *data, size_t len)
{
    const unsigned char *p = data;

    if (len == 0)
        putchar('-');
    for (size_t i = 0; i < len; i++)
        printf("%02x", p[i]);
}

/* In place; the number of bytes. A NUL stands behind them. */
static size_t
from_hex(char *s)
{
    size_t n = strcmp(s, "-") == 0 ? 0 : strlen(s) / 2;

    for (size_t i = 0; i < n; i++) {
        unsigned b;

        if (sscanf(s + 2 * i, "%2x", &b) != 1)
            die("not hexadecimal");
        s[i] = (char)b;
    }
    s[n] = '\0';
    return n;
}

static void
say_failure(int code, const char *text)
{
    printf("fail %d ", code);
    say_hex(text, strlen(text));
}

static void
say_get(zmap_get_req *r)
{
    if (r->err.code == NC_EEMPTY)
        printf("absent");
    else if (r->err.code == NC_EINVAL && r->len != ZMAP_WHOLE)
        printf("past");
    else if (r->err.code != NC_NOERR)
        say_failure(r->err.code, r->err.text);
    else {
        printf("data ");
        say_hex(r->body.data, r->body.len);
        putchar(' ');
        say_hex(r->version, strlen(r->version));
    }
    ncz_buf_clear(&r->body);
}

static void
say_put(const zmap_put_req *r)
{
    if (r->err.code == NC_NOERR)
        printf("ok");
    else if (r->err.code == NC_EOBJECT)
        printf("exists");
    else if (r->err.code == NC_ENOOBJECT && r->when == ZMAP_IF_MATCH && strstr(r->err.text, "NoSuchBucket") == NULL)
        printf("gone");
    else
        say_failure(r->err.code, r->err.text);
}

static void
say_rc(int rc)
{
    if (rc == NC_NOERR)
        printf("ok");
    else
        say_failure(rc, nczarr_errmsg());
}

/* ---- commands: the words after the name ------------------------------------------------------------------------ */

static void
do_open(char **w, int n)
{
    (void)n;
    say_rc(nczarr_map_open(w[0], NCZARR_MAP_WRITE, &store));
}

static void
do_read(char **w, int n)
{
    (void)n;
    say_rc(nczarr_map_open(w[0], NCZARR_MAP_READ, &store));
}

static void
do_gets(char **w, int n)
{
    zmap_get_req r[WORDS];

    for (int i = 0; i < n; i++) {
        (void)from_hex(w[i]);
        r[i] = (zmap_get_req){.key = w[i], .len = ZMAP_WHOLE};
    }
    (void)zmap_get_batch(store, r, (size_t)n, NULL, NULL);
    for (int i = 0; i < n; i++) {
        printf("%s", i > 0 ? " ; " : "");
        say_get(&r[i]);
    }
}

static void
do_range(char **w, int n)
{
    zmap_get_req r = {.key = w[0], .off = strtoull(w[1], NULL, 10), .len = strtoull(w[2], NULL, 10)};

    (void)n;
    (void)from_hex(w[0]);
    (void)zmap_get_batch(store, &r, 1, NULL, NULL);
    say_get(&r);
}

static void
do_puts(char **w, int n)
{
    zmap_put_req r[WORDS];
    int          count = n / 2;

    for (int i = 0; i < count; i++) {
        (void)from_hex(w[2 * i]);
        r[i] = (zmap_put_req){.key = w[2 * i], .data = w[2 * i + 1], .len = from_hex(w[2 * i + 1])};
    }
    (void)zmap_put_batch(store, r, (size_t)count);
    for (int i = 0; i < count; i++) {
        printf("%s", i > 0 ? " ; " : "");
        say_put(&r[i]);
    }
}

static void
put_when(zmap_when when, char *key, char *version, char *data)
{
    zmap_put_req r = {.key = key, .data = data, .when = when, .version = version};

    (void)from_hex(key);
    r.len = from_hex(data);
    if (version != NULL)
        (void)from_hex(version);
    (void)zmap_put_batch(store, &r, 1);
    say_put(&r);
}

static void
do_putnew(char **w, int n)
{
    (void)n;
    put_when(ZMAP_IF_ABSENT, w[0], NULL, w[1]);
}

static void
do_putif(char **w, int n)
{
    (void)n;
    put_when(ZMAP_IF_MATCH, w[0], w[1], w[2]);
}

static void
do_dels(char **w, int n)
{
    const char *keys[WORDS];

    for (int i = 0; i < n; i++) {
        (void)from_hex(w[i]);
        keys[i] = w[i];
    }
    say_rc(zmap_del(store, keys, (size_t)n));
}

static int
note_name(const char *name, bool leaf, void *arg)
{
    ncz_buf *out = arg;
    int      rc = ncz_buf_puts(out, " ");

    for (const char *p = name; *p != '\0' && rc == NC_NOERR; p++)
        rc = ncz_buf_printf(out, "%02x", (unsigned char)*p);
    return rc == NC_NOERR && !leaf ? ncz_buf_puts(out, "/") : rc;
}

static void
do_list(char **w, int n)
{
    ncz_buf names = NCZ_BUF_INIT;
    int     rc;

    (void)n;
    (void)from_hex(w[0]);
    if ((rc = zmap_list(store, w[0], note_name, &names)) == NC_NOERR)
        printf("names%s", ncz_buf_str(&names));
    else
        say_rc(rc);
    ncz_buf_clear(&names);
}

static void
do_close(char **w, int n)
{
    (void)w, (void)n;
    say_rc(zmap_close(store, ZMAP_KEEP));
    store = NULL;
}

static const struct {
    const char *name;
    int         words; /* at least */
    void (*go)(char **w, int n);
} commands[] = {
    {"open", 1, do_open},   {"get", 1, do_gets},  {"gets", 1, do_gets},   {"range", 3, do_range},
    {"put", 2, do_puts},    {"puts", 2, do_puts}, {"dels", 1, do_dels},   {"putnew", 2, do_putnew},
    {"putif", 3, do_putif}, {"list", 1, do_list}, {"close", 0, do_close}, {"read", 1, do_read},
};

static void
do_line(char *line)
{
    char *w[WORDS], *save = NULL;
    int   n = 0;

    for (char *p = strtok_r(line, " \n", &save); p != NULL && n < WORDS; p = strtok_r(NULL, " \n", &save))
        w[n++] = p;
    for (size_t i = 0; n > 0 && i < NCZ_LEN(commands); i++) {
        if (strcmp(w[0], commands[i].name) == 0 && n > commands[i].words) {
            if (store == NULL && commands[i].go != do_open && commands[i].go != do_read)
                die("no store is open");
            commands[i].go(w + 1, n - 1);
            putchar('\n');
            fflush(stdout);
            return;
        }
    }
    die("no such command");
}

int
main(void)
{
    char  *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, stdin) > 0)
        do_line(line);
    free(line);
    return 0;
}
