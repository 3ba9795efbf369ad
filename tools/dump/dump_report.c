/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_report.c: the messages of nczdump's engine, on stderr. Knows nothing else of the tool.
 */
#include "dump_int.h"

#include "common/error_text.h"
#include "common/terminal_text.h"

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
    return dump_fail_text(r, rc, "%s: %s%s%s", r->file, what != NULL ? what : "", what != NULL ? ": " : "", text);
}

int
dump_fail_text(dump_report *r, int rc, const char *fmt, ...)
{
    char    text[4 * ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fflush(r->out); /* keeps the two streams in order on a terminal */
    flockfile(stderr);
    fprintf(stderr, "nczdump: ");
    terminal_print(stderr, text);
    fputc('\n', stderr);
    funlockfile(stderr);
    return keep_status(r, rc);
}
