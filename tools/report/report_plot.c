/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_plot.c: nczdump --plot and --show: one variable as one picture. What is drawn is loaded here; report_output.c
 * writes it.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_PLACES = 1024 };

static void
add_part(text_buf *t, const char *s)
{
    text_addf(t, t->len > 0 ? " \xc2\xb7 %s" : "%s", s);
}

/* "air temperature", and below it "temp \xc2\xb7 time = 2000-01-01": where along each dimension that is not drawn. */
static void
make_title(report_figure *d)
{
    text_buf *t = &d->title;

    if (report_add_long_name(t, d->v.grp, d->v.id))
        add_part(&d->note, d->v.name);
    else
        text_add(t, d->v.name);
    for (int i = 0; i < d->v.ndims; i++) {
        char     name[NC_MAX_NAME + 1];
        text_buf part = TEXT_BUF_INIT;

        if (i == d->x || i == d->y)
            continue;
        report_dim_name(&d->v, i, name);
        text_addf(&part, "%s = ", name);
        report_axis_label(d->page, &d->v, i, report_index_shown(d->page->look, &d->v, i), &part);
        add_part(&d->note, part.s);
        text_clear(&part);
    }
    if (d->stats.sampled)
        add_part(&d->note, "\xe2\x89\x88 from a sample");
}

static int
fail_plot(report_figure *d, int rc, const char *why)
{
    return dump_fail_text(&d->page->d.report, rc, "%s: %s: %s", d->page->d.report.file, d->v.name, why);
}

/* The member that is asked for. */
static bool
has_member(const report_figure *d)
{
    bool has = d->page->look->member == 0;

    for (int i = 0; i < (d->y < 0 ? d->x : d->y) && !has; i++)
        has = report_index_shown(d->page->look, &d->v, i) > 0;
    return has;
}

static int
load_values(report_figure *d)
{
    text_buf    why = TEXT_BUF_INIT;
    const char *reason;
    bool        read;
    int         rc;

    if (!report_is_numeric(&d->v))
        return fail_plot(d, NC_EBADTYPE, "not numbers: there is no picture of them");
    if (d->v.empty)
        return fail_plot(d, NC_EINVAL, "no values: a dimension has length 0");
    report_figure_choose(d);
    if (d->x < 0)
        return fail_plot(d, NC_EINVAL, "one value: there is nothing to draw");
    if (!has_member(d))
        return fail_plot(d, NC_EINVAL, "--member: it is no ensemble, or has fewer members");
    value_meaning_load(d->v.grp, d->v.id, &d->meaning);
    rc = report_figure_read(d, -1, 0, MAP_PLACES, &d->sample, &d->stats, &reason);
    read = !report_sample_failed(d->page, &d->v, rc, reason, &why);
    if (!read && d->page->d.report.status == 0)
        (void)fail_plot(d, NC_EINVAL, why.s);
    text_clear(&why);
    if (!read)
        return d->page->d.report.status;
    if (d->stats.missing == d->stats.n)
        return fail_plot(d, NC_EINVAL, "all values are missing: there is nothing to draw");
    if (d->stats.sampled)
        message_print("%s: drawn from %zu of the values", d->v.name, d->stats.n);
    report_flags_load(&d->v, &d->meaning, &d->sample, &d->flags);
    if (d->flags.n > 0 &&
        (d->page->look->has_range || d->page->look->log || d->page->look->colors != REPORT_COLORS_AUTO))
        return fail_plot(d, NC_EINVAL, "categories: --range, --log and --colors are of numbers");
    if (!report_scale_choose(&d->scale, &d->v, &d->sample, &d->stats, d->page->look))
        return fail_plot(d, NC_EINVAL, "--log: no value is greater than 0");
    return NC_NOERR;
}

static int
load_plot(report_figure *d)
{
    dump_context *c = &d->page->d;
    char          why[HYPERSLAB_WHY_SIZE];
    int           rc;

    if ((rc = dump_select(c)) != NC_NOERR)
        return rc;
    if (c->nvars != 1)
        return dump_fail_text(&c->report, NC_EINVAL, "%s: %s: %zu variables have this name: use a path, as /g/v",
                              c->report.file, c->o->vars.name[0], c->nvars);
    if ((rc = hyperslab_resolve(&c->o->limits, c->root, &c->part, why)) != NC_NOERR)
        return dump_fail_text(&c->report, rc, "%s: %s", c->report.file, why);
    if ((rc = dump_var_load_part(c, c->vars[0].ncid, c->vars[0].varid, &d->v)) != NC_NOERR)
        return dump_fail(&c->report, rc, c->o->vars.name[0]);
    if ((rc = load_values(d)) != NC_NOERR)
        return rc;
    make_title(d);
    report_figure_place(d);
    if (d->profile.n > 1)
        text_addf(&d->note, d->note.len > 0 ? " \xc2\xb7 %zu profiles" : "%zu profiles", d->profile.n);
    return NC_NOERR;
}

int
report_plot(int ncid, const report_plot_opts *o)
{
    report_page p = {
        .d = {.o = o->dump, .report = {.file = o->file, .out = stdout}, .out = stdout, .name = o->file, .root = ncid},
        .look = &o->look,
        .limits = {.var_bytes = 1 << 29, .bytes = 4. * (1 << 29)}};
    report_figure d = {.page = &p};
    int           rc = load_plot(&d);

    if (rc == NC_NOERR)
        rc = o->path != NULL ? report_write_picture(&d, o->path) : report_show_picture(&d, o);
    rc = report_status(&p, rc);
    dump_var_clear(d.on_mesh ? &d.own : &d.v);
    report_figure_clear(&d);
    dump_select_clear(&p.d);
    hyperslab_clear(&p.d.part);
    report_page_clear(&p);
    return rc;
}
