/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_report.c: the messages of nczdump's engine, on stderr. Knows nothing else of the tool.
 */
#include "dump_int.h"

#include "../error_text.h"

#include <stdarg.h>
#include <stdlib.h>

void *
dump_need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "nczdump: out of memory\n");
        exit(EXIT_FAILURE);
    }
    return p;
}

/* Records the first failure's code. */
static int
keep_status(dump_report *r, int rc)
{
    if (r->status == 0)
        r->status = rc;
    return rc;
}

int
dump_fail(dump_report *r, int rc, const char *what)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, what != NULL ? what : r->file, text);
    fflush(r->out); /* keeps the two streams in order on a terminal */
    fprintf(stderr, "nczdump: %s: %s%s%s\n", r->file, what != NULL ? what : "", what != NULL ? ": " : "", text);
    return keep_status(r, rc);
}

int
dump_fail_text(dump_report *r, int rc, const char *fmt, ...)
{
    va_list args;

    fflush(r->out);
    flockfile(stderr);
    fprintf(stderr, "nczdump: ");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
    return keep_status(r, rc);
}
