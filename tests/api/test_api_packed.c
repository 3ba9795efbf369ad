/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables whose elements own memory below their first level (compounds with strings and sequences, sequences of
 * strings, of compounds, of sequences): put, stored, read back, changed in part, grown and copied, in either version of
 * Zarr; damaged chunks, definitions that lie, and memory that runs out.
 */
#include "no_memory.h"

#include "nczarr_filter.h"

#include "zmap/zmap.h"

static const char *const modes[] = {NULL, "mode=nczarr,v3"};

typedef struct station {
    int       id;
    char     *name;
    nc_vlen_t counts;
    char     *notes[2];
} station;

enum { NUMBERS = 3 };

typedef struct stations {
    station one[40];
    char    names[40][12];
    int     counts[40][NUMBERS];
    size_t  n;
} stations;

/* Station i is named "s", "ss" ... and has i % 4 counts. */
static void
make_stations(stations *s, size_t n)
{
    s->n = n;
    for (size_t i = 0; i < n; i++) {
        memset(s->names[i], 's', i % 10);
        s->names[i][i % 10] = '\0';
        for (size_t k = 0; k < NUMBERS; k++)
            s->counts[i][k] = (int)(i * 10 + k);
        s->one[i] = (station){.id = (int)i + 1,
                              .name = s->names[i],
                              .counts = {i % 4, s->counts[i]},
                              .notes = {i % 2 == 0 ? NULL : (char *)"n", (char *)"same"}};
    }
}

static void
assert_station(const station *got, const station *want)
{
    assert_int_equal(got->id, want->id);
    assert_string_equal(got->name, want->name);
    assert_int_equal(got->counts.len, want->counts.len);
    for (size_t k = 0; k < want->counts.len; k++)
        assert_int_equal(((int *)got->counts.p)[k], ((int *)want->counts.p)[k]);
    for (int k = 0; k < 2; k++)
        assert_string_equal(got->notes[k], want->notes[k] != NULL ? want->notes[k] : "");
}

static void
assert_nothing(const station *got)
{
    assert_station(got, &(station){.name = (char *)"", .notes = {(char *)"", (char *)""}});
}

static nc_type
def_station(int ncid)
{
    nc_type row, t;

    OK(nc_def_vlen(ncid, "row", NC_INT, &row));
    OK(nc_def_compound(ncid, sizeof(station), "station", &t));
    OK(nc_insert_compound(ncid, t, "id", offsetof(station, id), NC_INT));
    OK(nc_insert_compound(ncid, t, "name", offsetof(station, name), NC_STRING));
    OK(nc_insert_compound(ncid, t, "counts", offsetof(station, counts), row));
    OK(nc_insert_array_compound(ncid, t, "notes", offsetof(station, notes), NC_STRING, 1, (int[]){2}));
    return t;
}

/* ---- what is put comes back ---------------------------------------------------------------------------------- */

TEST_IN_EACH_PLACE(round_trips)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        stations s;
        station  back[8], one;
        int      ncid, x, v;
        nc_type  t;
        size_t   at = 5;

        make_stations(&s, 8);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        t = def_station(ncid);
        OK(nc_def_dim(ncid, "x", 8, &x));
        OK(nc_def_var(ncid, "v", t, 1, &x, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3}));
        OK(nc_def_var_deflate(ncid, v, 1, 1, 4));
        OK(nc_def_var(ncid, "scalar", t, 0, NULL, &v));
        OK(nc_def_var(ncid, "untouched", t, 1, &x, &v));
        OK(nc_put_var(ncid, 0, s.one));
        OK(nc_put_var(ncid, 1, &s.one[3]));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_vartype(ncid, 0, &t));
        OK(nc_get_var(ncid, 0, back));
        for (size_t i = 0; i < 8; i++)
            assert_station(&back[i], &s.one[i]);
        OK(nc_reclaim_data(ncid, t, back, 8));
        OK(nc_get_var1(ncid, 0, &at, &one));
        assert_station(&one, &s.one[5]);
        OK(nc_reclaim_data(ncid, t, &one, 1));
        OK(nc_get_vars(ncid, 0, (size_t[]){1}, (size_t[]){3}, (ptrdiff_t[]){3}, back));
        for (size_t i = 0; i < 3; i++)
            assert_station(&back[i], &s.one[1 + 3 * i]);
        OK(nc_reclaim_data(ncid, t, back, 3));
        OK(nc_get_varm(ncid, 0, (size_t[]){0}, (size_t[]){4}, NULL, (ptrdiff_t[]){2}, back));
        for (size_t i = 0; i < 4; i++) {
            assert_station(&back[2 * i], &s.one[i]);
            OK(nc_reclaim_data(ncid, t, &back[2 * i], 1));
        }
        OK(nc_get_var(ncid, 1, &one));
        assert_station(&one, &s.one[3]);
        OK(nc_reclaim_data(ncid, t, &one, 1));
        OK(nc_get_var(ncid, 2, back));
        for (size_t i = 0; i < 8; i++)
            assert_nothing(&back[i]);
        OK(nc_reclaim_data(ncid, t, back, 8));
        OK(nc_inq_var_fill(ncid, 2, NULL, &one));
        assert_nothing(&one);
        OK(nc_reclaim_data(ncid, t, &one, 1));
        FAILS(NC_EBADTYPE, nc_get_var_int(ncid, 0, (int[8]){0}));
        FAILS(NC_EBADTYPE, nc_get_var_string(ncid, 0, (char *[8]){NULL}));
        OK(nc_close(ncid));
    }
}

/* Sequences of strings, of sequences, of opaque bytes and of compounds, and a compound in a compound. */
TEST_IN_EACH_PLACE(nested_types_round_trip)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        struct {
            station   in;
            nc_vlen_t all, words;
            double    last;
        } net, got;
        stations  s;
        char     *texts[] = {(char *)"a", (char *)"", (char *)"bc"};
        nc_vlen_t words = {3, texts}, rows[2], nested = {2, rows}, raw = {2, (char[]){1, 2, 3, 4, 5, 6}}, back;
        int       ncid, v[4];
        nc_type   t, types[4], row, blob;

        make_stations(&s, 3);
        rows[0] = (nc_vlen_t){0, NULL};
        rows[1] = s.one[3 - 1].counts;
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        t = def_station(ncid);
        OK(nc_inq_typeid(ncid, "row", &row));
        OK(nc_def_opaque(ncid, 3, "blob", &blob));
        OK(nc_def_vlen(ncid, "words", NC_STRING, &types[0]));
        OK(nc_def_vlen(ncid, "rows", row, &types[1]));
        OK(nc_def_vlen(ncid, "blobs", blob, &types[2]));
        OK(nc_def_vlen(ncid, "all", t, &types[3]));
        OK(nc_def_compound(ncid, sizeof net, "net", &blob));
        OK(nc_insert_compound(ncid, blob, "in", 0, t));
        OK(nc_insert_compound(ncid, blob, "all", sizeof(station), types[3]));
        OK(nc_insert_compound(ncid, blob, "words", sizeof(station) + sizeof(nc_vlen_t), types[0]));
        OK(nc_insert_compound(ncid, blob, "last", sizeof(station) + 2 * sizeof(nc_vlen_t), NC_DOUBLE));
        types[3] = blob;
        for (int i = 0; i < 4; i++)
            OK(nc_def_var(ncid, (const char *[]){"w", "r", "b", "n"}[i], types[i], 0, NULL, &v[i]));
        memset(&net, 0, sizeof net);
        net.in = s.one[1];
        net.all = (nc_vlen_t){3, s.one};
        net.words = words;
        net.last = -1.5;
        OK(nc_put_var(ncid, v[0], &words));
        OK(nc_put_var(ncid, v[1], &nested));
        OK(nc_put_var(ncid, v[2], &raw));
        OK(nc_put_var(ncid, v[3], &net));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        for (int i = 0; i < 4; i++)
            OK(nc_inq_vartype(ncid, v[i], &types[i]));
        OK(nc_get_var(ncid, v[0], &back));
        assert_int_equal(back.len, 3);
        for (size_t i = 0; i < 3; i++)
            assert_string_equal(((char **)back.p)[i], texts[i]);
        OK(nc_reclaim_data(ncid, types[0], &back, 1));
        OK(nc_get_var(ncid, v[1], &back));
        assert_true(back.len == 2 && ((nc_vlen_t *)back.p)[0].len == 0 && ((nc_vlen_t *)back.p)[1].len == 2);
        assert_int_equal(((int *)((nc_vlen_t *)back.p)[1].p)[1], 21);
        OK(nc_reclaim_data(ncid, types[1], &back, 1));
        OK(nc_get_var(ncid, v[2], &back));
        assert_int_equal(back.len, 2);
        assert_memory_equal(back.p, raw.p, 6);
        OK(nc_reclaim_data(ncid, types[2], &back, 1));
        OK(nc_get_var(ncid, v[3], &got));
        assert_station(&got.in, &net.in);
        assert_true(got.all.len == 3 && got.words.len == 3 && got.last == -1.5);
        for (size_t i = 0; i < 3; i++)
            assert_station((station *)got.all.p + i, &s.one[i]);
        OK(nc_reclaim_data(ncid, types[3], &got, 1));
        OK(nc_close(ncid));
    }
}

/* Changes in part, in place and not; growth; and a fill value, which is an attribute. */
TEST_IN_EACH_PLACE(packed_values_change_in_part_and_grow)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        stations s;
        station  back[40], fill = {.id = -1, .name = (char *)"nobody", .notes = {(char *)"", (char *)"x"}}, got;
        int      ncid, x, v, no_fill;
        nc_type  t;

        make_stations(&s, 40);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        t = def_station(ncid);
        OK(nc_def_dim(ncid, "x", NC_UNLIMITED, &x));
        OK(nc_def_var(ncid, "v", t, 1, &x, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){20}));
        OK(nc_def_var_fill(ncid, v, 0, &fill));
        OK(nc_put_vara(ncid, v, (size_t[]){0}, (size_t[]){8}, s.one));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_vartype(ncid, v, &t));
        OK(nc_put_var1(ncid, v, (size_t[]){39}, &s.one[39]));
        for (size_t i = 0; i < 300; i++) /* in place, until the block is made again */
            OK(nc_put_var1(ncid, v, (size_t[]){4}, &s.one[i % 40]));
        OK(nc_put_vars(ncid, v, (size_t[]){0}, (size_t[]){2}, (ptrdiff_t[]){2}, (station[]){s.one[33], s.one[31]}));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_var_fill(ncid, v, &no_fill, &got));
        assert_int_equal(no_fill, 0);
        assert_station(&got, &fill);
        OK(nc_reclaim_data(ncid, t, &got, 1));
        OK(nc_get_var(ncid, v, back));
        assert_station(&back[0], &s.one[33]);
        assert_station(&back[1], &s.one[1]);
        assert_station(&back[2], &s.one[31]);
        assert_station(&back[4], &s.one[299 % 40]);
        assert_station(&back[7], &s.one[7]);
        assert_station(&back[39], &s.one[39]);
        for (size_t i = 8; i < 39; i++)
            assert_station(&back[i], &fill);
        OK(nc_reclaim_data(ncid, t, back, 40));
        OK(nc_close(ncid));
    }
}

/* Several chunks in a shard, a compressor, and copies to the other version, where the codec is the same. */
TEST_IN_EACH_PLACE(packed_values_are_copied_to_the_other_version)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        stations s;
        station  back[24];
        int      ncid, to, dims[2], v;
        nc_type  t;
        char     codecs[200];
        place    q;

        make_stations(&s, 24);
        place_make(&q, true);
        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        t = def_station(ncid);
        OK(nc_def_dim(ncid, "y", 4, &dims[0]));
        OK(nc_def_dim(ncid, "x", 6, &dims[1]));
        OK(nc_def_var(ncid, "v", t, 2, dims, &v));
        OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 3}));
        OK(nczarr_def_var_codec(ncid, v, "{\"id\": \"zlib\", \"level\": 1}"));
        if (m == 1)
            OK(nczarr_def_var_shards(ncid, v, (size_t[]){4, 6}));
        OK(nc_put_var(ncid, v, s.one));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(place_create(&q, modes[1 - m], NC_CLOBBER, &to));
        (void)def_station(to);
        OK(nc_copy_var(ncid, v, to));
        OK(nc_close(to));
        OK(place_open(&q, NULL, NC_NOWRITE, &to));
        OK(nczarr_inq_var_codecs(to, v, 2, NULL, codecs));
        assert_non_null(strstr(codecs, "\"vlen-bytes\""));
        OK(nc_inq_vartype(to, v, &t));
        OK(nc_get_var(to, v, back));
        for (size_t i = 0; i < 24; i++)
            assert_station(&back[i], &s.one[i]);
        OK(nc_reclaim_data(to, t, back, 24));
        OK(nc_close(to));
        OK(nc_close(ncid));
        place_drop(&q);
    }
}

/* ---- what cannot be ------------------------------------------------------------------------------------------ */

TEST_IN_EACH_PLACE(values_that_cannot_be_packed_are_refused)
{
    stations s;
    station  bad, huge, back;
    int      ncid, v, x;
    nc_type  t, wide, rows;

    make_stations(&s, 2);
    bad = huge = s.one[1];
    bad.counts = (nc_vlen_t){3, NULL};
    huge.counts.len = SIZE_MAX / 2;
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    t = def_station(ncid);
    OK(nc_def_dim(ncid, "x", 40, &x));
    OK(nc_def_var(ncid, "v", t, 1, &x, &v));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-utf8\"}"));
    FAILS(NC_EFILTER, nczarr_def_var_codec(ncid, v, "{\"id\": \"vlen-array\", \"dtype\": \"<i4\"}"));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"id\": \"zlib\"}]"));
    OK(nczarr_def_var_codecs(ncid, v, "[{\"id\": \"vlen-bytes\"}, {\"id\": \"zlib\"}]"));
    FAILS(NC_EINVAL, nc_def_var_endian(ncid, v, NC_ENDIAN_BIG));
    /* A sequence of elements that are mostly gaps. */
    OK(nc_def_compound(ncid, 1000, "wide", &wide));
    OK(nc_insert_compound(ncid, wide, "one", 0, NC_BYTE));
    OK(nc_def_vlen(ncid, "wides", wide, &rows));
    FAILS(NC_ENOTBUILT, nc_def_var(ncid, "w", rows, 0, NULL, &x));
    assert_non_null(strstr(nczarr_errmsg(), "mostly gaps"));
    for (size_t at = 0; at < 2; at++) { /* the second in place */
        OK(nc_put_var1(ncid, v, &at, &s.one[1]));
        FAILS(NC_EINVAL, nc_put_var1(ncid, v, &at, &bad));
        FAILS(NC_EFILTER, nc_put_var1(ncid, v, &at, &huge));
        FAILS(NC_EBADTYPE, nc_put_var1_int(ncid, v, &at, &x));
        OK(nc_get_var1(ncid, v, &at, &back)); /* is unchanged */
        assert_station(&back, &s.one[1]);
        OK(nc_reclaim_data(ncid, t, &back, 1));
    }
    OK(nc_close(ncid));
    for (int m = 0; m < 2; m++) {
        OK(place_create(p, m == 0 ? "mode=zarr" : "mode=zarr,v3", NC_CLOBBER, &ncid));
        t = def_station(ncid);
        FAILS(NC_ENOTBUILT, nc_def_var(ncid, "v", t, 0, NULL, &v));
        OK(nc_close(ncid));
    }
    OK(place_create(p, "mode=nczarr&compat=4.9.2", NC_CLOBBER, &ncid));
    t = def_station(ncid);
    FAILS(NC_EBADTYPE, nc_def_var(ncid, "v", t, 0, NULL, &v));
    OK(nc_close(ncid));
}

/* ---- what is damaged ----------------------------------------------------------------------------------------- */

/* A dataset with one element of the type `name`, which is a compound {short a; string s} or a sequence of these. */
static int
open_made(nczarr_map **map, const char *codec, const char *name, const void *chunk, size_t n)
{
    static const char group[] =
        "{\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_group\": {\"dimensions\": {\"x\": 1}, "
        "\"arrays\": [\"v\"], \"groups\": [], \"types\": {\"pair\": {\"class\": \"compound\", \"size\": 16, "
        "\"pointer\": 8, \"fields\": [{\"name\": \"a\", \"type\": \"short\", \"offset\": 0}, {\"name\": \"s\", "
        "\"type\": \"string\", \"offset\": 8}]}, \"pairs\": {\"class\": \"vlen\", \"base\": \"/pair\"}, "
        "\"gap\": {\"class\": \"compound\", \"size\": 16777216, \"fields\": [{\"name\": \"a\", \"type\": \"byte\", "
        "\"offset\": 0}]}, \"gaps\": {\"class\": \"vlen\", \"base\": \"/gap\"}}}}";
    char array[400], attrs[200];
    int  ncid;

    snprintf(array, sizeof array,
             "{\"zarr_format\": 2, \"shape\": [1], \"chunks\": [1], \"dtype\": \"|O\", \"compressor\": null, "
             "\"filters\": [{\"id\": \"%s\"}], \"order\": \"C\", \"fill_value\": null}",
             codec);
    snprintf(attrs, sizeof attrs,
             "{\"_nczarr_array\": {\"dimension_references\": [\"/x\"], \"storage\": \"chunked\", \"type\": \"/%s\"}}",
             name);
    OK(nczarr_map_memory(map));
    OK(zmap_put(*map, ".zgroup", "{\"zarr_format\": 2}", 18));
    OK(zmap_put(*map, ".zattrs", group, sizeof group - 1));
    OK(zmap_put(*map, "v/.zarray", array, strlen(array)));
    OK(zmap_put(*map, "v/.zattrs", attrs, strlen(attrs)));
    OK(zmap_put(*map, "v/0", chunk, n));
    OK(nczarr_open_map(*map, NULL, NC_NOWRITE, &ncid));
    return ncid;
}

TEST(damaged_chunks)
{
    static const struct {
        const char *type, *chunk;
        size_t      n;
        int         rc;
    } cases[] = {
        {"pair", "\1\0\0\0\7\0\0\0\5\0\1\0\0\0z", 15, NC_NOERR},
        {"pair", "\1\0\0\0\0\0\0\0", 8, NC_NOERR},                 /* was not written */
        {"pair", "\1\0\0\0\1\0\0\0\5", 9, NC_EFILTER},             /* half a number */
        {"pair", "\1\0\0\0\7\0\0\0\5\0\2\0\0\0z", 15, NC_EFILTER}, /* half a string */
        {"pair", "\1\0\0\0\7\0\0\0\5\0\xff\xff\xff\xffz", 15, NC_EFILTER},
        {"pair", "\1\0\0\0\10\0\0\0\5\0\1\0\0\0zz", 16, NC_EFILTER}, /* more than the element */
        {"pairs", "\1\0\0\0\4\0\0\0\0\0\0\0", 12, NC_NOERR},
        {"pairs", "\1\0\0\0\4\0\0\0\1\0\0\0", 12, NC_EFILTER},
        {"pairs", "\1\0\0\0\4\0\0\0\xff\xff\xff\xff", 12, NC_EFILTER},
    };

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        nczarr_map *map;
        struct {
            short a;
            char *s;
        } got;
        nc_vlen_t row;
        bool      one = strcmp(cases[i].type, "pair") == 0;
        nc_type   t;
        int       ncid;

        if (sizeof got != 16)
            continue; /* the definition is that of 64 bits */
        ncid = open_made(&map, "vlen-bytes", cases[i].type, cases[i].chunk, cases[i].n);
        OK(nc_inq_vartype(ncid, 0, &t));
        RC(cases[i].rc, nc_get_var(ncid, 0, one ? (void *)&got : (void *)&row));
        if (cases[i].rc != NC_NOERR) {
            assert_non_null(strstr(nczarr_errmsg(), "v/0"));
            assert_non_null(strstr(nczarr_errmsg(), cases[i].type));
        } else if (one) {
            assert_int_equal(got.a, cases[i].n == 15 ? 5 : 0);
            assert_string_equal(got.s, cases[i].n == 15 ? "z" : "");
            OK(nc_reclaim_data(ncid, t, &got, 1));
        } else {
            assert_true(row.len == 0 && row.p == NULL);
        }
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
    }
}

/* A type that does not suit what is stored, or that a few bytes could ask for much memory with, is not used. */
TEST(wrong_types)
{
    static const char *const cases[][2] = {{"vlen-utf8", "pair"}, {"vlen-bytes", "gaps"}, {"vlen-bytes", "gap"}};

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        nczarr_map *map;
        nc_type     t;
        char       *s;
        int         ncid = open_made(&map, cases[i][0], cases[i][1], "\1\0\0\0\4\0\0\0\1\0\0\0", 12);

        OK(nc_inq_vartype(ncid, 0, &t));
        assert_int_equal(t, NC_STRING);
        OK(nc_get_var_string(ncid, 0, &s));
        assert_string_equal(s, "\1");
        OK(nc_free_string(1, &s));
        OK(nc_close(ncid));
        OK(nczarr_map_close(map));
    }
}

/* ---- memory that runs out at every allocation in turn --------------------------------------------------------- */

static int
put_some(int ncid)
{
    stations s;
    station  fill = {.id = -1, .name = (char *)"f", .notes = {(char *)"", (char *)""}};
    int      rc, x, v;
    nc_type  t, row;

    make_stations(&s, 8);
    TRY(nc_def_dim(ncid, "x", 16, &x));
    TRY(nc_def_vlen(ncid, "row", NC_INT, &row));
    TRY(nc_def_compound(ncid, sizeof(station), "station", &t));
    TRY(nc_insert_compound(ncid, t, "id", offsetof(station, id), NC_INT));
    TRY(nc_insert_compound(ncid, t, "name", offsetof(station, name), NC_STRING));
    TRY(nc_insert_compound(ncid, t, "counts", offsetof(station, counts), row));
    TRY(nc_insert_array_compound(ncid, t, "notes", offsetof(station, notes), NC_STRING, 1, (int[]){2}));
    TRY(nc_def_var(ncid, "v", t, 1, &x, &v));
    TRY(nc_def_var_fill(ncid, v, 0, &fill));
    TRY(nc_put_vara(ncid, v, (size_t[]){0}, (size_t[]){4}, s.one));
    TRY(nc_put_var1(ncid, v, (size_t[]){6}, &s.one[6]));
done:
    return rc;
}

static int
put_and_get(place *p, const char *mode)
{
    stations s;
    station  back[16];
    nc_type  t;
    int      ncid, rc, closed;

    make_stations(&s, 8);
    if ((rc = place_create(p, mode, NC_CLOBBER, &ncid)) != NC_NOERR)
        return rc;
    rc = put_some(ncid);
    closed = nc_close(ncid);
    if (rc != NC_NOERR || (rc = closed) != NC_NOERR || (rc = place_open(p, NULL, NC_NOWRITE, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_inq_vartype(ncid, 0, &t));
    TRY(nc_get_var(ncid, 0, back));
    assert_station(&back[3], &s.one[3]);
    assert_station(&back[6], &s.one[6]);
    assert_string_equal(back[15].name, "f");
    OK(nc_reclaim_data(ncid, t, back, 16));
done:
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

TEST(no_memory)
{
    use_without_memory(put_and_get, modes, NCZ_LEN(modes));
}
