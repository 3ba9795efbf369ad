/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_var.c: a variable's part of the page.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_SHOWN = 8, TEXT_SHOWN = 2000 };

/* ---- attributes ----------------------------------------------------------------------------------------------- */

static void
add_att_value(report_page *p, dump_text *t, int grp, const dump_att *a)
{
    dump_number_format format = dump_number_format_for(&p->d, grp, NC_GLOBAL, a->type);
    dump_text          value = DUMP_TEXT_INIT;
    size_t             size = a->user != NULL ? a->user->size : dump_type_size(a->type);

    if (a->type == NC_CHAR && a->user == NULL && a->val != NULL)
        dump_text_addn(&value, a->val, a->len);
    for (size_t i = 0; a->type != NC_CHAR && a->val != NULL && i < a->len && value.len < TEXT_SHOWN; i++) {
        dump_text_add(&value, i > 0 ? ", " : "");
        if (a->user != NULL)
            dump_user_value_cdl(&value, &format, a->user, (const char *)a->val + i * size);
        else
            dump_value_plain(&value, &format, a->type, (const char *)a->val + i * size);
    }
    if (value.s != NULL)
        dump_text_add_xml(t, value.s, value.len < TEXT_SHOWN ? value.len : TEXT_SHOWN);
    if (value.len > TEXT_SHOWN)
        dump_text_add(t, " \xe2\x80\xa6");
    dump_text_clear(&value);
}

void
report_add_atts(report_page *p, dump_text *t, int grp, int varid)
{
    int natts = 0;

    if (nc_inq_varnatts(grp, varid, &natts) != NC_NOERR || natts == 0)
        return;
    dump_text_addf(t, "<details%s><summary>%d attribute%s</summary><table>\n", natts <= 12 ? " open" : "", natts,
                   natts == 1 ? "" : "s");
    for (int i = 0; i < natts; i++) {
        dump_att a;
        int      rc = dump_att_load(grp, varid, i, &a);

        dump_text_add(t, "<tr><th scope=row><bdi>");
        report_add_text(t, a.name);
        dump_text_add(t, "</bdi></th><td><bdi>");
        if (rc == NC_NOERR)
            add_att_value(p, t, grp, &a);
        else
            dump_text_add(t, "(cannot be read)");
        dump_text_add(t, "</bdi></td></tr>\n");
        dump_att_clear(&a);
    }
    dump_text_add(t, "</table></details>\n");
}

/* ---- what it is ----------------------------------------------------------------------------------------------- */

static void
add_fact(dump_text *t, const char *name)
{
    dump_text_addf(t, "<tr><th scope=row>%s</th><td>", name);
}

static void
add_lengths(dump_text *t, const size_t *n, int ndims)
{
    for (int i = 0; i < ndims; i++)
        dump_text_addf(t, "%s%zu", i > 0 ? " \xc3\x97 " : "", n[i]);
}

static void
add_shape(dump_text *t, const dump_var *v)
{
    for (int i = 0; i < v->ndims; i++) {
        char name[NC_MAX_NAME + 1] = "";

        (void)nc_inq_dimname(v->grp, v->dims[i], name);
        dump_text_add(t, i > 0 ? " \xc3\x97 <bdi>" : "<bdi>");
        report_add_text(t, name);
        dump_text_addf(t, "</bdi> %zu%s", v->shape[i], v->unlimited[i] ? " (unlimited)" : "");
    }
}

static void
add_codecs(dump_text *t, const dump_var *v)
{
    char *codecs = dump_codecs_text(v);

    if (codecs != NULL) {
        add_fact(t, "codecs");
        dump_text_add(t, "<code>");
        report_add_text(t, codecs);
        dump_text_add(t, "</code></td></tr>\n");
    }
    free(codecs);
}

static void
add_facts(dump_text *t, const dump_var *v)
{
    size_t   *chunk = dump_alloc((size_t)v->ndims, sizeof *chunk);
    dump_text type = DUMP_TEXT_INIT;
    int       storage;

    dump_text_add_type(&type, v, false);
    dump_text_add(t, "<table class=facts>\n");
    add_fact(t, "type");
    report_add_text(t, type.s != NULL ? type.s : "");
    add_fact(t, "shape");
    if (v->ndims > 0)
        add_shape(t, v);
    else
        dump_text_add(t, "one value");
    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED) {
        add_fact(t, "chunks");
        add_lengths(t, chunk, v->ndims);
    }
    if (v->shard != NULL) {
        add_fact(t, "shards");
        add_lengths(t, v->shard, v->ndims);
    }
    add_codecs(t, v);
    dump_text_add(t, "</table>\n");
    dump_text_clear(&type);
    free(chunk);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

/* The number, and the date that it is. */
static void
add_moment(dump_text *t, const dump_timebase *tb, double value)
{
    dump_text date = DUMP_TEXT_INIT;

    report_add_number(t, value);
    if (tb->valid && dump_timebase_text(tb, value, &date)) {
        dump_text_add(t, " (");
        dump_text_addn(t, date.s + 1, date.len - 2); /* without its quotes */
        dump_text_addc(t, ')');
    }
    dump_text_clear(&date);
}

static void
add_stats(report_page *p, dump_text *t, const dump_var *v, const report_sample *s, const report_stats *st)
{
    dump_timebase tb = dump_timebase_for(&p->d, v->grp, v->id, v->name);

    dump_text_addf(t, "<p>%s %zu value%s", s->all ? "All" : "A sample of", s->n, s->n == 1 ? "" : "s");
    if (st->missing == st->n) {
        dump_text_add(t, ": all missing</p>\n");
        return;
    }
    if (st->missing > 0)
        dump_text_addf(t, ", %.3g %% missing", 100. * (double)st->missing / (double)st->n);
    dump_text_add(t, ": least ");
    add_moment(t, &tb, st->least);
    dump_text_add(t, ", greatest ");
    add_moment(t, &tb, st->most);
    dump_text_add(t, ", mean ");
    report_add_number(t, st->mean);
    dump_text_add(t, ", standard deviation ");
    report_add_number(t, st->deviation);
    dump_text_add(t, "</p>\n");
}

static void
add_numbers(report_page *p, dump_text *t, const dump_var *v)
{
    report_meaning m;
    report_sample  s;
    report_stats   st;
    const char    *why;

    report_meaning_load(v, &m);
    if (!report_sample_read(p, v, &m, NULL, 0, p->o->sample, &s, &why)) {
        dump_text_addf(t, "<p>%s</p>\n", why);
        goto done;
    }
    report_stats_make(&s, &st);
    add_stats(p, t, v, &s, &st);
    if (st.missing < st.n && st.n > 1) {
        if (v->ndims == 1)
            report_add_line(p, t, v, &s, &st);
        else if (report_has_png && v->shape[v->ndims - 1] > 1)
            report_add_maps(p, t, v, &m);
        report_add_histogram(t, &st);
    }
done:
    report_sample_clear(&s);
    report_meaning_clear(&m);
}

/* The first values, of types that are not numbers. */
static void
add_first_values(report_page *p, dump_text *t, const dump_var *v)
{
    size_t            *start = dump_alloc((size_t)v->ndims, sizeof *start);
    size_t            *count = dump_alloc((size_t)v->ndims, sizeof *count), n = 1;
    dump_number_format format = dump_number_format_for(&p->d, v->grp, v->id, v->type);
    dump_text          value = DUMP_TEXT_INIT;
    char              *buf;
    int                rc;

    for (int i = 0; i < v->ndims; i++)
        count[i] = i + 1 < v->ndims                                   ? 1
                   : v->shape[i] < VALUES_SHOWN || v->type == NC_CHAR ? v->shape[i]
                                                                      : VALUES_SHOWN;
    for (int i = 0; i < v->ndims; i++)
        n *= count[i] = count[i] < TEXT_SHOWN ? count[i] : TEXT_SHOWN;
    buf = dump_alloc(n + 1, v->size);
    if ((rc = nc_get_vara(v->grp, v->id, start, count, buf)) != NC_NOERR) {
        dump_fail(&p->d.report, rc, v->name);
        dump_text_add(t, "<p>the values cannot be read; nczdump reports the cause</p>\n");
        goto done;
    }
    dump_text_add(t, "<p>First values: <bdi>");
    if (v->type == NC_CHAR && v->user == NULL)
        dump_text_addn(&value, buf, n);
    for (size_t i = 0; v->type != NC_CHAR && i < n && value.len < TEXT_SHOWN; i++) {
        dump_text_add(&value, i > 0 ? ", " : "");
        if (v->user != NULL)
            dump_user_value_cdl(&value, &format, v->user, buf + i * v->size);
        else
            dump_value_cdl(&value, &format, v->type, buf + i * v->size);
    }
    dump_text_add_xml(t, value.s != NULL ? value.s : "", value.len < TEXT_SHOWN ? value.len : TEXT_SHOWN);
    dump_text_add(t, "</bdi></p>\n");
    (void)nc_reclaim_data(v->grp, v->type, buf, n);
done:
    dump_text_clear(&value);
    free(buf);
    free(start);
    free(count);
}

/* Reports why a variable cannot be read, and says so on the page. */
static void
add_failure(report_page *p, dump_text *t, const dump_var *v, int rc)
{
    dump_text why = DUMP_TEXT_INIT;

    dump_text_add_error(&why, rc, v->name);
    dump_fail(&p->d.report, rc, v->name);
    dump_text_add(t, "<p>This variable cannot be read: ");
    report_add_text(t, why.s);
    dump_text_add(t, "</p>\n");
    dump_text_clear(&why);
}

void
report_add_var(report_page *p, dump_text *t, int grp, int varid)
{
    dump_var    v;
    dump_reader reader;
    int         rc = dump_var_load(grp, varid, &v);

    dump_text_addf(t, "<details class=var open id=v%d-%d><summary><h3><bdi>", grp, varid);
    report_add_text(t, v.name);
    dump_text_add(t, "</bdi></h3></summary>\n");
    if (rc != NC_NOERR || (v.size == 0 && (rc = dump_reader_open(&v, &reader)) != NC_NOERR)) {
        add_failure(p, t, &v, rc);
        goto done;
    }
    add_facts(t, &v);
    report_add_atts(p, t, grp, varid);
    report_add_storage(p, t, &v);
    if (report_is_numeric(&v))
        add_numbers(p, t, &v);
    else if (!v.empty)
        add_first_values(p, t, &v);
done:
    dump_text_add(t, "</details>\n");
    dump_var_clear(&v);
}
