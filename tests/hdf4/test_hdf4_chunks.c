/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks: of each coder, also absent ones; and tables and headers that are damaged.
 */
#include "hdf4/bytes.h"
#include "support/test.h"

typedef struct opened {
    ncz_buf     file;
    hdf4_bytes  bytes;
    ncz_hdf4   *f;
    ncz_hdf4_sd sd;
} opened;

static void
begin(opened *o)
{
    o->bytes = (hdf4_bytes){.data = (const unsigned char *)o->file.data, .len = o->file.len};
    assert_int_equal(hdf4_open(&o->bytes, &o->f), NC_NOERR);
    assert_int_equal(ncz_hdf4_sd_read(o->f, &o->sd), NC_NOERR);
}

static void
end(opened *o)
{
    ncz_hdf4_sd_clear(&o->sd);
    ncz_hdf4_close(o->f);
}

static const ncz_hdf4_var *
find(const opened *o, const char *name)
{
    for (size_t i = 0; i < o->sd.nvars; i++)
        if (strcmp(o->sd.vars[i].name, name) == 0)
            return &o->sd.vars[i];
    fail_msg("no variable %s", name);
    return NULL;
}

typedef struct counted {
    size_t n, lost, unplaced;
    bool   fails;
} counted;

static int
count(void *arg, const ncz_hdf4_chunk *chunk)
{
    counted *c = arg;

    c->n++;
    c->lost += chunk->lost != NULL;
    if (chunk->at == NULL) {
        c->unplaced++;
        assert_non_null(strstr(chunk->lost, "names place"));
    }
    return c->fails ? NC_EIO : NC_NOERR;
}

TEST(each_coder_has_its_chunks)
{
    static const char *const names[] = {"plain", "rle", "huffman", "deflate"};
    static const unsigned    ids[] = {NCZ_HDF4_STORED, NCZ_HDF4_RLE, NCZ_HDF4_HUFFMAN, NCZ_HDF4_DEFLATE};
    opened                   o;

    hdf4_load("coders.hdf", &o.file);
    begin(&o);
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        char                name[32];
        const ncz_hdf4_var *v;
        counted             c = {.n = 0};

        (void)snprintf(name, sizeof name, "%s_chunks", names[i]);
        v = find(&o, name);
        assert_int_equal(v->data.kind, NCZ_HDF4_CHUNKED);
        assert_int_equal(v->data.coder.id, ids[i]);
        assert_int_equal(v->data.chunk[0], 10);
        assert_int_equal(v->data.chunk_bytes, 120);
        assert_int_equal(ncz_hdf4_chunks(o.f, &v->data, count, &c), NC_NOERR);
        assert_int_equal(c.n, 16);
        assert_int_equal(c.lost, 0);
        c = (counted){.n = 0};
        (void)snprintf(name, sizeof name, "%s_absent", names[i]);
        assert_int_equal(ncz_hdf4_chunks(o.f, &find(&o, name)->data, count, &c), NC_NOERR);
        assert_in_range(c.n, 1, 15);
        c = (counted){.fails = true};
        assert_int_equal(ncz_hdf4_chunks(o.f, &v->data, count, &c), NC_EIO);
        assert_int_equal(c.n, 1);
    }
    end(&o);
    ncz_buf_clear(&o.file);
}

/* Changes the first record of the table of `v`: its place, or the object that it names. */
static void
change_record(opened *o, const char *name, size_t at, unsigned char value)
{
    ncz_arena       arena = NCZ_ARENA_INIT;
    ncz_hdf4_pieces pieces;
    ncz_hdf4_data   table;

    assert_int_equal(ncz_hdf4_data_read(o->f, NCZ_HDF4_TAG_RECORDS, find(o, name)->data.table, &arena, &table),
                     NC_NOERR);
    assert_int_equal(ncz_hdf4_find_pieces(o->f, &table, &pieces), NC_NOERR);
    o->file.data[pieces.v[0].at + at] = (char)value;
    ncz_hdf4_pieces_clear(&pieces);
    ncz_arena_clear(&arena);
}

TEST(damaged_records_of_the_table)
{
    opened  o;
    counted c = {.n = 0};

    hdf4_load("coders.hdf", &o.file);
    begin(&o);
    change_record(&o, "rle_chunks", 0, 0x70);    /* a place far outside */
    change_record(&o, "deflate_chunks", 9, 9);   /* tag 9 */
    change_record(&o, "plain_chunks", 10, 0x77); /* an object that is not there */
    end(&o);
    begin(&o);
    assert_int_equal(ncz_hdf4_chunks(o.f, &find(&o, "rle_chunks")->data, count, &c), NC_NOERR);
    assert_int_equal(c.n, 16);
    assert_int_equal(c.lost, 1);
    assert_int_equal(c.unplaced, 1);
    c = (counted){.n = 0};
    assert_int_equal(ncz_hdf4_chunks(o.f, &find(&o, "deflate_chunks")->data, count, &c), NC_NOERR);
    assert_int_equal(c.n, 16);
    assert_int_equal(c.lost, 1);
    c = (counted){.n = 0};
    assert_int_equal(ncz_hdf4_chunks(o.f, &find(&o, "plain_chunks")->data, count, &c), NC_NOERR);
    assert_int_equal(c.lost, 1);
    end(&o);
    ncz_buf_clear(&o.file);
}
