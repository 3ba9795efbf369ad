/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_parse.c: parses limits: NCO's "dim,first,last,stride" and subscripts as Python has them.
 */
#include "common/hyperslab.h"
#include "common/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
fail(char *why, const char *text, const char *what)
{
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s: %s", text, what);
    return false;
}

static hyperslab_limit *
add_limit(hyperslab_limits *l, const char *text)
{
    l->v = memory_grow(l->v, l->n, sizeof *l->v);
    l->v[l->n] = (hyperslab_limit){.stride = 1, .text = memory_need(strdup(text))};
    return &l->v[l->n++];
}

void
hyperslab_limits_clear(hyperslab_limits *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].text);
        free(l->v[i].dim);
        free(l->v[i].var);
    }
    free(l->v);
    *l = (hyperslab_limits){.n = 0};
}

static bool
parse_index(const char *s, size_t len, long long *out)
{
    char *end;

    errno = 0;
    *out = strtoll(s, &end, 10);
    return len > 0 && errno == 0 && end == s + len && strchr(" \t\n", *s) == NULL;
}

static bool
is_value(const char *s, size_t len)
{
    return strcspn(s, ".eE") < len;
}

typedef enum edge_kind { BY_INDEX, BY_VALUE, BY_DATE } edge_kind;

/* An empty edge is not given. */
static bool
parse_edge(const char *s, size_t len, hyperslab_edge *e, edge_kind *kind)
{
    char *end;

    *e = (hyperslab_edge){.given = len > 0};
    if (len == 0)
        return true;
    if (ncz_cf_date_looks(s, len)) {
        *kind = BY_DATE;
        return ncz_cf_date_parse(s, len, &e->date);
    }
    if (!is_value(s, len))
        return parse_index(s, len, &e->index);
    *kind = BY_VALUE;
    e->value = strtod(s, &end);
    return end == s + len && isfinite(e->value) && strchr(" \t\n", *s) == NULL;
}

static bool
parse_stride(const char *s, size_t len, size_t *out)
{
    long long n;

    if (!parse_index(s, len, &n) || n < 1 || (unsigned long long)n > SIZE_MAX / 2)
        return false;
    *out = (size_t)n;
    return true;
}

/* The name before the first comma that has no backslash before it. */
static char *
parse_name(const char **p)
{
    char  *name = memory_alloc(strlen(*p) + 1, 1);
    size_t n = 0;

    for (; **p != '\0' && **p != ','; ++*p) {
        if (**p == '\\' && (*p)[1] != '\0')
            ++*p;
        name[n++] = **p;
    }
    return name;
}

static bool
parse_limits(hyperslab_limit *l, const char *p, char *why)
{
    edge_kind first = BY_INDEX, last = BY_INDEX;
    size_t    len = strcspn(p, ",");

    if (!parse_edge(p, len, &l->first, &first))
        return fail(why, l->text,
                    first == BY_DATE ? "the first limit is not a date (like 2001-02, 2001-02-01, 2001-02-01T12:00Z)"
                                     : "the first limit is not a number");
    p += len;
    l->single = *p == '\0';
    if (*p == ',') {
        len = strcspn(++p, ",");
        if (!parse_edge(p, len, &l->last, &last))
            return fail(why, l->text,
                        last == BY_DATE ? "the last limit is not a date (like 2001-02, 2001-02-01, 2001-02-01T12:00Z)"
                                        : "the last limit is not a number");
        p += len;
    }
    if (*p == ',') {
        len = strlen(++p);
        if (!parse_stride(p, len, &l->stride))
            return fail(why, l->text, "the stride is not a positive integer");
    } else if (!l->first.given && !l->last.given) {
        return fail(why, l->text, "no limit is given");
    }
    if (l->first.given && l->last.given && first != last && (first == BY_DATE || last == BY_DATE))
        return fail(why, l->text, "one limit is a date and the other is not");
    if (l->first.given && l->last.given && first != last)
        return fail(why, l->text,
                    "one limit is an index and the other a value: values have a decimal point or an exponent");
    l->by_value = first == BY_VALUE || last == BY_VALUE;
    l->by_date = first == BY_DATE || last == BY_DATE;
    return true;
}

bool
hyperslab_parse(hyperslab_limits *l, const char *spec, char why[HYPERSLAB_WHY_SIZE])
{
    hyperslab_limit *limit = add_limit(l, spec);
    const char      *p = spec;

    limit->dim = parse_name(&p);
    if (limit->dim[0] == '\0' || *p == '\0')
        return fail(why, spec, "wanted: DIM,FIRST[,[LAST][,STRIDE]]");
    return parse_limits(limit, p + 1, why);
}

/* I, A:B or A:B:STEP; each of A, B may be missing. */
static bool
parse_subscript(hyperslab_limit *l, const char *s, size_t len)
{
    const char *end = s + len, *colon = memchr(s, ':', len), *second;

    l->exclusive = true;
    if (colon == NULL) {
        l->single = l->first.given = true;
        return parse_index(s, len, &l->first.index);
    }
    second = memchr(colon + 1, ':', (size_t)(end - colon - 1));
    l->first.given = colon > s;
    if (l->first.given && !parse_index(s, (size_t)(colon - s), &l->first.index))
        return false;
    len = (size_t)((second != NULL ? second : end) - colon - 1);
    l->last.given = len > 0;
    if (len > 0 && !parse_index(colon + 1, len, &l->last.index))
        return false;
    return second == NULL || end == second + 1 || parse_stride(second + 1, (size_t)(end - second - 1), &l->stride);
}

bool
hyperslab_parse_subscripts(hyperslab_limits *l, const char *var, const char *text, char why[HYPERSLAB_WHY_SIZE])
{
    size_t      n = 1, len;
    const char *p = text;

    for (const char *c = text; *c != '\0'; c++)
        n += *c == ',';
    for (size_t i = 0; i < n; i++, p += len + 1) {
        hyperslab_limit *limit = add_limit(l, text);

        len = strcspn(p, ",");
        limit->var = memory_need(strdup(var));
        limit->place = i;
        limit->nplaces = n;
        if (!parse_subscript(limit, p, len))
            return fail(why, text, "wanted for each dimension: I, A:B or A:B:STEP, with a positive step");
    }
    return true;
}

bool
hyperslab_parse_box(hyperslab_limits *l, const char *text, char why[HYPERSLAB_WHY_SIZE])
{
    static const char option[] = "--bbox ";
    hyperslab_limit  *limit;
    char             *shown = memory_alloc(sizeof option + strlen(text), 1);
    double            v[4];
    const char       *p = text;
    size_t            n = 0;

    memcpy(shown, option, sizeof option - 1);
    memcpy(shown + sizeof option - 1, text, strlen(text));
    limit = add_limit(l, shown);
    free(shown);
    for (char *end; n < 4; n++, p = end + (*end == ',')) {
        v[n] = strtod(p, &end);
        if (end == p || !isfinite(v[n]) || strchr(" \t\n", *p) != NULL || *end != (n < 3 ? ',' : '\0'))
            break;
    }
    if (n < 4)
        return fail(why, limit->text, "wanted: WEST,SOUTH,EAST,NORTH in degrees");
    if (v[1] > v[3])
        return fail(why, limit->text, "its south is north of its north: wanted WEST,SOUTH,EAST,NORTH");
    limit->is_box = limit->by_value = true;
    limit->first = (hyperslab_edge){.given = true, .value = v[0]};
    limit->last = (hyperslab_edge){.given = true, .value = v[2]};
    limit->south = v[1];
    limit->north = v[3];
    return true;
}
