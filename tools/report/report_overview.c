/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_overview.c: the table at the top of the page: a row for each variable.
 */
#include "report_int.h"

/* CF's long_name; WRF's description; a standard name. */
bool
report_add_long_name(text_buf *t, int grp, int varid)
{
    enum { LONG = 1000 };

    return report_add_att(t, grp, varid, "long_name", LONG) || report_add_att(t, grp, varid, "description", LONG) ||
           report_add_att(t, grp, varid, "standard_name", LONG);
}

static void
add_cell(text_buf *t, const char *class, const char *html)
{
    text_addf(t, "<td class=%s>%s</td>", class, html != NULL ? html : "");
}

static void
add_text_cell(text_buf *t, const char *class, const text_buf *plain)
{
    text_addf(t, "<td class=%s><bdi>", class);
    if (plain->len > 0)
        report_add_text(t, plain->s);
    text_add(t, "</bdi></td>");
}

static void
add_name(text_buf *t, int grp, int varid, bool linked)
{
    char name[NC_MAX_NAME + 1] = "";

    (void)nc_inq_varname(grp, varid, name);
    text_add(t, "<th scope=row>");
    if (linked)
        text_addf(t, "<a href=\"#v%d-%d\">", grp, varid);
    text_add(t, "<bdi>");
    report_add_text(t, name);
    text_addf(t, "</bdi>%s</th>", linked ? "</a>" : "");
}

/* "time 24 x lat 45" */
static void
add_dims(text_buf *t, int grp, int varid)
{
    int ndims = 0, dims[NC_MAX_VAR_DIMS];

    text_add(t, "<td class=dims>");
    if (nc_inq_varndims(grp, varid, &ndims) == NC_NOERR && nc_inq_vardimid(grp, varid, dims) == NC_NOERR)
        for (int i = 0; i < ndims; i++) {
            char   name[NC_MAX_NAME + 1] = "";
            size_t len = 0;

            (void)nc_inq_dim(grp, dims[i], name, &len);
            text_add(t, i > 0 ? " \xc3\x97 <span><bdi>" : "<span><bdi>");
            report_add_text(t, name);
            text_addf(t, "</bdi>\xc2\xa0%zu</span>", len);
        }
    text_add(t, "</td>");
}

void
report_add_row(report_page *p, int grp, int varid, bool linked)
{
    text_buf   *t = &p->rows, plain = TEXT_BUF_INIT;
    report_row *row = &p->row;

    text_add(t, "<tr>");
    add_cell(t, "pic", linked ? row->picture.s : NULL);
    add_name(t, grp, varid, linked);
    (void)report_add_long_name(&plain, grp, varid);
    add_text_cell(t, "long", &plain);
    add_dims(t, grp, varid);
    text_reset(&plain);
    (void)report_add_units(&plain, grp, varid);
    add_text_cell(t, "units", &plain);
    add_cell(t, row->broken ? "\"range bad\"" : "range", row->range.s);
    add_cell(t, "bytes", row->bytes.s);
    text_add(t, "</tr>\n");
    text_clear(&plain);
    text_clear(&row->range);
    text_clear(&row->picture);
    text_clear(&row->bytes);
    *row = (report_row){.broken = false};
}

void
report_add_rows_head(report_page *p, const char *group, const char *what)
{
    text_add(&p->rows, "<tr class=part><th colspan=7 scope=rowgroup>");
    text_add(&p->rows, what);
    if (group[1] != '\0') {
        report_add_bdi(&p->rows, " of ", group, "");
    }
    text_add(&p->rows, "</th></tr>\n");
}
