/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that libhdf4 wrote: what is in the list, and where data lie. Their values are read by test_api_hdf4.c; part
 * `hdf4` compares files that are made for it with libhdf4.
 */
#include "hdf4/bytes.h"
#include "support/failing_alloc.h"
#include "support/test.h"

static const char *const names[] = HDF4_FILES;

/* A file and its list. */
typedef struct opened {
    ncz_buf     file;
    hdf4_bytes  bytes;
    ncz_hdf4   *f;
    ncz_hdf4_sd sd;
} opened;

static void
begin(opened *o, const char *name)
{
    hdf4_load(name, &o->file);
    o->bytes = (hdf4_bytes){.data = (const unsigned char *)o->file.data, .len = o->file.len};
    assert_int_equal(hdf4_open(&o->bytes, &o->f), NC_NOERR);
    assert_int_equal(ncz_hdf4_sd_read(o->f, &o->sd), NC_NOERR);
    assert_int_equal(o->sd.nlosses, 0);
}

static void
end(opened *o)
{
    ncz_hdf4_sd_clear(&o->sd);
    ncz_hdf4_sd_clear(&o->sd);
    ncz_hdf4_close(o->f);
    ncz_buf_clear(&o->file);
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

TEST(each_file_is_read)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        opened o;
        size_t nvars, nchunks;

        begin(&o, names[i]);
        for (size_t v = 0; v < o.sd.nvars; v++)
            assert_null(o.sd.vars[v].lost);
        assert_int_equal(hdf4_walk(o.f, &nvars, &nchunks), NC_NOERR);
        assert_int_equal(nvars, o.sd.nvars);
        end(&o);
    }
}

TEST(types_and_attributes)
{
    opened              o;
    const ncz_hdf4_var *v;

    begin(&o, "types.hdf");
    v = find(&o, "uint16_little");
    assert_int_equal(v->type.code, NCZ_HDF4_UINT16);
    assert_true(v->type.little);
    assert_int_equal(v->natts, 2);
    assert_string_equal(v->atts[1].name, "text");
    assert_int_equal(v->atts[1].n, 11);
    assert_memory_equal(v->atts[1].data, "eleven char", 11);
    v = find(&o, "uchar"); /* the library shows one value of these */
    assert_int_equal(v->atts[0].n, 3);
    assert_int_equal(o.sd.natts, 1);
    end(&o);
}

TEST(dimensions_are_those_of_their_names)
{
    opened o;

    begin(&o, "names.hdf");
    assert_int_equal(o.sd.ndims, 2);
    assert_string_equal(o.sd.dims[0].name, "YDim:Grid");
    assert_int_equal(o.sd.dims[0].len, 4);
    assert_int_equal(find(&o, "YDim")->dims[0], 0);
    end(&o);

    begin(&o, "records.hdf");
    assert_true(o.sd.dims[0].unlimited);
    assert_int_equal(o.sd.dims[0].len, 5);
    assert_int_equal(find(&o, "r2")->nrecords, 2);
    assert_int_equal(find(&o, "r0")->nrecords, 0);
    assert_int_equal(find(&o, "r300")->nrecords, 300);
    end(&o);
}

/* Blocks of 64 records each. */
TEST(linked_blocks)
{
    opened              o;
    ncz_hdf4_pieces     p;
    const ncz_hdf4_var *v;

    begin(&o, "records.hdf");
    v = find(&o, "r300");
    assert_int_equal(v->data.kind, NCZ_HDF4_LINKED);
    assert_int_equal(ncz_hdf4_find_pieces(o.f, &v->data, &p), NC_NOERR);
    assert_int_equal(p.len, 300 * 12);
    assert_true(p.n > 1 || p.v[0].len == p.len);
    ncz_hdf4_pieces_clear(&p);
    ncz_hdf4_pieces_clear(&p);
    end(&o);
}

TEST(older_sets)
{
    opened              o;
    const ncz_hdf4_var *v;

    begin(&o, "dfsd.hdf");
    assert_int_equal(o.sd.nvars, 6);
    assert_string_equal(o.sd.vars[0].name, "fakeDim0");
    assert_int_equal(o.sd.vars[0].data.kind, NCZ_HDF4_PLAIN);
    v = find(&o, "Data-Set-2");
    assert_int_equal(v->natts, 6);
    assert_string_equal(v->atts[0].name, "coordsys");
    assert_string_equal(v->atts[1].name, "valid_max");
    assert_string_equal(v->atts[5].name, "format");
    assert_int_equal(o.sd.vars[4].data.kind, NCZ_HDF4_NOTHING); /* of a dimension without a scale */
    end(&o);
}

TEST(other_files_are_named)
{
    opened          o;
    ncz_hdf4_pieces p;

    begin(&o, "external.hdf");
    assert_int_equal(find(&o, "outside")->data.kind, NCZ_HDF4_EXTERNAL);
    assert_int_equal(ncz_hdf4_find_pieces(o.f, &find(&o, "outside")->data, &p), NC_ENOTBUILT);
    assert_non_null(strstr(ncz_err_text(), "external.dat"));
    ncz_hdf4_pieces_clear(&p);
    assert_int_equal(find(&o, "inside")->data.kind, NCZ_HDF4_PLAIN);
    end(&o);
}

TEST(other_bytes_are_none)
{
    static const char text[] = "CDF\001 and so on";
    hdf4_bytes        b = {.data = (const unsigned char *)text, .len = sizeof text};
    ncz_hdf4         *f;

    assert_int_equal(hdf4_open(&b, &f), NC_ENOTNC);
    b.len = 0;
    assert_int_equal(hdf4_open(&b, &f), NC_ENOTNC);
    assert_null(f);
    assert_false(ncz_hdf4_is("\x0e\x03\x13", 3));
    ncz_hdf4_close(NULL);
}

/* A source far away is read in few calls. */
TEST(few_calls)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf    file;
        hdf4_bytes b;
        ncz_hdf4  *f;
        size_t     nvars, nchunks;

        hdf4_load(names[i], &file);
        b = (hdf4_bytes){.data = (const unsigned char *)file.data, .len = file.len, .far = true};
        assert_int_equal(hdf4_open(&b, &f), NC_NOERR);
        assert_int_equal(hdf4_walk(f, &nvars, &nchunks), NC_NOERR);
        assert_true(b.ncalls <= 3);
        ncz_hdf4_close(f);
        ncz_buf_clear(&file);
    }
}

enum { FAR_BLOCKS = 12, FAR_DDS = 8, FAR_STEP = 3 << 20 };

static void
put(unsigned char *to, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (unsigned char)(v >> 8 * (n - 1 - i));
}

/* Blocks of descriptors whose objects are about as large as those of the others, by `odd` bytes times their number. */
static unsigned char *
make_far_blocks(size_t odd, size_t *len)
{
    unsigned char *file;
    size_t         at = 4;

    *len = FAR_BLOCKS * (FAR_STEP + odd * FAR_BLOCKS) + 4;
    file = calloc(*len, 1);
    assert_non_null(file);
    memcpy(file, "\x0e\x03\x13\x01", 4);
    for (size_t i = 0; i < FAR_BLOCKS; i++) {
        size_t step = FAR_STEP + odd * i, next = at + step;

        put(file + at, FAR_DDS, 2);
        put(file + at + 2, i + 1 < FAR_BLOCKS ? next : 0, 4);
        for (size_t k = 0; k < FAR_DDS; k++) {
            unsigned char *dd = file + at + 6 + 12 * k;

            put(dd, 20, 2);
            put(dd + 2, i * FAR_DDS + k + 1, 2);
            put(dd + 4, at + 6 + 12 * FAR_DDS + k * (step / FAR_DDS - 128), 4);
            put(dd + 8, 4, 4);
        }
        at = next;
    }
    return file;
}

/* Blocks that are far from each other are read side by side, where the distance of the last says where they are. */
TEST(far_blocks_are_read_side_by_side)
{
    static const size_t odds[] = {0, 4000, 600000}, most[] = {4, 4, 2 + FAR_BLOCKS};

    for (size_t i = 0; i < NCZ_LEN(odds); i++) {
        hdf4_bytes     b = {.far = true};
        unsigned char *file = make_far_blocks(odds[i], &b.len);
        ncz_hdf4      *f;

        b.data = file;
        assert_int_equal(hdf4_open(&b, &f), NC_NOERR);
        assert_non_null(ncz_hdf4_find(f, 20, FAR_BLOCKS * FAR_DDS));
        assert_true(b.ncalls <= most[i]);
        assert_true(b.nbytes < b.len);
        ncz_hdf4_close(f);
        free(file);
    }
}

enum { FAR_TABLES = 16 };

static unsigned char *
put_descriptor(unsigned char *dd, unsigned tag, unsigned ref, size_t at, size_t len)
{
    put(dd, tag, 2);
    put(dd + 2, ref, 2);
    put(dd + 4, at, 4);
    put(dd + 8, len, 4);
    return dd + 12;
}

/* An element in blocks of 64 bytes, two of which a table of its own has, each a megabyte behind the last. */
static unsigned char *
make_far_tables(size_t *len)
{
    unsigned char *file, *dd;

    *len = (FAR_TABLES + 2) << 20;
    file = calloc(*len, 1);
    assert_non_null(file);
    memcpy(file, "\x0e\x03\x13\x01", 4);
    put(file + 4, 1 + 2 * FAR_TABLES, 2);
    dd = put_descriptor(file + 10, 702 | 0x4000, 1, 4096, 16);
    put(file + 4096, 1, 2);
    put(file + 4098, 128 * FAR_TABLES, 4);
    put(file + 4102, 64, 4);
    put(file + 4106, 2, 4);
    put(file + 4110, 1, 2);
    for (size_t i = 1; i <= FAR_TABLES; i++) {
        size_t at = i << 20;

        put(file + at, i < FAR_TABLES ? i + 1 : 0, 2);
        put(file + at + 2, 100 + i, 2);
        put(file + at + 4, 100 + i, 2);
        dd = put_descriptor(dd, 20, (unsigned)i, at, 6);
        dd = put_descriptor(dd, 20, (unsigned)(100 + i), at + 64, 64);
    }
    return file;
}

TEST(far_tables_are_read_side_by_side)
{
    hdf4_bytes      b = {.far = true};
    unsigned char  *file = make_far_tables(&b.len);
    ncz_hdf4       *f;
    ncz_arena       arena = NCZ_ARENA_INIT;
    ncz_hdf4_data   data;
    ncz_hdf4_pieces pieces;

    b.data = file;
    assert_int_equal(hdf4_open(&b, &f), NC_NOERR);
    assert_int_equal(ncz_hdf4_data_read(f, 702, 1, &arena, &data), NC_NOERR);
    b.ncalls = 0;
    assert_int_equal(ncz_hdf4_find_pieces(f, &data, &pieces), NC_NOERR);
    assert_int_equal(b.ncalls, 1);
    assert_true(pieces.len == 128 * FAR_TABLES);
    ncz_hdf4_pieces_clear(&pieces);
    ncz_arena_clear(&arena);
    ncz_hdf4_close(f);
    free(file);
}

static int
walk_step(void *arg)
{
    const ncz_buf *file = arg;
    hdf4_bytes     b = {.data = (const unsigned char *)file->data, .len = file->len};
    ncz_hdf4      *f = NULL;
    size_t         nvars, nchunks;
    int            rc = hdf4_open(&b, &f);

    if (rc == NC_NOERR)
        rc = hdf4_walk(f, &nvars, &nchunks);
    ncz_hdf4_close(f);
    return rc;
}

TEST(allocations_may_fail)
{
    static const char *const some[] = {"names.hdf", "records.hdf", "dfsd.hdf", "external.hdf", "compressed.hdf"};

    for (size_t i = 0; i < NCZ_LEN(some); i++) {
        ncz_buf file;

        hdf4_load(some[i], &file);
        each_allocation_fails(walk_step, &file);
        ncz_buf_clear(&file);
    }
}
