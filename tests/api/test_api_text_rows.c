/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of Zarr v3 whose rows are texts: bytes of any kind come back, the document has a dimension less, and what
 * cannot be stored so is stored as bytes. */
#include "text_rows.h"

#define GZIP "[{\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]"
#define ROWS "[{\"name\": \"vlen-utf8\"}, {\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]"

enum { N = 5, LEN = 6 };

/* Text, nothing, bytes that are not UTF-8, the mark of those, and a NUL inside. */
static const char values[N][LEN] = {"abc", "", "a\351\377", "\357\267\220x", {'a', '\0', '\303', '\251', 0, 'z'}};

static const char *const modes[] = {"mode=nczarr,v3", "mode=zarr,v3"};

/* Two dimensions, of which the first grows. `chunk` 0: the default; `codecs` NULL: none are asked for. */
static int
define(int ncid, const char *name, size_t chunk, const char *codecs, int *var)
{
    const size_t chunks[2] = {2, chunk};
    int          dims[2];

    if (nc_inq_dimid(ncid, "n", &dims[0]) != NC_NOERR)
        OK(nc_def_dim(ncid, "n", NC_UNLIMITED, &dims[0]));
    if (nc_inq_dimid(ncid, "len", &dims[1]) != NC_NOERR)
        OK(nc_def_dim(ncid, "len", LEN, &dims[1]));
    OK(nc_def_var(ncid, name, NC_CHAR, 2, dims, var));
    if (chunk > 0)
        OK(nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks));
    return codecs != NULL ? nczarr_def_var_codecs(ncid, *var, codecs) : NC_NOERR;
}

static void
put_all(int ncid, int var, size_t first, size_t n)
{
    const size_t start[2] = {first, 0}, count[2] = {n, LEN};

    OK(nc_put_vara_text(ncid, var, start, count, &values[first][0]));
}

static void
check_values(int ncid, const char *name)
{
    const size_t row[2] = {2, 1}, part[2] = {1, 3};
    char         got[N][LEN], few[3];
    int          var;
    nc_type      type;

    OK(nc_inq_varid(ncid, name, &var));
    OK(nc_inq_vartype(ncid, var, &type));
    assert_int_equal(type, NC_CHAR);
    OK(nc_get_var_text(ncid, var, &got[0][0]));
    assert_memory_equal(got, values, sizeof got);
    OK(nc_get_vara_text(ncid, var, row, part, few));
    assert_memory_equal(few, &values[2][1], sizeof few);
}

static void
change_a_part(int ncid)
{
    const size_t one[2] = {1, 2}, two[2] = {1, 2};
    int          var;

    OK(nc_inq_varid(ncid, "v", &var));
    OK(nc_put_vara_text(ncid, var, one, two, "\251\251"));
    OK(nc_put_vara_text(ncid, var, one, two, "\0\0"));
}

/* Asked for, by default, behind codecs and in shards; appended by a second session. */
TEST_IN_EACH_PLACE(rows_of_any_bytes_come_back)
{
    static const char *const codecs[] = {NULL, ROWS, GZIP, "[]"};
    int                      ncid, var;

    for (size_t i = 0; i < 4 * NCZ_LEN(modes); i++) {
        OK(place_create(p, modes[i / 4], NC_CLOBBER, &ncid));
        OK(define(ncid, "v", i % 4 > 1 ? LEN : 0, codecs[i % 4], &var));
        if (i % 4 == 2)
            OK(nczarr_def_var_shards(ncid, var, (const size_t[]){4, LEN}));
        assert_true(has_rows(ncid, var));
        put_all(ncid, var, 0, 2);
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &var));
        assert_true(has_rows(ncid, var));
        if (i / 4 == 1) { /* pure Zarr has no unlimited dimensions */
            OK(nc_close(ncid));
            continue;
        }
        put_all(ncid, var, 2, N - 2);
        check_values(ncid, "v");
        change_a_part(ncid);
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        check_values(ncid, "v");
        OK(nc_close(ncid));
    }
}

/* In pure Zarr, too, a name and the fill value come back; a dimension without a name stays one. */
TEST(names_and_fill_values_come_back)
{
    int   ncid, dims[3], var;
    char  got[2][4], name[NC_MAX_NAME + 1], fill = '-';
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 2, &dims[0]));
        OK(nc_def_dim(ncid, "width", 4, &dims[1]));
        OK(nc_def_dim(ncid, "_Anonymous_Dim_3", 3, &dims[2]));
        OK(nc_def_var(ncid, "named", NC_CHAR, 2, dims, &var));
        OK(nc_put_att_text(ncid, var, "_FillValue", 1, &fill));
        OK(nc_put_att_text(ncid, var, "_Encoding", 5, "utf-8"));
        OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){1, 4}));
        OK(nc_put_vara_text(ncid, var, (const size_t[]){1, 0}, (const size_t[]){1, 2}, "ab"));
        OK(nc_def_var(ncid, "one", NC_CHAR, 1, &dims[2], &var));
        OK(nc_put_var_text(ncid, var, "xyz"));
        FAILS(NC_ENAMEINUSE, nc_put_att_text(ncid, var, "_char_dim_name", 1, "x"));
        OK(nc_close(ncid));
        check_document(&p, "named", "\"shape\": [2], \"data_type\": \"string\"");
        check_document(&p, "named", "\"fill_value\": \"----\"");
        check_document(&p, "named", "\"_char_encoding\": \"utf-8\""); /* xarray would decode the texts */
        check_document(&p, "one", "\"shape\": [], \"data_type\": \"string\"");
        check_document(&p, "named",
                       i == 0 ? "\"row_length\": 4" : "\"_char_dim_name\": \"width\", \"_char_dim_length\": 4");
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "named", &var));
        OK(nc_inq_vardimid(ncid, var, dims));
        OK(nc_inq_dimname(ncid, dims[1], name));
        assert_string_equal(name, "width");
        OK(nc_get_var_text(ncid, var, &got[0][0]));
        assert_memory_equal(got, "----ab--", 8);
        OK(nc_get_att_text(ncid, var, "_Encoding", name));
        assert_memory_equal(name, "utf-8", 5);
        OK(nc_get_att_text(ncid, var, "_FillValue", name));
        assert_int_equal(name[0], '-');
        OK(nc_inq_varid(ncid, "one", &var));
        OK(nc_inq_vardimid(ncid, var, dims));
        OK(nc_inq_dimname(ncid, dims[0], name));
        assert_string_equal(name, "_Anonymous_Dim_3");
        OK(nc_get_var_text(ncid, var, &got[0][0]));
        assert_memory_equal(got, "xyz", 3);
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* Each definition decides anew. */
TEST(each_definition_decides_anew)
{
    int   ncid, var, dims[2], on, level, shuffle;
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(define(ncid, "v", 0, NULL, &var));
        assert_true(has_rows(ncid, var));
        OK(nc_def_var_deflate(ncid, var, 1, 1, 3));
        assert_true(has_rows(ncid, var));
        OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){2, LEN - 1}));
        assert_false(has_rows(ncid, var));
        FAILS(NC_EBADCHUNK, nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){2, LEN + 1}));
        OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){2, LEN}));
        assert_true(has_rows(ncid, var));
        FAILS(NC_EBADCHUNK, nc_def_var_chunking(ncid, var, NC_CHUNKED, (const size_t[]){2, LEN + 1}));
        assert_true(has_rows(ncid, var));
        OK(nczarr_def_var_shards(ncid, var, (const size_t[]){4, 2 * LEN}));
        assert_false(has_rows(ncid, var));
        OK(nczarr_def_var_shards(ncid, var, NULL));
        OK(nc_inq_var_deflate(ncid, var, &shuffle, &on, &level));
        assert_int_equal(on, 1);
        assert_int_equal(level, 3);
        assert_int_equal(shuffle, 0);
        OK(nczarr_def_var_codecs(ncid, var, "[{\"name\": \"bytes\"}]"));
        assert_false(has_rows(ncid, var));
        OK(nc_def_var_deflate(ncid, var, 0, 1, 3));
        assert_false(has_rows(ncid, var));
        OK(nczarr_def_var_codecs(ncid, var,
                                 "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, "
                                 "{\"name\": \"bytes\"}]"));
        assert_false(has_rows(ncid, var));
        OK(nczarr_def_var_codecs(ncid, var, "[{\"name\": \"bytes\"}]"));
        OK(nczarr_def_var_codecs(ncid, var, ROWS));
        assert_true(has_rows(ncid, var));
        put_all(ncid, var, 0, N);
        OK(nc_inq_dimid(ncid, "n", &dims[0]));
        OK(nc_def_var(ncid, "grows", NC_CHAR, 1, dims, &var));
        assert_false(has_rows(ncid, var));
        OK(nc_def_var(ncid, "scalar", NC_CHAR, 0, NULL, &var));
        assert_false(has_rows(ncid, var));
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        check_values(ncid, "v");
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* The codec for rows in a list that a program defines: taken, and without effect where rows cannot be texts. */
TEST(the_codec_has_no_effect_where_rows_are_no_texts)
{
    int   ncid, var, dim, dims[2];
    place p;

    place_make(&p, false);
    OK(place_create(&p, "mode=nczarr,v3", NC_CLOBBER, &ncid));
    OK(define(ncid, "part", LEN - 1, GZIP, &var));
    assert_false(has_rows(ncid, var));
    put_all(ncid, var, 0, N);
    OK(nc_inq_dimid(ncid, "n", &dim));
    OK(nc_def_var(ncid, "grows", NC_CHAR, 1, &dim, &var));
    OK(nczarr_def_var_codecs(ncid, var, ROWS));
    assert_false(has_rows(ncid, var));
    OK(nc_def_var(ncid, "scalar", NC_CHAR, 0, NULL, &var));
    OK(nczarr_def_var_codecs(ncid, var, "[{\"name\": \"vlen-utf8\"}]"));
    OK(nc_inq_dimid(ncid, "len", &dims[1]));
    dims[0] = dims[1];
    OK(nc_def_var(ncid, "number", NC_BYTE, 2, dims, &var));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, var, ROWS));
    OK(nczarr_undef_var(ncid, var));
    OK(nc_inq_dimid(ncid, "n", &dims[0]));
    OK(nc_def_var(ncid, "single", NC_CHAR, 2, dims, &var));
    OK(nczarr_def_var_codecs(ncid, var, "[{\"name\": \"bytes\"}]"));
    OK(nczarr_def_var_codec(ncid, var, "{\"name\": \"vlen-utf8\"}"));
    assert_true(has_rows(ncid, var));
    OK(nczarr_def_var_codec(ncid, var, "{\"id\": \"zlib\", \"level\": 1}"));
    assert_true(has_rows(ncid, var));
    FAILS(NC_EFILTER, nczarr_def_var_codecs(ncid, var, "[{\"name\": \"vlen-utf8\"}, {\"name\": \"vlen-utf8\"}]"));
    assert_true(has_rows(ncid, var));
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    check_values(ncid, "part");
    OK(nc_close(ncid));
    OK(place_create(&p, "mode=nczarr,v2", NC_CLOBBER, &ncid));
    OK(define(ncid, "older", LEN, "[{\"id\": \"vlen-utf8\"}, {\"id\": \"zlib\", \"level\": 1}]", &var));
    put_all(ncid, var, 0, N);
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    check_values(ncid, "older");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- other writers
 * ------------------------------------------------------------------------------------------------- */

static void
put_bytes(const place *p, const char *name, const char *bytes, size_t n)
{
    char  path[400];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", p->path, name);
    assert_non_null(f = fopen(path, "w"));
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

#define LIST(s) s, sizeof s - 1

TEST(damaged_chunks_are_named)
{
    static const struct {
        const char *bytes;
        size_t      n;
        int         rc;
    } chunks[] = {
        {LIST("\2\0\0\0\1\0\0\0a\0\0\0\0"), NC_NOERR},
        {LIST("\2\0\0\0\1\0\0\0\351\0\0\0\0"), NC_NOERR}, /* not UTF-8: the bytes */
        {LIST("\1\0\0\0\1\0\0\0a"), NC_EFILTER},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), NC_EFILTER},
        {LIST("\2\0\0\0\7\0\0\0abcdefg\0\0\0\0"), NC_EFILTER},
    };
    char  got[2][LEN];
    int   ncid, var;
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(chunks) * NCZ_LEN(modes); i++) {
        size_t k = i / NCZ_LEN(modes);
        int    rc;

        OK(place_create(&p, modes[i % NCZ_LEN(modes)], NC_CLOBBER, &ncid));
        OK(define(ncid, "v", LEN, NULL, &var));
        put_all(ncid, var, 0, 2);
        OK(nc_close(ncid));
        put_bytes(&p, "v/c/0", chunks[k].bytes, chunks[k].n);
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &var));
        rc = nc_get_var_text(ncid, var, &got[0][0]);
        assert_int_equal(rc, chunks[k].rc);
        if (rc != NC_NOERR)
            assert_non_null(strstr(nczarr_errmsg(), "v/c/0"));
        else
            assert_int_equal((unsigned char)got[0][0], k == 0 ? 'a' : 0xE9);
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

#define DOCUMENT(type, fill, codec, atts)                                                                            \
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [2], \"data_type\": " type ", \"chunk_grid\": "       \
    "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}}, \"chunk_key_encoding\": {\"name\": "        \
    "\"default\"}, \"fill_value\": " fill ", \"codecs\": [\"" codec "\"], \"attributes\": {" atts "}, "              \
    "\"dimension_names\": [\"x\"]}"

/* Marks that mean nothing, and a fill value that is no character's. */
TEST(marks_of_others_are_checked)
{
    static const struct {
        const char *text;
        nc_type     type;
        int         rc; /* of reading the data */
    } cases[] = {
        {DOCUMENT("\"string\"", "\"\"", "vlen-utf8", "\"_char_dim_length\": 3"), NC_CHAR, NC_NOERR},
        {DOCUMENT("\"string\"", "\"\"", "vlen-utf8", ""), NC_STRING, NC_NOERR},
        {DOCUMENT("\"string\"", "\"\"", "vlen-utf8", "\"_char_dim_length\": 0"), NC_STRING, NC_NOERR},
        {DOCUMENT("\"string\"", "\"\"", "vlen-utf8", "\"_char_dim_length\": \"3\""), NC_STRING, NC_NOERR},
        {DOCUMENT("\"string\"", "\"\"", "vlen-utf8", "\"_char_dim_name\": \"y\""), NC_STRING, NC_NOERR},
        {DOCUMENT("\"uint8\"", "0", "bytes", "\"_char_dim_length\": 3"), NC_UBYTE, NC_NOERR},
        {DOCUMENT("\"string\"", "\"  \"", "vlen-utf8", "\"_char_dim_length\": 3"), NC_CHAR, NC_EZARRMETA},
        {DOCUMENT("\"string\"", "0", "vlen-utf8", "\"_char_dim_length\": 3"), NC_CHAR, NC_EZARRMETA},
        {DOCUMENT("\"string\"", "\"   \"", "vlen-utf8", "\"_char_dim_length\": 3, \"_char_dim_name\": \"y\""),
         NC_CHAR, NC_NOERR},
    };
    int     ncid, var, rank;
    nc_type type;
    char    got[6];
    place   p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        OK(place_create(&p, "mode=zarr,v3", NC_CLOBBER, &ncid));
        OK(define(ncid, "v", 0, NULL, &var));
        OK(nc_close(ncid));
        put_bytes(&p, "v/zarr.json", cases[i].text, strlen(cases[i].text));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &var));
        OK(nc_inq_var(ncid, var, NULL, &type, &rank, NULL, NULL));
        assert_int_equal(type, cases[i].type);
        assert_int_equal(rank, type == NC_CHAR ? 2 : 1);
        if (type == NC_CHAR)
            assert_int_equal(nc_get_var_text(ncid, var, got), cases[i].rc);
        OK(nc_close(ncid));
    }
    place_drop(&p);
}

/* Datasets of earlier versions, whose characters are bytes: read, and appended to. */
TEST(characters_as_bytes_are_read_and_appended)
{
    int   ncid, var;
    place p;

    place_make(&p, false);
    OK(place_create(&p, modes[0], NC_CLOBBER, &ncid));
    OK(define(ncid, "v", LEN, "[{\"name\": \"bytes\"}]", &var));
    put_all(ncid, var, 0, 2);
    OK(nc_close(ncid));
    check_document(&p, "v", "\"data_type\": \"uint8\"");
    OK(place_open(&p, NULL, NC_WRITE, &ncid));
    OK(nc_inq_varid(ncid, "v", &var));
    put_all(ncid, var, 2, N - 2);
    OK(nc_rename_var(ncid, var, "w"));
    OK(nc_close(ncid));
    check_document(&p, "w", "\"data_type\": \"uint8\"");
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    check_values(ncid, "w");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* The names of the variable and of the dimension that the document lacks. */
TEST(renamed_variables_and_dimensions_come_back)
{
    int   ncid, var, dim;
    place p;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(modes); i++) {
        OK(place_create(&p, modes[i], NC_CLOBBER, &ncid));
        OK(define(ncid, "v", LEN, NULL, &var));
        put_all(ncid, var, 0, N);
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_dimid(ncid, "len", &dim));
        OK(nc_rename_dim(ncid, dim, "letters"));
        OK(nc_inq_varid(ncid, "v", &var));
        OK(nc_rename_var(ncid, var, "w"));
        OK(nc_close(ncid));
        OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_dimid(ncid, "letters", &dim));
        check_values(ncid, "w");
        OK(nc_close(ncid));
    }
    place_drop(&p);
}
