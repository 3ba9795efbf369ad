/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_report.c: the messages of nczcopy's engine, on stderr, and the codes it ends with. A message first clears the
 * progress line, if one is drawn. Knows nothing else of the tool.
 */
#include "copy_int.h"

#include "common/error_text.h"
#include "common/interrupt.h"
#include "common/redact_url.h"
#include "common/terminal_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool line_drawn; /* the cursor is after a progress line; guarded by the lock of stderr */

void
copy_set_line_drawn(bool drawn)
{
    line_drawn = drawn;
}

void
copy_clear_line(void)
{
    flockfile(stderr);
    if (line_drawn)
        fputs("\r\x1b[K", stderr);
    line_drawn = false;
    funlockfile(stderr);
}

void *
copy_need(void *p)
{
    if (p == NULL) {
        copy_clear_line();
        fprintf(stderr, "nczcopy: out of memory\n");
        copy_say_unfinished();
        exit(EXIT_FAILURE);
    }
    return p;
}

int
copy_fail(int rc, const char *what)
{
    char *shown = redact_url(what);
    char  text[ERROR_TEXT_SIZE];

    error_text(rc, shown, text);
    copy_say("%s: %s", shown != NULL ? shown : "", text);
    free(shown);
    return rc;
}

void
copy_say(const char *fmt, ...)
{
    char    text[4 * ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    copy_clear_line();
    fprintf(stderr, "nczcopy: ");
    terminal_print(stderr, text);
    fputc('\n', stderr);
}

static char *unfinished; /* as messages name it */
static bool  damage_met;

void
copy_set_damage_met(void)
{
    damage_met = true;
}

void
copy_set_unfinished(const char *what)
{
    free(unfinished);
    unfinished = what != NULL ? copy_need(redact_url(what)) : NULL;
}

void
copy_say_unfinished(void)
{
    if (unfinished == NULL)
        return;
    copy_clear_line();
    fprintf(stderr, "nczcopy: %s is not complete: the same command with --resume%s continues it\n", unfinished,
            damage_met ? " --damaged=fill" : "");
}

int
copy_check_interrupt(void)
{
    return interrupt_seen() ? COPY_STOPPED : NC_NOERR;
}
