/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_value.c: one value as CDL, as an attribute, as JSON; and whether it is the fill value.
 *
 * Numbers never depend on the locale of the environment as long as the program does not call setlocale.
 */
#include "dump_int.h"

#include "common/standard_fill.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT_DIGITS = 7, DOUBLE_DIGITS = 15, FORMAT_WIDTH_MAX = 100 };

/*
 * A C_format attribute comes from the file: it is taken only if it is one plain conversion that suits the type, with
 * a bounded width, and the length modifier is put in by us. Anything else is as if it was not there.
 */
static void
take_c_format(dump_number_format *s, nc_type type, const char *f)
{
    static const char floats[] = "eEfFgG", ints[] = "dioxXu";
    bool              real = type == NC_FLOAT || type == NC_DOUBLE;
    const char       *pct = strchr(f, '%'), *p;
    char             *end;
    text_buf          t = TEXT_BUF_INIT;

    if (pct == NULL || strlen(f) > 24)
        return;
    p = pct + 1 + strspn(pct + 1, "-+ #0");
    if (*p >= '0' && *p <= '9' && strtol(p, &end, 10) <= FORMAT_WIDTH_MAX)
        p = end;
    if (*p == '.') {
        p++;
        if (*p >= '0' && *p <= '9' && strtol(p, &end, 10) <= FORMAT_WIDTH_MAX)
            p = end;
    }
    text_addn(&t, f, (size_t)(p - f));
    p += strspn(p, "hlL");
    if (*p != '\0' && strchr(real ? floats : ints, *p) != NULL && strchr(p, '%') == NULL) {
        s->conv = *p;
        text_add(&t, real ? "" : "ll");
        text_add(&t, p);
        if (t.len < sizeof s->format)
            memcpy(s->format, t.s, t.len + 1);
    }
    text_clear(&t);
}

dump_number_format
dump_number_format_for(const dump_context *d, int grp, int varid, nc_type type)
{
    dump_number_format s = {.float_digits = d->o->float_digits != 0 ? d->o->float_digits : FLOAT_DIGITS,
                            .double_digits = d->o->double_digits != 0 ? d->o->double_digits : DOUBLE_DIGITS};
    att_value          a;
    bool               wanted = varid != NC_GLOBAL && type != NC_CHAR && type < NC_STRING &&
                  !(type == NC_FLOAT && d->o->float_digits != 0) && !(type == NC_DOUBLE && d->o->double_digits != 0);

    if (wanted && att_value_load(grp, varid, "C_format", &a) == NC_NOERR) {
        if (a.type == NC_CHAR)
            take_c_format(&s, type, a.val);
        att_value_clear(&a);
    }
    return s;
}

/* NaN and the infinities, which printf spells otherwise. */
static bool
add_nonfinite(text_buf *t, double x, const char *suffix)
{
    if (isnan(x))
        text_addf(t, "NaN%s", suffix);
    else if (isinf(x))
        text_addf(t, "%sInfinity%s", x < 0 ? "-" : "", suffix);
    else
        return false;
    return true;
}

/* The attribute form of a number: always a point or an exponent, no zeros after the last significant digit. */
static void
add_real_att(text_buf *t, double x, int digits)
{
    text_buf num = TEXT_BUF_INIT;
    char    *exp, *end;
    size_t   keep;

    text_addf(&num, "%#.*g", digits, x);
    exp = strchr(num.s, 'e');
    end = exp != NULL ? exp : num.s + num.len;
    keep = (size_t)(end - num.s);
    while (keep > 0 && num.s[keep - 1] == '0')
        keep--;
    text_addn(t, num.s, keep);
    text_add(t, end);
    text_clear(&num);
}

static void
add_real(text_buf *t, const dump_number_format *s, double x, int digits)
{
    if (s->format[0] != '\0')
        text_addf(t, s->format, x);
    else
        text_addf(t, "%.*g", digits, x);
}

static void
add_int(text_buf *t, const dump_number_format *s, long long x)
{
    if (s->format[0] != '\0')
        text_addf(t, s->format, x);
    else
        text_addf(t, "%lld", x);
}

static void
add_string(text_buf *t, const char *s)
{
    if (s == NULL) {
        text_add(t, "NIL");
        return;
    }
    text_addc(t, '"');
    text_add_cdl(t, s, strlen(s), false);
    text_addc(t, '"');
}

void
dump_value_cdl(text_buf *t, const dump_number_format *s, nc_type type, const void *p)
{
    switch (type) {
    case NC_FLOAT:
        if (!add_nonfinite(t, *(const float *)p, "f"))
            add_real(t, s, *(const float *)p, s->float_digits);
        break;
    case NC_DOUBLE:
        if (!add_nonfinite(t, *(const double *)p, ""))
            add_real(t, s, *(const double *)p, s->double_digits);
        break;
    case NC_UINT64:
        if (s->format[0] != '\0')
            add_int(t, s, (long long)*(const unsigned long long *)p);
        else
            text_addf(t, "%llu", *(const unsigned long long *)p);
        break;
    case NC_STRING: add_string(t, *(char *const *)p); break;
    default: add_int(t, s, user_type_read_int(type, p)); break;
    }
}

void
dump_value_plain(text_buf *t, const dump_number_format *s, nc_type type, const void *p)
{
    switch (type) {
    case NC_FLOAT:
        if (!add_nonfinite(t, *(const float *)p, ""))
            add_real_att(t, *(const float *)p, s->float_digits);
        break;
    case NC_DOUBLE:
        if (!add_nonfinite(t, *(const double *)p, ""))
            add_real_att(t, *(const double *)p, s->double_digits);
        break;
    case NC_UINT64: text_addf(t, "%llu", *(const unsigned long long *)p); break;
    default: text_addf(t, "%lld", user_type_read_int(type, p)); break;
    }
}

void
dump_value_att(text_buf *t, const dump_number_format *s, nc_type type, const void *p)
{
    static const char *const suffix[] = {
        [NC_BYTE] = "b",   [NC_SHORT] = "s",   [NC_INT] = "",   [NC_FLOAT] = "f",  [NC_DOUBLE] = "",
        [NC_UBYTE] = "UB", [NC_USHORT] = "US", [NC_UINT] = "U", [NC_INT64] = "LL", [NC_UINT64] = "ULL",
    };

    if (type == NC_STRING) {
        add_string(t, *(char *const *)p);
        return;
    }
    dump_value_plain(t, s, type, p);
    text_add(t, suffix[type]);
}

/* The fewest digits that give the same number back. */
static void
add_shortest_real(text_buf *t, double x, int digits, int most, bool single)
{
    text_buf num = TEXT_BUF_INIT;

    if (x == 0 && signbit(x)) { /* "-0" is an integer to most readers, and loses its sign */
        text_add(t, "-0.0");
        return;
    }
    for (; digits <= most; digits++) {
        text_reset(&num);
        text_addf(&num, "%.*g", digits, x);
        if (single ? strtof(num.s, NULL) == (float)x : strtod(num.s, NULL) == x)
            break;
    }
    text_add(t, num.s);
    text_clear(&num);
}

static void
add_json_real(text_buf *t, double x, bool single)
{
    if (isfinite(x)) {
        add_shortest_real(t, x, single ? 6 : 15, single ? 9 : 17, single);
        return;
    }
    text_addc(t, '"');
    (void)add_nonfinite(t, x, "");
    text_addc(t, '"');
}

void
dump_value_json(text_buf *t, nc_type type, const void *p)
{
    const char *s;

    switch (type) {
    case NC_FLOAT: add_json_real(t, *(const float *)p, true); break;
    case NC_DOUBLE: add_json_real(t, *(const double *)p, false); break;
    case NC_UINT64: text_addf(t, "%llu", *(const unsigned long long *)p); break;
    case NC_CHAR: text_add_json(t, p, 1); break;
    case NC_STRING:
        s = *(char *const *)p;
        if (s == NULL)
            text_add(t, "null");
        else
            text_add_json(t, s, strlen(s));
        break;
    default: text_addf(t, "%lld", user_type_read_int(type, p)); break;
    }
}

long double
dump_value_exact(nc_type type, const void *p)
{
    switch (type) {
    case NC_FLOAT: return (long double)*(const float *)p;
    case NC_DOUBLE: return (long double)*(const double *)p;
    case NC_UINT64: return (long double)*(const unsigned long long *)p;
    default: return (long double)user_type_read_int(type, p);
    }
}

double
dump_value_double(nc_type type, const void *p)
{
    return (double)dump_value_exact(type, p);
}

/*
 * The standard fill counts where the variable names none; not for bytes, whose every value is likely data, and not
 * for characters, which print as text. As in ncdump, sequences are always printed.
 */
void
dump_fill_load(const dump_var *v, dump_fill *f)
{
    *f = (dump_fill){.type = v->type};
    if (att_value_load(v->grp, v->id, "_FillValue", &f->own) == NC_NOERR && f->own.type == v->type &&
        f->own.len == 1 && f->own.val != NULL) {
        f->has = f->own.user == NULL || f->own.user->class != NC_VLEN;
        return;
    }
    att_value_clear(&f->own);
    f->standard = standard_fill(v->type);
    f->has = f->standard != NULL && v->type != NC_BYTE && v->type != NC_UBYTE && v->type != NC_CHAR;
}

void
dump_fill_clear(dump_fill *f)
{
    att_value_clear(&f->own);
    f->has = false;
}

bool
dump_fill_matches(const dump_fill *f, const void *p)
{
    const void *q = f->own.val != NULL ? f->own.val : f->standard;
    const char *a, *b;

    if (!f->has)
        return false;
    if (f->own.user != NULL)
        return user_type_is_equal(f->own.user, p, f->own.user, q);
    switch (f->type) {
    case NC_FLOAT: return standard_fill_is_near(*(const float *)p, *(const float *)q, FLT_EPSILON);
    case NC_DOUBLE: return standard_fill_is_near(*(const double *)p, *(const double *)q, DBL_EPSILON);
    case NC_STRING:
        a = *(char *const *)p;
        b = *(const char *const *)q;
        return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
    default: return memcmp(p, q, dump_type_size(f->type)) == 0;
    }
}
