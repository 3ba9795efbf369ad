/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_flags.c: categories, as CF's flag_values, flag_masks and flag_meanings name them.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* The attributes, as they are. */
typedef struct flag_atts {
    size_t    n;
    double   *value, *mask; /* NULL: there is no such attribute */
    att_value meanings;
} flag_atts;

static double *
load_list(const dump_var *v, const value_meaning *m, const char *name, size_t *n)
{
    att_value a;
    double   *list = NULL;

    if (att_value_load(v->grp, v->id, name, &a) == NC_NOERR && a.user == NULL && a.val != NULL && a.len > 0 &&
        a.type != NC_CHAR && a.type != NC_STRING) {
        list = memory_alloc(a.len, sizeof *list);
        for (size_t i = 0; i < a.len; i++)
            list[i] = value_meaning_of_att(m, a.type, (const char *)a.val + i * dump_type_size(a.type));
        *n = *n == 0 || a.len < *n ? a.len : *n;
    }
    att_value_clear(&a);
    return list;
}

static bool
load_atts(const dump_var *v, const value_meaning *m, flag_atts *a)
{
    *a = (flag_atts){.n = 0};
    if (att_value_load(v->grp, v->id, "flag_meanings", &a->meanings) != NC_NOERR || a->meanings.type != NC_CHAR ||
        a->meanings.val == NULL)
        return false;
    a->value = load_list(v, m, "flag_values", &a->n);
    a->mask = load_list(v, m, "flag_masks", &a->n);
    return a->n > 0;
}

static void
clear_atts(flag_atts *a)
{
    free(a->value);
    free(a->mask);
    att_value_clear(&a->meanings);
}

/* The i-th word of the meanings, and its length; 0: there are fewer. */
static const char *
find_meaning(const flag_atts *a, size_t i, size_t *len)
{
    const char *s = (const char *)a->meanings.val + strspn(a->meanings.val, BLANKS);

    for (; i > 0 && *s != '\0'; i--) {
        s += strcspn(s, BLANKS);
        s += strspn(s, BLANKS);
    }
    *len = strcspn(s, BLANKS);
    return s;
}

static void
add_meaning(text_buf *t, const flag_atts *a, size_t i)
{
    size_t      len;
    const char *s = find_meaning(a, i, &len);

    for (size_t k = 0; k < len; k++)
        text_addc(t, s[k] == '_' ? ' ' : s[k]);
}

static void
add_flag(report_flags *f, double value, text_buf *name)
{
    text_addn(name, "", 0);
    f->value[f->n] = value;
    f->name[f->n++] = name->s; /* it owns the text from now on */
}

/* ---- masks ---------------------------------------------------------------------------------------------------- */

/* The bits of a number of up to 64 bits, with a sign or without. Others have none. */
static unsigned long long
take_bits(double value)
{
    if (value >= 0x1p63)
        return value < 0x1p64 ? (unsigned long long)value : 0;
    return value >= -0x1p63 ? (unsigned long long)(long long)value : 0;
}

/* The flags that are set in a value: "cloud + snow"; "none". */
static void
add_combination(report_flags *f, const flag_atts *a, double value)
{
    unsigned long long bits = take_bits(value);
    text_buf           t = TEXT_BUF_INIT;

    for (size_t i = 0; i < a->n; i++) {
        unsigned long long mask = take_bits(a->mask[i]);
        bool               set = a->value != NULL ? (bits & mask) == take_bits(a->value[i]) : (bits & mask) != 0;

        if (set) {
            text_add(&t, t.len > 0 ? " + " : "");
            add_meaning(&t, a, i);
        }
    }
    if (t.len == 0)
        text_add(&t, "none");
    add_flag(f, value, &t);
}

static int
compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* False: more values occur than there are colors. */
static bool
find_combinations(report_flags *f, const flag_atts *a, const report_sample *s)
{
    double found[REPORT_CATEGORIES];
    int    n = 0;

    for (size_t i = 0; i < s->n; i++) {
        int k = 0;

        if (!isfinite(s->value[i]) || fabs(s->value[i]) > 9e15 || (i > 0 && s->value[i] == s->value[i - 1]))
            continue;
        while (k < n && found[k] != s->value[i])
            k++;
        if (k == REPORT_CATEGORIES)
            return false;
        if (k == n)
            found[n++] = s->value[i];
    }
    qsort(found, (size_t)n, sizeof *found, compare_values);
    for (int i = 0; i < n; i++)
        add_combination(f, a, found[i]);
    return true;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void
count_values(report_flags *f, const report_sample *s)
{
    for (size_t i = 0; i < s->n; i++) {
        int k = isfinite(s->value[i]) ? report_flags_find(f, s->value[i]) : -1;

        if (k >= 0)
            f->count[k]++;
        else if (isfinite(s->value[i]))
            f->others++;
    }
}

void
report_flags_load(const dump_var *v, const value_meaning *m, const report_sample *s, report_flags *f)
{
    flag_atts a;

    *f = (report_flags){.sampled = !s->all};
    if (load_atts(v, m, &a) && !m->packed) {
        if (a.mask != NULL && !find_combinations(f, &a, s))
            report_flags_clear(f);
        for (size_t i = 0; a.mask == NULL && a.n <= REPORT_CATEGORIES && i < a.n; i++) {
            text_buf t = TEXT_BUF_INIT;

            add_meaning(&t, &a, i);
            add_flag(f, a.value[i], &t);
        }
        if (f->n > 0)
            count_values(f, s);
    }
    clear_atts(&a);
}

int
report_flags_find(const report_flags *f, double value)
{
    for (int i = 0; i < f->n; i++)
        if (f->value[i] == value)
            return i;
    return -1;
}

void
report_flags_clear(report_flags *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->name[i]);
    *f = (report_flags){.n = 0};
}
