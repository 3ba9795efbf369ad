/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: "FILE:LINE:COL: text", passed to the caller's report. Long messages are truncated. Uses only gen_report
 * and gen_pos.
 */
#include "gen_int.h"
#include "common/error_text.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 2048

void
gen_say_va(gen_report r, bool is_error, const char *file, gen_pos pos, const char *fmt, va_list args)
{
    char text[MESSAGE_BYTES];
    int  n;

    if (r.say == NULL)
        return;
    n = pos.line == 0
            ? snprintf(text, sizeof text, "%s: %s", file, is_error ? "" : "warning: ")
            : snprintf(text, sizeof text, "%s:%u:%u: %s", file, pos.line, pos.col, is_error ? "" : "warning: ");
    if (n >= 0 && (size_t)n < sizeof text)
        vsnprintf(text + n, sizeof text - (size_t)n, fmt, args);
    r.say(r.ctx, is_error, text);
}

void
gen_say(gen_report r, bool is_error, const char *file, gen_pos pos, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    gen_say_va(r, is_error, file, pos, fmt, args);
    va_end(args);
}

int
gen_nc_error(const gen_writer *w, int rc, gen_pos pos, const char *what, const char *name)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, name, text);
    gen_say(w->opts->report, true, w->cdl->file, pos, "%s %s: %s", what, name, text);
    return rc;
}
