/* SPDX-License-Identifier: BSD-3-Clause */
/* netcdf_aux.h: filters as text, lists of directories, _NCProperties, files, alignment. */
#include "api_test.h"

#include "compat/netcdf_aux.h"

#include "support/failing_alloc.h"

#include <errno.h>

/* One parameter gives these words. */
static void
check_parameter(const char *txt, size_t n, const unsigned *words)
{
    unsigned got[2] = {77, 77};
    size_t   have = 0;

    OK(ncaux_h5filterspec_parse_parameter(txt, &have, got));
    assert_int_equal(have, n);
    assert_memory_equal(got, words, n * sizeof *words);
}

/* The two words of eight bytes, as the library keeps them on this machine. */
static void
check_wide(const char *txt, const void *value)
{
    unsigned words[2];

    memcpy(words, value, sizeof words);
    ncaux_h5filterspec_fix8((unsigned char *)words, 0);
    check_parameter(txt, 2, words);
}

TEST(filter_parameters_are_parsed)
{
    static const char *const bad[] = {"",    " ",   "x",   "1x", "-",          "u",           "1.5", "f",
                                      "--1", "1b2", "1e5", "+",  "4294967296", "-2147483649", "1uf", "0x10"};
    const float              f = 1.5f;
    const double             d = -2.25;
    const long long          l = -9223372036854775807LL;
    const uint64_t           ul = UINT64_MAX;
    unsigned                 word;

    check_parameter("9", 1, (unsigned[]){9});
    check_parameter(" 4294967295u ", 1, (unsigned[]){4294967295U});
    check_parameter("-1", 1, (unsigned[]){4294967295U});
    check_parameter("-17b", 1, (unsigned[]){239});
    check_parameter("23ub", 1, (unsigned[]){23});
    check_parameter("-25S", 1, (unsigned[]){65511});
    check_parameter("27US", 1, (unsigned[]){27});
    memcpy(&word, &f, sizeof word);
    check_parameter("1.5f", 1, &word);
    check_wide("-2.25d", &d);
    check_wide("-9223372036854775807L", &l);
    check_wide("18446744073709551615UL", &ul);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(NC_EINVAL, ncaux_h5filterspec_parse_parameter(bad[i], NULL, NULL));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse_parameter("18446744073709551616ul", NULL, NULL));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse_parameter(NULL, NULL, NULL));
}

TEST(filter_specs_are_parsed)
{
    NC_H5_Filterspec **list = NULL;
    unsigned           id = 0, *params = NULL, bytes[2] = {1, 2};
    size_t             n = 77;
    int                format = 77;

    OK(ncaux_h5filterspec_parse("32015, 3,4u,5l", &id, &n, &params));
    assert_true(id == 32015 && n == 4 && params[0] == 3 && params[1] == 4);
    free(params);
    OK(ncaux_h5filterspec_parse("307", &id, &n, &params));
    assert_true(id == 307 && n == 0);
    free(params);
    OK(ncaux_h5filterspec_parse("307,9", NULL, NULL, NULL));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse("", &id, &n, &params));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse("307,", &id, &n, &params));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse("307,,1", &id, &n, &params));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse("bzip2,9", &id, &n, &params));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse("7l,9", &id, &n, &params));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parse(NULL, &id, &n, &params));

    OK(ncaux_h5filterspec_parselist("[2]2|307,9|", &format, &n, &list));
    assert_true(format == 2 && n == 2 && list[0]->filterid == 2 && list[1]->params[0] == 9);
    for (size_t i = 0; i < n; i++)
        ncaux_h5filterspec_free(list[i]);
    free(list);
    OK(ncaux_h5filterspec_parselist("", &format, &n, &list));
    assert_true(format == 0 && n == 0 && list == NULL);
    OK(ncaux_h5filterspec_parselist("1|2", NULL, NULL, NULL));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parselist("1|x", &format, &n, &list));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parselist("1||2", &format, &n, &list));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parselist("[1|2", &format, &n, &list));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parselist("[]1", &format, &n, &list));
    FAILS(NC_EINVAL, ncaux_h5filterspec_parselist(NULL, &format, &n, &list));
    ncaux_h5filterspec_free(NULL);
    ncaux_h5filterspec_fix8((unsigned char *)bytes, 0);
    ncaux_h5filterspec_fix8((unsigned char *)bytes, 1);
    assert_true(bytes[0] == 1 && bytes[1] == 2);
}

TEST(plugin_directories_are_listed_and_joined)
{
    NCPluginList list = {0, NULL}, *heap;
    char        *text = NULL, small[4] = "xyz", *room[2] = {NULL, NULL};

    OK(ncaux_plugin_path_parse("/a:/b", '\0', &list));
    assert_int_equal(list.ndirs, 2);
    assert_string_equal(list.dirs[1], "/b");
    OK(ncaux_plugin_path_append(&list, "/c"));
    OK(ncaux_plugin_path_prepend(&list, "/z"));
    OK(ncaux_plugin_path_tostring(&list, ';', &text));
    assert_string_equal(text, "/z;/a;/b;/c");
    free(text);
    OK(ncaux_plugin_path_tostring(&list, '\0', NULL));
    OK(ncaux_plugin_path_clear(&list));
    assert_true(list.ndirs == 0 && list.dirs == NULL);
    OK(ncaux_plugin_path_clear(&list));
    OK(ncaux_plugin_path_clear(NULL));
    OK(ncaux_plugin_path_parsen(3, "a;b;c", ';', &list)); /* three bytes of it */
    assert_int_equal(list.ndirs, 2);
    assert_string_equal(list.dirs[1], "b");
    OK(ncaux_plugin_path_clear(&list));
    list.dirs = room; /* an array of the caller's */
    OK(ncaux_plugin_path_parse("p;q", ';', &list));
    assert_string_equal(room[1], "q");
    free(room[0]);
    free(room[1]);
    list = (NCPluginList){0, NULL};
    OK(ncaux_plugin_path_parse("", ':', &list));
    assert_int_equal(list.ndirs, 0);
    assert_non_null(heap = calloc(1, sizeof *heap));
    OK(ncaux_plugin_path_append(heap, "x"));
    OK(ncaux_plugin_path_reclaim(heap));
    FAILS(NC_EINVAL, ncaux_plugin_path_parse("x", ':', NULL));
    FAILS(NC_EINVAL, ncaux_plugin_path_tostring(NULL, ':', &text));
    FAILS(NC_EINVAL, ncaux_plugin_path_tostring(&(NCPluginList){1, NULL}, ':', &text));
    FAILS(NC_EINVAL, ncaux_plugin_path_append(&list, NULL));
    FAILS(NC_EINVAL, ncaux_plugin_path_prepend(NULL, "x"));
    assert_int_equal(ncaux_plugin_path_stringlen(), 0);
    OK(ncaux_plugin_path_stringget(sizeof small, small));
    assert_string_equal(small, "");
    OK(ncaux_plugin_path_stringset(2, "/x"));
    FAILS(NC_EINVAL, ncaux_plugin_path_stringget(0, small));
    FAILS(NC_EINVAL, ncaux_plugin_path_stringset(1, NULL));
}

static void
free_pairs(char **pairs)
{
    for (size_t i = 0; pairs[i] != NULL; i++)
        free(pairs[i]);
    free(pairs);
}

TEST(provenance_is_split_into_pairs)
{
    char **pairs = (char **)1;

    OK(ncaux_parse_provenance("version=2,netcdf=4.9.3|note=a\\,b\\=c,alone", &pairs));
    assert_string_equal(pairs[0], "version");
    assert_string_equal(pairs[1], "2");
    assert_string_equal(pairs[2], "netcdf");
    assert_string_equal(pairs[5], "a,b=c");
    assert_string_equal(pairs[6], "alone");
    assert_string_equal(pairs[7], "");
    assert_true(pairs[8] == NULL && pairs[9] == NULL);
    free_pairs(pairs);
    OK(ncaux_parse_provenance("a=b\\", &pairs)); /* nothing after the backslash: it is a character itself */
    assert_string_equal(pairs[1], "b\\");
    free_pairs(pairs);
    OK(ncaux_parse_provenance("", &pairs));
    assert_null(pairs);
    OK(ncaux_parse_provenance(NULL, &pairs));
    OK(ncaux_parse_provenance("x", NULL));
    FAILS(NC_EINVAL, ncaux_parse_provenance("a=1,", &pairs));
    FAILS(NC_EINVAL, ncaux_parse_provenance(",a=1", &pairs));
    FAILS(NC_EINVAL, ncaux_parse_provenance("=1", &pairs));
    assert_null(pairs);
}

TEST_IN_EACH_PLACE(files_are_read_and_written_whole)
{
    char   path[400], *got = NULL;
    size_t size = 77;

    snprintf(path, sizeof path, "%s/file", p->dir);
    OK(ncaux_writefile(path, 5, (char[]){'a', '\0', 'b', 'c', 'd'}));
    OK(ncaux_readfile(path, &size, (void **)&got));
    assert_int_equal(size, 5);
    assert_memory_equal(got, "a\0bcd", 5);
    free(got);
    OK(ncaux_writefile(path, 0, NULL));
    OK(ncaux_readfile(path, &size, NULL));
    assert_int_equal(size, 0);
    snprintf(path, sizeof path, "%s/no/file", p->dir);
    RC(ENOENT, ncaux_readfile(path, &size, (void **)&got));
    RC(ENOENT, ncaux_writefile(path, 0, NULL));
    FAILS(NC_EINVAL, ncaux_readfile(NULL, &size, NULL));
    FAILS(NC_EINVAL, ncaux_writefile(path, 1, NULL));
}

struct aligned_double {
    char   c;
    double v;
};

TEST_IN_EACH_PLACE(types_have_alignments_and_names)
{
    char   *in[1] = {(char *)"one"}, *out[1], **all = NULL, name[NC_MAX_NAME + 1];
    size_t  size, n = 0, nfields = 9;
    nc_type base = 9;
    int     ncid, class = 0;

    OK(ncaux_type_alignment(NC_DOUBLE, -1, &n));
    assert_int_equal(n, offsetof(struct aligned_double, v));
    OK(ncaux_class_alignment(NC_OPAQUE, &n));
    assert_int_equal(n, 1);
    OK(ncaux_class_alignment(NC_VLEN, &n));
    assert_int_equal(n, sizeof(size_t));
    FAILS(NC_EINVAL, ncaux_class_alignment(NC_COMPOUND, &n));
    FAILS(NC_EINVAL, ncaux_class_alignment(NC_NAT, &n));
    FAILS(NC_EBADID, ncaux_type_alignment(33, -1, &n));
    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(ncaux_inq_any_type(ncid, NC_SHORT, name, &size, &base, &nfields, &class));
    assert_string_equal(name, "short");
    assert_true(size == 2 && base == NC_NAT && nfields == 0 && class == NC_SHORT);
    FAILS(NC_EBADTYPE, ncaux_inq_any_type(ncid, 33, name, NULL, NULL, NULL, NULL));
    OK(ncaux_copy_data(ncid, NC_STRING, in, 1, out));
    assert_string_equal(out[0], "one");
    OK(ncaux_reclaim_data(ncid, NC_STRING, out, 1));
    OK(ncaux_copy_data_all(ncid, NC_STRING, in, 1, (void **)&all));
    assert_string_equal(all[0], "one");
    OK(ncaux_reclaim_data_all(ncid, NC_STRING, all, 1));
    OK(nc_close(ncid));
}

typedef struct point {
    char   tag;
    double at[3];
    short  n;
} point;

typedef struct outer {
    char      c;
    point     p[2];
    nc_vlen_t row;
    char      last;
} outer;

/* Checks a field by its number. */
static void
assert_field(int ncid, nc_type t, int i, const char *name, size_t offset, nc_type type, int ndims)
{
    char    got[NC_MAX_NAME + 1];
    size_t  at;
    nc_type of;
    int     n;

    OK(nc_inq_compound_field(ncid, t, i, got, &at, &of, &n, NULL));
    assert_string_equal(got, name);
    assert_true(at == offset && of == type && n == ndims);
}

TEST_IN_EACH_PLACE(compounds_are_laid_out_as_in_c)
{
    const int three = 3, two = 2, zero = 0;
    void     *tag = NULL;
    nc_type   t, row, o, u;
    size_t    size, n, align;
    int       ncid;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_vlen(ncid, "row", NC_INT, &row));
    OK(ncaux_begin_compound(ncid, "point", NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "tag", NC_CHAR, 0, NULL));
    OK(ncaux_add_field(tag, "at", NC_DOUBLE, 1, &three));
    FAILS(NC_ENAMEINUSE, ncaux_add_field(tag, "at", NC_INT, 0, NULL));
    FAILS(NC_EBADTYPE, ncaux_add_field(tag, "x", 99, 0, NULL));
    FAILS(NC_EINVAL, ncaux_add_field(tag, "x", NC_INT, 1, NULL));
    FAILS(NC_EINVAL, ncaux_add_field(tag, "x", NC_INT, 1, &zero));
    FAILS(NC_EINVAL, ncaux_add_field(tag, "x", NC_INT, -1, &two));
    FAILS(NC_EINVAL, ncaux_add_field(tag, NULL, NC_INT, 0, NULL));
    OK(ncaux_add_field(tag, "n", NC_SHORT, 0, NULL));
    OK(ncaux_end_compound(tag, &t));
    FAILS(NC_ENAMEINUSE, ncaux_end_compound(tag, &o));
    OK(ncaux_abort_compound(tag));
    OK(nc_inq_compound(ncid, t, NULL, &size, &n));
    assert_true(size == sizeof(point) && n == 3);
    assert_field(ncid, t, 1, "at", offsetof(point, at), NC_DOUBLE, 1);
    assert_field(ncid, t, 2, "n", offsetof(point, n), NC_SHORT, 0);
    OK(ncaux_type_alignment(t, ncid, &align));
    assert_int_equal(align, offsetof(struct aligned_double, v));

    OK(ncaux_begin_compound(ncid, "outer", NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "c", NC_CHAR, 0, NULL));
    OK(ncaux_add_field(tag, "p", t, 1, &two));
    OK(ncaux_add_field(tag, "row", row, 0, NULL));
    OK(ncaux_add_field(tag, "last", NC_CHAR, 0, NULL));
    OK(ncaux_end_compound(tag, &o));
    OK(ncaux_abort_compound(tag));
    OK(nc_inq_compound_size(ncid, o, &size));
    assert_int_equal(size, sizeof(outer));
    assert_field(ncid, o, 1, "p", offsetof(outer, p), t, 1);
    assert_field(ncid, o, 2, "row", offsetof(outer, row), row, 0);

    OK(ncaux_begin_compound(ncid, "uniform", NCAUX_ALIGN_UNIFORM, &tag));
    OK(ncaux_add_field(tag, "a", NC_BYTE, 0, NULL));
    OK(ncaux_add_field(tag, "b", NC_INT, 0, NULL));
    OK(ncaux_add_field(tag, "c", NC_BYTE, 0, NULL));
    OK(ncaux_end_compound(tag, &u));
    OK(ncaux_abort_compound(tag));
    OK(nc_inq_compound_size(ncid, u, &size));
    assert_int_equal(size, 12);
    assert_field(ncid, u, 2, "c", 8, NC_BYTE, 0);

    OK(ncaux_begin_compound(ncid, "nothing", NCAUX_ALIGN_C, &tag));
    FAILS(NC_EINVAL, ncaux_end_compound(tag, &u));
    OK(ncaux_abort_compound(tag));
    OK(ncaux_abort_compound(NULL));
    FAILS(NC_EBADTYPE, nc_inq_typeid(ncid, "nothing", &u));
    FAILS(NC_EINVAL, ncaux_begin_compound(ncid, "x", 7, &tag));
    FAILS(NC_EINVAL, ncaux_begin_compound(ncid, NULL, NCAUX_ALIGN_C, &tag));
    FAILS(NC_EINVAL, ncaux_begin_compound(ncid, "x", NCAUX_ALIGN_C, NULL));
    FAILS(NC_EINVAL, ncaux_add_field(NULL, "x", NC_INT, 0, NULL));
    FAILS(NC_EINVAL, ncaux_end_compound(NULL, &u));
    FAILS(NC_EBADTYPE, ncaux_type_alignment(99, ncid, &align));
    OK(nc_close(ncid));
}

/* Memory that runs out at every allocation in turn. */
TEST(compounds_without_memory)
{
    place p;
    int   ncid, two = 2;
    bool  met = true;

    place_make(&p, true);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    for (size_t n = 1; met; n++) {
        void   *tag = NULL;
        char    name[20];
        nc_type t;
        int     rc;

        assert_true(n < 100);
        snprintf(name, sizeof name, "t%zu", n);
        fail_allocation(n);
        if ((rc = ncaux_begin_compound(ncid, name, NCAUX_ALIGN_C, &tag)) == NC_NOERR &&
            (rc = ncaux_add_field(tag, "a", NC_INT, 0, NULL)) == NC_NOERR &&
            (rc = ncaux_add_field(tag, "b", NC_SHORT, 1, &two)) == NC_NOERR)
            rc = ncaux_end_compound(tag, &t);
        met = end_failing();
        assert_int_equal(rc, met ? NC_ENOMEM : NC_NOERR);
        OK(ncaux_abort_compound(tag));
    }
    OK(nc_abort(ncid));
    place_drop(&p);
}
