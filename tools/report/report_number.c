/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_number.c: the numbers of one variable, rounded alike: to about four digits of their range.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 4, DECIMALS_MOST = 9 };

bool
report_is_whole(const dump_var *v, const value_meaning *m)
{
    return !m->packed && v->type != NC_FLOAT && v->type != NC_DOUBLE;
}

/* The value has no more decimals than these. */
static bool
is_exact(double value, int decimals)
{
    double scaled = value * pow(10, decimals);

    return fabs(scaled - round(scaled)) <= 2e-7 * fabs(scaled); /* as exact as a float */
}

report_digits
report_digits_for(double least, double most, bool whole)
{
    double        largest = fmax(fabs(least), fabs(most)), span = most - least;
    report_digits d = {.decimals = 0};

    if (!(span > 0) || !isfinite(span))
        span = isfinite(largest) ? largest : 0;
    d.power = largest >= (whole ? 1e15 : 1e6) || (largest > 0 && largest < 1e-3);
    d.fine = span > 0 ? (int)(DIGITS - 1 - floor(log10(span))) : 0;
    d.fine = d.fine < 0 ? 0 : d.fine > DECIMALS_MOST ? DECIMALS_MOST : d.fine;
    for (d.decimals = whole ? 0 : d.fine; d.decimals > 0; d.decimals--)
        if (!is_exact(least, d.decimals - 1) || !is_exact(most, d.decimals - 1))
            break;
    return d;
}

/* Digits or a sign above the line. */
void
report_add_raised(text_buf *t, const char *s)
{
    static const char *const raised[] = {"\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",
                                         "\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7",
                                         "\xe2\x81\xb8", "\xe2\x81\xb9"};

    for (; *s != '\0'; s++)
        text_add(t, *s == '-' ? "\xe2\x81\xbb" : raised[*s - '0']);
}

void
report_add_power(text_buf *t, int exponent)
{
    char digits[16];

    (void)snprintf(digits, sizeof digits, "%d", exponent);
    text_add(t, "10");
    report_add_raised(t, digits);
}

void
report_add_decimals(text_buf *t, double value, int decimals)
{
    if (fabs(value) < 0.5 * pow(10, -decimals))
        value = 0; /* not -0 */
    text_addf(t, value < 0 ? REPORT_MINUS "%.*f" : "%.*f", decimals, fabs(value));
}

/* "8.552 x 10^8"; without zeros at the end of the first part. */
static void
add_with_power(text_buf *t, double value)
{
    char s[40], *e, *end;
    long exponent;

    text_add(t, value < 0 ? REPORT_MINUS : "");
    (void)snprintf(s, sizeof s, "%.*e", DIGITS - 1, fabs(value));
    e = strchr(s, 'e');
    if (e == NULL) { /* not finite */
        text_add(t, s);
        return;
    }
    exponent = strtol(e + 1, NULL, 10);
    for (end = e; end > s && end[-1] == '0'; end--)
        continue;
    end -= end > s && end[-1] == '.';
    text_addn(t, s, (size_t)(end - s));
    text_add(t, "\xc2\xa0\xc3\x97\xc2\xa0");
    report_add_power(t, (int)exponent);
}

static void
add_number(text_buf *t, const report_digits *d, double value, int decimals)
{
    if (value == 0)
        text_addc(t, '0');
    else if (d->power)
        add_with_power(t, value);
    else
        report_add_decimals(t, value, decimals);
}

void
report_add_significant(text_buf *t, double value)
{
    double        largest = fabs(value);
    report_digits d = {.power = largest >= 1e6 || (largest > 0 && largest < 1e-3)};

    while (largest > 0 && d.decimals < DECIMALS_MOST && largest * pow(10, d.decimals) < 999.5)
        d.decimals++;
    while (d.decimals > 0 && is_exact(value, d.decimals - 1))
        d.decimals--;
    add_number(t, &d, value, d.decimals);
}

void
report_add_rounded(text_buf *t, const report_digits *d, double value)
{
    add_number(t, d, value, d->decimals);
}

void
report_add_fine(text_buf *t, const report_digits *d, double value)
{
    add_number(t, d, value, d->fine);
}
