/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers to text and back, whatever the locale.
 *
 * The C library rounds correctly, but its text has the locale's decimal separator. So only forms without one are used:
 * digits and exponent are taken from "%e", and strtod() reads digits "e" exponent, which has no separator. No state.
 */
#include "util/util.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 767 significant digits determine any double; of the rest only matters whether all are zero. */
#define DIGITS_MOST 800
#define EXP_MOST    99999 /* more than DIGITS_MOST + 324 + 1: beyond it values are 0 or infinite */

/* ---- text to number ---- */

/* A decimal number taken apart: sign, significant digits, and the power of ten of the last one. */
typedef struct decimal {
    bool    minus;
    size_t  n;
    int64_t exp10;
    char    digits[DIGITS_MOST + 1 + 16]; /* room for the sticky digit and "e-99999" */
} decimal;

/* Adds digits; `scale` is 1 after the point. Digits beyond the most become one sticky 1 unless all are 0. */
static size_t
take_digits(decimal *d, const char *s, size_t len, int scale, bool *sticky)
{
    size_t i;

    for (i = 0; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
        if (d->n < DIGITS_MOST) {
            if (d->n != 0 || s[i] != '0')
                d->digits[d->n++] = s[i];
            d->exp10 -= scale;
        } else {
            *sticky = *sticky || s[i] != '0';
            d->exp10 += 1 - scale;
        }
    }
    return i;
}

/* The exponent's digits, saturating: a document is far shorter than 1e15 bytes, so the sum cannot wrap. */
static size_t
take_exponent(decimal *d, const char *s, size_t len)
{
    bool    minus = len > 0 && s[0] == '-';
    size_t  i = len > 0 && (s[0] == '-' || s[0] == '+') ? 1 : 0;
    size_t  first = i;
    int64_t e = 0;

    for (; i < len && s[i] >= '0' && s[i] <= '9'; i++)
        if (e < INT64_C(1000000000000000))
            e = e * 10 + (s[i] - '0');
    d->exp10 += minus ? -e : e;
    return i > first ? i : 0;
}

static bool
take_decimal(decimal *d, const char *s, size_t len)
{
    bool   sticky = false;
    size_t i = 0, whole, frac = 0, n;

    if (len > 0 && (s[0] == '-' || s[0] == '+'))
        i++;
    d->minus = i == 1 && s[0] == '-';
    i += whole = take_digits(d, s + i, len - i, 0, &sticky);
    if (i < len && s[i] == '.') {
        i++;
        i += frac = take_digits(d, s + i, len - i, 1, &sticky);
    }
    if (whole + frac == 0)
        return false;
    if (i < len && (s[i] == 'e' || s[i] == 'E')) {
        if ((n = take_exponent(d, s + i + 1, len - i - 1)) == 0)
            return false;
        i += n + 1;
    }
    if (sticky) {
        d->digits[d->n++] = '1';
        d->exp10--;
    }
    return i == len;
}

bool
ncz_double_of_digits(uint64_t digits, int exp10, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (FLT_EVAL_METHOD != 0 || digits >= UINT64_C(1000000000000000) || exp10 < -22 || exp10 > 22)
        return false;
    *out = exp10 < 0 ? (double)digits / tens[-exp10] : (double)digits * tens[exp10];
    return true;
}

static bool
small_double(const decimal *d, double *out)
{
    uint64_t v = 0;

    if (d->n > 15 || d->exp10 < -22 || d->exp10 > 22)
        return false;
    for (size_t i = 0; i < d->n; i++)
        v = v * 10 + (uint64_t)(d->digits[i] - '0');
    return ncz_double_of_digits(v, (int)d->exp10, out);
}

/* Writes the digits as a text for strtod() and strtof(). */
static const char *
plain_text(decimal *d)
{
    int64_t e = d->exp10 > EXP_MOST ? EXP_MOST : d->exp10 < -EXP_MOST ? -EXP_MOST : d->exp10;

    if (d->n == 0)
        d->digits[d->n++] = '0';
    snprintf(d->digits + d->n, sizeof d->digits - d->n, "e%d", (int)e);
    return d->digits;
}

bool
ncz_text_double(const char *s, size_t len, double *out)
{
    decimal d;
    double  v;

    d.minus = false;
    d.n = 0;
    d.exp10 = 0;
    if (!take_decimal(&d, s, len))
        return false;
    if (d.n == 0)
        v = 0.0;
    else if (!small_double(&d, &v))
        v = strtod(plain_text(&d), NULL);
    *out = d.minus ? -v : v;
    return true;
}

/* ---- number to text ---- */

/* A value's first `n` digits, rounded, and the power of ten of the first one; trailing zeros are dropped. */
typedef struct digits {
    char   text[20];
    size_t n;
    int    exp10;
} digits;

static digits
digits_of(double v, int n)
{
    char        text[48];
    digits      d = {.n = 0};
    const char *p = text;

    snprintf(text, sizeof text, "%.*e", n - 1, v);
    for (; *p != 'e' && *p != '\0'; p++)
        if (*p >= '0' && *p <= '9' && d.n < sizeof d.text)
            d.text[d.n++] = *p;
    d.exp10 = *p == 'e' ? atoi(p + 1) : 0;
    while (d.n > 1 && d.text[d.n - 1] == '0')
        d.n--;
    return d;
}

static bool
reads_back(const digits *d, double v, bool is_float)
{
    char text[48];

    snprintf(text, sizeof text, "%.*se%d", (int)d->n, d->text, d->exp10 - (int)(d->n - 1));
    if (!is_float)
        return strtod(text, NULL) == v;
    /* A reader may read a float as a double or as a float: both must give the value. */
    return (float)strtod(text, NULL) == (float)v && strtof(text, NULL) == (float)v;
}

/* One more in the last place. Only a power of two needs it: the gap above it is twice the gap below, so that a text
 * that reads back may lie above it although the nearest of that length, below it, does not. */
static bool
step_up(digits *d, double v, int n)
{
    int e;

    if (frexp(v, &e) != 0.5)
        return false;
    while (d->n < (size_t)n)
        d->text[d->n++] = '0';
    while (d->n > 1 && d->text[d->n - 1] == '9')
        d->n--;
    d->text[d->n - 1]++; /* a first digit of 9 gives what does not read back */
    return true;
}

/* 0.001, 12.5 and 100.0 as people write them; from 1e16 and below 1e-4 with an exponent. */
static size_t
lay_out(const digits *d, bool minus, char *out)
{
    size_t n = 0;

    if (minus)
        out[n++] = '-';
    if (d->exp10 < -4 || d->exp10 >= 16) {
        out[n++] = d->text[0];
        if (d->n > 1)
            out[n++] = '.';
        memcpy(out + n, d->text + 1, d->n - 1);
        n += d->n - 1;
        return n + (size_t)snprintf(out + n, NCZ_NUM_TEXT - n, "e%c%02d", d->exp10 < 0 ? '-' : '+', abs(d->exp10));
    }
    if (d->exp10 < 0) {
        memcpy(out + n, "0.000", (size_t)(1 - d->exp10));
        n += (size_t)(1 - d->exp10);
        memcpy(out + n, d->text, d->n);
        n += d->n;
    } else {
        size_t whole = (size_t)d->exp10 + 1;

        for (size_t i = 0; i < whole || i < d->n; i++) {
            if (i == whole)
                out[n++] = '.';
            out[n++] = i < d->n ? d->text[i] : '0';
        }
        if (d->n <= whole) {
            out[n++] = '.';
            out[n++] = '0';
        }
    }
    out[n] = '\0';
    return n;
}

/* Values of full precision need `usual` digits or a few more; the short ones below it come from dropped zeros. Only
 * subnormals have less precision than `usual`, so for them the search begins at one digit. */
static size_t
number_text(double v, bool is_float, char out[NCZ_NUM_TEXT])
{
    double smallest = is_float ? (double)FLT_MIN : DBL_MIN;
    int    usual = is_float ? FLT_DIG : DBL_DIG;
    int    most = is_float ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    digits d;

    if (isnan(v) || isinf(v)) {
        strcpy(out, isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
        return strlen(out);
    }
    for (int n = fabs(v) < smallest ? 1 : usual;; n++) {
        d = digits_of(fabs(v), n);
        if (n >= most || reads_back(&d, fabs(v), is_float) ||
            (step_up(&d, fabs(v), n) && reads_back(&d, fabs(v), is_float)))
            return lay_out(&d, signbit(v) != 0, out);
    }
}

size_t
ncz_double_text(double v, char out[NCZ_NUM_TEXT])
{
    return number_text(v, false, out);
}

size_t
ncz_float_text(float v, char out[NCZ_NUM_TEXT])
{
    return number_text((double)v, true, out);
}
