/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log: lines on stderr, off by default. Each is written by one call, so that lines of threads do not mix.
 */
#include "util/util.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LOG_LINE 1024

static _Atomic int log_level = NCZ_LOG_OFF;

void
ncz_log_set(ncz_log_level level)
{
    atomic_store_explicit(&log_level, (int)level, memory_order_relaxed);
}

/* Lines contain names from datasets, which must not control a terminal or begin a line of their own. */
static void
blank_controls(char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7F)
            *s = '?';
}

void
ncz_log(ncz_log_level level, const char *fmt, ...)
{
    static const char *const words[] = {"error", "warning", "info", "debug"};
    char                     line[LOG_LINE];
    size_t                   head, len;
    va_list                  args;

    if (level < NCZ_LOG_ERROR || level > NCZ_LOG_DEBUG ||
        (int)level > atomic_load_explicit(&log_level, memory_order_relaxed))
        return;
    head = (size_t)snprintf(line, sizeof line, "nczarr: %s: ", words[level]);
    va_start(args, fmt);
    vsnprintf(line + head, sizeof line - 1 - head, fmt, args); /* the newline's byte is left */
    va_end(args);
    blank_controls(line + head);
    len = strlen(line);
    len = ncz_utf8_cut(line, len, len);
    line[len] = '\n';
    fwrite(line, 1, len + 1, stderr);
}
