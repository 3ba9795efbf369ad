/* SPDX-License-Identifier: BSD-3-Clause */
/* report_output.c: where a picture goes: into a file, whose name says in which format, or onto the terminal. */
#include "report_int.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 1200, UNIT_WIDTH = 800, CELL_HEIGHT = 17, SIDE_LEAST = 100, SIDE_MOST = 10000 };

/* ---- options ----------------------------------------------------------------------------------------------------- */

bool
report_parse_range(const char *s, report_look *look)
{
    char *end;

    look->range[0] = strtod(s, &end);
    look->has_range = end != s && *end == ',';
    if (look->has_range) {
        s = end + 1;
        look->range[1] = strtod(s, &end);
        look->has_range = end != s && *end == '\0' && isfinite(look->range[0]) && isfinite(look->range[1]) &&
                          look->range[0] < look->range[1];
    }
    if (!look->has_range)
        message_print("--range: not LO,HI, two numbers of which the second is greater");
    return look->has_range;
}

bool
report_parse_colors(const char *s, report_look *look)
{
    static const char *const names[] = {"auto", "blue-yellow", "blue-red", "white-blue", "grey"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], s) == 0) {
            look->colors = (report_colormap)i;
            return true;
        }
    message_print("--colors: not auto, blue-yellow, blue-red, white-blue or grey: %s", s);
    return false;
}

bool
report_parse_size(const char *s, report_look *look)
{
    char         *end;
    unsigned long width = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : 0, height = 0;

    if (width > 0 && *end == 'x' && isdigit((unsigned char)end[1]))
        height = strtoul(end + 1, &end, 10);
    if (height == 0 || *end != '\0' || width < SIDE_LEAST || height < SIDE_LEAST || width > SIDE_MOST ||
        height > SIDE_MOST) {
        message_print("--size: not WxH in pixels from %d to %d: %s", SIDE_LEAST, SIDE_MOST, s);
        return false;
    }
    look->width = width;
    look->height = height;
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef enum picture_format { SVG, PNG, PDF, OTHER } picture_format;

static picture_format
format_of(const char *path)
{
    static const char *const suffixes[] = {".svg", ".png", ".pdf"};
    const char              *dot = strrchr(path, '.');
    int                      i = SVG;

    if (strcmp(path, "-") == 0)
        return SVG;
    while (i < OTHER && (dot == NULL || strcasecmp(dot, suffixes[i]) != 0))
        i++;
    return (picture_format)i;
}

bool
report_check_path(const char *path)
{
    if (format_of(path) == OTHER)
        message_print("--plot: %s: a picture's name ends in .svg, .png or .pdf", path);
    return format_of(path) != OTHER;
}

const char *
report_library(void)
{
    return picture_has_cairo ? "cairo" : NULL;
}

/* The variable's name as that of a file: without what some system or a shell takes for something else. */
static void
make_file_name(text_buf *t, const char *var)
{
    for (const char *s = var; *s != '\0'; s++) {
        bool plain = isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80 || *s == '_' || *s == '+' ||
                     ((*s == '.' || *s == '-') && s > var);

        text_addc(t, plain ? *s : '_');
    }
    text_add(t, picture_has_cairo ? ".png" : ".svg");
}

/* A file that cannot be written whole is removed. `fresh`: it must not exist. */
static int
write_file(report_figure *d, const char *path, bool fresh, const text_buf *bytes)
{
    bool  standard = strcmp(path, "-") == 0, good;
    FILE *out = standard ? stdout : ncz_sys_fopen(path, fresh ? "wbx" : "wb");

    if (out == NULL && fresh && errno == EEXIST)
        return dump_fail_text(&d->page->d.report, NC_EEXIST,
                              "%s exists: give the picture's name to replace it, or another", path);
    good = out != NULL && fwrite(bytes->s, 1, bytes->len, out) == bytes->len;
    if (out != NULL && (standard ? fflush(out) : fclose(out)) != 0)
        good = false;
    if (good)
        return NC_NOERR;
    (void)dump_fail_text(&d->page->d.report, NC_EIO, "%s: cannot be written: %s", path, strerror(errno));
    if (out != NULL && !standard)
        (void)remove(path);
    return NC_EIO;
}

/* Pixels of a unit: letters grow with the picture, but never below their size. */
static double
scale_for(double width)
{
    return fmax(width / UNIT_WIDTH, 1);
}

static void
make_picture(report_figure *d, picture *p, double *scale)
{
    double width = d->page->look->width > 0 ? (double)d->page->look->width : WIDTH;

    *scale = scale_for(width);
    report_draw(d, width, (double)d->page->look->height, *scale, p);
}

static bool
add_bytes(text_buf *t, const picture *p, picture_format format, double scale)
{
    if (format == PNG)
        return picture_add_png(t, p, scale);
    if (format == PDF)
        return picture_add_pdf(t, p, scale);
    picture_add_svg(t, p, scale);
    return true;
}

/* The name with .svg in place of its suffix. */
static void
take_svg_name(text_buf *name)
{
    name->len -= 4;
    text_add(name, ".svg");
}

int
report_write_picture(report_figure *d, const char *path)
{
    text_buf       bytes = TEXT_BUF_INIT, name = TEXT_BUF_INIT;
    picture        p = {.n = 0};
    bool           own = *path == '\0';
    picture_format format;
    double         scale;
    int            rc;

    if (own)
        make_file_name(&name, d->v.name);
    else
        text_add(&name, path);
    format = format_of(name.s);
    if (format != SVG && !picture_has_cairo) {
        format = SVG;
        take_svg_name(&name);
        message_print("%s is written in place of %s: PNG and PDF need an nczdump that was built with Cairo", name.s,
                      path);
    }
    make_picture(d, &p, &scale);
    if (add_bytes(&bytes, &p, format, scale))
        rc = write_file(d, name.s, own, &bytes);
    else
        rc = dump_fail_text(&d->page->d.report, NC_ENOMEM, "%s: Cairo cannot draw a picture of %.0f x %.0f pixels",
                            name.s, p.width * scale, p.height * scale);
    if (rc == NC_NOERR && own)
        message_print("the picture is in %s", name.s);
    picture_clear(&p);
    text_clear(&name);
    text_clear(&bytes);
    return rc;
}

/* ---- the terminal ------------------------------------------------------------------------------------------------ */

/* False: Cairo failed. */
static bool
add_graphics(report_figure *d, const report_screen *screen, text_buf *t)
{
    double         width = d->page->look->width > 0 ? (double)d->page->look->width : (double)screen->width;
    double         most = (double)screen->height - 2 * (double)screen->height / (double)screen->rows;
    double         height = d->page->look->height > 0 ? (double)d->page->look->height : fmin(most, width * 0.75);
    double         scale = fmax((double)screen->height / (double)screen->rows / CELL_HEIGHT, 0.75);
    size_t         nx, ny;
    text_buf       png = TEXT_BUF_INIT;
    picture        p = {.n = 0};
    unsigned char *rgb = NULL;
    bool           good;

    report_draw(d, width, height, scale, &p);
    if (screen->graphics == REPORT_KITTY) {
        good = picture_add_png(&png, &p, scale);
        if (good)
            report_add_kitty(t, (const unsigned char *)png.s, png.len);
    } else {
        good = (rgb = picture_pixels(&p, scale, &nx, &ny)) != NULL;
        if (good)
            report_add_sixel(t, rgb, nx, ny);
    }
    free(rgb);
    text_clear(&png);
    picture_clear(&p);
    return good;
}

int
report_show_picture(report_figure *d, const report_plot_opts *o)
{
    text_buf      t = TEXT_BUF_INIT;
    report_screen screen;
    bool          good;

    report_screen_find(&screen, o->graphics, o->color);
    if (screen.graphics != REPORT_BLOCKS && !picture_has_cairo) {
        if (o->graphics != REPORT_AUTO)
            message_print("drawn as blocks: sixel and kitty need an nczdump that was built with Cairo");
        screen.graphics = REPORT_BLOCKS;
    }
    if (screen.graphics == REPORT_BLOCKS || !add_graphics(d, &screen, &t))
        report_add_blocks(&t, d, &screen);
    good = fwrite(t.s, 1, t.len, stdout) == t.len && fflush(stdout) == 0;
    text_clear(&t);
    return good ? NC_NOERR : dump_fail_text(&d->page->d.report, NC_EIO, "cannot write the output");
}
