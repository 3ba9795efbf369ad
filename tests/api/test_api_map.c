/* SPDX-License-Identifier: BSD-3-Clause */
/* nczarr_zmap.h: the objects of a store, through a dataset that was written into it; maps of the program's own. */
#include "api_test.h"

static void
small_dataset(nczarr_map *map, const char *mode)
{
    const int values[6] = {1, 2, 3, 4, 5, 6};
    int       ncid, dim, var, grp;

    OK(nczarr_create_map(map, mode, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 6, &dim));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "v", NC_INT, 1, &dim, &var));
    OK(nc_def_var_chunking(grp, var, NC_CHUNKED, (size_t[]){3}));
    OK(nc_put_var_int(grp, var, values));
    OK(nc_close(ncid));
}

typedef struct seen {
    char text[400];
    int  stop; /* what the callback returns */
} seen;

static int
note(const char *name, int leaf, void *arg)
{
    seen *s = arg;

    snprintf(s->text + strlen(s->text), sizeof s->text - strlen(s->text), "%s%s ", name, leaf ? "" : "/");
    return s->stop;
}

/* What a walk has seen. */
typedef struct walk {
    nczarr_map *map;
    int         n, chunks, stop;
} walk;

static int
note_object(const char *key, unsigned long long length, void *arg)
{
    walk              *w = arg;
    unsigned long long len = 0;

    OK(nczarr_map_len(w->map, key, &len));
    assert_true(length == len || length == NCZARR_MAP_WHOLE);
    w->n++;
    w->chunks += strncmp(key, "g/v/", 4) == 0 && key[4] != '.';
    return w->stop;
}

static void
look(nczarr_map *map)
{
    static const unsigned char chunk[12] = {4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0}; /* little-endian on every machine */
    unsigned long long         len = 0;
    unsigned char              got[8] = {0};
    void                      *data = NULL;
    size_t                     n = 0;
    seen                       s = {.text = ""};
    walk                       walked;

    OK(nczarr_map_exists(map, "g/v/.zarray"));
    FAILS(NC_EEMPTY, nczarr_map_exists(map, "g/v"));
    FAILS(NC_EEMPTY, nczarr_map_exists(map, "g/v/7"));
    FAILS(NC_EINVAL, nczarr_map_exists(map, "/g"));
    FAILS(NC_EINVAL, nczarr_map_exists(map, NULL));
    OK(nczarr_map_len(map, "g/v/1", &len));
    assert_int_equal(len, sizeof chunk);
    FAILS(NC_EEMPTY, nczarr_map_len(map, "g/v/2", &len));
    OK(nczarr_map_read(map, "g/v/1", 4, sizeof got, got));
    assert_memory_equal(got, chunk + 4, sizeof got);
    OK(nczarr_map_read(map, "g/v/1", sizeof chunk, 0, NULL));
    FAILS(NC_EINVAL, nczarr_map_read(map, "g/v/1", 8, 8, got)); /* beyond the end */
    FAILS(NC_EEMPTY, nczarr_map_read(map, "g/v/9", 0, 4, got));
    OK(nczarr_map_get(map, ".zgroup", &data, &n));
    assert_true(n > 0 && strlen(data) == n && ((char *)data)[0] == '{');
    free(data);
    FAILS(NC_EEMPTY, nczarr_map_get(map, "nothing", &data, &n));
    OK(nczarr_map_search(map, "", note, &s));
    assert_string_equal(s.text, ".zattrs .zgroup g/ ");
    s = (seen){.text = ""};
    OK(nczarr_map_search(map, "g/v", note, &s));
    assert_string_equal(s.text, ".zarray .zattrs 0 1 ");
    s = (seen){.text = "", .stop = 77};
    assert_int_equal(nczarr_map_search(map, "g/v", note, &s), 77);
    assert_string_equal(s.text, ".zarray ");
    s = (seen){.text = ""};
    OK(nczarr_map_search(map, "h", note, &s));
    assert_string_equal(s.text, "");
    walked = (walk){.map = map};
    OK(nczarr_map_walk(map, "g", note_object, &walked));
    assert_true(walked.n > walked.chunks);
    assert_int_equal(walked.chunks, 2);
    walked = (walk){.map = map, .stop = 77};
    assert_int_equal(nczarr_map_walk(map, "", note_object, &walked), 77);
    assert_int_equal(walked.n, 1);
    walked = (walk){.map = map};
    OK(nczarr_map_walk(map, "h", note_object, &walked));
    assert_int_equal(walked.n, 0);
}

TEST(objects_of_a_store_are_read_and_listed)
{
    place       p;
    nczarr_map *map, *memory;
    char        url[600];

    place_make(&p, false);
    FAILS(NC_ENOOBJECT, nczarr_map_open(p.path, NCZARR_MAP_READ, &map));
    OK(nczarr_map_open(p.path, NCZARR_MAP_CREATE, &map));
    assert_string_equal(nczarr_map_name(map), "file");
    small_dataset(map, NULL);
    look(map);
    OK(nczarr_map_sync(map));
    OK(nczarr_map_close(map));
    FAILS(NC_EEXIST, nczarr_map_open(p.path, NCZARR_MAP_CREATE, &map));
    snprintf(url, sizeof url, "file://%s#mode=zarr", p.path);
    OK(nczarr_map_open(url, NCZARR_MAP_READ, &map));
    look(map);
    assert_int_equal(nczarr_map_can(map) & (NCZARR_MAP_CAN_LIST | NCZARR_MAP_CAN_RANGE | NCZARR_MAP_CAN_WRITE),
                     NCZARR_MAP_CAN_LIST | NCZARR_MAP_CAN_RANGE);
    FAILS(NC_EPERM, nczarr_map_write(map, "note", 2, "hi"));
    FAILS(NC_EPERM, nczarr_map_copy(map, "note", map, ".zgroup", 0, 1));
    FAILS(NC_EPERM, nczarr_map_delete(map, ".zgroup"));
    OK(nczarr_map_close(map));

    OK(nczarr_map_memory(&memory));
    small_dataset(memory, NULL);
    look(memory);
    OK(nczarr_map_close(memory));
    place_drop(&p);
}

TEST(objects_of_a_store_are_replaced_and_deleted)
{
    place              p;
    nczarr_map        *map;
    char               got[2], *where;
    unsigned long long start, length;

    place_make(&p, false);
    OK(nczarr_map_open(p.path, NCZARR_MAP_CREATE, &map));
    OK(nczarr_map_write(map, "a/b", 5, "first"));
    OK(nczarr_map_write(map, "a/b", 2, "2n"));
    OK(nczarr_map_write(map, "a/empty", 0, NULL));
    OK(nczarr_map_read(map, "a/b", 0, 2, got));
    assert_memory_equal(got, "2n", 2);
    FAILS(NC_EOBJECT, nczarr_map_write(map, "a/b/c", 1, "x")); /* below an object */
    FAILS(NC_EINVAL, nczarr_map_write(map, "a/../b", 1, "x"));
    FAILS(NC_EINVAL, nczarr_map_write(map, "z", 1, NULL));
    OK(nczarr_map_copy(map, "a/c", map, "a/b", 1, 1));
    OK(nczarr_map_read(map, "a/c", 0, 1, got));
    assert_memory_equal(got, "n", 1);
    FAILS(NC_ETRUNC, nczarr_map_copy(map, "a/c", map, "a/b", 1, 2));
    FAILS(NC_EINVAL, nczarr_map_copy(map, "a/c", NULL, "a/b", 1, 2));
    FAILS(NC_EINVAL, nczarr_map_copy(NULL, "a/c", map, "a/b", 1, 2));
    FAILS(NC_ETRUNC, nczarr_map_copy(map, "a/c", map, "a/nothing", 0, 1));
    FAILS(NC_ETRUNC, nczarr_map_copy(map, "a/c", map, "a/nothing", 0, 0));
    assert_non_null(strstr(nczarr_errmsg(), "a/nothing"));
    FAILS(NC_EOBJECT, nczarr_map_copy(map, "a/b/c", map, "a/b", 0, 1));
    OK(nczarr_map_place(map, "a/b", &where, &start, &length));
    assert_null(where); /* its own bytes */
    FAILS(NC_EINVAL, nczarr_map_place(map, "a/../b", &where, &start, &length));
    OK(nczarr_map_delete(map, "a/c"));
    OK(nczarr_map_delete(map, "a/b"));
    OK(nczarr_map_delete(map, "a/b"));
    FAILS(NC_EEMPTY, nczarr_map_exists(map, "a/b"));
    OK(nczarr_map_close(map));
    place_drop(&p);
}

TEST(wrong_arguments_of_stores_are_refused)
{
    nczarr_map        *map;
    unsigned long long len;
    void              *data;
    size_t             n;

    FAILS(NC_EINVAL, nczarr_map_open(NULL, NCZARR_MAP_READ, &map));
    FAILS(NC_EINVAL, nczarr_map_open("x", 3, &map));
    FAILS(NC_EINVAL, nczarr_map_open("x", NCZARR_MAP_READ, NULL));
    FAILS(NC_EINVAL, nczarr_map_own(NULL, NULL, &map));
    FAILS(NC_EINVAL, nczarr_map_exists(NULL, "k"));
    FAILS(NC_EINVAL, nczarr_map_len(NULL, "k", &len));
    FAILS(NC_EINVAL, nczarr_map_sync(NULL));
    OK(nczarr_map_memory(&map));
    FAILS(NC_EINVAL, nczarr_map_len(map, "k", NULL));
    FAILS(NC_EINVAL, nczarr_map_get(map, "k", NULL, &n));
    FAILS(NC_EINVAL, nczarr_map_get(map, "k", &data, NULL));
    FAILS(NC_EINVAL, nczarr_map_read(map, "k", 0, 1, NULL));
    FAILS(NC_EINVAL, nczarr_map_search(map, "", NULL, NULL));
    FAILS(NC_EINVAL, nczarr_map_write(NULL, "k", 0, NULL));
    assert_string_equal(nczarr_map_name(NULL), "");
    assert_int_equal(nczarr_map_can(NULL), 0);
    OK(nczarr_map_close(map));
}

/* ---- a map of the program's own: datasets over another map, with and without a list ---- */

static int
pass_get(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    void  *data, *room;
    size_t n;
    int    rc = nczarr_map_get(user, key, &data, &n);

    if (rc != NC_NOERR)
        return rc;
    assert_true(start == 0 && count == NCZARR_MAP_WHOLE); /* ranges were not promised */
    rc = NC_ENOMEM;
    if ((room = nczarr_map_room(reply, n)) != NULL) {
        memcpy(room, data, n);
        rc = NC_NOERR;
    }
    free(data);
    return rc;
}

static int
pass_put(void *user, const char *key, const void *data, size_t count)
{
    return nczarr_map_write(user, key, count, data);
}

static int
pass_del(void *user, const char *key)
{
    return nczarr_map_delete(user, key);
}

static int
pass_list(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    return nczarr_map_search(user, prefix, each, arg);
}

static int
deny_put(void *user, const char *key, const void *data, size_t count)
{
    (void)user;
    (void)data;
    (void)count;
    return nczarr_map_fail(NC_EACCESS, "no key to the cupboard of %s", key);
}

static void
check_values(nczarr_map *map, const char *mode)
{
    int ncid, grp, got[6];

    OK(nczarr_open_map(map, mode, NC_NOWRITE, &ncid));
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_get_var_int(grp, 0, got));
    for (int i = 0; i < 6; i++)
        assert_int_equal(got[i], i + 1);
    OK(nc_close(ncid));
}

TEST(a_store_of_ones_own_holds_a_dataset)
{
    nczarr_map_ops ops = {
        .size = sizeof ops, .name = "cupboard", .get = pass_get, .put = pass_put, .del = pass_del, .list = pass_list};
    nczarr_map *inner, *map;
    int         ncid;

    OK(nczarr_map_memory(&inner));
    OK(nczarr_map_own(&ops, inner, &map));
    assert_string_equal(nczarr_map_name(map), "cupboard");
    small_dataset(map, NULL);
    check_values(map, NULL);
    check_values(inner, NULL); /* the same objects */
    small_dataset(map, NULL);  /* NC_CLOBBER: over the one that is there */
    look(map);
    FAILS(NC_EEXIST, nczarr_create_map(map, NULL, NC_NOCLOBBER, &ncid));
    OK(nczarr_map_close(map));

    ops.list = NULL; /* NCZarr's own lists are enough to read; to replace it is not */
    OK(nczarr_map_own(&ops, inner, &map));
    check_values(map, NULL);
    FAILS(NC_EEXIST, nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_ENOTBUILT, nczarr_map_search(map, "", note, NULL));
    OK(nczarr_map_close(map));

    ops.put = deny_put;
    OK(nczarr_map_own(&ops, inner, &map));
    assert_int_equal(nczarr_map_write(map, "k", 1, "x"), NC_EACCESS);
    assert_string_equal(nczarr_errmsg(), "cupboard: no key to the cupboard of k");
    OK(nczarr_map_close(map));
    OK(nczarr_map_close(inner));

    OK(nczarr_map_memory(&inner)); /* empty, and nothing can be listed: a dataset can be made all the same */
    ops.put = pass_put;
    OK(nczarr_map_own(&ops, inner, &map));
    small_dataset(map, "mode=zarr,consolidated");
    check_values(map, "mode=zarr");
    OK(nczarr_map_close(map));
    OK(nczarr_map_close(inner));
}

static int
count_item(const nczarr_history_item *item, void *arg)
{
    assert_non_null(item->name);
    ++*(int *)arg;
    return NC_NOERR;
}

TEST(the_history_of_an_icechunk_repository_is_told)
{
    int n = 0;

    OK(nczarr_inq_history(NCZ_TEST_DATA "/icechunk/spec2", count_item, &n));
    assert_true(n > 1);
    FAILS(NC_ENOTNC, nczarr_inq_history(NCZ_TEST_DATA "/classic", count_item, &n));
    FAILS(NC_EINVAL, nczarr_inq_history(NULL, count_item, &n));
}

TEST(a_set_of_references_tells_where_bytes_are)
{
    static const char  set[] = "{\"version\": 1, \"refs\": {\".zgroup\": \"{\\\"zarr_format\\\": 2}\", "
                               "\"v/0\": [\"values.bin\", 4, 8]}}";
    place              p;
    nczarr_map        *map;
    char              *where;
    unsigned long long start, length;

    place_make(&p, false);
    write_file(p.dir, "set.json", set);
    snprintf(p.path, sizeof p.path, "%s/set.json", p.dir);
    OK(nczarr_map_open(p.path, NCZARR_MAP_READ, &map));
    OK(nczarr_map_place(map, "v/0", &where, &start, &length));
    assert_non_null(strstr(where, "values.bin"));
    assert_true(start == 4 && length == 8);
    free(where);
    FAILS(NC_EEMPTY, nczarr_map_place(map, "v/1", &where, &start, &length));
    OK(nczarr_map_close(map));
    place_drop(&p);
}
