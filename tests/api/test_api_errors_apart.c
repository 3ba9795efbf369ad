/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_api_errors_apart: the errors that test_api_errors cannot reach, by functions that take a path, a map, a codec or
 * a communicator, and by states that need several calls. With it every error of include/errors.txt is seen by a test.
 */
#include "api_test.h"

#include "compat/netcdf.h"
#include "compat/netcdf_aux.h"
#include "nczarr_filter.h"
#include "nczarr_par.h"
#include "nczarr_zmap.h"
#include "support/scratch.h"

/* ---- create, open, delete ------------------------------------------------------------------------------------- */

#define CREATES(want, path, cmode)                                                                                   \
    do {                                                                                                             \
        int id_ = -7;                                                                                                \
        FAILS(want, nc_create(path, cmode, &id_));                                                                   \
        FAILS(want, nc__create(path, cmode, 0, NULL, &id_));                                                         \
        FAILS(want, nc__create_mp(path, cmode, 0, 0, NULL, &id_));                                                   \
        FAILS2(want, nccreate(path, cmode));                                                                         \
        assert_int_equal(id_, -7);                                                                                   \
    } while (0)

#define OPENS(want, path, omode)                                                                                     \
    do {                                                                                                             \
        int id_ = -7;                                                                                                \
        FAILS(want, nc_open(path, omode, &id_));                                                                     \
        FAILS(want, nc__open(path, omode, NULL, &id_));                                                              \
        FAILS(want, nc__open_mp(path, omode, 0, NULL, &id_));                                                        \
        FAILS2(want, ncopen(path, omode));                                                                           \
        assert_int_equal(id_, -7);                                                                                   \
    } while (0)

#define DELETES(want, path)                                                                                          \
    do {                                                                                                             \
        FAILS(want, nc_delete(path));                                                                                \
        FAILS(want, nc_delete_mp(path, 0));                                                                          \
        FAILS(want, nczarr_inq_delete(path, NULL));                                                                  \
    } while (0)

TEST(paths_fail_with_their_codes)
{
    place p;
    int   ncid;
    char  text[600], zip[300];

    place_make(&p, false);
    snprintf(zip, sizeof zip, "%.255s/one.zip", p.dir);
    OPENS(NC_ENOOBJECT, p.path, NC_NOWRITE);
    DELETES(NC_ENOOBJECT, p.path);
    OK(place_create(&p, "mode=nczarr,v3", NC_NOCLOBBER, &ncid));
    OK(nc_close(ncid));

    CREATES(NC_EEXIST, p.path, NC_NOCLOBBER);
    CREATES(NC_EINVAL, p.path, NC_MMAP);
    CREATES(NC_EINVAL, NULL, NC_CLOBBER);
    CREATES(NC_EDISKLESS, p.path, NC_DISKLESS | NC_INMEMORY);
    snprintf(text, sizeof text, "file://%s#mode=none_such", p.path);
    CREATES(NC_ENOTNC, text, NC_CLOBBER);
    OPENS(NC_ENOTNC, text, NC_NOWRITE);
    snprintf(text, sizeof text, "%s/missing/data.zarr", p.dir);
    CREATES(NC_ENOOBJECT, text, NC_CLOBBER);
    OK(nc_create(zip, NC_CLOBBER, &ncid));
    CREATES(NC_EACCESS, zip, NC_CLOBBER);
    OK(nc_close(ncid));
    OPENS(NC_EINVAL, NULL, NC_NOWRITE);
    OPENS(NC_EINVAL, p.path, NC_MMAP);

    write_file(p.path, "stranger", "a file that is no part of a dataset");
    DELETES(NC_EEXIST, p.path);
    write_file(p.path, "zarr.json", "{");
    OPENS(NC_EZARRMETA, p.path, NC_NOWRITE);
    DELETES(NC_ENOTNC, p.dir);

    snprintf(text, sizeof text, "%s/old", p.dir); /* as netCDF-C 4.8.0 wrote */
    assert_int_equal(mkdir(text, 0777), 0);
    write_file(text, ".nczarr", "{\"zarr_format\": 2, \"nczarr_version\": \"1.0.0\"}");
    write_file(text, ".zgroup", "{\"zarr_format\": 2}");
    write_file(text, ".nczgroup", "{\"dims\": {}, \"vars\": [], \"groups\": []}");
    OPENS(NC_EPERM, text, NC_WRITE);
    OK(nc_open(text, NC_NOWRITE, &ncid));
    OK(nc_close(ncid));
    OK(nc__create_mp(zip, NC_CLOBBER, 0, 0, NULL, &ncid));
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(memory_blocks_fail_with_their_codes)
{
    int      ncid;
    char     text[4] = "text";
    NC_memio block = {0};

    FAILS(NC_EINVAL, nc_create_mem(NULL, NC_CLOBBER, 0, &ncid));
    FAILS(NC_ENOTNC, nc_create_mem("file://x#mode=none_such", NC_CLOBBER, 0, &ncid));
    FAILS(NC_EDISKLESS, nc_create_mem("x", NC_DISKLESS, 0, &ncid));
    FAILS(NC_EDISKLESS, nc_open_mem("x", NC_DISKLESS, sizeof text, text, &ncid));
    OK(nc_create_mem("x", NC_CLOBBER, 0, &ncid));
    FAILS(NC_EINVAL, nc_close_memio(ncid, NULL));
    OK(nc_close_memio(ncid, &block));
    FAILS(NC_EBADID, nc_close_memio(ncid, &block));
    FAILS(NC_EINVAL, nc_open_mem("x", NC_WRITE, block.size, block.memory, &ncid));
    OK(nc_open_mem("x", NC_NOWRITE, block.size, block.memory, &ncid));
    OK(nc_close(ncid));
    free(block.memory);
}

/* ---- definitions that come too late, or in the classic model -------------------------------------------------- */

TEST(late_definitions_fail_with_their_codes)
{
    place  p;
    int    ncid, other, d, v, c, fill = 5;
    size_t zero = 0;

    place_make(&p, true);
    OK(place_create(&p, "mode=nczarr,v3", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &d, &v));
    OK(nc_def_var(ncid, "c", NC_CHAR, 1, &d, &c));
    FAILS(NC_EBADTYPE, nc_put_att_text(ncid, v, NC_FillValue, 1, "x"));
    OK(nc_put_var1_int(ncid, v, &zero, &fill));
    OK(nc_put_var1_text(ncid, c, &zero, "c"));
    FAILS(NC_ELATEFILL, nc_put_att_text(ncid, c, NC_FillValue, 1, "x"));
    OK(nc_close(ncid));
    place_drop(&p);

    place_make(&p, true); /* data before nc_enddef() has made the definitions final */
    OK(place_create(&p, "mode=nczarr,v3", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &d, &v));
    OK(nc_put_var1_int(ncid, v, &zero, &fill));
    FAILS(NC_ELATEDEF, nc_def_var_fill(ncid, v, 0, &fill));
    FAILS(NC_ELATEDEF, nczarr_def_var_fill(ncid, v, &fill));

    OK(nc_create_mem("x", NC_CLASSIC_MODEL, 0, &other));
    OK(nc_def_dim(other, "d", 5, NULL));
    FAILS(NC_EBADDIM, nc_copy_var(ncid, v, other));
    OK(nc_put_att_text(ncid, v, "note", 4, "text"));
    OK(nc_def_var(other, "w", NC_INT, 0, NULL, NULL));
    OK(nc_enddef(other));
    FAILS(NC_ENOTINDEFINE, nc_copy_att(ncid, v, "note", other, 0));
    ncopts = 0;
    FAILS2(NC_ENOTINDEFINE, ncattcopy(ncid, v, "note", other, 0));
    OK(nc_abort(other));
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(records_fail_with_their_codes)
{
    int    ncid, u, v;
    int    value = 1;
    void  *data[1] = {&value};
    double x = 0;
    long   start = 0, count = 1, imap = 3;

    ncopts = 0;
    OK(nc_create_mem("x", NC_CLOBBER, 0, &ncid));
    OK(nc_def_dim(ncid, "u", NC_UNLIMITED, &u));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &u, &v));
    OK(nc_put_rec(ncid, 0, data));
    FAILS(NC_EINVALCOORDS, nc_get_rec(ncid, 1, data));
    FAILS2(NC_EINVALCOORDS, ncrecget(ncid, 1, data));
    FAILS2(NC_EINVAL, ncvarputg(ncid, v, &start, &count, NULL, &imap, &x));
    FAILS2(NC_EINVAL, ncvargetg(ncid, v, &start, &count, NULL, &imap, &x));
    OK(nc_abort(ncid));
}

/* ---- memory, helpers ------------------------------------------------------------------------------------------ */

TEST(typed_memory_fails_with_its_codes)
{
    place   p;
    int     ncid, wrong = 0x7ff0000;
    nc_type compound;
    void   *data, *copy = NULL, *tag;
    char   *text = NULL;
    char    long_name[NC_MAX_NAME + 2] = "";

    OK(nc_create_mem("x", NC_CLOBBER, 0, &ncid));
    assert_non_null(data = calloc(4, 8));
    FAILS(NC_EBADID, nc_reclaim_data_all(wrong, NC_INT, data, 1));
    FAILS(NC_EBADTYPE, nc_reclaim_data_all(ncid, 99, data, 1));
    FAILS(NC_EINVAL, nc_reclaim_data_all(ncid, NC_STRING, NULL, 1));
    FAILS(NC_EBADID, nc_dump_data(wrong, NC_INT, data, 1, &text));
    FAILS(NC_EBADTYPE, nc_dump_data(ncid, 99, data, 1, &text));
    FAILS(NC_EINVAL, nc_dump_data(ncid, NC_INT, NULL, 1, &text));
    FAILS(NC_EBADID, ncaux_dump_data(wrong, NC_INT, data, 1, &text));
    FAILS(NC_EBADTYPE, ncaux_dump_data(ncid, 99, data, 1, &text));
    FAILS(NC_EINVAL, ncaux_dump_data(ncid, NC_INT, data, 1, NULL));
    FAILS(NC_EBADID, nc_copy_data_all(wrong, NC_INT, data, 1, &copy));
    FAILS(NC_EBADTYPE, nc_copy_data_all(ncid, 99, data, 1, &copy));
    FAILS(NC_EINVAL, nc_copy_data_all(ncid, NC_INT, NULL, 1, &copy));
    FAILS(NC_EBADID, ncaux_reclaim_data_all(wrong, NC_INT, data, 1));
    FAILS(NC_EBADTYPE, ncaux_reclaim_data_all(ncid, 99, data, 1));
    FAILS(NC_EINVAL, ncaux_reclaim_data_all(ncid, NC_STRING, NULL, 1));
    FAILS(NC_EBADID, ncaux_copy_data_all(wrong, NC_INT, data, 1, &copy));
    FAILS(NC_EBADTYPE, ncaux_copy_data_all(ncid, 99, data, 1, &copy));
    FAILS(NC_EINVAL, ncaux_copy_data_all(ncid, NC_INT, NULL, 1, &copy));
    assert_true(copy == NULL && text == NULL);
    OK(nc_copy_data_all(ncid, NC_INT, data, 4, &copy));
    OK(nc_reclaim_data_all(ncid, NC_INT, copy, 4));
    free(data);

    OK(ncaux_begin_compound(wrong, "t", NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "a", NC_INT, 0, NULL));
    FAILS(NC_EBADID, ncaux_end_compound(tag, &compound));
    OK(ncaux_abort_compound(tag));
    memset(long_name, 'n', sizeof long_name - 1);
    OK(ncaux_begin_compound(ncid, long_name, NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "a", NC_INT, 0, NULL));
    FAILS(NC_EMAXNAME, ncaux_end_compound(tag, &compound));
    OK(ncaux_abort_compound(tag));
    OK(ncaux_begin_compound(ncid, "not/a/name", NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "a", NC_INT, 0, NULL));
    FAILS(NC_EBADNAME, ncaux_end_compound(tag, &compound));
    OK(ncaux_abort_compound(tag));
    OK(nc_abort(ncid));

    place_make(&p, true);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    OK(ncaux_begin_compound(ncid, "t", NCAUX_ALIGN_C, &tag));
    OK(ncaux_add_field(tag, "a", NC_INT, 0, NULL));
    FAILS(NC_EPERM, ncaux_end_compound(tag, &compound));
    OK(ncaux_abort_compound(tag));
    OK(nc_close(ncid));
    place_drop(&p);
}

TEST(process_settings_fail_with_their_codes)
{
    char *text = NULL;

    FAILS(NC_EINVAL, nczarr_set_threads(-1));
    OK(nczarr_set_threads(0));
    FAILS(NC_EINVAL, nczarr_s3_explain("/a/path", &text));
    FAILS(NC_EINVAL, nczarr_s3_explain(NULL, &text));
}

static int
pass_item(const nczarr_structure_item *item, void *arg)
{
    *(int *)arg = item->kind;
    return item->kind == NCZARR_STRUCTURE_FAULT;
}

TEST(the_structure_of_a_file_is_checked_to_its_end)
{
    const char *file = scratch_path(NCZ_TEST_DATA "/netcdf4", "strict.nc"),
               *text = scratch_path(NCZ_TEST_DATA "/netcdf4", "strict.cdl");
    int last = 0;

    FAILS(NC_EINVAL, nczarr_check_structure(NULL, pass_item, &last));
    FAILS(NC_EINVAL, nczarr_check_structure(file, NULL, NULL));
    FAILS(NC_ENOTNC, nczarr_check_structure(text, pass_item, &last));
    OK(nczarr_check_structure(file, pass_item, &last));
    assert_int_equal(last, NCZARR_STRUCTURE_END);
}

static int
pass_history(const nczarr_history_item *item, void *arg)
{
    *(int *)arg = item->kind;
    return 0;
}

TEST(the_history_of_a_repository)
{
    const char *text = scratch_path(NCZ_TEST_DATA "/netcdf4", "strict.cdl");
    int         last = 0;

    FAILS(NC_EINVAL, nczarr_inq_history(NULL, pass_history, &last));
    FAILS(NC_EINVAL, nczarr_inq_history(text, NULL, NULL));
    FAILS(NC_ENOTNC, nczarr_inq_history(text, pass_history, &last));
    assert_int_equal(last, 0);
}

TEST(parts_of_paths)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    int               overlap;

    FAILS(NC_EINVAL, nczarr_path_split("", &parts));
    FAILS(NC_ENOTNC, nczarr_path_split("a#mode=dap2", &parts));
    OK(nczarr_path_split("a", &parts));
    nczarr_path_clear(&parts);
    FAILS(NC_EINVAL, nczarr_path_overlap("a", "", &overlap));
    FAILS(NC_ENOTNC, nczarr_path_overlap("a#mode=dap2", "a", &overlap));
    OK(nczarr_path_overlap("a", "b", &overlap));
    FAILS(NC_EINVAL, nczarr_path_probe("a", "", &overlap));
    FAILS(NC_ENOTNC, nczarr_path_probe("a#mode=dap2", "a", &overlap));
    OK(nczarr_path_probe("a", "b", &overlap));
    assert_int_equal(overlap, 0);
}

/* ---- maps ----------------------------------------------------------------------------------------------------- */

static int
get_nothing(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    (void)user;
    (void)start;
    (void)count;
    (void)reply;
    return nczarr_map_fail(NC_EEMPTY, "%s: nothing is here", key);
}

static int
never(const char *name, int leaf, void *arg)
{
    (void)name;
    (void)leaf;
    (void)arg;
    return NC_EINTERNAL;
}

static int
never_walk(const char *key, unsigned long long length, void *arg)
{
    (void)key;
    (void)length;
    (void)arg;
    return NC_EINTERNAL;
}

static int
count_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    (void)index;
    (void)key;
    (void)offset;
    (void)length;
    ++*(int *)arg;
    return 0;
}

static int
count_fragment(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    (void)start;
    (void)count;
    (void)path;
    (void)variable;
    ++*(int *)arg;
    return 0;
}

static int
count_place(const nczarr_place_item *item, void *arg)
{
    (void)item;
    ++*(int *)arg;
    return 0;
}

TEST(stores_fail_with_their_codes)
{
    nczarr_map_ops ops = {.size = sizeof ops, .name = "nothing", .get = get_nothing}, newer;
    nczarr_map    *map = NULL, *read_only;
    place          p;
    int            ncid, d, v, n = 0;
    struct {
        nczarr_map_ops ops;
        void          *later;
    } larger = {.later = &n};

    place_make(&p, false);
    FAILS(NC_EINVAL, nczarr_map_memory(NULL));
    FAILS(NC_EINVAL, nczarr_map_own(NULL, NULL, &map));
    newer = ops;
    newer.get = NULL;
    FAILS(NC_EINVAL, nczarr_map_own(&newer, NULL, &map));
    larger.ops = ops;
    larger.ops.size = sizeof larger;
    FAILS(NC_ENOTBUILT, nczarr_map_own(&larger.ops, NULL, &map));
    OK(nczarr_map_own(&ops, NULL, &read_only));
    FAILS(NC_EPERM, nczarr_create_map(read_only, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_ENOTNC, nczarr_open_map(read_only, NULL, NC_NOWRITE, &ncid));
    FAILS(NC_EPERM, nczarr_map_write(read_only, "key", 1, "x"));
    FAILS(NC_EPERM, nczarr_map_delete(read_only, "key"));
    FAILS(NC_EEMPTY, nczarr_map_exists(read_only, "key"));
    FAILS(NC_ENOTBUILT, nczarr_map_search(read_only, "", never, NULL));
    FAILS(NC_ENOTBUILT, nczarr_map_walk(read_only, "", never_walk, NULL));
    FAILS(NC_EINVAL, nczarr_map_walk(read_only, "", NULL, NULL));
    OK(nczarr_map_close(read_only));

    OK(nczarr_map_memory(&map));
    FAILS(NC_EINVAL, nczarr_map_delete(map, "not//a/key"));
    FAILS(NC_EINVAL, nczarr_map_write(map, "../key", 1, "x"));
    FAILS(NC_ENOTNC, nczarr_create_map(map, "mode=none_such", NC_CLOBBER, &ncid));
    FAILS(NC_EINVAL, nczarr_create_map(NULL, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_EINVAL, nczarr_open_map(NULL, NULL, NC_NOWRITE, &ncid));
    OK(nczarr_create_map(map, NULL, NC_NOCLOBBER, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &d, &v));
    FAILS(NC_EBADID, nczarr_list_var_chunks(0x7ff0000, v, count_chunk, &n));
    FAILS(NC_ENOTVAR, nczarr_list_var_chunks(ncid, 9, count_chunk, &n));
    FAILS(NC_EINVAL, nczarr_list_var_chunks(ncid, v, NULL, &n));
    OK(nczarr_list_var_chunks(ncid, v, count_chunk, &n));
    FAILS(NC_EBADID, nczarr_list_var_fragments(0x7ff0000, v, count_fragment, &n));
    FAILS(NC_ENOTVAR, nczarr_list_var_fragments(ncid, 9, count_fragment, &n));
    FAILS(NC_EINVAL, nczarr_list_var_fragments(ncid, v, NULL, &n));
    OK(nczarr_list_var_fragments(ncid, v, count_fragment, &n));
    FAILS(NC_EBADID, nczarr_open_fragment(0x7ff0000, p.dir, &d));
    FAILS(NC_ENOTNC, nczarr_open_fragment(ncid, p.dir, &d)); /* an empty directory */
    FAILS(NC_EBADID, nczarr_check_places(0x7ff0000, count_place, &n));
    FAILS(NC_EINVAL, nczarr_check_places(ncid, NULL, &n));
    OK(nczarr_check_places(ncid, count_place, &n));
    assert_int_equal(n, 0);
    OK(nc_close(ncid));
    FAILS(NC_EEXIST, nczarr_create_map(map, NULL, NC_NOCLOBBER, &ncid));
    OK(nczarr_map_close(map));

    assert_int_equal(mkdir(p.path, 0777), 0);
    write_file(p.path, "something", "text");
    FAILS(NC_EOBJECT, nczarr_map_file(p.path, 1, &map));
    FAILS(NC_EEXIST, nczarr_map_open(p.path, NCZARR_MAP_CREATE, &map));
    place_drop(&p);
}

TEST(read_only_maps)
{
    place       p;
    nczarr_map *map;
    int         ncid;

    place_make(&p, false);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    OK(nczarr_map_open(p.path, NCZARR_MAP_READ, &map));
    FAILS(NC_EPERM, nczarr_open_map(map, NULL, NC_WRITE, &ncid));
    OK(nczarr_map_close(map));
    place_drop(&p);
}

/* ---- codecs --------------------------------------------------------------------------------------------------- */

static int
code_nothing(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out,
             size_t cap, size_t *usedp)
{
    (void)user;
    (void)state;
    (void)array;
    (void)in;
    (void)n;
    (void)out;
    (void)cap;
    *usedp = 0;
    return NC_NOERR;
}

TEST(codecs_fail_with_their_codes)
{
    struct {
        nczarr_codec codec;
        void        *later;
    } larger = {.codec = {.size = sizeof larger, .id = "larger", .encode = code_nothing, .decode = code_nothing},
                .later = state};
    long long i;
    double    x;
    char      text[4];

    FAILS(NC_ENOTBUILT, nczarr_filter_register(&larger.codec));
    OK(nczarr_codec_get_int("{\"a\": 7, \"b\": 0.5, \"c\": \"abc\"}", "a", &i));
    OK(nczarr_codec_get_double("{\"a\": 7, \"b\": 0.5, \"c\": \"abc\"}", "b", &x));
    OK(nczarr_codec_get_text("{\"a\": 7, \"b\": 0.5, \"c\": \"abc\"}", "c", text, sizeof text));
    assert_int_equal(i, 7);
    assert_true(x == 0.5);
    assert_string_equal(text, "abc");
    FAILS(NC_EFILTER, nczarr_codec_get_int("{\"a\": \"text\"}", "a", &i));
    FAILS(NC_EFILTER, nczarr_codec_get_double("{\"a\": \"text\"}", "a", &x));
    FAILS(NC_EFILTER, nczarr_codec_get_text("{\"a\": \"longer\"}", "a", text, sizeof text));
}

/* ---- parallel access, without other ranks --------------------------------------------------------------------- */

static int
broadcast(void *context, int root, void *data, size_t len)
{
    (void)context;
    (void)root;
    (void)data;
    (void)len;
    return NC_NOERR;
}

static int
allreduce_max(void *context, int64_t *values, size_t n)
{
    (void)context;
    (void)values;
    (void)n;
    return NC_NOERR;
}

TEST(parallel_calls_fail_with_their_codes)
{
    nczarr_comm comm = {.size = sizeof comm,
                        .rank = 0,
                        .nranks = 1,
                        .node_ranks = 1,
                        .broadcast = broadcast,
                        .allreduce_max = allreduce_max};
    nczarr_comm nothing = {.size = sizeof nothing, .nranks = 1};
    place       p;
    int         ncid, d, v, z;
    size_t      zero = 0, far = 9, four = 4, none = 0;
    char        zip[300];

    place_make(&p, false);
    snprintf(zip, sizeof zip, "%.255s/one.zip", p.dir);
    FAILS(NC_EPARINIT, nczarr_create_par(p.path, NC_CLOBBER, &nothing, &ncid));
    FAILS(NC_ENOPAR, nczarr_create_par(zip, NC_CLOBBER, &comm, &ncid));
    OK(nczarr_create_par(p.path, NC_CLOBBER, &comm, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &d, &v));
    OK(nc_def_var(ncid, "z", NC_INT, 0, NULL, &z));
    FAILS(NC_ENOTVAR, nc_var_par_access(ncid, 9, NC_COLLECTIVE));
    FAILS(NC_EINVAL, nc_var_par_access(ncid, v, 7));
    OK(nc_var_par_access(ncid, v, NC_COLLECTIVE));
    OK(nc_close(ncid));
    OK(nczarr_open_par(p.path, NC_NOWRITE, &comm, &ncid));
    OK(nc_close(ncid));
    FAILS(NC_EPARINIT, nczarr_open_par(p.path, NC_NOWRITE, &nothing, &ncid));
    OK(nc_create(zip, NC_CLOBBER, &ncid));
    OK(nc_close(ncid));
    FAILS(NC_ENOPAR, nczarr_open_par(zip, NC_WRITE, &comm, &ncid));

    OK(nc_open(p.path, NC_WRITE, &ncid));
    FAILS(NC_EBADID, nczarr_def_var_decomposition(0x7ff0000, v, &zero, &four));
    FAILS(NC_ENOTVAR, nczarr_def_var_decomposition(ncid, 9, &zero, &four));
    FAILS(NC_ELATEDEF, nczarr_def_var_decomposition(ncid, v, &zero, &four));
    OK(nc_def_var(ncid, "w", NC_INT, 1, &d, &v));
    FAILS(NC_EINVAL, nczarr_def_var_decomposition(ncid, v, NULL, &four));
    FAILS(NC_EINVAL, nczarr_def_var_decomposition(ncid, v, &zero, &none));
    FAILS(NC_EINVALCOORDS, nczarr_def_var_decomposition(ncid, v, &far, &four));
    FAILS(NC_EEDGE, nczarr_def_var_decomposition(ncid, v, &zero, &far));
    OK(nczarr_def_var_decomposition(ncid, v, &zero, &four));
    OK(nc_close(ncid));
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    FAILS(NC_EPERM, nczarr_def_var_decomposition(ncid, v, &zero, &four));
    OK(nc_close(ncid));
    place_drop(&p);
}

int
main(void)
{
    ncopts = 0;
    return run_file_tests(NULL, NULL);
}
