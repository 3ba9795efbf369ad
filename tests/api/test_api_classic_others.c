/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A classic file that several have open: a second writer, with NC_SHARE or without; a program that replaces, removes or
 * redefines it; readers that follow it. And what others see of a redefinition: the file itself, its links, its rights,
 * and from when on a new file is there. No put returns success whose values are nowhere.
 */
#include "api_test.h"

#include "support/scratch.h"

#include <sys/stat.h>
#include <unistd.h>

enum { SIX = 6 };

static char  *dir, *path;
static mode_t mask;

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    path = strdup(scratch_path(dir, "f.nc"));
    mask = umask(022);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    (void)umask(mask);
    free(path);
    scratch_free(dir);
    return 0;
}

/* Two fixed variables and two with records; `records` of them. `room`: in the header. */
static void
make_file(const char *name, size_t records, size_t room)
{
    int nc, t, x, v;

    OK(nc_create(name, NC_64BIT_OFFSET, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(nc, "x", SIX, &x));
    OK(nc_def_var(nc, "f", NC_INT, 1, &x, &v));
    OK(nc_def_var(nc, "g", NC_SHORT, 1, &x, &v));
    OK(nc_def_var(nc, "r", NC_INT, 1, &t, &v));
    OK(nc_def_var(nc, "s", NC_SHORT, 2, (int[]){t, x}, &v));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 12, "a long title"));
    OK(nc__enddef(nc, room, 4, 0, 4));
    OK(nc_put_var_int(nc, 0, (const int[SIX]){1, 2, 3, 4, 5, 6}));
    OK(nc_put_var_short(nc, 1, (const short[SIX]){1, 2, 3, 4, 5, 6}));
    for (size_t i = 0; i < records; i++) {
        OK(nc_put_var1_int(nc, 2, &i, (const int[]){(int)i * 7}));
        OK(nc_put_var1_short(nc, 3, (size_t[]){i, 5}, (const short[]){(short)(i % 1000)}));
    }
    OK(nc_close(nc));
}

/* What make_file() put is there. */
static void
check_values(int nc, size_t records)
{
    int   *r = calloc(records, sizeof *r), f[SIX];
    short *s = calloc(records * SIX, sizeof *s), g[SIX];
    size_t n = 0;

    assert_true(r != NULL && s != NULL);
    OK(nc_inq_dimlen(nc, 0, &n));
    assert_int_equal(n, records);
    OK(nc_get_var_int(nc, 0, f));
    OK(nc_get_var_short(nc, 1, g));
    OK(nc_get_var_int(nc, 2, r));
    OK(nc_get_var_short(nc, 3, s));
    for (int i = 0; i < SIX; i++)
        assert_true(f[i] == i + 1 && g[i] == i + 1);
    for (size_t i = 0; i < records; i++)
        if (r[i] != (int)i * 7 || s[i * SIX + 5] != (short)(i % 1000) || s[i * SIX] != NC_FILL_SHORT)
            fail_msg("record %zu: %d, %d, %d", i, r[i], s[i * SIX], s[i * SIX + 5]);
    free(r);
    free(s);
}

static ino_t
inode(const char *name)
{
    struct stat st;

    assert_int_equal(stat(name, &st), 0);
    return st.st_ino;
}

/* ---- two writers ---- */

TEST_WITH(one_writer, set_up, tear_down)
{
    int a, b;

    make_file(path, 2, 0);
    OK(nc_open(path, NC_WRITE, &a));
    FAILS(NC_EACCESS, nc_open(path, NC_WRITE, &b));
    assert_non_null(strstr(nczarr_errmsg(), "one writer"));
    FAILS(NC_EACCESS, nc_open(path, NC_WRITE | NC_SHARE, &b));
    OK(nc_open(path, NC_NOWRITE, &b)); /* readers are no matter */
    OK(nc_close(b));
    OK(nc_close(a));
    OK(nc_open(path, NC_WRITE, &a));
    OK(nc_redef(a)); /* moves: the lock goes along */
    OK(nc_def_var(a, "late", NC_DOUBLE, 1, (int[]){0}, NULL));
    OK(nc_enddef(a));
    FAILS(NC_EACCESS, nc_open(path, NC_WRITE, &b));
    OK(nc_close(a));
    OK(nc_open(path, NC_WRITE, &a));
    check_values(a, 2);
    OK(nc_close(a));
    OK(nc_create(scratch_path(dir, "new.nc"), 0, &a)); /* and a new file's is that of its name */
    OK(nc_enddef(a));
    FAILS(NC_EACCESS, nc_open(scratch_path(dir, "new.nc"), NC_WRITE, &b));
    OK(nc_close(a));
}

/* Several that share it put elements next to each other and records; one that defines has it alone. */
TEST_WITH(shared_writers, set_up, tear_down)
{
    int a, b, v[8], late;

    make_file(path, 2, 0);
    OK(nc_open(path, NC_WRITE | NC_SHARE, &a));
    OK(nc_open(path, NC_WRITE | NC_SHARE, &b));
    OK(nc_put_vara_int(a, 2, (size_t[]){0}, (size_t[]){2}, (const int[]){0, 7}));
    OK(nc_put_var1_int(b, 2, (size_t[]){2}, (const int[]){14}));       /* one more */
    OK(nc_put_var1_short(a, 3, (size_t[]){2, 5}, (const short[]){2})); /* which is there, though a does not know it */
    OK(nc_put_var1_short(a, 3, (size_t[]){3, 5}, (const short[]){3}));
    OK(nc_put_var1_int(b, 2, (size_t[]){3}, (const int[]){21}));
    OK(nc_put_vars_int(a, 0, (size_t[]){0}, (size_t[]){3}, (ptrdiff_t[]){2}, (const int[]){1, 3, 5}));
    OK(nc_put_vars_int(b, 0, (size_t[]){1}, (size_t[]){3}, (ptrdiff_t[]){2}, (const int[]){2, 4, 6}));
    OK(nc_redef(a));
    OK(nc_def_var(a, "late", NC_INT, 1, (int[]){0}, &late));
    FAILS(NC_EACCESS, nc_enddef(a)); /* b is there */
    OK(nc_close(b));
    OK(nc_enddef(a));
    OK(nc_open(path, NC_WRITE | NC_SHARE, &b));
    OK(nc_put_var1_int(b, late, (size_t[]){4}, (const int[]){44}));
    OK(nc_put_var1_int(a, 2, (size_t[]){4}, (const int[]){28}));
    OK(nc_put_var1_short(a, 3, (size_t[]){4, 5}, (const short[]){4}));
    OK(nc_put_att_text(b, NC_GLOBAL, "title", 3, "new"));
    FAILS(NC_EACCESS, nc_sync(b)); /* in data mode, too */
    OK(nc_close(a));
    OK(nc_close(b));
    OK(nc_open(path, NC_NOWRITE, &a));
    check_values(a, 5);
    OK(nc_get_var_int(a, late, v));
    assert_true(v[4] == 44 && v[3] == NC_FILL_INT && v[0] == NC_FILL_INT);
    OK(nc_close(a));
}

/* Programs that do not know the lock. */
TEST_WITH(other_programs, set_up, tear_down)
{
    char *other = scratch_path(dir, "other.nc");
    int   nc;

    for (int how = 0; how < 3; how++) {
        size_t n = 0;
        char  *bytes;

        make_file(path, 3, 0);
        make_file(other, 3, how == 2 ? 400 : 0);
        OK(nc_open(path, NC_WRITE, &nc));
        OK(nc_put_var1_int(nc, 0, (size_t[]){0}, (const int[]){77}));
        bytes = scratch_read(other, &n);
        if (how == 0)
            assert_int_equal(rename(other, path), 0);
        else if (how == 1)
            assert_int_equal(unlink(path), 0);
        else
            scratch_write(path, bytes, n); /* in place: it has another layout */
        FAILS(NC_EIO, nc_sync(nc));
        FAILS(NC_EIO, nc_sync(nc));
        FAILS(NC_EIO, nc_close(nc));
        assert_non_null(strstr(nczarr_errmsg(), "open it again"));
        if (how != 1) {
            OK(nc_open(path, NC_WRITE, &nc)); /* what the other program made is untouched */
            check_values(nc, 3);
            OK(nc_close(nc));
        }
        free(bytes);
    }
    make_file(path, 3, 0);
    OK(nc_open(path, NC_WRITE, &nc));
    assert_int_equal(rename(path, other), 0); /* it has another name: nothing is lost */
    OK(nc_put_var1_int(nc, 0, (size_t[]){0}, (const int[]){1}));
    OK(nc_close(nc));
    OK(nc_open(other, NC_NOWRITE, &nc));
    check_values(nc, 3);
    OK(nc_close(nc));
}

/* What waits behind a put is told of at nc_sync(), too. */
TEST_WITH(written_behind, set_up, tear_down)
{
    char url[400];
    int  nc;

    make_file(path, 3, 0);
    snprintf(url, sizeof url, "file://%s#write=behind", path);
    OK(nc_open(url, NC_WRITE, &nc));
    OK(nc_put_var1_int(nc, 0, (size_t[]){0}, (const int[]){77}));
    assert_int_equal(unlink(path), 0);
    FAILS(NC_EIO, nc_sync(nc));
    FAILS(NC_EIO, nc_close(nc));
}

/* ---- readers ---- */

TEST_WITH(readers_follow, set_up, tear_down)
{
    for (int how = 0; how < 5; how++) {
        char   title[20] = "", name[NC_MAX_NAME + 1];
        int    wr, rd, v, late = -1;
        size_t n = 0;

        make_file(path, 3, how == 4 ? 500 : 0);
        OK(nc_open(path, NC_WRITE | (how == 3 ? 0 : NC_SHARE), &wr));
        OK(nc_open(path, how == 3 ? NC_NOWRITE : NC_NOWRITE | NC_SHARE, &rd));
        check_values(rd, 3);
        if (how == 1)
            OK(nc_put_att_text(wr, NC_GLOBAL, "title", 5, "title"));
        if (how >= 2) {
            OK(nc_redef(wr));
            OK(nc_put_att_text(wr, NC_GLOBAL, "title", 5, "title"));
            OK(nc_rename_var(wr, 0, "another"));
            OK(nc_def_var(wr, "late", NC_INT, 1, (int[]){how == 4 ? 0 : 1}, &late));
            OK(nc_enddef(wr));
        }
        for (size_t i = 3; i < 5; i++) {
            OK(nc_put_var1_int(wr, 2, &i, (const int[]){(int)i * 7}));
            OK(nc_put_var1_short(wr, 3, (size_t[]){i, 5}, (const short[]){(short)i}));
            OK(nc_sync(wr));
            OK(nc_sync(rd));
            check_values(rd, i + 1);
        }
        OK(nc_get_att_text(rd, NC_GLOBAL, "title", title));
        assert_string_equal(title, how == 0 ? "a long title" : "title");
        if (how >= 2) {
            OK(nc_inq_varname(rd, 0, name));
            assert_string_equal(name, "another");
            OK(nc_inq_varid(rd, "late", &v));
            OK(nc_inq_varname(rd, late, name));
            OK(nc_put_var1_int(wr, late, (size_t[]){4}, (const int[]){8}));
            OK(nc_sync(wr));
            OK(nc_sync(rd));
            OK(nc_get_var1_int(rd, late, (size_t[]){4}, &v));
            assert_int_equal(v, 8);
        }
        OK(nc_inq_attlen(rd, NC_GLOBAL, "title", &n));
        OK(nc_close(rd));
        OK(nc_close(wr));
    }
}

/* A file of another kind under the name: the reader keeps the one that it has, and is told. */
TEST_WITH(replaced_for_a_reader, set_up, tear_down)
{
    int rd, nc, v;

    make_file(path, 3, 0);
    OK(nc_open(path, NC_NOWRITE | NC_SHARE, &rd));
    OK(nc_create(path, NC_64BIT_DATA, &nc));
    OK(nc_def_var(nc, "x", NC_DOUBLE, 0, NULL, &v));
    OK(nc_close(nc));
    FAILS(NC_EIO, nc_sync(rd));
    check_values(rd, 3);
    FAILS(NC_EIO, nc_sync(rd));
    make_file(path, 4, 100);
    OK(nc_sync(rd));
    check_values(rd, 4);
    assert_int_equal(unlink(path), 0);
    OK(nc_sync(rd)); /* it only lost its name */
    check_values(rd, 4);
    OK(nc_close(rd));
}

/* ---- redefinitions ---- */

/* What fits is defined in the file itself: it keeps its links, and others have the same file. */
TEST_WITH(in_place, set_up, tear_down)
{
    char       *other = scratch_path(dir, "link.nc");
    struct stat st;
    ino_t       was;
    int         nc, v, y;
    char        text[2000];

    memset(text, 'h', sizeof text);
    make_file(path, 4, 5000);
    assert_int_equal(link(path, other), 0);
    assert_int_equal(chmod(path, 0640), 0);
    was = inode(path);
    OK(nc_open(path, NC_WRITE, &nc));
    OK(nc_redef(nc));
    OK(nc_put_att_text(nc, NC_GLOBAL, "history", sizeof text, text));
    OK(nc_def_dim(nc, "y", 2, &y));
    OK(nc_rename_var(nc, 1, "a much longer name"));
    OK(nc_enddef(nc));
    check_values(nc, 4);
    OK(nc_redef(nc));
    OK(nc_del_att(nc, NC_GLOBAL, "history"));
    OK(nc_enddef(nc));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 1, "t")); /* in data mode */
    OK(nc_close(nc));
    assert_true(inode(path) == was && inode(other) == was);
    OK(nc_open(other, NC_NOWRITE, &nc));
    check_values(nc, 4);
    OK(nc_inq_varid(nc, "a much longer name", &v));
    FAILS(NC_ENOTATT, nc_inq_attlen(nc, NC_GLOBAL, "history", NULL));
    OK(nc_close(nc));

    OK(nc_open(path, NC_WRITE, &nc)); /* moves: a file of its own */
    OK(nc_redef(nc));
    OK(nc_def_var(nc, "late", NC_INT, 1, &y, &v));
    OK(nc_enddef(nc));
    OK(nc_close(nc));
    assert_true(inode(path) != was && inode(other) == was);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(scratch_count(dir), 2);
    OK(nc_open(path, NC_NOWRITE, &nc));
    check_values(nc, 4);
    OK(nc_close(nc));
}

/* A header that gets shorter where nothing is behind it: the first variables begin in the bytes that it had. `at_once`:
 * with the same definitions. */
static void
shorten(int flags, bool at_once, bool reopen, bool records)
{
    const char *name = scratch_path(dir, "short.nc");
    int         nc, t, v, got[4];
    ino_t       was;

    OK(nc_create(name, flags, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, &t));
    OK(nc_put_att_text(nc, NC_GLOBAL, "title", 300, (const char[300]){"long"}));
    OK(nc_enddef(nc));
    OK(nc_sync(nc));
    was = inode(name);
    if (reopen) {
        OK(nc_close(nc));
        OK(nc_open(name, NC_WRITE | flags, &nc));
    }
    OK(nc_redef(nc));
    OK(nc_del_att(nc, NC_GLOBAL, "title"));
    if (!at_once) {
        OK(nc_enddef(nc));
        assert_int_equal(inode(name), was);
        OK(nc_redef(nc));
    }
    OK(nc_def_var(nc, "v", NC_INT, records ? 1 : 0, &t, &v));
    OK(nc_enddef(nc));
    /* The old header is whole until the new one is there. What was opened so keeps its place for data. */
    assert_int_equal(inode(name) == was, !at_once || reopen);
    if (records)
        OK(nc_put_var1_int(nc, v, (size_t[]){3}, (const int[]){7}));
    for (int i = 0; i < 2; i++) {
        OK(nc_get_var_int(nc, v, got));
        assert_int_equal(got[0], NC_FILL_INT);
        assert_true(!records || (got[1] == NC_FILL_INT && got[2] == NC_FILL_INT && got[3] == 7));
        OK(nc_close(nc));
        if (i == 0)
            OK(nc_open(name, NC_NOWRITE, &nc));
    }
    OK(nc_delete(name));
}

TEST_WITH(shorter_header, set_up, tear_down)
{
    for (int i = 0; i < 16; i++)
        shorten(i & 1 ? NC_SHARE : 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0);
}

/* Data that move, in small records and in ones of megabytes, with new variables among them. */
TEST_WITH(many_records, set_up, tear_down)
{
    static int large[1 << 20];
    int        nc, v, w, z, got;

    make_file(path, 5000, 0);
    OK(nc_open(path, NC_WRITE, &nc));
    OK(nc_redef(nc)); /* all records move, and stay as they are */
    OK(nc_put_att_text(nc, NC_GLOBAL, "more", 12, "some more of"));
    OK(nc_enddef(nc));
    check_values(nc, 5000);
    OK(nc_redef(nc)); /* they get longer */
    OK(nc_def_var(nc, "late", NC_SHORT, 1, (int[]){0}, &v));
    OK(nc_def_var(nc, "fixed", NC_SHORT, 1, (int[]){1}, &w));
    OK(nc_enddef(nc));
    check_values(nc, 5000);
    OK(nc_get_var1_int(nc, v, (size_t[]){4999}, &got));
    assert_int_equal(got, NC_FILL_SHORT);
    OK(nc_get_var1_int(nc, w, (size_t[]){5}, &got));
    assert_int_equal(got, NC_FILL_SHORT);
    OK(nc_close(nc));

    make_file(path, 2, 0);
    OK(nc_open(path, NC_WRITE, &nc));
    OK(nc_redef(nc));
    OK(nc_def_dim(nc, "z", NCZ_LEN(large) + 5, &z));
    OK(nc_def_var(nc, "large", NC_INT, 2, (int[]){0, z}, &v));
    OK(nc_enddef(nc));
    OK(nc_put_vara_int(nc, v, (size_t[]){1, 5}, (size_t[]){1, NCZ_LEN(large)}, large));
    OK(nc_redef(nc));
    OK(nc_def_var(nc, "late", NC_INT, 1, (int[]){0}, &w));
    OK(nc_enddef(nc));
    check_values(nc, 2);
    OK(nc_get_var1_int(nc, v, (size_t[]){1, 4}, &got));
    assert_int_equal(got, NC_FILL_INT);
    OK(nc_get_var1_int(nc, v, (size_t[]){1, 5}, &got));
    assert_int_equal(got, 0);
    OK(nc_get_var1_int(nc, w, (size_t[]){1}, &got));
    assert_int_equal(got, NC_FILL_INT);
    OK(nc_close(nc));
}

/* The file that data move to is private from its first byte. */
static mode_t beside; /* of any other file in the directory than the one at `path` */

TEST_WITH(private_file, set_up, tear_down)
{
    struct stat st;
    int         nc;

    make_file(path, 2, 0);
    assert_int_equal(chmod(path, 0600), 0);
    OK(nc_create(path, NC_64BIT_OFFSET, &nc));
    OK(nc_enddef(nc));
    assert_int_equal(scratch_find(dir, ".nczarr-new-"), 1);
    OK(nc_close(nc));
    assert_int_equal(stat(path, &st), 0);
    beside = st.st_mode & 0777;
    assert_int_equal(beside, 0600);
}

/* ---- new files ---- */

/* One that replaces nothing is there from nc_enddef() on; an older file stays until the new one is stored. */
TEST_WITH(there_from_enddef_on, set_up, tear_down)
{
    int    nc, other, v;
    size_t n;

    OK(nc_create(path, 0, &nc));
    OK(nc_def_dim(nc, "t", NC_UNLIMITED, NULL));
    OK(nc_def_var(nc, "v", NC_INT, 1, (int[]){0}, &v));
    assert_false(scratch_exists(path));
    OK(nc_enddef(nc));
    OK(nc_open(path, NC_NOWRITE | NC_SHARE, &other));
    OK(nc_put_var1_int(nc, v, (size_t[]){2}, (const int[]){5}));
    OK(nc_redef(nc));
    OK(nc_put_att_text(nc, v, "units", 1, "m")); /* moves nothing that others know */
    OK(nc_enddef(nc));
    OK(nc_sync(other));
    OK(nc_inq_dimlen(other, 0, &n));
    OK(nc_inq_attlen(other, v, "units", NULL));
    assert_int_equal(n, 3);
    OK(nc_close(other));
    OK(nc_redef(nc));
    OK(nc_abort(nc));
    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_get_var1_int(nc, v, (size_t[]){2}, &v));
    assert_int_equal(v, 5);
    OK(nc_close(nc));

    OK(nc_create(path, 0, &nc));
    OK(nc_enddef(nc));
    OK(nc_open(path, NC_NOWRITE, &other));
    OK(nc_inq_nvars(other, &v));
    assert_int_equal(v, 1);
    OK(nc_close(other));
    OK(nc_close(nc));
    OK(nc_open(path, NC_NOWRITE, &other));
    OK(nc_inq_nvars(other, &v));
    assert_int_equal(v, 0);
    OK(nc_close(other));
    assert_int_equal(scratch_count(dir), 1);
}
