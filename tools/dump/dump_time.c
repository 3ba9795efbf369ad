/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_time.c: numbers as dates, for -t and -i.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

static void
add_clock(text_buf *t, char separator, const cf_date *d)
{
    if (d->nano % 1000 != 0)
        text_addf(t, "%c%02d:%02d:%02d.%09d", separator, d->hour, d->minute, d->second, d->nano);
    else if (d->nano != 0)
        text_addf(t, "%c%02d:%02d:%02d.%06d", separator, d->hour, d->minute, d->second, d->nano / 1000);
    else if (d->second != 0)
        text_addf(t, "%c%02d:%02d:%02d", separator, d->hour, d->minute, d->second);
    else if (d->minute != 0)
        text_addf(t, "%c%02d:%02d", separator, d->hour, d->minute);
    else if (d->hour != 0)
        text_addf(t, "%c%02d", separator, d->hour);
}

bool
dump_timebase_text(const cf_timebase *tb, long double value, text_buf *t)
{
    cf_date d;

    if (!ncz_cf_timebase_date(tb, value, &d))
        return false;
    text_addf(t, "\"%s%04lld-%02d-%02d", d.year < 0 ? "-" : "", llabs(d.year), d.month, d.mday);
    add_clock(t, tb->before_clock, &d);
    text_addc(t, '"');
    return true;
}

/* An attribute of the variable, else of the one whose bounds it holds (`parent`, or the variable itself). */
static int
load_own_or_parents_att(int grp, int varid, int parent, const char *name, att_value *a)
{
    int rc = att_value_load(grp, varid, name, a);

    if (rc == NC_NOERR || parent == varid)
        return rc;
    att_value_clear(a);
    return att_value_load(grp, parent, name, a);
}

/* NULL: the attribute is no text. HDF5 files have it as a string. */
static const char *
find_text(const att_value *a)
{
    if (a->type == NC_CHAR)
        return a->val;
    return a->type == NC_STRING && a->len == 1 && a->val != NULL ? *(char *const *)a->val : NULL;
}

cf_timebase
dump_timebase_for(const dump_context *d, int grp, int varid, const char *name)
{
    cf_timebase tb = {.valid = false};
    att_value   units, cal;
    int         parent = varid;

    for (size_t i = 0; name != NULL && i < d->nbounds; i++)
        if (d->bounds[i].ncid == grp && strcmp(d->bounds_names[i], name) == 0)
            parent = d->bounds[i].varid;
    if (load_own_or_parents_att(grp, varid, parent, "units", &units) != NC_NOERR)
        return tb;
    if (find_text(&units) != NULL) {
        bool has = load_own_or_parents_att(grp, varid, parent, "calendar", &cal) == NC_NOERR;

        (void)ncz_cf_timebase_parse(find_text(&units), has ? find_text(&cal) : NULL, &tb);
        tb.before_clock = d->o->time_separator;
        att_value_clear(&cal);
    }
    att_value_clear(&units);
    return tb;
}

/* One or two are on the attribute's line; more are below it, wrapped. */
void
dump_time_comment(dump_context *d, int grp, int varid, const att_value *a)
{
    enum { INDENT = 16 + 2, PREFIX = 3 };
    cf_timebase        tb = dump_timebase_for(d, grp, varid, NULL);
    dump_number_format s = dump_number_format_for(d, grp, NC_GLOBAL, a->type);
    text_buf           t = TEXT_BUF_INIT;
    size_t             col = 0;

    if (!tb.valid || a->type == NC_CHAR || a->type == NC_STRING)
        return;
    for (size_t i = 0; i < a->len; i++) {
        const char *p = (const char *)a->val + i * dump_type_size(a->type);
        bool        line;

        text_reset(&t);
        if (!dump_timebase_text(&tb, dump_value_exact(a->type, p), &t))
            dump_value_cdl(&t, &s, a->type, p);
        if (i + 1 < a->len)
            text_addc(&t, ',');
        line = a->len > 2 && (i == 0 || col + 1 + t.len > d->o->line_len);
        if (line) {
            if (i > 0)
                dump_color_end(d);
            fputc('\n', d->out);
            dump_cdl_indent(d);
            fputs("\t\t  ", d->out);
            dump_color(d, DUMP_FAINT);
            fputs("// ", d->out);
            col = INDENT + PREFIX + t.len;
        } else {
            fputc(' ', d->out);
            if (i == 0) {
                dump_color(d, DUMP_FAINT);
                fputs("// ", d->out);
            }
            col += 1 + t.len;
        }
        fwrite(t.s, 1, t.len, d->out);
    }
    if (a->len > 0)
        dump_color_end(d);
    text_clear(&t);
}

void
dump_record_bounds(dump_context *d, int grp, int varid, const att_value *a)
{
    if (a->type != NC_CHAR || strcmp(a->name, "bounds") != 0)
        return;
    d->bounds = memory_grow(d->bounds, d->nbounds, sizeof *d->bounds);
    d->bounds_names = memory_grow(d->bounds_names, d->nbounds, sizeof *d->bounds_names);
    d->bounds[d->nbounds] = (dump_var_id){.ncid = grp, .varid = varid};
    d->bounds_names[d->nbounds++] = memory_need(strdup(a->val));
}
