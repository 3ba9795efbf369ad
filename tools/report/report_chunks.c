/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_chunks.c: what is stored of a variable: type, codecs, bytes and ratio, its chunks as a picture. No chunk is
 * read; of many, the lengths of some are asked for.
 */
#include "report_int.h"

#include <nczarr_zmap.h>
#include <math.h>
#include <stdlib.h>

enum { ACROSS = 128, DOWN = 64, STOPPED = 1 };
enum {
    SHADES = 64,
    SQUARE = 9,
    SQUARES_MOST = 40
}; /* pixels of a chunk, with a gap, where not more of them are in a row */

typedef struct chunk_map {
    const dump_var *v;
    nczarr_map     *map;
    size_t         *grid;
    size_t          rows, cols, per_row, per_col, down, across;
    size_t         *cell;   /* stored chunks of each */
    double         *weight; /* their bytes, of those that were measured */
    dump_stored     stored;
    size_t          fragments; /* in other datasets; 0: the variable has chunks of its own */
} chunk_map;

/* False: the variable has no grid of chunks. */
static bool
measure_grid(chunk_map *c)
{
    const dump_var *v = c->v;

    c->grid = memory_alloc((size_t)v->ndims, sizeof *c->grid);
    c->stored.total = c->rows = c->cols = 1;
    for (int i = 0; i < v->ndims; i++) {
        if (nczarr_inq_var_chunk_lengths(v->grp, v->id, i, &c->grid[i], NULL) != NC_NOERR || c->grid[i] == 0 ||
            c->stored.total > SIZE_MAX / c->grid[i])
            return false;
        c->stored.total *= c->grid[i];
        if (i + 1 < v->ndims)
            c->rows *= c->grid[i];
        else
            c->cols = c->grid[i];
    }
    if (c->rows == 1 && c->cols > ACROSS) { /* one long row is drawn as several */
        c->rows = dump_divide_up(c->cols, ACROSS);
        c->cols = ACROSS;
    }
    c->per_row = dump_divide_up(c->rows, DOWN);
    c->per_col = dump_divide_up(c->cols, ACROSS);
    c->down = dump_divide_up(c->rows, c->per_row);
    c->across = dump_divide_up(c->cols, c->per_col);
    c->cell = memory_alloc(c->down * c->across, sizeof *c->cell);
    c->weight = memory_alloc(c->down * c->across, sizeof *c->weight);
    return true;
}

static int
add_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    chunk_map         *c = arg;
    unsigned long long len = length;
    size_t             place = 0;

    (void)offset;
    for (int i = 0; i < c->v->ndims; i++)
        place = place * c->grid[i] + index[i];
    place = place / c->cols / c->per_row * c->across + place % c->cols / c->per_col;
    c->cell[place]++;
    if (dump_stored_add(&c->stored, c->map, key, &len))
        c->weight[place] += (double)len;
    return dump_stored_is_full(&c->stored) ? STOPPED : 0;
}

/* The chunks of the grid that a cell is; fewer at the edges. */
static double
count_chunks(const chunk_map *c, size_t i)
{
    size_t y = i / c->across * c->per_row, x = i % c->across * c->per_col;

    return (double)(c->rows - y < c->per_row ? c->rows - y : c->per_row) *
           (double)(c->cols - x < c->per_col ? c->cols - x : c->per_col);
}

/* The color of a cell: its bytes where all chunks were measured, else how many of its chunks are stored. 0: none. */
static unsigned char
cell_color(const chunk_map *c, size_t i, double heaviest)
{
    report_scale bytes = report_scale_linear(0, heaviest), chunks = report_scale_linear(0, count_chunks(c, i));

    if (c->cell[i] == 0)
        return 0;
    return c->stored.measured == c->stored.listed ? report_pixel(&bytes, c->weight[i], SHADES)
                                                  : report_pixel(&chunks, (double)c->cell[i], SHADES);
}

static void
draw_squares(const chunk_map *c, picture_cells *pic, size_t side, double heaviest)
{
    report_scale scale = report_scale_linear(0, heaviest);
    size_t       drawn = side > 1 ? side - 1 : 1;

    report_cells_init(pic, c->across * side, c->down * side, &scale, SHADES);
    for (size_t i = 0; i < c->across * c->down; i++) {
        unsigned char color = cell_color(c, i, heaviest);

        for (size_t y = 0; y < drawn; y++)
            for (size_t x = 0; x < drawn; x++)
                pic->pixel[(i / c->across * side + y) * pic->width + i % c->across * side + x] = color;
    }
}

static void
add_legend(text_buf *t, const chunk_map *c, double heaviest)
{
    if (c->per_row * c->per_col > 1)
        text_addf(t, "a square is %zu \xc3\x97 %zu chunks; ", c->per_row, c->per_col);
    text_add(t, "empty: not stored; the lighter, the more ");
    if (c->stored.measured == c->stored.listed) {
        text_add(t, "bytes (at most ");
        dump_add_bytes(t, heaviest);
        text_add(t, ")");
    } else {
        text_add(t, "of its chunks are stored");
    }
}

static void
add_picture(text_buf *t, const chunk_map *c)
{
    picture_cells pic;
    size_t        side = c->across <= SQUARES_MOST && c->down <= SQUARES_MOST ? SQUARE : 1;
    double        heaviest = 0;

    for (size_t i = 0; i < c->across * c->down; i++)
        heaviest = fmax(heaviest, c->weight[i]);
    draw_squares(c, &pic, side, heaviest);
    text_addf(t, "<figure><img class=chunks width=%zu height=%zu src=\"", pic.width * (side > 1 ? 1 : 3),
              pic.height * (side > 1 ? 1 : 3));
    picture_cells_url(t, &pic);
    text_addf(t, "\" alt=\"Map of chunks: %zu of %zu are stored\"><figcaption>", c->stored.listed, c->stored.total);
    add_legend(t, c, heaviest);
    text_add(t, "</figcaption></figure>\n");
    picture_cells_clear(&pic);
}

static void
add_fact(text_buf *t, const char *name)
{
    text_addf(t, "<tr><th scope=row>%s</th><td>", name);
}

static void
add_lengths(text_buf *t, const size_t *n, int ndims)
{
    for (int i = 0; i < ndims; i++)
        text_addf(t, "%s%zu", i > 0 ? " \xc3\x97 " : "", n[i]);
}

static void
add_shape(text_buf *t, const dump_var *v)
{
    for (int i = 0; i < v->ndims; i++) {
        char name[NC_MAX_NAME + 1] = "";

        (void)nc_inq_dimname(v->grp, v->dims[i], name);
        text_add(t, i > 0 ? " \xc3\x97 <bdi>" : "<bdi>");
        report_add_text(t, name);
        text_addf(t, "</bdi> %zu%s", v->shape[i], v->unlimited[i] ? " (unlimited)" : "");
    }
}

static void
add_codecs(text_buf *t, const dump_var *v)
{
    char *codecs = dump_codecs_text(v);

    if (codecs != NULL) {
        add_fact(t, "codecs");
        text_add(t, "<code>");
        report_add_text(t, codecs);
        text_add(t, "</code></td></tr>\n");
    }
    free(codecs);
}

static void
add_facts(text_buf *t, const dump_var *v)
{
    size_t  *chunk = memory_alloc((size_t)v->ndims, sizeof *chunk);
    text_buf type = TEXT_BUF_INIT;
    int      storage;

    dump_add_type(&type, v, false);
    text_add(t, "<table class=facts>\n");
    add_fact(t, "type");
    report_add_text(t, type.s != NULL ? type.s : "");
    add_fact(t, "shape");
    if (v->ndims > 0)
        add_shape(t, v);
    else
        text_add(t, "one value");
    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED) {
        add_fact(t, "chunks");
        add_lengths(t, chunk, v->ndims);
    }
    if (v->shard != NULL) {
        add_fact(t, "shards");
        add_lengths(t, v->shard, v->ndims);
    }
    add_codecs(t, v);
    text_add(t, "</table>\n");
    text_clear(&type);
    free(chunk);
}

/* In the summary: what is stored, and what the chunks would take without codecs. */
static void
add_sizes(report_page *p, text_buf *t, const chunk_map *c)
{
    const dump_var *v = c->v;
    double          raw = dump_raw_bytes(v), ratio = dump_stored_ratio(&c->stored, v);

    if (c->fragments > 0)
        text_addf(t, "%zu fragment%s in other datasets, ", c->fragments, c->fragments == 1 ? "" : "s");
    text_addf(t, "%zu of %zu chunk%s stored", c->stored.listed, c->stored.total, c->stored.total == 1 ? "" : "s");
    if (dump_stored_is_full(&c->stored) && c->stored.listed < c->stored.total)
        text_add(t, " (no more were counted)");
    if (c->stored.listed == 0)
        text_add(&p->row.bytes, "0 bytes");
    if (c->stored.measured == 0)
        return;
    if (c->stored.measured < c->stored.listed)
        text_add(&p->row.bytes, "~");
    dump_add_bytes(&p->row.bytes, dump_stored_bytes(&c->stored));
    text_add(t, c->stored.measured < c->stored.listed ? ", about " : ", ");
    dump_add_bytes(t, dump_stored_bytes(&c->stored));
    if (raw > 0) {
        text_add(t, " of ");
        dump_add_bytes(t, raw);
    }
    if (raw > 0 && ratio > 0)
        text_addf(t, ", ratio %.2f", ratio);
}

static void
add_missing(text_buf *t, const chunk_map *c)
{
    int no_fill = 0;

    (void)nc_inq_var_fill(c->v->grp, c->v->id, &no_fill, NULL);
    if (c->stored.listed < c->stored.total && !dump_stored_is_full(&c->stored))
        text_addf(t, "<p>The chunks that are not stored %s.</p>\n",
                  no_fill ? "have no defined value" : "read as fill");
}

/* Of a variable whose values are in other datasets. False: it is none. */
static bool
sum_fragments(report_page *p, chunk_map *c, bool *known)
{
    dump_fragments f;
    bool           has = dump_fragments_load(c->v->grp, c->v->id, &f) == NC_NOERR && f.n > 0;

    if (has) {
        c->fragments = f.n;
        *known = dump_fragments_sum(&p->d, &f, &c->stored);
    }
    dump_fragments_clear(&f);
    return has;
}

/* False: there is no grid of chunks, or `why` says why they cannot be listed. */
static bool
list_chunks(report_page *p, chunk_map *c, text_buf *why)
{
    bool known;
    int  rc;

    if (!c->v->empty && sum_fragments(p, c, &known))
        return known;
    if (c->v->empty || !measure_grid(c))
        return false;
    if ((rc = nczarr_inq_map(c->v->grp, &c->map)) == NC_NOERR)
        rc = nczarr_list_var_chunks(c->v->grp, c->v->id, add_chunk, c);
    if (rc == NC_NOERR || rc == STOPPED)
        return true;
    dump_add_error(why, rc, c->v->name);
    return false;
}

void
report_add_storage(report_page *p, text_buf *t, const dump_var *v)
{
    chunk_map c = {.v = v};
    text_buf  why = TEXT_BUF_INIT;
    bool      listed = list_chunks(p, &c, &why);

    text_add(t, "<details class=stored><summary>");
    if (listed)
        add_sizes(p, t, &c);
    else
        text_add(t, why.len > 0 ? "Its chunks cannot be listed" : "Type and codecs");
    text_add(t, "</summary>\n");
    if (why.len > 0) {
        text_add(t, "<p class=bad>");
        report_add_text(t, why.s);
        text_add(t, "</p>\n");
    }
    add_facts(t, v);
    if (listed && c.fragments == 0)
        add_missing(t, &c);
    if (listed && c.stored.total > 1 && c.fragments == 0)
        add_picture(t, &c);
    text_add(t, "</details>\n");
    (void)nczarr_map_close(c.map);
    text_clear(&why);
    free(c.grid);
    free(c.cell);
    free(c.weight);
}
