/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_var.c: a variable's part of the page: its picture; beside it numbers, attributes and what is stored.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 8, TEXT_SHOWN = 2000, SAMPLE_WHOLE = 1 << 20, SAMPLE = 100000 };

#define ABOUT "\xe2\x89\x88 "

static void
add_cause(text_buf *t, const char *what, int rc, const char *about)
{
    text_buf why = TEXT_BUF_INIT;

    dump_add_error(&why, rc, about);
    text_addf(t, "<span class=bad>%s<bdi>", what);
    report_add_text(t, why.s);
    text_add(t, "</bdi></span>");
    text_clear(&why);
}

/* ---- attributes ----------------------------------------------------------------------------------------------- */

/* Without NULs at its end: WRF stores an empty text as one. */
static size_t
length_of_text(const att_value *a)
{
    size_t n = a->len;

    while (n > 0 && ((const char *)a->val)[n - 1] == '\0')
        n--;
    return n;
}

static void
add_att_value(report_page *p, text_buf *t, int grp, const att_value *a)
{
    dump_number_format format = dump_number_format_for(&p->d, grp, NC_GLOBAL, a->type);
    text_buf           value = TEXT_BUF_INIT;
    size_t             size = a->user != NULL ? a->user->size : dump_type_size(a->type);

    if (a->type == NC_CHAR && a->user == NULL && a->val != NULL)
        text_addn(&value, a->val, length_of_text(a));
    for (size_t i = 0; a->type != NC_CHAR && a->val != NULL && i < a->len && value.len < TEXT_SHOWN; i++) {
        text_add(&value, i > 0 ? ", " : "");
        if (a->user != NULL)
            dump_user_value_cdl(&value, &format, a->user, (const char *)a->val + i * size);
        else
            dump_value_plain(&value, &format, a->type, (const char *)a->val + i * size);
    }
    if (value.s != NULL)
        text_add_xml(t, value.s, value.len < TEXT_SHOWN ? value.len : TEXT_SHOWN);
    if (value.len > TEXT_SHOWN)
        text_add(t, " \xe2\x80\xa6");
    text_clear(&value);
}

void
report_add_atts(report_page *p, text_buf *t, int grp, int varid)
{
    int natts = 0;

    if (nc_inq_varnatts(grp, varid, &natts) != NC_NOERR || natts == 0)
        return;
    text_addf(t, "<details class=atts%s><summary>%d attribute%s</summary><table>\n", natts <= 12 ? " open" : "",
              natts, natts == 1 ? "" : "s");
    for (int i = 0; i < natts; i++) {
        att_value a;
        int       rc = dump_att_load(grp, varid, i, &a);

        report_add_bdi(t, "<tr><th scope=row>", a.name, "</th><td><bdi>");
        if (rc == NC_NOERR)
            add_att_value(p, t, grp, &a);
        else
            add_cause(t, "cannot be read: ", rc, a.name);
        text_add(t, "</bdi></td></tr>\n");
        att_value_clear(&a);
    }
    text_add(t, "</table></details>\n");
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* A date, where the variable's values are times. */
static void
add_value(text_buf *t, const report_figure *w, const cf_timebase *tb, double value)
{
    enum { TO_THE_MINUTE = 16 };

    if (!tb->valid || !report_add_time(t, tb, value, TO_THE_MINUTE))
        report_add_rounded(t, &w->digits, value);
}

static void
add_range(report_page *p, const report_figure *w, const cf_timebase *tb)
{
    text_buf *t = &p->row.range;

    if (w->stats.missing == w->stats.n) {
        text_add(t, "all missing");
        return;
    }
    for (int i = 0; i < w->flags.n && i < 4; i++) {
        report_add_bdi(t, i > 0 ? ", " : "", w->flags.name[i], "");
    }
    if (w->flags.n > 4)
        text_addf(t, " and %d more", w->flags.n - 4);
    if (w->flags.n > 0)
        return;
    text_add(t, w->stats.sampled ? ABOUT : "");
    add_value(t, w, tb, w->stats.least);
    if (w->stats.most > w->stats.least) {
        text_add(t, " \xe2\x80\xa6 ");
        add_value(t, w, tb, w->stats.most);
    }
}

static void
add_fact(text_buf *t, const char *name)
{
    text_addf(t, "<tr><th scope=row>%s</th><td>", name);
}

/* One that is of a sample is marked. */
static void
add_fact_of_values(text_buf *t, const report_stats *st, const char *name)
{
    add_fact(t, name);
    text_add(t, st->sampled ? ABOUT : "");
}

static void
add_statistics(text_buf *t, const report_figure *w, const cf_timebase *tb)
{
    const report_stats *st = &w->stats;

    text_add(t, "<table class=stats>");
    if (st->missing < st->n && w->flags.n == 0) {
        add_fact_of_values(t, st, "min");
        add_value(t, w, tb, st->least);
        add_fact_of_values(t, st, "max");
        add_value(t, w, tb, st->most);
    }
    if (st->missing < st->n && !tb->valid && w->flags.n == 0 && st->n - st->missing > 1) {
        add_fact_of_values(t, st, "mean");
        report_add_fine(t, &w->digits, st->mean);
        add_fact_of_values(t, st, "std. dev.");
        report_add_fine(t, &w->digits, sqrt(st->squares / (double)(st->n - st->missing)));
    }
    if (st->missing > 0) {
        add_fact_of_values(t, st, "missing");
        text_addf(t, st->missing == st->n ? "all" : "%.3g\xc2\xa0%%", 100. * (double)st->missing / (double)st->n);
    }
    add_fact(t, "values");
    text_addf(t, st->sampled ? "a sample of %zu" : "all %zu", st->n);
    text_add(t, "</table>\n");
}

/* Beside the picture: numbers, and what a map has below it. */
static void
add_facts_of_values(text_buf *t, const report_figure *w, const cf_timebase *tb, bool data, bool map)
{
    if (w->stats.n > 1 || w->stats.missing > 0)
        add_statistics(t, w, tb);
    if (map || w->stats.missing == w->stats.n)
        return;
    if (w->flags.n > 0)
        report_add_legend(t, &w->flags);
    else if (data && !tb->valid && w->stats.most > w->stats.least && w->stats.n > 8)
        report_add_histogram(t, w);
}

/*
 * A sample, for how values are distributed; and statistics: of all values that are read, unless fewer are asked for.
 * The sample of a variable of up to SAMPLE_WHOLE values has them all.
 */
static bool
read_values(report_page *p, const dump_var *v, report_figure *w, text_buf *why)
{
    size_t       asked = p->o->sample;
    bool         many = report_plan_product(v->shape, v->ndims) > SAMPLE_WHOLE;
    const char  *reason;
    report_stats all;
    report_scale scale;
    int          rc = report_fold(p, v, &w->meaning,
                                  &(report_request){.most = asked > 0 ? asked
                                                            : many    ? SAMPLE
                                                                      : SAMPLE_WHOLE},
                                  &w->sample, &all, &reason);

    if (report_sample_failed(p, v, rc, reason, why))
        return false;
    report_stats_make(&w->sample, &w->stats);
    if (asked == 0 && all.n > all.missing)
        w->stats = all;
    scale = report_scale_linear(w->stats.least, w->stats.most);
    report_stats_bin(&w->sample, &scale, &w->stats);
    return true;
}

/* `side`: what belongs beside the picture. */
static void
add_numbers(report_page *p, text_buf *t, text_buf *side, const dump_var *v)
{
    report_figure w = {.page = p, .v = *v};
    cf_timebase   tb = dump_timebase_for(&p->d, v->grp, v->id, v->name);
    text_buf      why = TEXT_BUF_INIT;
    bool          drawn;

    value_meaning_load(v->grp, v->id, &w.meaning);
    if (!read_values(p, v, &w, &why)) {
        text_add(side, v->empty ? "<p>" : "<p class=bad>");
        report_add_text(side, why.s);
        text_add(side, "</p>\n");
        p->row.broken = !v->empty;
        text_add(&p->row.range, v->empty ? "no values" : "not read");
        goto done;
    }
    report_flags_load(v, &w.meaning, &w.sample, &w.flags);
    (void)report_scale_choose(&w.scale, v, &w.sample, &w.stats, p->look);
    w.digits = report_digits_for(w.stats.least, w.stats.most, report_is_whole(v, &w.meaning));
    add_range(p, &w, &tb);
    drawn = report_add_figure(t, &w);
    add_facts_of_values(side, &w, &tb, !report_is_coordinate(p, v->grp, v->id), drawn && v->ndims > 1);
    if (w.stats.n == 1 && w.stats.missing == 0) {
        text_addf(side, "<p class=one>%s", p->row.range.s);
        text_addc(side, ' ');
        if (!tb.valid && w.units.len > 0)
            report_add_text(side, w.units.s);
        text_add(side, "</p>\n");
    }
done:
    text_clear(&why);
    report_figure_clear(&w);
}

/* Of a dimension of text: whole strings. */
static void
count_first(const dump_var *v, size_t *count)
{
    for (int i = 0; i < v->ndims; i++) {
        bool   last = i + 1 == v->ndims, rows = v->type == NC_CHAR && i + 2 == v->ndims;
        size_t most = v->type == NC_CHAR && last ? TEXT_SHOWN / VALUES_SHOWN : VALUES_SHOWN;

        count[i] = !last && !rows ? 1 : v->shape[i] < most ? v->shape[i] : most;
    }
}

static void
add_values(report_page *p, text_buf *value, const dump_var *v, const char *buf, size_t n, size_t width)
{
    dump_number_format format = dump_number_format_for(&p->d, v->grp, v->id, v->type);

    for (size_t i = 0; i < n && value->len < TEXT_SHOWN; i += v->type == NC_CHAR ? width : 1) {
        text_add(value, i > 0 ? ", " : "");
        if (v->user != NULL) {
            dump_user_value_cdl(value, &format, v->user, buf + i * v->size);
        } else if (v->type == NC_CHAR) {
            size_t len = width;

            while (len > 0 && (buf[i + len - 1] == '\0' || buf[i + len - 1] == ' '))
                len--;
            text_addn(value, buf + i, len);
        } else {
            dump_value_cdl(value, &format, v->type, buf + i * v->size);
        }
    }
    text_addn(value, "", 0);
}

/* Reports why a variable cannot be read, and says so on the page, and in its row of the table with `cell`. */
static void
add_failure(report_page *p, text_buf *t, const dump_var *v, int rc, const char *before, const char *cell)
{
    text_add(t, "<p>");
    add_cause(t, before, rc, v->name);
    text_add(t, "</p>\n");
    dump_fail(&p->d.report, rc, v->name);
    p->row.broken = true;
    text_add(&p->row.range, cell);
}

/* The first values, of types that are not numbers. */
static void
add_first_values(report_page *p, text_buf *t, const dump_var *v)
{
    enum { ROW_SHOWN = 60 };
    size_t  *start = memory_alloc((size_t)v->ndims, sizeof *start);
    size_t  *count = memory_alloc((size_t)v->ndims, sizeof *count), n = 1;
    text_buf value = TEXT_BUF_INIT;
    char    *buf;
    int      rc;

    count_first(v, count);
    for (int i = 0; i < v->ndims; i++)
        n *= count[i];
    buf = memory_alloc(n + 1, v->size);
    if ((rc = nc_get_vara(v->grp, v->id, start, count, buf)) != NC_NOERR &&
        (rc = damage_read(&(hyperslab_var){.ncid = v->grp,
                                           .varid = v->id,
                                           .rank = v->ndims,
                                           .type = v->type,
                                           .size = v->size,
                                           .damage = &p->d.damage},
                          rc, start, count, NULL, buf)) != NC_NOERR) {
        add_failure(p, t, v, rc, "", "not read");
        goto done;
    }
    add_values(p, &value, v, buf, n, v->ndims > 0 ? count[v->ndims - 1] : 1);
    text_add(t, "<p>First values: <bdi>");
    text_add_xml(t, value.s, value.len < TEXT_SHOWN ? value.len : TEXT_SHOWN);
    text_add(t, "</bdi></p>\n");
    text_add_xml(&p->row.range, value.s, value.len < ROW_SHOWN ? value.len : ROW_SHOWN);
    text_add(&p->row.range, value.len < ROW_SHOWN ? "" : " \xe2\x80\xa6");
    (void)nc_reclaim_data(v->grp, v->type, buf, n);
done:
    text_clear(&value);
    free(buf);
    free(start);
    free(count);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void
add_heading(text_buf *t, int grp, int varid, bool open)
{
    char     name[NC_MAX_NAME + 1] = "";
    text_buf more = TEXT_BUF_INIT;

    (void)nc_inq_varname(grp, varid, name);
    text_addf(t, "<details class=var%s><summary><h3><bdi>", open ? " open" : "");
    report_add_text(t, name);
    text_add(t, "</bdi></h3>");
    if (report_add_long_name(&more, grp, varid)) {
        report_add_bdi(t, " ", more.s, "");
    }
    text_reset(&more);
    if (report_add_units(&more, grp, varid)) {
        text_add(t, " <span class=soft>");
        report_add_text(t, more.s);
        text_add(t, "</span>");
    }
    text_addf(t, "</summary>\n<div class=parts id=v%d-%d>", grp, varid);
    text_clear(&more);
}

void
report_add_var(report_page *p, text_buf *t, int grp, int varid)
{
    dump_var    v;
    dump_reader reader;
    text_buf    side = TEXT_BUF_INIT;
    size_t      damaged = p->d.damage.n;
    int         rc = dump_var_load(&p->d, grp, varid, &v);

    add_heading(t, grp, varid, !report_is_coordinate(p, grp, varid));
    text_addn(&side, "", 0);
    if (rc != NC_NOERR || (v.size == 0 && (rc = dump_reader_open(&v, &reader)) != NC_NOERR)) {
        add_failure(p, &side, &v, rc, "This variable cannot be read: ", "cannot be read");
    } else {
        if (report_is_numeric(&v))
            add_numbers(p, t, &side, &v);
        else if (!v.empty)
            add_first_values(p, &side, &v);
        else
            text_add(&p->row.range, "no values");
        if ((damaged = p->d.damage.n - damaged) > 0)
            text_addf(&side, "<p>%zu damaged chunk%s: what they have is missing</p>\n", damaged,
                      damaged == 1 ? "" : "s");
        report_add_atts(p, &side, grp, varid);
        report_add_storage(p, &side, &v);
    }
    text_addf(t, "<div class=side>%s</div></div></details>\n", side.s);
    text_clear(&side);
    dump_var_clear(&v);
}
