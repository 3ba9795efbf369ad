/* SPDX-License-Identifier: BSD-3-Clause */
/* Classic netCDF: headers of the three versions, whole and in part, headers that lie, and where chunks lie. */
#include "fixture.h"

#include "dialects/classic/classic.h"

enum { DIMS = 10, VARS = 11, ATTS = 12 };

/* ---- a header, written by hand ---- */

typedef struct file {
    unsigned char b[2048];
    size_t        n;
    unsigned      version;
} file;

static void
put_be(file *f, uint64_t v, size_t nbytes)
{
    for (size_t i = nbytes; i-- > 0;)
        f->b[f->n++] = (unsigned char)(v >> (8 * i));
}

static void
u32(file *f, uint32_t v)
{
    put_be(f, v, 4);
}

static void
count(file *f, uint64_t v)
{
    put_be(f, v, f->version == 5 ? 8 : 4);
}

static void
offset(file *f, uint64_t v)
{
    put_be(f, v, f->version == 1 ? 4 : 8);
}

static void
name(file *f, const char *s)
{
    count(f, strlen(s));
    memcpy(f->b + f->n, s, strlen(s));
    f->n += strlen(s);
    while (f->n % 4 != 0)
        f->b[f->n++] = 0;
}

static file
begin(unsigned version, uint64_t nrecords)
{
    file f = {.version = version};

    memset(&f, 0, sizeof f);
    memcpy(f.b, "CDF", 3);
    f.b[3] = (unsigned char)version;
    f.n = 4;
    f.version = version;
    count(&f, nrecords);
    return f;
}

static void
absent(file *f)
{
    u32(f, 0);
    count(f, 0);
}

static void
list(file *f, uint32_t tag, uint64_t n)
{
    u32(f, tag);
    count(f, n);
}

static void
dim(file *f, const char *s, uint64_t len)
{
    name(f, s);
    count(f, len);
}

/* A variable without attributes, of dimensions as numbers in a text. */
static void
var(file *f, const char *s, const char *dims, uint32_t type, uint64_t at)
{
    name(f, s);
    count(f, strlen(dims));
    for (const char *d = dims; *d != '\0'; d++)
        count(f, (uint64_t)(*d - '0'));
    absent(f);
    u32(f, type);
    count(f, UINT32_MAX); /* vsize, which nobody uses */
    offset(f, at);
}

/* t: records, x: 3; attributes of three types; fixed f(x) at 1000, records a(t,x) short at 2000, b(t) double at 2008.
 */
static file
whole(unsigned version)
{
    file f = begin(version, 2);

    list(&f, DIMS, 2);
    dim(&f, "t", 0);
    dim(&f, "x", 3);
    list(&f, ATTS, 3);
    name(&f, "title");
    u32(&f, NC_CHAR);
    count(&f, 2);
    f.b[f.n++] = 'h', f.b[f.n++] = 'i', f.b[f.n++] = 0, f.b[f.n++] = 0;
    name(&f, "n");
    u32(&f, NC_SHORT);
    count(&f, 1);
    put_be(&f, 0xFFFE, 2);
    put_be(&f, 0, 2);
    name(&f, "e");
    u32(&f, NC_DOUBLE);
    count(&f, 0);
    list(&f, VARS, 3);
    var(&f, "f", "1", NC_FLOAT, 1000);
    var(&f, "a", "01", NC_SHORT, 2000);
    var(&f, "b", "0", NC_DOUBLE, 2008);
    return f;
}

/* Goes on with what has been parsed of it before. */
static int
parse_on(const file *f, size_t n, uint64_t size, ncz_arena *arena, ncz_classic_header *h, size_t *need)
{
    /* In memory of its own, so that a sanitizer sees a read past the end. */
    unsigned char *copy = malloc(n > 0 ? n : 1);
    int            rc;

    assert_non_null(copy);
    memcpy(copy, f->b, n);
    rc = ncz_classic_parse(copy, n, size, &ncz_limits_default, arena, h, need);
    free(copy);
    return rc;
}

static int
parse(const file *f, size_t n, uint64_t size, ncz_arena *arena, ncz_classic_header *h, size_t *need)
{
    *h = (ncz_classic_header){.version = 0};
    return parse_on(f, n, size, arena, h, need);
}

/* However it comes, in one piece or byte by byte. */
TEST(a_cut_header_asks_for_more_bytes)
{
    static const unsigned versions[] = {1, 2, 5};

    for (size_t i = 0; i < 6; i++) {
        file               f = whole(versions[i / 2]);
        ncz_arena          arena = NCZ_ARENA_INIT;
        ncz_classic_header h = {.version = 0};
        size_t             need;

        /* However much of it is there, it says that it needs more, and never more than the file has. */
        for (size_t n = 4; n < f.n; n++) {
            assert_int_equal((i % 2 ? parse_on : parse)(&f, n, 2032, &arena, &h, &need), NC_NOERR);
            assert_true(need > n && need <= 2032);
        }
        assert_int_equal((i % 2 ? parse_on : parse)(&f, f.n, 2032, &arena, &h, &need), NC_NOERR);
        assert_int_equal(need, f.n);
        assert_true(h.version == versions[i / 2] && h.nrecords == 2 && h.nbytes == f.n);
        assert_true(h.ndims == 2 && h.dims[0].len == 0 && strcmp(h.dims[1].name, "x") == 0 && h.dims[1].len == 3);
        assert_int_equal(h.natts, 3);
        assert_true(h.atts[0].len == 2 && memcmp(h.atts[0].data, "hi", 2) == 0);
        assert_true(h.atts[1].type->id == NC_SHORT && *(const short *)h.atts[1].data == -2);
        assert_true(h.atts[2].type->id == NC_DOUBLE && h.atts[2].len == 0);
        assert_true(h.nvars == 3 && !h.vars[0].record && h.vars[0].nbytes == 12 && h.vars[0].begin == 1000);
        assert_true(h.vars[1].record && h.vars[1].rank == 2 && h.vars[1].nbytes == 6);
        assert_true(h.nrecordvars == 2 && h.first == 2000 && h.pitch == 16); /* each slab is padded to 4 bytes */
        ncz_arena_clear(&arena);
    }
}

/* Each row changes one thing of a file that is right. */
TEST(wrong_headers)
{
    enum {
        TAG,
        MANY_DIMS,
        TWO_RECORDS,
        NO_NAME,
        LONG_NAME,
        NUL_NAME,
        BAD_TYPE,
        WIDE_TYPE,
        BAD_DIM,
        RECORD_LAST,
        IN_HEADER,
        OVERLAP,
        IN_RECORDS,
        MANY_RECORDS,
        BIG,
        HUGE_ATT,
        CUT,
        ROWS
    };
    static const struct {
        int         rc;
        const char *says;
    } rows[ROWS] = {
        [TAG] = {NC_EINVAL, "no list of dimensions, but tag 99"},
        [MANY_DIMS] = {NC_EINVAL, "more than the"},
        [TWO_RECORDS] = {NC_EUNLIMIT, "dimension u is the second"},
        [NO_NAME] = {NC_EBADNAME, "is empty"},
        [LONG_NAME] = {NC_EMAXNAME, "4097 bytes"},
        [NUL_NAME] = {NC_EBADNAME, "NUL"},
        [BAD_TYPE] = {NC_EBADTYPE, "variable v has type 12"},
        [WIDE_TYPE] = {NC_EBADTYPE, "type 10, which CDF-2 does not have"},
        [BAD_DIM] = {NC_EBADDIM, "dimension number 7 of 2"},
        [RECORD_LAST] = {NC_EUNLIMPOS, "not as its first"},
        [IN_HEADER] = {NC_ENOTNC, "within the header"},
        [OVERLAP] = {NC_ENOTNC, "v and w overlap at byte 504"},
        [IN_RECORDS] = {NC_ENOTNC, "among the records"},
        [MANY_RECORDS] = {NC_EINVAL, "records, which end at byte"},
        [BIG] = {NC_EVARSIZE, "more elements than a file can hold"},
        [HUGE_ATT] = {NC_EINVAL, "more than the file can hold"},
        [CUT] = {NC_EINVAL, "the header ends at byte"},
    };

    for (int i = 0; i < ROWS; i++) {
        unsigned           version = i == WIDE_TYPE ? 2 : i == BIG ? 5 : 1;
        file               f = begin(version, i == MANY_RECORDS ? 1000000 : 2);
        ncz_arena          arena = NCZ_ARENA_INIT;
        ncz_classic_header h;
        size_t             need;
        uint64_t           len = i == BIG ? INT64_MAX / 2 : 3;

        list(&f, i == TAG ? 99 : DIMS, i == MANY_DIMS ? 0x7ffffff0 : i == TWO_RECORDS ? 3 : 2);
        dim(&f, "t", 0);
        dim(&f, i == NO_NAME ? "" : "x", len);
        if (i == TWO_RECORDS)
            dim(&f, "u", 0);
        if (i == HUGE_ATT) {
            list(&f, ATTS, 1);
            name(&f, "a");
            u32(&f, NC_BYTE);
            count(&f, 0x7fffffff);
        }
        absent(&f);
        list(&f, VARS, 2);
        var(&f, "v",
            i == BAD_DIM       ? "7"
            : i == RECORD_LAST ? "10"
            : i == BIG         ? "111"
                               : "1",
            i == BAD_TYPE    ? 12
            : i == WIDE_TYPE ? 10
                             : NC_FLOAT,
            i == IN_HEADER    ? 20
            : i == IN_RECORDS ? 608
                              : 500);
        var(&f, "w", i == OVERLAP ? "1" : "01", NC_FLOAT, i == OVERLAP ? 504 : 600);
        if (i == LONG_NAME)
            f.b[8 + 8 + 2] = 0x10;
        if (i == NUL_NAME)
            f.b[8 + 8 + 4] = 0;
        assert_int_equal(parse(&f, f.n, i == CUT ? f.n - 8 : 700, &arena, &h, &need), rows[i].rc);
        if (strstr(ncz_err_text(), rows[i].says) == NULL)
            fail_msg("row %d: %s", i, ncz_err_text());
        ncz_arena_clear(&arena);
    }
}

/* The number of records of a file that was written to a pipe comes from its size. */
TEST(streamed_records_are_counted_by_size)
{
    for (unsigned version = 1; version <= 5; version += version == 1 ? 1 : 3) {
        file               f = begin(version, version == 5 ? UINT64_MAX : UINT32_MAX);
        ncz_arena          arena = NCZ_ARENA_INIT;
        ncz_classic_header h;
        size_t             need;

        list(&f, DIMS, 1);
        dim(&f, "t", 0);
        absent(&f);
        list(&f, VARS, 1);
        var(&f, "v", "0", NC_SHORT, 400);
        assert_int_equal(parse(&f, f.n, 411, &arena, &h, &need), NC_NOERR);
        assert_true(h.nrecords == 5 && h.pitch == 2); /* alone, it is not padded */
        assert_int_equal(parse(&f, f.n, UINT64_MAX, &arena, &h, &need), NC_EINVAL);
        ncz_arena_clear(&arena);
    }
}

/* ---- places ---- */

static ncz_chunk_addr
locate(ncz_classic_file *f, const ncz_classic_spot *at, const uint64_t *index, uint64_t *chunk0)
{
    ncz_classic_spot   spot = *at;
    ncz_classic_place *p = malloc(ncz_classic_place_bytes(spot.rank));
    ncz_layout        *l = NULL;
    ncz_var            as = {.rank = spot.rank};
    ncz_buf            key = NCZ_BUF_INIT;
    ncz_chunk_addr     where = {.length = UINT64_MAX, .slot = NCZ_NO_SLOT};

    spot.file = f;
    assert_non_null(p);
    ncz_classic_place_make(&spot, p);
    as.place = p;
    *chunk0 = spot.rank > 0 ? p->n[spot.rank] : 0;
    assert_int_equal(ncz_classic_make_layout(&as, &(ncz_layout_shape){.rank = spot.rank, .path = "v"}, &l), NC_NOERR);
    assert_int_equal(l->ops->locate(l, index, &key, &where), NC_NOERR);
    assert_string_equal(where.key, "");
    ncz_layout_unref(l);
    free(p);
    ncz_buf_clear(&key);
    return where;
}

TEST(chunks_of_classic_files_are_rows)
{
    static const uint64_t lens[] = {1000, 1000};
    ncz_classic_file      f = {.pitch = 24, .size = UINT64_MAX};
    ncz_classic_spot      v = {.rank = 2, .len = lens, .element = 4, .begin = 100, .nbytes = 4000000};
    ncz_chunk_addr        w;
    uint64_t              chunk;

    atomic_init(&f.nrecords, 100);
    /* Fixed: whole rows, about 1 MiB, or less over a network; the last chunk is shorter. */
    w = locate(&f, &v, (const uint64_t[]){0, 0}, &chunk);
    assert_true(chunk == 262 && w.offset == 100 && w.length == 262 * 4000 && w.tail == NCZ_TAIL_NONE && w.pitch == 0);
    w = locate(&f, &v, (const uint64_t[]){3, 0}, &chunk);
    assert_true(w.offset == 100 + 3 * 262 * 4000 && w.length == 214 * 4000 && w.tail == NCZ_TAIL_FILL);
    f.far = true;
    w = locate(&f, &v, (const uint64_t[]){0, 0}, &chunk);
    assert_true(chunk == 16 && w.length == 16 * 4000);
    f.far = false;
    /* What lies beyond the file's end reads as zeros. */
    f.size = 110;
    w = locate(&f, &v, (const uint64_t[]){0, 0}, &chunk);
    assert_true(w.length == 10 && w.tail == NCZ_TAIL_ZEROS && w.bytes == NULL);
    f.size = 90;
    w = locate(&f, &v, (const uint64_t[]){0, 0}, &chunk);
    assert_true(w.length == 0 && w.tail == NCZ_TAIL_ZEROS && w.bytes != NULL);
    f.size = UINT64_MAX;

    /* Small records: many together, each a row; the bytes end with the last row. */
    v = (ncz_classic_spot){.rank = 1, .len = lens, .element = 8, .begin = 200, .nbytes = 8, .record = true};
    w = locate(&f, &v, (const uint64_t[]){0}, &chunk);
    assert_true(chunk == (1 << 17) / 24 && w.offset == 200 && w.row == 8 && w.pitch == 24);
    assert_true(w.length == 99 * 24 + 8 && w.tail == NCZ_TAIL_FILL); /* there are only 100 of them */
    /* Large records: each by itself. */
    f.pitch = 1 << 20;
    w = locate(&f, &v, (const uint64_t[]){7}, &chunk);
    assert_true(chunk == 1 && w.offset == 200 + ((uint64_t)7 << 20) && w.length == 8 && w.pitch == 0);
    /* The only variable with records: they follow each other. */
    f.pitch = 8;
    v.alone = true;
    w = locate(&f, &v, (const uint64_t[]){0}, &chunk);
    assert_true(chunk == (1 << 17) / 8 && w.length == 800 && w.pitch == 0 && w.tail == NCZ_TAIL_FILL);
}
