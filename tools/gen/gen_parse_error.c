/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The messages of scanner and parser, with the name of the parsed file and a position in it.
 */
#include "gen_int.h"

int
gen_error(gen_parser *p, gen_pos pos, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    gen_say_va(p->report, true, p->cdl->file, pos, fmt, args);
    va_end(args);
    return NC_EINVAL;
}

void
gen_warn(gen_parser *p, gen_pos pos, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    gen_say_va(p->report, false, p->cdl->file, pos, fmt, args);
    va_end(args);
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
