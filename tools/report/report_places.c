/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_places.c: the places along dimensions, as the page's script has them: the list A in its last lines.
 *
 * Each is [kind, name, units, length, values, decimals]. Values are numbers at evenly spaced places, the first and last
 * included, or lines of text there: a digit in base 36, how many characters a line has in common with the one before,
 * and the rest of it.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 1000, NUMBERS = 256, TEXT_BYTES = 80, COMMON_MOST = 35 };
enum { KIND_INDEX, KIND_NUMBER, KIND_LATITUDE, KIND_LONGITUDE, KIND_TEXT };

struct report_place {
    int          grp, dimid;
    report_coord coord;
};

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* Between the places that are known. */
static double
value_at(const report_coord *c, double index)
{
    size_t lo = 0, hi = c->n - 1;

    if (c->n == 1)
        return c->value[0];
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        *(c->index[mid] <= index ? &lo : &hi) = mid;
    }
    return c->value[lo] + (index - c->index[lo]) / (c->index[hi] - c->index[lo]) * (c->value[hi] - c->value[lo]);
}

static double
index_of_node(const report_coord *c, size_t i, size_t n)
{
    return n > 1 ? round((double)i * (double)(c->len - 1) / (double)(n - 1)) : 0;
}

static bool
is_regular(const report_coord *c)
{
    double first = value_at(c, 0), step = (value_at(c, (double)(c->len - 1)) - first) / (double)(c->len - 1);

    for (size_t i = 0; i < c->n; i++)
        if (fabs(c->value[i] - first - step * c->index[i]) > 1e-3 * fabs(step))
            return false;
    return true;
}

/* What neighbours differ in, and one digit more. */
static int
decimals_for(const report_coord *c)
{
    double step = fabs(c->value[c->n - 1] - c->value[0]) / (double)(c->len > 1 ? c->len - 1 : 1);
    double decimals = step > 0 ? 1 - floor(log10(step)) : 6;

    return decimals < 0 ? 0 : decimals > 9 ? 9 : (int)decimals;
}

static void
add_numbers(text_buf *t, const report_coord *c)
{
    size_t n = c->len < 2 ? 1 : is_regular(c) ? 2 : c->len < NUMBERS ? c->len : NUMBERS;

    text_addc(t, '[');
    for (size_t i = 0; i < n; i++)
        text_addf(t, i > 0 ? ",%.8g" : "%.8g",
                  value_at(c, n == 2 && i == 1 ? (double)(c->len - 1) : index_of_node(c, i, n)));
    text_addf(t, "],%d", decimals_for(c));
}

/* ---- texts ---------------------------------------------------------------------------------------------------- */

static void
add_line(text_buf *lines, const char *before, const char *s, size_t len)
{
    size_t common = 0;

    while (common < COMMON_MOST && common < len && s[common] == before[common] && (unsigned char)s[common] < 0x80)
        common++;
    if (lines->len > 0)
        text_addc(lines, '\n');
    text_addc(lines, "0123456789abcdefghijklmnopqrstuvwxyz"[common]);
    for (size_t i = common; i < len; i++)
        text_addc(lines, (unsigned char)s[i] < 0x20 ? ' ' : s[i]);
}

/* Of a date, without its quotes; of a name, its beginning. */
static void
read_text(const report_coord *c, size_t i, size_t n, char out[TEXT_BYTES + 1])
{
    text_buf date = TEXT_BUF_INIT;
    size_t   len = 0;

    if (c->name != NULL) {
        const char *s = c->name[(size_t)((double)i * (double)(c->n - 1) / (double)(n > 1 ? n - 1 : 1))];

        len = strlen(s) < TEXT_BYTES ? strlen(s) : TEXT_BYTES;
        while (len > 0 && ((unsigned char)s[len] & 0xc0) == 0x80)
            len--;
        memcpy(out, s, len);
    } else if (report_add_time(&date, &c->time, value_at(c, index_of_node(c, i, n)), TEXT_BYTES)) {
        len = date.len;
        memcpy(out, date.s, len);
    }
    out[len] = '\0';
    text_clear(&date);
}

static void
add_texts(text_buf *t, const report_coord *c)
{
    size_t   most = c->name != NULL ? c->n : c->len, n = most < TEXTS ? most : TEXTS;
    char     before[TEXT_BYTES + 1] = "", now[TEXT_BYTES + 1];
    text_buf lines = TEXT_BUF_INIT;

    text_addn(&lines, "", 0);
    for (size_t i = 0; i < n; i++) {
        read_text(c, i, n, now);
        add_line(&lines, before, now, strlen(now));
        memcpy(before, now, sizeof before);
    }
    report_add_js(t, lines.s);
    text_add(t, ",0");
    text_clear(&lines);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static void
add_place(text_buf *t, const char *name, const report_coord *c)
{
    static const int kind[] = {
        [REPORT_INDICES] = KIND_INDEX,        [REPORT_NUMBERS] = KIND_NUMBER, [REPORT_LATITUDES] = KIND_LATITUDE,
        [REPORT_LONGITUDES] = KIND_LONGITUDE, [REPORT_TIMES] = KIND_TEXT,     [REPORT_NAMES] = KIND_TEXT};

    text_addf(t, "[%d,", kind[c->kind]);
    report_add_js(t, name);
    text_addc(t, ',');
    report_add_js(t, c->units.s != NULL ? c->units.s : "");
    text_addf(t, ",%zu,", c->len);
    if (c->kind == REPORT_TIMES || c->kind == REPORT_NAMES)
        add_texts(t, c);
    else if (c->kind != REPORT_INDICES)
        add_numbers(t, c);
    else
        text_add(t, "0,0");
    text_add(t, "],\n");
}

const report_coord *
report_page_place(report_page *p, const dump_var *v, int dim, size_t *id)
{
    char          name[NC_MAX_NAME + 1];
    report_place *more;

    for (*id = 0; *id < p->nplaces; ++*id)
        if (p->places[*id].grp == v->grp && p->places[*id].dimid == v->dims[dim])
            return &p->places[*id].coord;
    more = realloc(p->places, (p->nplaces + 1) * sizeof *more);
    p->places = memory_need(more);
    more = &p->places[p->nplaces++];
    *more = (report_place){.grp = v->grp, .dimid = v->dims[dim]};
    report_coord_load(p, v, dim, &more->coord);
    report_dim_name(v, dim, name);
    add_place(&p->axes, name, &more->coord);
    return &more->coord;
}

void
report_places_clear(report_page *p)
{
    for (size_t i = 0; i < p->nplaces; i++)
        report_coord_clear(&p->places[i].coord);
    free(p->places);
    p->places = NULL;
    p->nplaces = 0;
}
