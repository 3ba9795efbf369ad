/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_html.c: the page: head, overview, and the groups with their variables, outermost first.
 */
#include "report_int.h"

#include <stdlib.h>
#include <string.h>

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1a1a1a;--soft:#595959;--paper:#fff;--line:#d0d0d0;--mark:#24618f}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--soft:#a8a8a8;--paper:#161616;--line:#444;--mark:#7db8e0}"
    "}\n"
    "body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;"
    "margin:0 auto;padding:1rem}\n"
    "h1{margin:0}h2{border-bottom:1px solid var(--line)}h3{display:inline;font-size:1.1rem}\n"
    "table{border-collapse:collapse;margin:.5rem 0}th{text-align:left;font-weight:600;vertical-align:top;"
    "padding:.1rem 1rem .1rem 0;white-space:nowrap}td{overflow-wrap:anywhere;white-space:pre-wrap}\n"
    "details{margin:.5rem 0}details.var{border-left:3px solid var(--line);padding-left:1rem}\n"
    "summary{cursor:pointer}a{color:var(--mark)}figure{margin:.5rem 0;max-width:38rem}\n"
    "figcaption,.soft{color:var(--soft);font-size:.85rem}\n"
    "img{image-rendering:pixelated;max-width:100%;border:1px solid var(--line)}\n"
    "svg.plot{width:100%;border:1px solid var(--line)}svg.plot rect,svg.plot path{fill:var(--mark)}\n"
    "svg.plot path{fill:none;stroke:var(--mark);stroke-width:1.5}\n"
    ".ends{display:flex;justify-content:space-between;max-width:38rem;color:var(--soft);font-size:.85rem;gap:1rem}\n"
    ".scale{display:flex;gap:.5rem;align-items:center;max-width:38rem;font-size:.85rem}.bar{flex:1;height:.8rem}\n"
    ".chart{display:grid;grid-template-columns:auto auto 1fr;gap:0 .5rem;margin:.5rem 0}"
    ".left{display:flex;flex-direction:column;justify-content:space-between;text-align:right;"
    "color:var(--soft);font-size:.85rem}.below{grid-column:2}[hidden]{display:none}\n"
    ".slider{display:block}.slider input{width:20rem;vertical-align:middle}code{font-size:.85rem}\n"
    "@media print{body{max-width:none}.slider{display:none}figure,table{break-inside:avoid}}\n";

static const char script[] =
    "for(const f of document.querySelectorAll('.frames')){const s=f.querySelector('input');"
    "if(s)s.addEventListener('input',()=>{for(const l of ['img','.at'])"
    "f.querySelectorAll(l).forEach((x,i)=>x.hidden=i!=s.value)})}\n"
    "addEventListener('beforeprint',()=>document.querySelectorAll('details').forEach(d=>d.open=true));\n";

static void
write_text(report_page *p, dump_text *t)
{
    if (t->len > 0)
        fwrite(t->s, 1, t->len, p->d.out);
    p->written += t->len;
    dump_text_reset(t);
}

/* The scale's colors as a gradient, for .bar. */
static void
add_gradient(dump_text *t)
{
    dump_text_add(t, ".bar{background:linear-gradient(90deg");
    for (int i = 0; i <= 12; i++) {
        unsigned char rgb[3];

        report_color(i / 12., rgb);
        dump_text_addf(t, ",#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
    dump_text_add(t, ");print-color-adjust:exact}\n");
}

/* The attribute `title`, else the dataset's name. */
static void
add_title(report_page *p, dump_text *t)
{
    dump_att a;
    bool has = dump_att_load_named(p->d.root, NC_GLOBAL, "title", &a) == NC_NOERR && a.type == NC_CHAR && a.len > 0;

    report_add_text(t, has ? a.val : p->d.name);
    dump_att_clear(&a);
}

static void
add_head(report_page *p, dump_text *t)
{
    dump_text_add(t, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
                     "<meta name=viewport content=\"width=device-width\">\n<title>");
    add_title(p, t);
    dump_text_addf(t, "</title>\n<style>\n%s", style);
    add_gradient(t);
    dump_text_add(t, "</style></head>\n<body>\n<header><h1><bdi>");
    add_title(p, t);
    dump_text_add(t, "</bdi></h1>\n<p class=soft>");
    report_add_text(t, p->d.name);
    dump_text_addf(t,
                   " \xc2\xb7 Zarr version %d \xc2\xb7 %s model \xc2\xb7 nczdump " NCZARR_VERSION "</p></header>\n",
                   p->d.zarr_format, dump_kind(p->d.format));
}

static void
add_dims(dump_text *t, int grp, const dump_ids *dims)
{
    if (dims->n == 0)
        return;
    dump_text_add(t, "<p>Dimensions: ");
    for (int i = 0; i < dims->n; i++) {
        char   name[NC_MAX_NAME + 1] = "";
        size_t len = 0;

        (void)nc_inq_dim(grp, dims->id[i], name, &len);
        dump_text_add(t, i > 0 ? ", <bdi>" : "<bdi>");
        report_add_text(t, name);
        dump_text_addf(t, "</bdi> = %zu%s", len, dump_dim_is_unlimited(grp, dims->id[i]) ? " (unlimited)" : "");
    }
    dump_text_add(t, "</p>\n");
}

/* Links to the variables, so that the page can be searched from its top. */
static void
add_contents(dump_text *t, int grp, const dump_ids *vars)
{
    enum { LINKS = 1000 };

    if (vars->n < 2)
        return;
    dump_text_add(t, "<nav aria-label=Variables>");
    for (int i = 0; i < vars->n && i < LINKS; i++) {
        char name[NC_MAX_NAME + 1] = "";

        (void)nc_inq_varname(grp, vars->id[i], name);
        dump_text_addf(t, "<a href=\"#v%d-%d\"><bdi>", grp, vars->id[i]);
        report_add_text(t, name);
        dump_text_add(t, "</bdi></a>\n");
    }
    dump_text_add(t, "</nav>\n");
}

static void
write_vars(report_page *p, dump_text *t, int grp, const dump_ids *vars)
{
    for (int i = 0; i < vars->n; i++) {
        report_add_var(p, t, grp, vars->id[i]);
        if (p->written + t->len > PAGE_BYTES) {
            p->left_out++;
            dump_text_reset(t);
        }
        write_text(p, t);
    }
}

static void
write_group(report_page *p, int grp)
{
    dump_ids  dims, vars, grps;
    dump_text t = DUMP_TEXT_INIT;
    char     *path = dump_grp_path(grp);

    if (p->written > PAGE_BYTES) {
        free(path);
        return;
    }
    dump_text_add(&t, "<section><h2>Group <bdi>");
    report_add_text(&t, path);
    dump_text_add(&t, "</bdi></h2>\n");
    report_add_atts(p, &t, grp, NC_GLOBAL);
    if (dump_ids_dims(grp, &dims) == NC_NOERR)
        add_dims(&t, grp, &dims);
    dump_ids_clear(&dims);
    if (dump_ids_vars(grp, &vars) == NC_NOERR) {
        add_contents(&t, grp, &vars);
        write_text(p, &t);
        write_vars(p, &t, grp, &vars);
    }
    dump_ids_clear(&vars);
    dump_text_add(&t, "</section>\n");
    write_text(p, &t);
    if (dump_ids_grps(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n; i++)
            write_group(p, grps.id[i]);
    dump_ids_clear(&grps);
    dump_text_clear(&t);
    free(path);
}

static void
write_foot(report_page *p)
{
    dump_text t = DUMP_TEXT_INIT;

    dump_text_add(&t, "<footer class=soft><p>");
    if (p->left_out > 0)
        dump_text_addf(&t, "%zu variable%s left out: a page has at most 2 MB. ", p->left_out,
                       p->left_out == 1 ? " is" : "s are");
    if (p->written > PAGE_BYTES)
        dump_text_add(&t, "Further groups are left out, too. ");
    if (!report_has_png)
        dump_text_add(&t, "This nczdump was built without libpng, so there are no maps. ");
    dump_text_addf(
        &t, "Statistics are of at most %zu values of a variable, from at most 64 of its chunks.</p></footer>\n",
        p->o->sample);
    dump_text_addf(&t, "<script>\n%s</script>\n</body></html>\n", script);
    write_text(p, &t);
    dump_text_clear(&t);
}

int
report_html(int ncid, const char *name, const report_opts *opts, FILE *out)
{
    const dump_opts o = DUMP_OPTS_INIT;
    report_page     p = {.d = {.o = &o,
                               .report = {.file = opts->file != NULL ? opts->file : name, .out = out},
                               .out = out,
                               .name = name,
                               .root = ncid},
                         .o = opts,
                         .limits = {.chunks = 64, .var_bytes = 64 << 20, .bytes = 1 << 29}};
    dump_text       t = DUMP_TEXT_INIT;
    int             rc;

    if ((rc = nc_inq_format(ncid, &p.d.format)) != NC_NOERR ||
        (rc = nczarr_inq_zarr_format(ncid, &p.d.zarr_format, NULL)) != NC_NOERR)
        return dump_fail(&p.d.report, rc, NULL);
    add_head(&p, &t);
    write_text(&p, &t);
    write_group(&p, ncid);
    write_foot(&p);
    dump_text_clear(&t);
    if (fflush(out) != 0 || ferror(out))
        dump_fail_text(&p.d.report, NC_EIO, "cannot write the output");
    return p.d.report.status;
}
