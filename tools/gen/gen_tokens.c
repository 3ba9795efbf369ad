/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser's functions for single tokens: test, expect, accept, take a name.
 */
#include "gen_int.h"

#include <string.h>

size_t
gen_text_start(const gen_parser *p)
{
    return p->len >= 3 && memcmp(p->src, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool
gen_at(const gen_parser *p, char punct)
{
    return p->tok.tok == GEN_T_PUNCT && p->tok.punct == punct;
}

bool
gen_at_word(const gen_parser *p, const char *word)
{
    return p->tok.tok == GEN_T_WORD && !p->tok.quoted && strcmp(p->tok.text, word) == 0;
}

int
gen_expect(gen_parser *p, char punct)
{
    char wanted[] = {'\'', punct, '\'', '\0'};

    return gen_at(p, punct) ? gen_next(p) : gen_unexpected(p, wanted);
}

int
gen_accept(gen_parser *p, char punct, bool *found)
{
    *found = gen_at(p, punct);
    return *found ? gen_next(p) : NC_NOERR;
}

int
gen_take_name(gen_parser *p, const char *what, const char **name, gen_pos *pos)
{
    if (p->tok.tok != GEN_T_WORD)
        return gen_unexpected(p, what);
    *pos = p->tok.pos;
    *name = gen_strndup(&p->cdl->arena, p->tok.text, p->tok.len);
    return gen_next(p);
}
