/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single values: numbers, strings, and words that stand for values.
 */
#include "gen_int.h"

#include <math.h>
#include <string.h>

bool
gen_find_named_real(const char *word, gen_const *out)
{
    static const struct {
        const char *word;
        nc_type     type;
        bool        nan;
    } known[] = {
        {"NaN", NC_DOUBLE, true},       {"nan", NC_DOUBLE, true},       {"NaNf", NC_FLOAT, true},
        {"nanf", NC_FLOAT, true},       {"Infinity", NC_DOUBLE, false}, {"DoubleInf", NC_DOUBLE, false},
        {"Infinityf", NC_FLOAT, false}, {"Inff", NC_FLOAT, false},      {"FloatInf", NC_FLOAT, false},
    };

    for (size_t i = 0; i < GEN_LEN(known); i++)
        if (strcmp(word, known[i].word) == 0) {
            out->kind = GEN_REAL;
            out->type = known[i].type;
            out->v.d = known[i].nan ? (double)NAN : HUGE_VAL;
            return true;
        }
    return false;
}

/* Gives the current token as a value without moving on. The token owns its text. */
int
gen_peek_const(gen_parser *p, gen_const *out)
{
    const gen_token *t = &p->tok;

    *out = (gen_const){.kind = GEN_NAME, .pos = t->pos, .s = t->text, .len = t->len};
    if (t->tok == GEN_T_CONST)
        *out = t->c;
    else if (t->tok == GEN_T_PATH || (t->tok == GEN_T_WORD && t->quoted))
        return NC_NOERR;
    else if (t->tok != GEN_T_WORD)
        return gen_unexpected(p, "a value");
    else if (strcmp(t->text, "_") == 0)
        out->kind = GEN_FILL;
    else if (strcmp(t->text, "NIL") == 0 || strcmp(t->text, "nil") == 0 || strcmp(t->text, "Nil") == 0)
        out->kind = GEN_NIL;
    else
        (void)gen_find_named_real(t->text, out);
    return NC_NOERR;
}

int
gen_take_const(gen_parser *p, gen_const *out)
{
    int rc = gen_peek_const(p, out);

    if (rc != NC_NOERR)
        return rc;
    if (out->kind == GEN_STRING || out->kind == GEN_NAME) /* copy its text, which is valid only for this token */
        out->s = gen_strndup(&p->cdl->arena, out->s, out->len);
    return gen_next(p);
}
