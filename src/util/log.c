/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log: lines on stderr, off by default. Each is written by one call, so that lines of threads do not mix.
 *
 * Callers pass no secrets. What they pass may contain a URL of the user's, or a server's text that repeats one, so what
 * could be a secret in a URL is replaced here once more.
 */
#include "util/util.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LOG_LINE 1024

_Atomic int ncz_log_threshold = NCZ_LOG_OFF;

void
ncz_log_set(ncz_log_level level)
{
    atomic_store_explicit(&ncz_log_threshold, (int)level, memory_order_relaxed);
}

void
ncz_log_raise(ncz_log_level level)
{
    int now = atomic_load_explicit(&ncz_log_threshold, memory_order_relaxed);

    while (now < (int)level && !atomic_compare_exchange_weak_explicit(&ncz_log_threshold, &now, (int)level,
                                                                      memory_order_relaxed, memory_order_relaxed))
        ;
}

/* The length of the character at `s`; 0: it is none. */
static size_t
measure_char(const char *s, size_t left)
{
    for (size_t n = 1; n <= 4 && n <= left; n++)
        if (ncz_utf8_valid(s, n))
            return n;
    return 0;
}

/* Whether a character of `n` bytes, or a byte that is part of none (0), controls a terminal: C0, DEL, or C1, which is
 * two bytes in UTF-8 and one elsewhere. */
static bool
is_control(const char *s, size_t n)
{
    const unsigned char *c = (const unsigned char *)s;

    return n == 0 || (n == 1 && (c[0] < 0x20 || c[0] == 0x7F)) || (n == 2 && c[0] == 0xC2 && c[1] < 0xA0);
}

/* Lines contain names from datasets, which must not control a terminal or begin a line of their own. */
static void
blank_controls(char *s)
{
    for (size_t len = strlen(s), n; len > 0; s += n, len -= n) {
        bool control;

        n = measure_char(s, len);
        control = is_control(s, n);
        n = n == 0 ? 1 : n;
        if (control)
            memset(s, '?', n);
    }
}

/* Replaces [from, to) by at most three asterisks; returns the place behind them. */
static char *
mask(char *from, char *to)
{
    size_t n = (size_t)(to - from) < 3 ? (size_t)(to - from) : 3;

    memset(from, '*', n);
    memmove(from + n, to, strlen(to) + 1);
    return from + n;
}

/* Of each URL the part before an '@', and the query. */
static void
mask_urls(char *s)
{
    while ((s = strstr(s, "://")) != NULL) {
        size_t len = strcspn(s += 3, " \"'<>");
        size_t host = strcspn(s, "/?# \"'<>");
        char  *at = NULL, *query;

        for (char *p = s; p < s + host; p++)
            at = *p == '@' ? p : at;
        if (at != NULL) {
            char *rest = mask(s, at);

            len -= (size_t)(at - rest);
        }
        if ((query = memchr(s, '?', len)) != NULL)
            s = mask(query + 1, query + 1 + strcspn(query + 1, "# \"'<>"));
    }
}

/* The values of these keys, in fragments and elsewhere. */
static void
mask_keys(char *s)
{
    static const char *const keys[] = {
        "access_key_id=", "secret_access_key=", "token=", "password=", "signature=", "credential=", "header="};

    for (; *s != '\0'; s++)
        for (size_t i = 0; i < NCZ_LEN(keys); i++) {
            size_t n = strlen(keys[i]);

            if (strncasecmp(s, keys[i], n) == 0)
                (void)mask(s + n, s + n + strcspn(s + n, keys[i][0] == 'h' ? "&\"<>" : "& \"'<>")); /* has blanks */
        }
}

void
ncz_log(ncz_log_level level, const char *fmt, ...)
{
    static const char *const words[] = {"error", "warning", "request", "info", "chunk"};
    char                     line[LOG_LINE];
    size_t                   head, len;
    va_list                  args;

    if (level < NCZ_LOG_ERROR || level > NCZ_LOG_CHUNK || !ncz_log_on(level))
        return;
    head = (size_t)snprintf(line, sizeof line, "nczarr: %s: ", words[level]);
    va_start(args, fmt);
    vsnprintf(line + head, sizeof line - 1 - head, fmt, args); /* the newline's byte is left */
    va_end(args);
    len = strlen(line);
    line[ncz_utf8_cut(line, len, len)] = '\0';
    blank_controls(line + head);
    mask_urls(line + head);
    mask_keys(line + head);
    len = strlen(line);
    line[len] = '\n';
    fwrite(line, 1, len + 1, stderr);
}
