/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_html.c: the page: head, overview, and the groups with their variables, outermost first.
 */
#include "report_int.h"

#include "common/dataset_kind.h"

#include <stdlib.h>
#include <string.h>

static void
add_lines(text_buf *t, const char *const *lines)
{
    for (; *lines != NULL; lines++)
        text_add(t, *lines);
}

/* The attribute `title`, else the dataset's name. */
static void
add_title(report_page *p, text_buf *t)
{
    att_value a;
    bool      has = att_value_load(p->d.root, NC_GLOBAL, "title", &a) == NC_NOERR && a.type == NC_CHAR && a.len > 0;

    report_add_text(t, has ? a.val : p->d.name);
    att_value_clear(&a);
}

static void
add_head(report_page *p, text_buf *t)
{
    const char *kind = dataset_kind_name(p->d.format), *storage = dataset_storage_name(p->d.root, p->d.format);

    text_add(t, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
                "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>");
    add_title(p, t);
    text_add(t, "</title>\n<style>\n");
    add_lines(t, report_style);
    picture_add_page_style(t);
    text_add(t, "</style>\n<noscript><style>.slider input{display:none}</style></noscript></head>\n"
                "<body>\n<header><h1><bdi>");
    add_title(p, t);
    text_add(t, "</bdi></h1>\n<p class=soft>");
    report_add_text(t, p->d.name);
    if (p->d.zarr_format != 0)
        text_addf(t, " \xc2\xb7 Zarr version %d", p->d.zarr_format);
    else if (strcmp(storage, kind) != 0)
        text_addf(t, " \xc2\xb7 %s", storage);
    text_addf(t, " \xc2\xb7 %s model \xc2\xb7 nczdump " NCZARR_VERSION "</p></header>\n", kind);
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

static size_t
count_bytes(const report_page *p)
{
    return p->rows.len + p->defs.len + p->body.len + p->axes.len + p->planes.len;
}

static void
add_dims(report_page *p, text_buf *t, int grp, const id_list *dims)
{
    if (dims->n == 0)
        return;
    text_add(t, "<p class=soft>Dimensions: ");
    for (int i = 0; i < dims->n; i++) {
        char   name[NC_MAX_NAME + 1] = "";
        size_t len = 0;

        (void)nc_inq_dim(grp, dims->id[i], name, &len);
        text_add(t, i > 0 ? ", <bdi>" : "<bdi>");
        report_add_text(t, name);
        text_addf(t, "</bdi>\xc2\xa0%zu%s", len,
                  dim_table_is_unlimited(&p->d.dims, grp, dims->id[i]) ? " (unlimited)" : "");
    }
    text_add(t, "</p>\n");
}

/* Its part of the page, unless that would make the page too long; and its row of the table in any case. */
static void
add_var(report_page *p, int grp, int varid)
{
    enum { ROWS_MOST = 100 << 10 }; /* bytes of rows beyond a full page */
    text_buf t = TEXT_BUF_INIT;
    bool     fits = count_bytes(p) <= PAGE_BYTES;

    if (fits) {
        report_add_var(p, &t, grp, varid);
        fits = count_bytes(p) + t.len + p->row.picture.len <= PAGE_BYTES;
    }
    if (fits)
        text_add(&p->body, t.s);
    else
        p->left_out++;
    if (count_bytes(p) <= PAGE_BYTES + ROWS_MOST)
        report_add_row(p, grp, varid, fits);
    text_clear(&t);
}

/* Data before coordinates. */
static void
add_vars(report_page *p, int grp, const char *path, const id_list *vars)
{
    for (int coordinates = 0; coordinates < 2; coordinates++) {
        bool any = false;

        for (int i = 0; i < vars->n; i++) {
            if (report_is_coordinate(p, grp, vars->id[i]) != (coordinates == 1))
                continue;
            if (!any) {
                report_add_rows_head(p, path, coordinates ? "Coordinates" : "Variables");
                text_add(&p->body, coordinates ? "<h4>Coordinates</h4>\n" : "");
            }
            any = true;
            add_var(p, grp, vars->id[i]);
        }
    }
}

static void
add_group(report_page *p, int grp)
{
    id_list   dims, vars, grps;
    text_buf *t = &p->body;
    char     *path = group_path(grp);

    if (count_bytes(p) > PAGE_BYTES) {
        p->groups_left_out++;
        free(path);
        return;
    }
    if (grp == p->d.root) {
        text_add(t, "<section>\n");
    } else {
        report_add_bdi(t, "<section><h2>Group ", path, "</h2>\n");
    }
    if (id_list_dims(grp, &dims) == NC_NOERR)
        add_dims(p, t, grp, &dims);
    id_list_clear(&dims);
    report_add_atts(p, t, grp, NC_GLOBAL);
    if (id_list_vars(grp, &vars) == NC_NOERR)
        add_vars(p, grp, path, &vars);
    id_list_clear(&vars);
    text_add(t, "</section>\n");
    if (id_list_groups(grp, &grps) == NC_NOERR)
        for (int i = 0; i < grps.n; i++)
            add_group(p, grps.id[i]);
    id_list_clear(&grps);
    free(path);
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

/* The colors of cells: of categories, and of each scale. */
static void
add_colors(text_buf *t, const report_scale *scale)
{
    picture_cells cells;

    report_cells_init(&cells, 1, 1, scale, REPORT_LEVELS);
    text_addc(t, '\'');
    for (int i = 1; i < cells.ncolors; i++)
        text_addf(t, "%02x%02x%02x", cells.rgb[i][0], cells.rgb[i][1], cells.rgb[i][2]);
    text_add(t, "',\n");
    picture_cells_clear(&cells);
}

static void
add_script(report_page *p, text_buf *t)
{
    report_scale scale = report_scale_linear(0, 1);

    text_add(t, "<script>\nconst P=[");
    add_colors(t, NULL);
    for (scale.colors = REPORT_BLUE_YELLOW; scale.colors <= REPORT_GREY; scale.colors++)
        add_colors(t, &scale);
    text_addf(t, "];\nconst A=[%s];\nconst G=[%s];\n", p->axes.len > 0 ? p->axes.s : "",
              p->planes.len > 0 ? p->planes.s : "");
    add_lines(t, report_script);
    text_add(t, "</script>\n");
}

static void
add_foot(report_page *p, text_buf *t)
{
    text_add(t, "<footer class=soft><p>");
    if (p->left_out > 0)
        text_addf(t, "%zu variable%s left out: a page has at most 2 MB. ", p->left_out,
                  p->left_out == 1 ? " is" : "s are");
    if (p->groups_left_out > 0)
        text_add(t, "Further groups are left out, too. ");
    if (p->o->sample > 0)
        text_addf(t, "Statistics are of at most %zu values of a variable. ", p->o->sample);
    else
        text_add(t,
                 "Of large variables some chunks are read: what comes from such a sample is marked \xe2\x89\x88. ");
    text_add(t, "Coasts: Natural Earth.</p></footer>\n");
    add_script(p, t);
    text_add(t, "</body></html>\n");
}

static void
write_text(report_page *p, text_buf *t)
{
    if (t->len > 0)
        fwrite(t->s, 1, t->len, p->d.out);
    text_clear(t);
}

static void
write_page(report_page *p)
{
    text_buf t = TEXT_BUF_INIT;

    add_head(p, &t);
    if (p->rows.len > 0)
        text_addf(&t,
                  "<table class=overview><thead><tr><th></th><th>Name</th><th>Long name</th><th>Dimensions</th>"
                  "<th>Units</th><th>Range</th><th>Stored</th></tr></thead><tbody>\n%s</tbody></table>\n",
                  p->rows.s);
    if (p->defs.len > 0)
        text_addf(&t, "<svg class=defs aria-hidden=true><defs>%s</defs></svg>\n", p->defs.s);
    write_text(p, &t);
    if (p->body.len > 0)
        fwrite(p->body.s, 1, p->body.len, p->d.out);
    add_foot(p, &t);
    write_text(p, &t);
}

void
report_page_clear(report_page *p)
{
    report_places_clear(p);
    report_grids_clear(p);
    text_clear(&p->rows);
    text_clear(&p->defs);
    text_clear(&p->body);
    text_clear(&p->axes);
    text_clear(&p->planes);
    free(p->coords);
    dim_table_clear(&p->d.dims);
}

int
report_status(report_page *p, int rc)
{
    bool damaged = dump_damage_report(&p->d);

    damage_log_clear(&p->d.damage);
    dump_fragment_files_clear(&p->d.fragment_files);
    return rc == NC_NOERR && damaged ? DUMP_DAMAGED : rc;
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
                         .look = &opts->look,
                         .limits = {.var_bytes = 64 << 20, .bytes = 1 << 29}};
    int             rc;

    if ((rc = nc_inq_format(ncid, &p.d.format)) != NC_NOERR ||
        (rc = nczarr_inq_zarr_format(ncid, &p.d.zarr_format, NULL)) != NC_NOERR)
        return dump_fail(&p.d.report, rc, NULL);
    report_coordinates_load(&p);
    add_group(&p, ncid);
    write_page(&p);
    report_page_clear(&p);
    if (fflush(out) != 0 || ferror(out))
        dump_fail_text(&p.d.report, NC_EIO, "cannot write the output");
    return report_status(&p, p.d.report.status);
}
