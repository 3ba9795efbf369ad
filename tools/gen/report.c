/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: "FILE:LINE:COL: text", handed to the caller's report. Long ones are cut.
 */
#include "gen_int.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 2048

static void
say_va(gen_report r, bool is_error, const char *file, gen_pos pos, const char *fmt, va_list args)
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
    say_va(r, is_error, file, pos, fmt, args);
    va_end(args);
}

int
gen_error(gen_parser *p, gen_pos pos, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say_va(p->report, true, p->cdl->file, pos, fmt, args);
    va_end(args);
    return NC_EINVAL;
}

void
gen_warn(gen_parser *p, gen_pos pos, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say_va(p->report, false, p->cdl->file, pos, fmt, args);
    va_end(args);
}

int
gen_nomem(gen_parser *p)
{
    gen_say(p->report, true, p->cdl->file, p->tok.pos, "out of memory");
    return NC_ENOMEM;
}

int
gen_unexpected(gen_parser *p, const char *wanted)
{
    const gen_token *t = &p->tok;
    size_t           n = t->end - t->start;

    if (t->tok == GEN_T_END)
        return gen_error(p, t->pos, "expected %s, found the end of the text", wanted);
    return gen_error(p, t->pos, "expected %s, found '%.*s%s'", wanted, (int)(n > 40 ? 40 : n), p->src + t->start,
                     n > 40 ? "..." : "");
}
