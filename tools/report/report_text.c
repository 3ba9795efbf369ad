/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c: text of the page and of pictures.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

void
report_add_text(dump_text *t, const char *s)
{
    dump_text_add_xml(t, s, strlen(s));
}

/* As JSON has it, but no "</script>" can end the script. */
void
report_add_js(dump_text *t, const char *s)
{
    dump_text json = DUMP_TEXT_INIT;

    if (!dump_text_is_utf8(s, strlen(s)))
        s = "?";
    dump_text_add_json(&json, s, strlen(s));
    for (size_t i = 0; i < json.len; i++)
        if (json.s[i] == '<')
            dump_text_add(t, "\\u003c");
        else
            dump_text_addc(t, json.s[i]);
    dump_text_clear(&json);
}

void
report_add_number(dump_text *t, double value)
{
    dump_text_addf(t, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}

bool
report_add_time(dump_text *t, const cf_timebase *tb, double value, size_t most)
{
    enum { WITH_HOUR = 13 };
    dump_text date = DUMP_TEXT_INIT;
    bool      good = dump_timebase_text(tb, value, &date);

    if (good) {
        size_t len = date.len - 2; /* without its quotes */

        dump_text_addn(t, date.s + 1, len < most ? len : most);
        if (len == WITH_HOUR)
            dump_text_add(t, ":00");
    }
    dump_text_clear(&date);
    return good;
}

bool
report_add_att(dump_text *t, int grp, int varid, const char *att, size_t most)
{
    dump_att a;
    bool     has = dump_att_load_named(grp, varid, att, &a) == NC_NOERR && a.type == NC_CHAR && a.user == NULL &&
               a.len > 0 && a.len < most && ((const char *)a.val)[0] != '\0';

    if (has)
        dump_text_add(t, a.val);
    dump_att_clear(&a);
    return has;
}

bool
report_add_units(dump_text *t, int grp, int varid)
{
    dump_text units = DUMP_TEXT_INIT;
    bool      has = report_add_att(&units, grp, varid, "units", 100) && strcmp(units.s, "1") != 0;

    if (has)
        dump_text_add(t, units.s);
    dump_text_clear(&units);
    return has;
}
