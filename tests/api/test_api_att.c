/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes: every type and family, order, replacing, renaming, deleting, the special ones; return codes. */
#include "api_test.h"

#include <math.h>

/* ---- every type, by every family that can ---- */

#define TRY(name, ctype, tag)                                                                                        \
    {                                                                                                                \
        const ctype in[3] = {1, 2, 100};                                                                             \
        ctype       out[3] = {0};                                                                                    \
        OK(nc_put_att_##name(ncid, var, #name, tag, 3, in));                                                         \
        OK(nc_inq_att(ncid, var, #name, &type, &len));                                                               \
        assert_int_equal(type, tag);                                                                                 \
        assert_int_equal(len, 3);                                                                                    \
        OK(nc_get_att_##name(ncid, var, #name, out));                                                                \
        assert_memory_equal(in, out, sizeof in);                                                                     \
        OK(nc_put_att_##name(ncid, var, "as_double", NC_DOUBLE, 3, in));                                             \
        OK(nc_get_att_##name(ncid, var, "as_double", out));                                                          \
        assert_memory_equal(in, out, sizeof in);                                                                     \
        FAILS(NC_ECHAR, nc_put_att_##name(ncid, var, "x", NC_CHAR, 3, in));                                          \
        FAILS(NC_EBADTYPE, nc_put_att_##name(ncid, var, "x", NC_STRING, 3, in));                                     \
        FAILS(NC_ECHAR, nc_get_att_##name(ncid, NC_GLOBAL, "text", out));                                            \
        FAILS(NC_EBADTYPE, nc_get_att_##name(ncid, NC_GLOBAL, "strings", out));                                      \
        OK(nc_get_att_##name(ncid, NC_GLOBAL, "empty", out));                                                        \
    }

TEST_IN_EACH_PLACE(attributes_keep_their_types)
{
    const char *strings[2] = {"a", "b\xc3\xa9"};
    char       *back[2], text[6] = "";
    nc_type     type;
    size_t      len;
    double      d[3];
    int         ncid, var;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "v", NC_INT, 0, NULL, &var));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "text", 5, "hello"));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "empty", 0, ""));
    OK(nc_put_att_string(ncid, NC_GLOBAL, "strings", 2, strings));
    TRY(uchar, unsigned char, NC_UBYTE)
    TRY(schar, signed char, NC_BYTE)
    TRY(short, short, NC_SHORT)
    TRY(int, int, NC_INT)
    TRY(long, long, NC_INT64)
    TRY(float, float, NC_FLOAT)
    TRY(double, double, NC_DOUBLE)
    TRY(ubyte, unsigned char, NC_UBYTE)
    TRY(ushort, unsigned short, NC_USHORT)
    TRY(uint, unsigned int, NC_UINT)
    TRY(longlong, long long, NC_INT64)
    TRY(ulonglong, unsigned long long, NC_UINT64)
    OK(nc_put_att_double(ncid, var, "exact", NC_DOUBLE, 3, (double[]){1.0 / 3, -0.0, INFINITY}));
    FAILS(NC_ECHAR, nc_get_att_text(ncid, var, "int", text));
    FAILS(NC_EBADTYPE, nc_get_att_string(ncid, var, "int", back));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_att(ncid, var, "ushort", &type, &len));
    assert_int_equal(type, NC_USHORT);
    OK(nc_get_att_double(ncid, var, "exact", d));
    assert_true(d[0] == (double)(1.0 / 3) && d[1] == 0 && signbit(d[1]) && isinf(d[2]));
    OK(nc_get_att_text(ncid, NC_GLOBAL, "text", text));
    assert_string_equal(text, "hello");
    OK(nc_inq_att(ncid, NC_GLOBAL, "strings", &type, &len));
    assert_int_equal(type, NC_STRING);
    OK(nc_get_att_string(ncid, NC_GLOBAL, "strings", back));
    assert_string_equal(back[1], "b\xc3\xa9");
    OK(nc_free_string(2, back));
    OK(nc_get_att(ncid, NC_GLOBAL, "strings", back));
    OK(nc_free_string(2, back));
    OK(nc_close(ncid));
}

/* Text that looks like JSON comes back to the byte. */
TEST_IN_EACH_PLACE(texts_like_json_come_back_to_the_byte)
{
    static const char *const texts[] = {"17",
                                        "true",
                                        "null",
                                        "NaN",
                                        "{\"a\":1,\"b\":[1.0]}",
                                        "[1, 2, 3]",
                                        "\"q\"",
                                        " 5",
                                        "0x1F",
                                        "line\nbreak\ttab",
                                        "\xe6\xb5\x8b\xe8\xaf\x95",
                                        "a\\b"};
    char                     name[16], back[64];
    size_t                   len;
    int                      ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        snprintf(name, sizeof name, "a%zu", i);
        OK(nc_put_att_text(ncid, NC_GLOBAL, name, strlen(texts[i]), texts[i]));
    }
    OK(nc_put_att_text(ncid, NC_GLOBAL, "empty", 0, NULL));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "none", NC_INT, 0, NULL));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (size_t i = 0; i < NCZ_LEN(texts); i++) {
        nc_type type;

        snprintf(name, sizeof name, "a%zu", i);
        memset(back, 0, sizeof back);
        OK(nc_inq_att(ncid, NC_GLOBAL, name, &type, &len));
        assert_int_equal(type, NC_CHAR);
        assert_int_equal(len, strlen(texts[i]));
        OK(nc_get_att_text(ncid, NC_GLOBAL, name, back));
        assert_string_equal(back, texts[i]);
    }
    OK(nc_inq_attlen(ncid, NC_GLOBAL, "none", &len));
    assert_int_equal(len, 0);
    OK(nc_close(ncid));
}

/* ---- order and changes ---- */

TEST_IN_EACH_PLACE(attributes_are_renamed_replaced_and_deleted)
{
    char   name[NC_MAX_NAME + 1];
    size_t len;
    int    ncid, other, var, id, n;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "v", NC_INT, 0, NULL, &var));
    OK(nc_def_var(ncid, "w", NC_INT, 0, NULL, &other));
    for (int i = 0; i < 4; i++)
        OK(nc_put_att_int(ncid, var, (char[]){'a' + (char)i, 0}, NC_INT, 1, &i));
    OK(nc_inq_attid(ncid, var, "c", &id));
    assert_int_equal(id, 2);
    OK(nc_inq_attname(ncid, var, 3, name));
    assert_string_equal(name, "d");
    FAILS(NC_ENOTATT, nc_inq_attname(ncid, var, 4, name));
    FAILS(NC_ENOTATT, nc_inq_attname(ncid, var, -1, name));
    FAILS(NC_ENOTATT, nc_inq_attid(ncid, var, "e", &id));
    OK(nc_put_att_text(ncid, var, "b", 3, "new")); /* keeps its number */
    OK(nc_inq_attid(ncid, var, "b", &id));
    assert_int_equal(id, 1);
    FAILS(NC_ENAMEINUSE, nc_rename_att(ncid, var, "a", "b"));
    FAILS(NC_ENAMEINUSE, nc_rename_att(ncid, var, "a", "a"));
    OK(nc_rename_att(ncid, var, "a", "first"));
    FAILS(NC_ENOTATT, nc_rename_att(ncid, var, "a", "x"));
    FAILS(NC_EBADNAME, nc_rename_att(ncid, var, "b", "x/y"));
    OK(nc_del_att(ncid, var, "b"));
    FAILS(NC_ENOTATT, nc_del_att(ncid, var, "b"));
    OK(nc_inq_attname(ncid, var, 1, name));
    assert_string_equal(name, "c");
    OK(nc_copy_att(ncid, var, "c", ncid, other));
    OK(nc_copy_att(ncid, var, "c", ncid, NC_GLOBAL));
    FAILS(NC_ENOTATT, nc_copy_att(ncid, var, "zzz", ncid, NC_GLOBAL));
    FAILS(NC_ENOTVAR, nc_copy_att(ncid, var, "c", ncid, 55));
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid)); /* shorter than before: nothing of the old may be left behind */
    OK(nc_del_att(ncid, var, "first"));
    OK(nc_inq_varnatts(ncid, var, &n));
    assert_int_equal(n, 2);
    OK(nc_put_att_int(ncid, var, "d", NC_BYTE, 1, &n)); /* in data mode too */
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_inq_varnatts(ncid, var, &n));
    assert_int_equal(n, 2);
    OK(nc_inq_attname(ncid, var, 0, name));
    assert_string_equal(name, "c");
    OK(nc_inq_attlen(ncid, other, "c", &len));
    assert_int_equal(len, 1);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(attribute_mistakes_have_their_codes)
{
    static const char *const reserved[] = {"CLASS",      "_ARRAY_DIMENSIONS", "_Codecs",       "_NCProperties",
                                           "_IsNetcdf4", "_nczarr_attr",      "_nczarr_array", "_SuperblockVersion"};
    signed char              b[3];
    int                      ncid, var, one = 1;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_var(ncid, "v", NC_INT, 0, NULL, &var));
    for (size_t i = 0; i < NCZ_LEN(reserved); i++)
        FAILS(NC_ENAMEINUSE, nc_put_att_int(ncid, var, reserved[i], NC_INT, 1, &one));
    FAILS(NC_EBADTYPID, nc_put_att(ncid, var, "a", 99, 1, &one));
    FAILS(NC_EBADTYPE, nc_put_att(ncid, var, "a", NC_NAT, 1, &one));
    FAILS(NC_EBADNAME, nc_put_att(ncid, var, "", NC_INT, 1, &one));
    FAILS(NC_EBADNAME, nc_put_att(ncid, var, NULL, NC_INT, 1, &one));
    FAILS(NC_ENOTVAR, nc_put_att(ncid, 99, "a", NC_INT, 1, &one));
    FAILS(NC_EINVAL, nc_put_att(ncid, var, "a", NC_INT, 1, NULL));
    FAILS(NC_ENOTATT, nc_inq_att(ncid, var, "a", NULL, NULL));                 /* nothing was left behind */
    FAILS(NC_ERANGE, nc_put_att_int(ncid, var, "a", NC_BYTE, 1, &(int){300})); /* made even so */
    assert_string_equal(nczarr_errmsg(), "a: value 300 at index 0 does not fit type byte; all were converted");
    OK(nc_get_att_schar(ncid, var, "a", b));
    assert_int_equal(b[0], 44);
    OK(nc_put_att_int(ncid, var, "i", NC_INT, 3, (int[]){1, 2, 300}));
    FAILS(NC_ERANGE, nc_get_att_schar(ncid, var, "i", b));
    assert_string_equal(nczarr_errmsg(), "i: value 300 at index 2 does not fit type byte; all were converted");
    FAILS(NC_ERANGE, nc_put_att_longlong(ncid, var, "l", NC_INT, 2, (long long[]){1, -9007199254740993}));
    assert_string_equal(nczarr_errmsg(),
                        "l: value -9007199254740993 at index 1 does not fit type int; all were converted");
    FAILS(NC_ERANGE, nc_put_att_float(ncid, var, "f", NC_SHORT, 1, &(float){1e9f}));
    assert_non_null(strstr(nczarr_errmsg(), "value 1e+09 at index 0 "));
    FAILS(NC_ECHAR, nc_put_att_float(ncid, var, "f", NC_CHAR, 1, &(float){1}));
    assert_non_null(strstr(nczarr_errmsg(), "f: float does not convert to char: "));
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 44);
    FAILS(NC_EINVAL, nc_get_att_int(ncid, var, "i", NULL));
    OK(nc_close(ncid));
}

/* ---- texts that are not UTF-8 ---- */

/* True if the document is UTF-8 and has this text. */
static void
check_document(int ncid, const char *key, const char *text)
{
    nczarr_map *map;
    size_t      len = 0;
    void       *body = NULL;

    OK(nczarr_inq_map(ncid, &map));
    OK(nczarr_map_get(map, key, &body, &len));
    assert_true(ncz_utf8_valid(body, len));
    if (strstr(body, text) == NULL)
        fail_msg("no %s in %s", text, (char *)body);
    free(body);
    OK(nczarr_map_close(map));
}

TEST_IN_EACH_PLACE(texts_that_are_not_utf8_keep_their_bytes)
{
    static const char *const modes[] = {"mode=nczarr", "mode=nczarr,v3", "mode=nczarr&compat=4.9.2"};
    const char              *strings[] = {"plain", "M\xe9t\xe9o", "\xc3\xa9\xe9"};

    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        char *back[3], text[16];
        int   ncid;

        OK(place_create(p, modes[m], NC_CLOBBER, &ncid));
        OK(nc_put_att_text(ncid, NC_GLOBAL, "units", 2,
                           "\xb0"
                           "C"));
        OK(nc_put_att_text(ncid, NC_GLOBAL, "cut", 5, "\xc3\xa9\xc3\0\0")); /* within a character; NULs at its end */
        OK(nc_put_att_text(ncid, NC_GLOBAL, "kept", 2, "\xc2\xb0"));
        OK(nc_put_att_text(ncid, NC_GLOBAL, "json", 5, "[\"\xe9\"]"));
        OK(nc_put_att_string(ncid, NC_GLOBAL, "list", 3, strings));
        OK(nc_put_att_string(ncid, NC_GLOBAL, "one", 1, strings + 1));
        OK(nc_close(ncid));
        for (int again = 0; again < 2; again++) { /* a change rewrites the document */
            OK(place_open(p, modes[m], NC_WRITE, &ncid));
            check_document(ncid, m == 1 ? "zarr.json" : ".zattrs",
                           "\"units\": \"\xc2\xb0"
                           "C\"");
            check_document(ncid, m == 1 ? "zarr.json" : ".zattrs", "\"units\": \"sEM=\"");
            OK(nc_get_att_text(ncid, NC_GLOBAL, "units", text));
            assert_memory_equal(text,
                                "\xb0"
                                "C",
                                2);
            OK(nc_get_att_text(ncid, NC_GLOBAL, "cut", text));
            assert_memory_equal(text, "\xc3\xa9\xc3\0\0", 5);
            OK(nc_get_att_text(ncid, NC_GLOBAL, "kept", text));
            assert_memory_equal(text, "\xc2\xb0", 2);
            OK(nc_get_att_text(ncid, NC_GLOBAL, "json", text));
            assert_memory_equal(text, "[\"\xe9\"]", 5);
            OK(nc_get_att_string(ncid, NC_GLOBAL, "list", back));
            for (int i = 0; i < 3; i++)
                assert_string_equal(back[i], strings[i]);
            OK(nc_free_string(3, back));
            OK(nc_get_att_string(ncid, NC_GLOBAL, "one", back));
            assert_string_equal(back[0], strings[1]);
            OK(nc_free_string(1, back));
            OK(nc_put_att_int(ncid, NC_GLOBAL, "n", NC_INT, 1, &again));
            OK(nc_close(ncid));
        }
    }
}

/* A record that another program's value has made stale does not count. */
TEST(stale_bytes)
{
    place p;
    char  text[8] = "";
    int   ncid;

    place_make(&p, false);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    write_file(p.path, ".zattrs",
               "{\"a\": \"new\", \"_nczarr_group\": {\"dimensions\": {}, \"arrays\": [], \"groups\": []}, "
               "\"_nczarr_superblock\": {\"version\": \"2.0.0\"}, \"_nczarr_attr\": {\"types\": {\"a\": \">S1\"}, "
               "\"bytes\": {\"a\": \"sEM=\"}}}");
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_att_text(ncid, NC_GLOBAL, "a", text));
    assert_string_equal(text, "new");
    OK(nc_close(ncid));
    place_drop(&p);
}

/* ---- _FillValue ---- */

TEST_IN_EACH_PLACE(fill_value)
{
    int         ncid, dim, v, w, c, s, fill, no_fill, out[2], one = 1;
    const char *text = "none";
    char       *str = NULL, ch = 0;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &dim, &w));
    OK(nc_def_var(ncid, "c", NC_CHAR, 1, &dim, &c));
    OK(nc_def_var(ncid, "s", NC_STRING, 1, &dim, &s));
    FAILS(NC_EBADTYPE, nc_put_att_double(ncid, v, "_FillValue", NC_DOUBLE, 1, &(double){1}));
    assert_string_equal(nczarr_errmsg(), "v: _FillValue has type double, the variable has int");
    FAILS(NC_EINVAL, nc_put_att_int(ncid, v, "_FillValue", NC_INT, 2, (int[]){1, 2}));
    FAILS(NC_EINVAL, nc_put_att_int(ncid, v, "_FillValue", NC_INT, 0, NULL));
    OK(nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &(int){-1}));
    OK(nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &(int){-2}));
    OK(nc_inq_var_fill(ncid, v, NULL, &fill));
    assert_int_equal(fill, -2);
    OK(nc_del_att(ncid, v, "_FillValue"));
    OK(nc_inq_var_fill(ncid, v, NULL, &fill));
    assert_int_equal(fill, NC_FILL_INT);
    OK(nc_put_att_int(ncid, v, "other", NC_INT, 1, &(int){-3}));
    OK(nc_rename_att(ncid, v, "other", "_FillValue"));
    OK(nc_put_att_text(ncid, c, "_FillValue", 1, "?"));
    OK(nc_put_att_string(ncid, s, "_FillValue", 1, &text));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "_FillValue", NC_INT, 2, (int[]){1, 2})); /* of a group: any attribute */
    OK(nc_enddef(ncid));
    OK(nc_put_var1_int(ncid, w, (size_t[]){0}, &one));
    FAILS(NC_ELATEFILL, nc_put_att_int(ncid, w, "_FillValue", NC_INT, 1, &one)); /* it has data */
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], -3);
    OK(nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &(int){-4})); /* it has none: other variables' do not count */
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], -4);
    OK(nc_sync(ncid));
    OK(nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &(int){-3}));
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], -3);
    OK(nc_close(ncid));

    OK(place_open(p, NULL, NC_WRITE, &ncid));
    OK(nc_inq_var_fill(ncid, v, &no_fill, &fill));
    assert_int_equal(fill, -3);
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], -3);
    OK(nc_get_var1_text(ncid, c, (size_t[]){1}, &ch));
    assert_int_equal(ch, '?');
    OK(nc_get_var1_string(ncid, s, (size_t[]){1}, &str));
    assert_string_equal(str, "none");
    OK(nc_free_string(1, &str));
    OK(nc_inq_var_fill(ncid, s, &no_fill, &str));
    assert_string_equal(str, "none");
    OK(nc_free_string(1, &str));
    FAILS(NC_ELATEFILL, nc_put_att_int(ncid, v, "_FillValue", NC_INT, 1, &one));
    OK(nc_del_att(ncid, v, "_FillValue")); /* the attribute goes; what fills stays as the data were made */
    OK(nc_get_var_int(ncid, v, out));
    assert_int_equal(out[1], -3);
    OK(nc_close(ncid));
}

/* A character whose value is 0 is one character, also in a document, where its text is empty. */
TEST_IN_EACH_PLACE(nul_fill_value)
{
    for (int v3 = 0; v3 < 2; v3++) {
        int     ncid, dim, v;
        char    fill = 'x';
        size_t  len = 0;
        nc_type type = NC_NAT;

        OK(place_create(p, v3 ? "mode=nczarr,v3" : NULL, NC_CLOBBER, &ncid));
        OK(nc_def_dim(ncid, "x", 2, &dim));
        OK(nc_def_var(ncid, "v", NC_CHAR, 1, &dim, &v));
        OK(nc_put_att_text(ncid, v, "_FillValue", 1, ""));
        for (int again = 0; again < 2; again++) { /* read, and written once more */
            OK(nc_close(ncid));
            OK(place_open(p, NULL, NC_WRITE, &ncid));
            OK(nc_inq_att(ncid, v, "_FillValue", &type, &len));
            assert_true(type == NC_CHAR && len == 1);
            OK(nc_get_att_text(ncid, v, "_FillValue", &fill));
            assert_int_equal(fill, 0);
            OK(nc_put_att_text(ncid, v, "units", 1, "m"));
        }
        OK(nc_close(ncid));
    }
}

/* ---- answered by name, never listed ---- */

TEST_IN_EACH_PLACE(special_attributes_are_hidden_but_answer)
{
    char    text[300] = "", name[NC_MAX_NAME + 1];
    nc_type type;
    size_t  len;
    int     ncid, grp, dim, v, n, x;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 8, &dim));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    FAILS(NC_ENOTATT, nc_inq_att(ncid, v, "_Codecs", &type, &len));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 5));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 1, "t"));
    for (int again = 0; again < 2; again++) {
        OK(nc_inq_natts(ncid, &n));
        assert_int_equal(n, 1);
        OK(nc_inq_attname(ncid, NC_GLOBAL, 0, name));
        assert_string_equal(name, "title");
        FAILS(NC_ENOTATT, nc_inq_attname(ncid, NC_GLOBAL, 1, name));
        OK(nc_inq_att(ncid, NC_GLOBAL, "_NCProperties", &type, &len));
        assert_int_equal(type, NC_CHAR);
        assert_true(len < sizeof text);
        memset(text, 0, sizeof text);
        OK(nc_get_att_text(ncid, NC_GLOBAL, "_NCProperties", text));
        assert_non_null(strstr(text, "version=2"));
        assert_non_null(strstr(text, "nczarr=2.0.0"));
        OK(nc_get_att_int(ncid, NC_GLOBAL, "_IsNetcdf4", &x));
        assert_int_equal(x, 1);
        OK(nc_get_att_int(ncid, NC_GLOBAL, "_SuperblockVersion", &x));
        assert_int_equal(x, 2);
        FAILS(NC_ENOTATT, nc_inq_att(grp, NC_GLOBAL, "_IsNetcdf4", &type, &len));
        memset(text, 0, sizeof text);
        OK(nc_get_att_text(ncid, v, "_Codecs", text));
        assert_string_equal(text, "[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 5}]");
        FAILS(NC_ENOTATT, nc_inq_att(ncid, v, "_ARRAY_DIMENSIONS", &type, &len));
        if (again == 0) {
            FAILS(NC_ENOTATT, nc_del_att(ncid, NC_GLOBAL, "_NCProperties"));
            OK(nc_close(ncid));
            OK(place_open(p, NULL, NC_NOWRITE, &ncid));
            OK(nc_inq_ncid(ncid, "g", &grp));
        }
    }
    OK(nc_close(ncid));
}

/* Pure Zarr has no types of attributes: a list of strings is one, and a text that looks like one stays a text. */
TEST_IN_EACH_PLACE(lists_of_strings)
{
    const char *words[] = {"one", "", "t\xc3\xa9o"};
    char       *back[3], text[16];
    nc_type     type;
    size_t      len;
    int         ncid, dim, v;

    OK(place_create(p, "mode=zarr", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 2, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_put_att_string(ncid, NC_GLOBAL, "words", 3, words));
    OK(nc_put_att_string(ncid, v, "words", 2, words));
    OK(nc_put_att_text(ncid, v, "text", 9, "[\"a\",\"b\"]"));
    OK(nc_put_att_text(ncid, v, "mixed", 7, "[\"a\",1]"));
    OK(nc_close(ncid));
    for (int pass = 0; pass < 2; pass++) { /* the second reads what was written again */
        OK(place_open(p, "mode=zarr", NC_WRITE, &ncid));
        OK(nc_inq_att(ncid, NC_GLOBAL, "words", &type, &len));
        assert_true(type == NC_STRING && len == 3);
        OK(nc_get_att_string(ncid, NC_GLOBAL, "words", back));
        for (int i = 0; i < 3; i++)
            assert_string_equal(back[i], words[i]);
        OK(nc_free_string(3, back));
        OK(nc_inq_att(ncid, v, "words", &type, &len));
        assert_true(type == NC_STRING && len == 2);
        OK(nc_inq_att(ncid, v, "text", &type, &len));
        assert_true(type == NC_CHAR && len == 9);
        OK(nc_get_att_text(ncid, v, "text", text));
        assert_memory_equal(text, "[\"a\",\"b\"]", 9);
        OK(nc_inq_att(ncid, v, "mixed", &type, &len));
        assert_true(type == NC_CHAR && len == 7);
        OK(nc_put_att_int(ncid, v, "more", NC_INT, 1, &pass));
        OK(nc_close(ncid));
    }
}

/* ---- variables whose document is not fully understood ---- */

/* Their documents are never rewritten, so that no change of an attribute could be stored: it fails. */
static void
check_frozen(const char *mode, const char *key, const char *document, const char *why)
{
    nczarr_map *map = NULL;
    int         ncid, dim, good, odd, n = 5;
    void       *stored;
    size_t      len;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_dim(ncid, "y", 3, &good));
    OK(nc_def_var(ncid, "good", NC_INT, 1, &good, &good));
    OK(nc_def_var(ncid, "odd", NC_INT, 1, &dim, &odd));
    OK(nc_put_att_int(ncid, odd, "a", NC_INT, 1, &n));
    OK(nc_close(ncid));
    OK(nczarr_map_write(map, key, strlen(document), document));

    OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
    OK(nc_inq_varid(ncid, "odd", &odd));
    OK(nc_inq_varid(ncid, "good", &good));
    FAILS(NC_EPERM, nc_put_att_int(ncid, odd, "b", NC_INT, 1, &n));
    assert_non_null(strstr(nczarr_errmsg(), "odd"));
    assert_non_null(strstr(nczarr_errmsg(), why));
    FAILS(NC_EPERM, nc_put_att_text(ncid, odd, "b", 1, "x"));
    FAILS(NC_EPERM, nc_put_att_int(ncid, odd, "a", NC_INT, 1, &n));
    FAILS(NC_EPERM, nc_rename_att(ncid, odd, "a", "b"));
    FAILS(NC_EPERM, nc_del_att(ncid, odd, "a"));
    FAILS(NC_EPERM, nc_copy_att(ncid, odd, "a", ncid, odd));
    OK(nc_copy_att(ncid, odd, "a", ncid, good));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "b", NC_INT, 1, &n));
    OK(nc_inq_dimid(ncid, "y", &dim));
    OK(nc_rename_dim(ncid, dim, "z"));
    OK(nc_close(ncid));
    OK(nczarr_map_get(map, key, &stored, &len));
    assert_true(len == strlen(document) && memcmp(stored, document, len) == 0);
    free(stored);
    OK(nczarr_map_close(map));
}

TEST(variables_not_understood_are_not_rewritten)
{
    check_frozen("mode=zarr", "odd/.zarray",
                 "{\"zarr_format\": 2, \"shape\": [3], \"chunks\": \"many\", \"dtype\": \"<i4\", \"order\": \"C\", "
                 "\"fill_value\": 0, \"filters\": null, \"compressor\": null}",
                 "chunks");
    check_frozen("mode=zarr,v3", "odd/zarr.json",
                 "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [3], \"data_type\": \"int32\", "
                 "\"chunk_grid\": {\"name\": \"hexagonal\"}, \"fill_value\": 0, \"codecs\": [\"bytes\"], "
                 "\"chunk_key_encoding\": \"default\", \"attributes\": {\"a\": 5}, \"dimension_names\": [\"x\"]}",
                 "hexagonal");
    /* Its data can be read. */
    check_frozen("mode=zarr,v3", "odd/zarr.json",
                 "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [3], \"data_type\": \"int32\", "
                 "\"chunk_grid\": {\"name\": \"rectilinear\", \"configuration\": {\"kind\": \"inline\", "
                 "\"chunk_shapes\": [[1, 2]]}}, \"fill_value\": 0, \"codecs\": [\"bytes\"], "
                 "\"chunk_key_encoding\": \"default\", \"attributes\": {\"a\": 5}, \"dimension_names\": [\"x\"]}",
                 "not rewritten");
}

/* So would the new name of a dimension be. */
TEST(frozen_dimension)
{
    static const char document[] =
        "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [3], \"data_type\": \"int32\", "
        "\"chunk_grid\": {\"name\": \"hexagonal\"}, \"fill_value\": 0, \"codecs\": [\"bytes\"], "
        "\"chunk_key_encoding\": \"default\", \"dimension_names\": [\"x\"]}";
    nczarr_map *map = NULL;
    int         ncid, dim, v;

    OK(nczarr_map_memory(&map));
    OK(nczarr_create_map(map, "mode=nczarr,v3", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 3, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_close(ncid));
    OK(nczarr_map_write(map, "v/zarr.json", sizeof document - 1, document));
    OK(nczarr_open_map(map, NULL, NC_WRITE, &ncid));
    OK(nc_inq_dimid(ncid, "x", &dim));
    FAILS(NC_EPERM, nc_rename_dim(ncid, dim, "other"));
    OK(nc_close(ncid));
    OK(nczarr_map_close(map));
}
