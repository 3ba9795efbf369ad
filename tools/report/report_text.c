/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c: text of the page and of pictures.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

void
report_add_text(text_buf *t, const char *s)
{
    text_add_xml(t, s, strlen(s));
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
    text_addf(t, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
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
    dump_att a;
    bool     has = dump_att_load_named(grp, varid, att, &a) == NC_NOERR && a.type == NC_CHAR && a.user == NULL &&
               a.len > 0 && a.len < most && ((const char *)a.val)[0] != '\0';

    if (has)
        text_add(t, a.val);
    dump_att_clear(&a);
    return has;
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
