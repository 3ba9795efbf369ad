/* SPDX-License-Identifier: BSD-3-Clause */
/* netCDF-4 files that are created: what is put is read again, commits are whole, and a second writer is refused. */
#include "api_test.h"
#include "contract/host.h"

#include "support/fork.h"
#include "support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NX = 6 };

/* The URL of a file in the scratch directory, with more of a fragment. */
static const char *
url_of(const char *name, const char *more)
{
    static char url[8][512];
    static int  next;

    next = (next + 1) % 8;
    (void)snprintf(url[next], sizeof url[next], "file://%s#mode=netcdf4%s", scratch_path(scratch_dir, name), more);
    return url[next];
}

/* Dimensions time and x, variables time(time) and v(time, x). */
static int
create(const char *name, const char *more, int cmode)
{
    int ncid, dims[2], varid;

    OK(nc_create(url_of(name, more), NC_NETCDF4 | cmode, &ncid));
    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", NX, &dims[1]));
    OK(nc_def_var(ncid, "time", NC_DOUBLE, 1, dims, &varid));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &varid));
    OK(nc_put_att_text(ncid, varid, "units", 1, "m"));
    OK(nc_enddef(ncid));
    return ncid;
}

static int
var_of(int ncid, const char *name)
{
    int varid;

    OK(nc_inq_varid(ncid, name, &varid));
    return varid;
}

static void
put_record(int ncid, size_t r)
{
    size_t start[2] = {r, 0}, count[2] = {1, NX};
    double time = (double)r;
    int    v[NX];

    for (int i = 0; i < NX; i++)
        v[i] = (int)r * 100 + i;
    OK(nc_put_vara_double(ncid, var_of(ncid, "time"), start, count, &time));
    OK(nc_put_vara_int(ncid, var_of(ncid, "v"), start, count, v));
}

static size_t
count_records(int ncid)
{
    size_t n;
    int    dim;

    OK(nc_inq_dimid(ncid, "time", &dim));
    OK(nc_inq_dimlen(ncid, dim, &n));
    return n;
}

static void
check_records(int ncid, size_t n)
{
    assert_int_equal(count_records(ncid), n);
    for (size_t r = 0; r < n; r++) {
        size_t start[2] = {r, 0}, count[2] = {1, NX};
        double time;
        int    v[NX];

        OK(nc_get_vara_double(ncid, var_of(ncid, "time"), start, count, &time));
        OK(nc_get_vara_int(ncid, var_of(ncid, "v"), start, count, v));
        assert_true(time == (double)r);
        for (int i = 0; i < NX; i++)
            assert_int_equal(v[i], (int)r * 100 + i);
    }
}

static int
open_file(const char *name)
{
    int ncid, format;

    OK(nc_open(scratch_path(scratch_dir, name), NC_NOWRITE, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_true(format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC);
    return ncid;
}

static void
check_file(const char *name, size_t nrecords)
{
    int ncid = open_file(name);

    check_records(ncid, nrecords);
    OK(nc_close(ncid));
}

TEST(what_is_put_is_read_again)
{
    int  ncid = create("a.nc", "", 0);
    char units[2] = {0};

    for (size_t r = 0; r < 5; r++)
        put_record(ncid, r);
    check_records(ncid, 5);
    OK(nc_close(ncid));
    ncid = open_file("a.nc");
    check_records(ncid, 5);
    OK(nc_get_att_text(ncid, var_of(ncid, "v"), "units", units));
    assert_string_equal(units, "m");
    OK(nc_close(ncid));
}

TEST(a_sync_shows_records_to_readers_and_nothing_else_does)
{
    int ncid = create("s.nc", "", 0), reader;

    check_file("s.nc", 0);
    for (size_t r = 0; r < 20; r++) {
        put_record(ncid, r);
        check_file("s.nc", r);
        OK(nc_sync(ncid));
        check_file("s.nc", r + 1);
    }
    reader = open_file("s.nc");
    for (size_t r = 20; r < 40; r++) {
        put_record(ncid, r);
        OK(nc_sync(ncid));
        check_records(reader, 20); /* of the commit that it opened */
    }
    OK(nc_close(ncid));
    check_records(reader, 20);
    OK(nc_close(reader));
    check_file("s.nc", 40);
}

TEST(an_abort_of_a_new_file_leaves_the_old_one)
{
    int ncid = create("o.nc", "", 0);

    put_record(ncid, 0);
    OK(nc_close(ncid));
    ncid = create("o.nc", "", 0);
    put_record(ncid, 0);
    put_record(ncid, 1);
    OK(nc_abort(ncid));
    check_file("o.nc", 1);
    assert_int_equal(scratch_find(scratch_dir, "o.nc"), 1);
    FAILS(NC_EEXIST, nc_create(url_of("o.nc", ""), NC_NETCDF4 | NC_NOCLOBBER, &ncid));

    OK(nc_create(url_of("n.nc", ""), NC_NETCDF4, &ncid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 1, "t"));
    OK(nc_abort(ncid));
    assert_false(scratch_exists(scratch_path(scratch_dir, "n.nc")));
    ncid = create("n.nc", "", 0);
    put_record(ncid, 0);
    OK(nc_abort(ncid)); /* to what nc_enddef() has shown */
    check_file("n.nc", 0);

    ncid = create("c.nc", "", 0);
    put_record(ncid, 0);
    OK(nc_sync(ncid));
    put_record(ncid, 1);
    OK(nc_abort(ncid));
    check_file("c.nc", 1);
}

TEST(definitions_are_added_and_renamed_at_any_time)
{
    int    ncid = create("d.nc", "", 0), dims[2], group, varid, value = 7, got[3] = {0}, type, ids[3] = {1, 2, 3};
    size_t at = 0;
    char   name[NC_MAX_NAME + 1];

    put_record(ncid, 0);
    OK(nc_sync(ncid));
    OK(nc_redef(ncid));
    OK(nc_def_grp(ncid, "g", &group));
    OK(nc_def_dim(group, "y", 3, &dims[0]));
    OK(nc_def_var(group, "w", NC_INT, 1, dims, &varid));
    OK(nc_def_enum(ncid, NC_BYTE, "colour", &type));
    OK(nc_insert_enum(ncid, type, "red", &(signed char){1}));
    OK(nc_enddef(ncid));
    check_file("d.nc", 1);
    OK(nc_put_var_int(group, varid, ids));
    OK(nc_rename_var(group, varid, "w2"));
    OK(nc_rename_grp(group, "h"));
    OK(nc_rename_dim(group, dims[0], "z"));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "value", NC_INT, 1, &value));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "gone", NC_INT, 1, &value));
    OK(nc_sync(ncid));
    OK(nc_del_att(ncid, NC_GLOBAL, "gone"));
    OK(nc_rename_att(ncid, NC_GLOBAL, "value", "number"));
    put_record(ncid, 1);
    OK(nc_close(ncid));

    ncid = open_file("d.nc");
    check_records(ncid, 2);
    OK(nc_inq_grp_ncid(ncid, "h", &group));
    OK(nc_inq_varid(group, "w2", &varid));
    OK(nc_inq_vardimid(group, varid, dims));
    OK(nc_inq_dimname(group, dims[0], name));
    assert_string_equal(name, "z");
    OK(nc_get_var_int(group, varid, got));
    assert_memory_equal(got, ids, sizeof ids);
    OK(nc_get_var1_int(group, varid, &at, got));
    value = 0;
    OK(nc_get_att_int(ncid, NC_GLOBAL, "number", &value));
    assert_int_equal(value, 7);
    FAILS(NC_ENOTATT, nc_inq_attid(ncid, NC_GLOBAL, "gone", &value));
    OK(nc_inq_typeid(ncid, "colour", &type));
    OK(nc_close(ncid));
}

TEST(default_chunks_do_not_follow_the_records_that_are_there)
{
    int    ncid = create("k.nc", "", 0), dim, varid, storage;
    size_t chunk[2];

    put_record(ncid, 6);
    OK(nc_redef(ncid));
    OK(nc_inq_dimid(ncid, "time", &dim));
    OK(nc_def_var(ncid, "late", NC_INT, 1, &dim, &varid));
    OK(nc_enddef(ncid));
    OK(nc_inq_var_chunking(ncid, varid, &storage, chunk));
    assert_int_equal(storage, NC_CHUNKED);
    assert_int_equal(chunk[0], 1024);
    OK(nc_close(ncid));
}

TEST(a_second_writer_is_refused_and_readers_get_in)
{
    int ncid = create("l.nc", "", 0), fd, other;

    put_record(ncid, 0);
    OK(nc_sync(ncid));
    FAILS(NC_EACCESS, nc_open(scratch_path(scratch_dir, "l.nc"), NC_WRITE, &other));
    check_file("l.nc", 1);
    /* As HDF5's library does. */
    assert_true((fd = open(scratch_path(scratch_dir, "l.nc"), O_RDONLY)) >= 0);
    assert_int_equal(flock(fd, LOCK_SH | LOCK_NB), 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    (void)close(fd);
    OK(nc_close(ncid));
}

TEST(memory_holds_a_file)
{
    int         ncid, dim, varid, v[4] = {1, 2, 3, 4}, got[4] = {0};
    NC_memio    block = {.memory = NULL};
    nc_type     type;
    const char *path = scratch_path(scratch_dir, "m.nc");

    OK(nc_create_mem("m.nc#mode=netcdf4", NC_NETCDF4, 0, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    OK(nc_put_var_int(ncid, varid, v));
    OK(nc_close_memio(ncid, &block));
    assert_true(block.size > 48);
    assert_memory_equal(block.memory, "\x89HDF\r\n\x1a\n", 8);
    OK(nc_open_mem("m.nc", NC_NOWRITE, block.size, block.memory, &ncid));
    OK(nc_inq_vartype(ncid, varid, &type));
    OK(nc_get_var_int(ncid, varid, got));
    assert_memory_equal(got, v, sizeof v);
    OK(nc_close(ncid));
    free(block.memory);

    OK(nc_create(url_of("m.nc", ""), NC_NETCDF4 | NC_DISKLESS, &ncid));
    OK(nc_close(ncid));
    assert_false(scratch_exists(path));
    OK(nc_create(url_of("m.nc", ""), NC_NETCDF4 | NC_DISKLESS | NC_PERSIST, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    OK(nc_put_var_int(ncid, varid, v));
    assert_false(scratch_exists(path));
    OK(nc_close(ncid));
    memset(got, 0, sizeof got);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_get_var_int(ncid, varid, got));
    assert_memory_equal(got, v, sizeof v);
    OK(nc_close(ncid));
}

TEST(the_classic_model_is_kept)
{
    int ncid, dim, varid, format, value = 3;

    OK(nc_create(url_of("k.nc", ""), NC_NETCDF4 | NC_CLASSIC_MODEL, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &varid));
    FAILS(NC_EINDEFINE, nc_put_var1_int(ncid, varid, &(size_t){0}, &value));
    OK(nc_enddef(ncid));
    FAILS(NC_ENOTINDEFINE, nc_def_dim(ncid, "y", 4, &dim));
    OK(nc_put_var1_int(ncid, varid, &(size_t){0}, &value));
    OK(nc_redef(ncid));
    FAILS(NC_ESTRICTNC3, nc_def_grp(ncid, "g", &value));
    OK(nc_enddef(ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_close(ncid));
    OK(nc_open(scratch_path(scratch_dir, "k.nc"), NC_NOWRITE, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_NETCDF4_CLASSIC);
    OK(nc_get_var1_int(ncid, varid, &(size_t){0}, &value));
    assert_int_equal(value, 3);
    OK(nc_close(ncid));
}

TEST(a_new_file_that_replaces_another_waits_for_a_sync)
{
    int ncid = create("w.nc", "", 0);

    put_record(ncid, 0);
    OK(nc_close(ncid));
    ncid = create("w.nc", "", 0);
    put_record(ncid, 0);
    put_record(ncid, 1);
    OK(nc_redef(ncid));
    OK(nc_enddef(ncid));
    check_file("w.nc", 1);
    OK(nc_sync(ncid));
    check_file("w.nc", 2);
    OK(nc_close(ncid));
}

/* ---- commits that nobody asks for ---- */

TEST(puts_commit_every_so_many_seconds)
{
    int64_t began = ncz_now_ms(); /* before the library's clock begins */
    int     ncid = create("t.nc", "&commit=1", 0), other;
    size_t  n = 0, seen = 0;

    while (seen == 0 && ncz_now_ms() < began + 60000) {
        put_record(ncid, n++);
        ncz_sleep_ms(50);
        other = open_file("t.nc");
        seen = count_records(other);
        OK(nc_close(other));
    }
    assert_true(ncz_now_ms() >= began + 1000);
    assert_int_equal(seen, n);
    OK(nc_close(ncid));
    FAILS(NC_EINVAL, nc_create(url_of("t.nc", "&commit=soon"), NC_NETCDF4, &ncid));
    FAILS(NC_EINVAL, nc_create(url_of("t.nc", "&commit=0"), NC_NETCDF4, &ncid));
}

TEST(with_commit_close_nothing_is_seen_before_the_close)
{
    int ncid = create("q.nc", "&commit=close", 0);

    put_record(ncid, 0);
    OK(nc_sync(ncid));
    OK(nc_redef(ncid));
    OK(nc_enddef(ncid));
    assert_false(scratch_exists(scratch_path(scratch_dir, "q.nc")));
    OK(nc_close(ncid));
    check_file("q.nc", 1);
}

TEST(with_write_behind_all_is_there_after_the_close)
{
    int ncid = create("w.nc", "&write=behind", 0);

    for (size_t r = 0; r < 50; r++) {
        put_record(ncid, r);
        if (r % 10 == 0)
            OK(nc_sync(ncid));
    }
    OK(nc_close(ncid));
    check_file("w.nc", 50);
}

/* ---- files that are there ---- */

TEST(a_file_is_opened_again_and_continued)
{
    const char *path = scratch_path(scratch_dir, "r.nc");
    int         ncid = create("r.nc", "", 0);
    size_t      first, last;

    put_record(ncid, 0);
    OK(nc_close(ncid));
    for (size_t r = 1; r < 30; r++) {
        OK(nc_open(path, NC_WRITE, &ncid));
        put_record(ncid, r);
        OK(nc_close(ncid));
        check_file("r.nc", r + 1);
        if (r == 10)
            free(scratch_read(path, &first));
    }
    free(scratch_read(path, &last));
    assert_true(last < first * 2); /* room that was given up is used again */
    OK(nc_open(path, NC_WRITE, &ncid));
    put_record(ncid, 30);
    OK(nc_abort(ncid));
    check_file("r.nc", 30);
    OK(nc_open(path, NC_WRITE, &ncid));
    OK(nc_close(ncid)); /* nothing has changed */
    check_file("r.nc", 30);
}

/* ---- deaths ---- */

/* Bytes 20 to 27 of the superblock (II.A). */
static uint64_t
extension_of(const char *name)
{
    size_t   n;
    char    *bytes = scratch_read(scratch_path(scratch_dir, name), &n);
    uint64_t addr = 0;

    assert_true(bytes != NULL && n > 48);
    for (int i = 8; i-- > 0;)
        addr = addr << 8 | (unsigned char)bytes[20 + i];
    free(bytes);
    return addr;
}

TEST(the_extension_of_the_superblock_stays_where_it_is)
{
    int      ncid = create("e.nc", "", 0);
    uint64_t addr;

    put_record(ncid, 0);
    OK(nc_close(ncid));
    addr = extension_of("e.nc");
    assert_true(addr != UINT64_MAX);
    for (size_t r = 1; r < 4; r++) {
        OK(nc_open(scratch_path(scratch_dir, "e.nc"), NC_WRITE, &ncid));
        put_record(ncid, r);
        OK(nc_sync(ncid));
        assert_true(extension_of("e.nc") == addr);
        OK(nc_close(ncid));
        assert_true(extension_of("e.nc") == addr);
        check_file("e.nc", r + 1);
    }
}

/* Bytes 40 to 47 of superblock 0 (II.A). */
TEST(a_wrong_end_in_the_superblock_overwrites_nothing)
{
    size_t n, at = 4;
    char  *bytes = scratch_read(NCZ_TEST_DATA "/../fuzz/corpus/netcdf4_write/h5py_default", &n), *path;
    double time = 4, times[5];
    short  v[15];
    int    ncid;

    assert_non_null(bytes);
    assert_int_equal(bytes[8], 0);
    memset(bytes + 40, 0, 8);
    path = strdup(scratch_path(scratch_dir, "end.nc"));
    scratch_write(path, bytes, n);
    OK(nc_open(path, NC_WRITE, &ncid));
    OK(nc_put_var1_double(ncid, var_of(ncid, "t"), &at, &time));
    OK(nc_close(ncid));
    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_get_var_double(ncid, var_of(ncid, "t"), times));
    OK(nc_get_var_short(ncid, var_of(ncid, "v"), v));
    for (int i = 0; i < 5; i++)
        assert_true(times[i] == i && (i == 4 || (v[3 * i] == i && v[3 * i + 1] == 1)));
    OK(nc_close(ncid));
    free(bytes);
    free(path);
}

/* The first and the last byte of all chunks. */
typedef struct span {
    unsigned long long first, end;
} span;

static int
add_span(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    span *s = arg;

    (void)index, (void)key;
    s->first = offset < s->first ? offset : s->first;
    s->end = offset + length > s->end ? offset + length : s->end;
    return 0;
}

/* `syncs`: the close finds nothing that has changed. */
static void
check_front(bool syncs)
{
    enum { CHUNKS = 300 };
    const char *path = scratch_path(scratch_dir, "front.nc");
    size_t      chunk = 1;
    span        s = {.first = ULLONG_MAX};
    struct stat st;
    int         ncid, dims[2], v[2];

    OK(nc_create(url_of("front.nc", "&front=auto"), NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", CHUNKS, &dims[1]));
    for (int i = 0; i < 2; i++) {
        OK(nc_def_var(ncid, i == 0 ? "a" : "b", NC_INT, 1, &dims[i], &v[i]));
        OK(nc_def_var_chunking(ncid, v[i], NC_CHUNKED, &chunk));
    }
    OK(nc_enddef(ncid));
    OK(nczarr_grow_dim(ncid, dims[0], CHUNKS));
    for (size_t i = 0; i < CHUNKS; i++) {
        int value = (int)(i * 7 % CHUNKS);

        OK(nc_put_var1_int(ncid, v[0], &(size_t){(size_t)value}, &value)); /* in no order */
        OK(nc_put_var1_int(ncid, v[1], &i, &value));
    }
    if (syncs)
        OK(nc_sync(ncid));
    OK(nc_close(ncid));
    OK(nc_open(path, NC_NOWRITE, &ncid));
    for (int i = 0; i < 2; i++)
        OK(nczarr_list_var_chunks(ncid, v[i], add_span, &s));
    OK(nc_close(ncid));
    assert_int_equal(stat(path, &st), 0);
    assert_true((unsigned long long)st.st_size == s.end);
    assert_true(s.first > CHUNKS * 2 * 40 && s.end - s.first == CHUNKS * 2 * sizeof(int));
}

TEST(with_front_auto_all_metadata_are_before_the_chunks)
{
    check_front(false);
    check_front(true);
}

/* What is put then would be in a file that no name leads to. */
TEST(a_file_that_is_replaced_or_removed_meanwhile_is_an_error)
{
    const char *path = strdup(scratch_path(scratch_dir, "here.nc"));
    const char *other = strdup(scratch_path(scratch_dir, "other.nc"));
    int         ncid, dim, v, value = 1;

    assert_true(path != NULL && other != NULL);
    for (int removed = 0; removed < 2; removed++) {
        OK(nc_create(url_of("other.nc", ""), NC_NETCDF4, &ncid));
        OK(nc_close(ncid));
        OK(nc_create(url_of("here.nc", ""), NC_NETCDF4, &ncid));
        OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dim));
        OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
        OK(nc_enddef(ncid));
        OK(nc_put_var1_int(ncid, v, &(size_t){0}, &value));
        OK(nc_sync(ncid));
        assert_int_equal(removed ? unlink(path) : rename(other, path), 0);
        OK(nc_put_var1_int(ncid, v, &(size_t){1}, &value));
        if (!removed)
            assert_int_equal(nc_sync(ncid), NC_EIO);
        assert_int_equal(nc_close(ncid), NC_EIO);
        assert_non_null(strstr(nczarr_errmsg(), "here.nc"));
    }
    free((void *)(uintptr_t)path);
    free((void *)(uintptr_t)other);
}

TEST(a_killed_program_leaves_what_it_has_synced)
{
    int   ways[2], status;
    char  byte;
    pid_t child;
    int   ncid;

    if (host_emulated())
        skip(); /* it aborts a child that starts threads */
    assert_int_equal(pipe(ways), 0);
    assert_true((child = fork_quiet()) >= 0);
    if (child == 0) {
        ncid = create("x.nc", "", 0);
        for (size_t r = 0;; r++) {
            put_record(ncid, r);
            OK(nc_sync(ncid));
            if (r == 30 && write(ways[1], "x", 1) != 1)
                _exit(1);
        }
    }
    (void)close(ways[1]); /* a child that dies early is seen */
    assert_int_equal(read(ways[0], &byte, 1), 1);
    ncz_sleep_ms(20);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)close(ways[0]);
    ncid = open_file("x.nc");
    assert_true(count_records(ncid) >= 31);
    check_records(ncid, count_records(ncid));
    OK(nc_close(ncid));
    ncid = create("x.nc", "", 0); /* nobody has its lock */
    OK(nc_close(ncid));
    assert_int_equal(scratch_find(scratch_dir, "x.nc"), 1);
}

enum { ROUNDS = 1500 };

/* A record and an attribute in each commit, until the pipe is closed. Whole files are made over it now and then. */
static void
commit_on_and_on(int stop)
{
    int  ncid = -1;
    char byte;

    for (int i = 0; read(stop, &byte, 1) < 0 && errno == EAGAIN; i++) {
        size_t r = (size_t)i % 40;

        if (r == 0 && ncid >= 0)
            OK(nc_close(ncid));
        if (r == 0)
            ncid = create("w.nc", "&durability=none", 0);
        put_record(ncid, r);
        OK(nc_put_att_int(ncid, NC_GLOBAL, "records", NC_INT, 1, &(int){(int)r + 1}));
        OK(nc_sync(ncid));
    }
    OK(nc_close(ncid));
}

/* Some files are loaded while nobody can see that they are read. */
TEST(who_opens_beside_commits_finds_one_of_them)
{
    int   ways[2], status, ncid, records;
    pid_t child;

    if (host_emulated())
        skip(); /* it aborts a child that starts threads */
    ncid = create("w.nc", "&durability=none", 0);
    put_record(ncid, 0);
    OK(nc_put_att_int(ncid, NC_GLOBAL, "records", NC_INT, 1, &(int){1}));
    OK(nc_close(ncid));
    assert_int_equal(pipe(ways), 0);
    assert_int_equal(fcntl(ways[0], F_SETFL, O_NONBLOCK), 0);
    assert_true((child = fork_quiet()) >= 0);
    if (child == 0) {
        (void)close(ways[1]);
        commit_on_and_on(ways[0]);
        _exit(0);
    }
    (void)close(ways[0]);
    for (int i = 0; i < ROUNDS; i++) {
        OK(nc_open(scratch_path(scratch_dir, "w.nc"), NC_NOWRITE, &ncid));
        OK(nc_get_att_int(ncid, NC_GLOBAL, "records", &records));
        check_records(ncid, (size_t)records);
        OK(nc_close(ncid));
    }
    (void)close(ways[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
