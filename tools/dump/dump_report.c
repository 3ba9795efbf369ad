/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_report.c: the messages of nczdump's engine, on stderr. Knows nothing else of the tool.
 */
#include "dump_int.h"

#include "common/error_text.h"
#include "common/size_text.h"

#include <stdarg.h>
#include <stdlib.h>

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
    va_list args;

    fflush(r->out); /* keeps the two streams in order on a terminal */
    va_start(args, fmt);
    message_vprint(fmt, args);
    va_end(args);
    return keep_status(r, rc);
}

void
dump_add_error(text_buf *t, int rc, const char *about)
{
    char what[ERROR_TEXT_SIZE];

    error_text(rc, about, what);
    text_add(t, what);
}

void
dump_add_bytes(text_buf *t, double bytes)
{
    char room[SIZE_TEXT];

    text_add(t, size_text(bytes, "bytes", room));
}
