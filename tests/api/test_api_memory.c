/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datasets in memory: in one block, and those that come from a path or go to one at close.
 */
#include "api_test.h"

static void
fill(int ncid)
{
    int dim, var, grp, w;

    OK(nc_def_dim(ncid, "x", 6, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, (size_t[]){4}));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "w", NC_DOUBLE, 1, &dim, &w));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "hello"));
    OK(nc_enddef(ncid));
    OK(nc_put_var_int(ncid, var, (int[]){1, 2, 3, 4, 5, 6}));
    OK(nc_put_var_double(grp, w, (double[]){.5, 1.5, 2.5, 3.5, 4.5, 5.5}));
}

static void
check(int ncid, int first)
{
    int    v[6], grp;
    double w[6];

    OK(nc_get_var_int(ncid, 0, v));
    assert_int_equal(v[0], first);
    assert_int_equal(v[5], 6);
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_get_var_double(grp, 0, w));
    assert_true(w[5] == 5.5);
}

static NC_memio
make_block(const char *path)
{
    NC_memio info = {0, NULL, 7};
    int      ncid;

    OK(nc_create_mem(path, NC_CLOBBER, 100, &ncid));
    fill(ncid);
    OK(nc_sync(ncid));
    check(ncid, 1);
    OK(nc_close_memio(ncid, &info));
    assert_non_null(info.memory);
    assert_int_equal(info.flags, 0);
    FAILS(NC_EBADID, nc_close(ncid));
    return info;
}

TEST(read_block)
{
    static const char *const paths[] = {"a name", "file://x#mode=zarr", "dir/data.zip"};

    for (size_t i = 0; i < NCZ_LEN(paths); i++) {
        NC_memio info = make_block(paths[i]), back = {0, NULL, 0};
        char    *copy = malloc(info.size);
        int      ncid, dim;

        memcpy(copy, info.memory, info.size);
        OK(nc_open_mem("whatever", NC_NOWRITE, info.size, info.memory, &ncid));
        check(ncid, 1);
        FAILS(NC_EPERM, nc_def_dim(ncid, "y", 2, &dim));
        OK(nc_close(ncid));
        info.flags = NC_MEMIO_LOCKED;
        OK(nc_open_memio("whatever", NC_NOWRITE, &info, &ncid));
        check(ncid, 1);
        OK(nc_close_memio(ncid, &back));
        assert_ptr_equal(back.memory, info.memory);
        assert_int_equal(back.size, info.size);
        assert_memory_equal(copy, info.memory, info.size); /* nothing was changed */
        info.flags = 0;
        OK(nc_open_memio("whatever", NC_NOWRITE, &info, &ncid)); /* the library's: nc_close() frees it */
        check(ncid, 1);
        OK(nc_close(ncid));
        free(copy);
    }
}

TEST(change_block)
{
    NC_memio info = make_block("x"), back = {0, NULL, 0};
    int      ncid, v;
    place    p;
    FILE    *f;

    OK(nc_open_memio("x", NC_WRITE, &info, &ncid));
    OK(nc_put_var1_int(ncid, 0, (size_t[]){0}, (int[]){77}));
    OK(nc_def_var(ncid, "scalar", NC_INT, 0, NULL, &v));
    OK(nc_put_var_int(ncid, v, (int[]){42}));
    OK(nc_close_memio(ncid, &back));
    assert_true(back.size > info.size);

    place_make(&p, false); /* the block is an archive */
    snprintf(p.path, sizeof p.path, "%s/x.zip", p.dir);
    assert_non_null(f = fopen(p.path, "wb"));
    assert_int_equal(fwrite(back.memory, 1, back.size, f), back.size);
    fclose(f);
    OK(nc_open(p.path, NC_NOWRITE, &ncid));
    check(ncid, 77);
    OK(nc_close(ncid));
    place_drop(&p);

    OK(nc_open_memio("x", NC_WRITE, &back, &ncid)); /* dropped changes leave what was taken to the library */
    OK(nc_put_var1_int(ncid, 0, (size_t[]){0}, (int[]){78}));
    OK(nc_abort(ncid));
}

TEST(wrong_blocks)
{
    NC_memio info = make_block("x"), locked = {info.size, info.memory, NC_MEMIO_LOCKED}, out = {0, NULL, 0};
    char     junk[100] = "PK\003\004 and nothing else";
    int      ncid = -1;
    place    p;

    FAILS(NC_EINVAL, nc_open_mem("x", NC_WRITE, info.size, info.memory, &ncid));
    FAILS(NC_EINVAL, nc_open_mem("x", NC_NOWRITE, 0, info.memory, &ncid));
    FAILS(NC_EINVAL, nc_open_mem("x", NC_NOWRITE, 10, NULL, &ncid));
    FAILS(NC_EINVAL, nc_open_mem(NULL, NC_NOWRITE, info.size, info.memory, &ncid));
    FAILS(NC_EINVAL, nc_open_memio("x", NC_NOWRITE, NULL, &ncid));
    FAILS(NC_EINVAL, nc_open_memio("x", NC_NOWRITE, &info, NULL));
    FAILS(NC_EINVAL, nc_create_mem("x", NC_CLOBBER, 0, NULL));
    FAILS(NC_EINVAL, nc_create_mem(NULL, NC_CLOBBER, 0, &ncid));
    FAILS(NC_EINMEMORY, nc_open_memio("x", NC_WRITE, &locked, &ncid));
    FAILS(NC_ENOTNC, nc_open_mem("x", NC_NOWRITE, sizeof junk, junk, &ncid));
    FAILS(NC_ENOTNC, nc_open_mem("x", NC_NOWRITE, info.size - 1, info.memory, &ncid));
    FAILS(NC_EDISKLESS, nc_open_mem("x", NC_DISKLESS, info.size, info.memory, &ncid));
    FAILS(NC_EBADID, nc_close_memio(12345, &out));
    info.flags = 0;
    FAILS(NC_ENOTNC,
          nc_open_memio("x#zip.prefix=elsewhere", NC_WRITE, &info, &ncid)); /* the block stays the caller's */
    free(info.memory);

    place_make(&p, false);
    OK(nc_create(p.path, NC_CLOBBER, &ncid));
    FAILS(NC_EINMEMORY, nc_close_memio(ncid, &out));
    OK(nc_close(ncid));                        /* it stayed open */
    OK(nc_create(p.path, NC_INMEMORY, &ncid)); /* the path is a name only */
    FAILS(NC_EINVAL, nc_close_memio(ncid, NULL));
    OK(nc_close_memio(ncid, &out));
    free(out.memory);
    OK(nc_create_mem("x", NC_CLOBBER, 0, &ncid));
    OK(nc_abort(ncid));
    place_drop(&p);
}

/* ---- NC_DISKLESS ---- */

TEST_IN_EACH_PLACE(diskless_open)
{
    int ncid, other;

    if (p->memory)
        return;
    OK(nc_create(p->path, NC_CLOBBER, &ncid));
    fill(ncid);
    OK(nc_close(ncid));

    OK(nc_open(p->path, NC_DISKLESS, &ncid));
    OK(nc_delete(p->path)); /* all is in memory */
    check(ncid, 1);
    OK(nc_close(ncid));

    OK(nc_create(p->path, NC_CLOBBER, &ncid));
    fill(ncid);
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_DISKLESS | NC_WRITE, &ncid)); /* changes are gone at close */
    OK(nc_put_var1_int(ncid, 0, (size_t[]){0}, (int[]){77}));
    check(ncid, 77);
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    check(ncid, 1);
    OK(nc_close(ncid));

    OK(nc_open(p->path, NC_DISKLESS | NC_WRITE | NC_PERSIST, &ncid));
    OK(nc_put_var1_int(ncid, 0, (size_t[]){0}, (int[]){77}));
    OK(nc_sync(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &other));
    check(other, 1); /* not before it is closed */
    OK(nc_close(other));
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    check(ncid, 77);
    OK(nc_close(ncid));
    OK(nc_delete(p->path)); /* and nothing but a dataset is there */
}

/* What is removed or renamed in memory is, at close, at the path. */
TEST_IN_EACH_PLACE(diskless_rename)
{
    int ncid, grp, v;

    if (p->memory)
        return;
    OK(nc_create(p->path, NC_CLOBBER, &ncid));
    fill(ncid);
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_DISKLESS | NC_WRITE | NC_PERSIST, &ncid));
    OK(nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_rename_grp(grp, "h"));
    OK(nc_rename_var(ncid, 0, "renamed"));
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    OK(nc_inq_varid(ncid, "renamed", &v));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "v", &v));
    FAILS(NC_ENOGRP, nc_inq_grp_ncid(ncid, "g", &grp));
    OK(nc_inq_grp_ncid(ncid, "h", &grp));
    OK(nc_close(ncid));
    OK(nc_delete(p->path));
}

TEST_IN_EACH_PLACE(diskless_create)
{
    int ncid;

    if (p->memory)
        return;
    OK(nc_create(p->path, NC_CLOBBER | NC_DISKLESS | NC_PERSIST, &ncid));
    fill(ncid);
    OK(nc_sync(ncid));
    FAILS(NC_ENOOBJECT, nc_delete(p->path)); /* nothing is there before it is closed */
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    check(ncid, 1);
    OK(nc_close(ncid));
    FAILS(NC_EEXIST, nc_create(p->path, NC_NOCLOBBER | NC_DISKLESS | NC_PERSIST, &ncid));
    OK(nc_create(p->path, NC_NOCLOBBER | NC_DISKLESS, &ncid)); /* has nothing to do with it */
    OK(nc_close(ncid));
    OK(nc_create(p->path, NC_CLOBBER | NC_DISKLESS | NC_PERSIST, &ncid));
    OK(nc_abort(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid)); /* the old one */
    check(ncid, 1);
    OK(nc_close(ncid));
    OK(nc_create(p->path, NC_CLOBBER | NC_DISKLESS | NC_PERSIST, &ncid));
    OK(nc_close(ncid));
    OK(nc_open(p->path, NC_NOWRITE, &ncid));
    FAILS(NC_ENOTVAR, nc_inq_varid(ncid, "v", &(int){0}));
    OK(nc_close(ncid));
}

TEST(persist_fails)
{
    place p;
    int   ncid;
    char  path[600];

    place_make(&p, false);
    snprintf(path, sizeof path, "%s/no/such/data.zarr", p.dir);
    OK(nc_create(path, NC_CLOBBER | NC_DISKLESS | NC_PERSIST, &ncid));
    fill(ncid);
    FAILS(NC_ENOOBJECT, nc_close(ncid));
    FAILS(NC_EBADID, nc_close(ncid)); /* released all the same */
    place_drop(&p);
}
