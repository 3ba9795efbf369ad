/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c: text of the page and of pictures.
 */
#include "report_int.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define DEGREE "\xc2\xb0"

void
report_add_text(text_buf *t, const char *s)
{
    text_add_xml(t, s, strlen(s));
}

void
report_add_bdi(text_buf *t, const char *before, const char *s, const char *after)
{
    text_addf(t, "%s<bdi>", before);
    report_add_text(t, s);
    text_addf(t, "</bdi>%s", after);
}

/* As JSON has it, but no "</script>" can end the script. */
void
report_add_js(text_buf *t, const char *s)
{
    text_buf json = TEXT_BUF_INIT;

    if (!text_is_utf8(s, strlen(s)))
        s = "?";
    text_add_json(&json, s, strlen(s));
    for (size_t i = 0; i < json.len; i++)
        if (json.s[i] == '<')
            text_add(t, "\\u003c");
        else
            text_addc(t, json.s[i]);
    text_clear(&json);
}

void
report_add_number(text_buf *t, double value)
{
    text_add(t, value < 0 ? REPORT_MINUS : "");
    text_addf(t, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", fabs(value));
}

bool
report_add_time(text_buf *t, const cf_timebase *tb, double value, size_t most)
{
    enum { WITH_HOUR = 13 };
    text_buf date = TEXT_BUF_INIT;
    bool     good = dump_timebase_text(tb, value, &date);

    if (good) {
        size_t len = date.len - 2; /* without its quotes */

        text_addn(t, date.s + 1, len < most ? len : most);
        if (len == WITH_HOUR)
            text_add(t, ":00");
    }
    text_clear(&date);
    return good;
}

bool
report_add_att(text_buf *t, int grp, int varid, const char *att, size_t most)
{
    att_value a;
    bool has = att_value_load(grp, varid, att, &a) == NC_NOERR && a.type == NC_CHAR && a.user == NULL && a.len > 0 &&
               a.len < most && ((const char *)a.val)[0] != '\0';

    if (has)
        text_add(t, a.val);
    att_value_clear(&a);
    return has;
}

/* Has `s` of n bytes a power of a unit behind its letters: m2, s-1, m^2, m**2? (But CO2 is none.) */
static bool
is_power(const char *s, size_t letters, size_t power, size_t n)
{
    static const char lengths[] = " m cm mm km s ";
    char              word[8];
    size_t            sign = power < n && s[power] == '-';

    if (power == 0 || n - power < 1 + sign || n - power > 2 + sign ||
        strspn(s + power + sign, "0123456789") < n - power - sign)
        return false;
    (void)snprintf(word, sizeof word, " %.*s ", (int)letters, s);
    return sign > 0 || power > letters || (letters < 3 && strstr(lengths, word) != NULL);
}

/* A word of units. */
static void
add_unit(text_buf *t, const char *s, size_t n)
{
    static const char *const signs[][2] = {{"degC", DEGREE "C"},
                                           {"degrees_C", DEGREE "C"},
                                           {"degree_C", DEGREE "C"},
                                           {"degree_Celsius", DEGREE "C"},
                                           {"Celsius", DEGREE "C"},
                                           {"celsius", DEGREE "C"},
                                           {"degrees_north", DEGREE "N"},
                                           {"degrees_east", DEGREE "E"},
                                           {"degree", DEGREE},
                                           {"degrees", DEGREE},
                                           {"micron", "\xc2\xb5m"},
                                           {"um", "\xc2\xb5m"}};
    size_t                   letters = 0, power;
    char                     digits[4] = "";

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i][0]) == n && memcmp(s, signs[i][0], n) == 0) {
            text_add(t, signs[i][1]);
            return;
        }
    while (letters < n && isalpha((unsigned char)s[letters]))
        letters++;
    if (letters == 0 && n > 3 && strncmp(s, "10^", 3) == 0)
        letters = 2;
    power = letters;
    while (power < n && power < letters + 2 && (s[power] == '^' || s[power] == '*'))
        power++;
    if (is_power(s, letters, power, n)) {
        text_addn(t, s, letters);
        memcpy(digits, s + power, n - power);
        report_add_raised(t, digits);
    } else {
        text_addn(t, s, n);
    }
}

void
report_add_scaled_units(text_buf *t, const char *units, int exponent)
{
    if (exponent != 0)
        report_add_power(t, exponent);
    if (units == NULL || *units == '\0')
        return;
    text_add(t, exponent != 0 ? " " : "");
    for (size_t n; *units != '\0'; units += n) {
        if ((n = strspn(units, " /.()")) > 0) {
            text_addn(t, units, n);
            continue;
        }
        n = strcspn(units, " /.()");
        add_unit(t, units, n);
    }
}

bool
report_add_units(text_buf *t, int grp, int varid)
{
    text_buf units = TEXT_BUF_INIT;
    bool     has = report_add_att(&units, grp, varid, "units", 100) && strcmp(units.s, "1") != 0;

    if (has)
        text_add(t, units.s);
    text_clear(&units);
    return has;
}

void
report_dim_name(const dump_var *v, int dim, char name[NC_MAX_NAME + 1])
{
    *name = '\0';
    (void)nc_inq_dimname(v->grp, v->dims[dim], name);
}
