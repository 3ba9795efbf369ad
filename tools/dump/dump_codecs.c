/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_codecs.c: a variable's filters as the API reports them, and its _Codecs document.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

int
dump_filters_load(const dump_var *v, dump_filters *f)
{
    int rc;

    *f = (dump_filters){.n = 0};
    if ((rc = nc_inq_var_filter_ids(v->grp, v->id, &f->n, NULL)) != NC_NOERR || f->n == 0) {
        f->n = 0;
        return rc;
    }
    f->id = memory_alloc(f->n, sizeof *f->id);
    f->nparams = memory_alloc(f->n, sizeof *f->nparams);
    f->params = memory_alloc(f->n, sizeof *f->params);
    rc = nc_inq_var_filter_ids(v->grp, v->id, &f->n, f->id);
    for (size_t i = 0; i < f->n && rc == NC_NOERR; i++) {
        /* A filter without its parameters is still worth naming. */
        if (nc_inq_var_filter_info(v->grp, v->id, f->id[i], &f->nparams[i], NULL) != NC_NOERR)
            f->nparams[i] = 0;
        f->params[i] = memory_alloc(f->nparams[i], sizeof *f->params[i]);
        if (f->nparams[i] > 0)
            rc = nc_inq_var_filter_info(v->grp, v->id, f->id[i], &f->nparams[i], f->params[i]);
    }
    if (rc != NC_NOERR)
        dump_filters_clear(f);
    return rc;
}

void
dump_filters_clear(dump_filters *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->params[i]);
    free(f->id);
    free(f->nparams);
    free(f->params);
    *f = (dump_filters){.n = 0};
}

char *
dump_codecs_text(const dump_var *v)
{
    att_value a;
    char     *s = NULL;

    if (att_value_load(v->grp, v->id, "_Codecs", &a) == NC_NOERR && a.type == NC_CHAR && a.len > 0)
        s = memory_need(strdup(a.val));
    att_value_clear(&a);
    return s;
}

/* ---- is it JSON? -------------------------------------------------------------------------------------------- */

enum { JSON_DEPTH_MAX = 64 };

/* `numbers`: the bare words of numbers that JSON lacks are taken, too, as Python writes them. */
static const char *skip_json_value(const char *s, bool numbers, int depth);

static const char *
skip_json_blanks(const char *s)
{
    return s != NULL ? s + strspn(s, " \t\r\n") : NULL;
}

static const char *
skip_json_string(const char *s)
{
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u' && strspn(s + 1, "0123456789abcdefABCDEF") >= 4)
            s += 4;
        else if (*s == '\0' || strchr("\"\\/bfnrt", *s) == NULL)
            return NULL;
    }
    return s + 1;
}

static const char *
skip_json_digits(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n > 0 ? s + n : NULL;
}

static const char *
skip_json_number(const char *s)
{
    s += *s == '-';
    if (*s == '0' && s[1] >= '0' && s[1] <= '9')
        return NULL;
    if ((s = skip_json_digits(s)) != NULL && *s == '.')
        s = skip_json_digits(s + 1);
    if (s != NULL && (*s == 'e' || *s == 'E')) {
        s++;
        s = skip_json_digits(s + (*s == '+' || *s == '-'));
    }
    return s;
}

/* Members or elements up to the closing bracket. */
static const char *
skip_json_list(const char *s, char close, bool numbers, int depth)
{
    s = skip_json_blanks(s + 1);
    if (*s == close)
        return s + 1;
    for (;;) {
        if (close == '}') {
            if ((s = skip_json_blanks(skip_json_string(s))) == NULL || *s != ':')
                return NULL;
            s = skip_json_blanks(s + 1);
        }
        if ((s = skip_json_blanks(skip_json_value(s, numbers, depth))) == NULL || (*s != ',' && *s != close))
            return NULL;
        if (*s == close)
            return s + 1;
        s = skip_json_blanks(s + 1);
    }
}

/* The end of the value at s, or NULL when it is not valid. */
static const char *
skip_json_value(const char *s, bool numbers, int depth)
{
    static const char *const word[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};

    if (depth > JSON_DEPTH_MAX)
        return NULL;
    if (*s == '{' || *s == '[')
        return skip_json_list(s, *s == '{' ? '}' : ']', numbers, depth + 1);
    if (*s == '"')
        return skip_json_string(s);
    for (size_t i = 0; i < (numbers ? 6 : 3); i++)
        if (strncmp(s, word[i], strlen(word[i])) == 0)
            return s + strlen(word[i]);
    return skip_json_number(s);
}

bool
dump_json_is_valid(const char *s, bool numbers)
{
    const char *end = skip_json_blanks(skip_json_value(skip_json_blanks(s), numbers, 0));

    return end != NULL && *end == '\0' && text_is_utf8(s, strlen(s));
}
