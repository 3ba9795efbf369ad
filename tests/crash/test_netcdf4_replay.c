/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A netCDF-4 file after a crash. A session's writes, changes of length, syncs and renames of its file are logged;
 * then the file is made anew as it was after each of them, after a part of a write, and after the power failed: with
 * a random half of what was written since the last sync, in random order. Each of these must be sound to its last
 * byte (nczarr_check_structure()), open, and have all that was acknowledged, the same number of records in all
 * variables. It is done to new files, and to files of netCDF-C and h5py that are extended.
 *
 * The 48 bytes of the superblock are in one sector, so they are written or not.
 *
 * With NCZARR_REPLAY_STATES=DIR the files are left there, for states.py, which opens them with HDF5's library.
 */
#include "nczarr.h"
#include "support/scratch.h"
#include "support/test.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NX = 40, VARS = 3, SUPERBLOCK = 48, STEPS_MOST = 64 };

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        int ok_rc = (call);                                                                                          \
                                                                                                                     \
        if (ok_rc != NC_NOERR)                                                                                       \
            print_error("%s: %s\n", #call, nczarr_errmsg());                                                         \
        assert_int_equal(ok_rc, NC_NOERR);                                                                           \
    } while (0)

/* ---- the log ---- */

typedef enum change_kind { WRITE, RESIZE, SYNC, NAME } change_kind;

typedef struct change {
    change_kind kind;
    ino_t       ino;
    size_t      at, len; /* of RESIZE: at is the length */
    char       *bytes;
} change;

/* What was acknowledged, after so many changes. */
typedef struct ack {
    size_t after, records, defined; /* records; variables */
} ack;

static struct {
    change *v;
    size_t  n, cap;
    ack     acks[STEPS_MOST];
    size_t  nacks, nchecked; /* states of the file that were checked */
    ino_t   old_ino;         /* the file that was there, 0: none */
    char   *old;
    size_t  nold;
    void (*check)(int ncid, const ack *last);
    pthread_mutex_t lock;
} lg = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
note(change_kind kind, ino_t ino, size_t at, const void *bytes, size_t len)
{
    (void)pthread_mutex_lock(&lg.lock);
    if (lg.n == lg.cap)
        lg.v = realloc(lg.v, (lg.cap = 2 * lg.cap + 256) * sizeof *lg.v);
    lg.v[lg.n] = (change){.kind = kind, .ino = ino, .at = at, .len = len};
    if (len > 0)
        memcpy(lg.v[lg.n].bytes = malloc(len), bytes, len);
    lg.n++;
    (void)pthread_mutex_unlock(&lg.lock);
}

static ino_t
ino_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_ino : 0;
}

static ssize_t
log_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    ssize_t done = ncz_system.file.pwritev(fd, from, n, off);
    size_t  left = done > 0 ? (size_t)done : 0, at = (size_t)off;

    for (int i = 0; i < n && left > 0; i++) {
        size_t part = from[i].iov_len < left ? from[i].iov_len : left;

        note(WRITE, ino_of(fd), at, from[i].iov_base, part);
        at += part;
        left -= part;
    }
    return done;
}

static int
log_ftruncate(int fd, off_t len)
{
    int rc = ncz_system.file.ftruncate(fd, len);

    if (rc == 0)
        note(RESIZE, ino_of(fd), (size_t)len, NULL, 0);
    return rc;
}

static size_t syncs_left; /* before one fails; 0: none does */

static int
log_fsync(int fd)
{
    int rc;

    if (syncs_left > 0 && --syncs_left == 0) {
        errno = EIO;
        return -1;
    }
    rc = ncz_system.file.fsync(fd);

    if (rc == 0)
        note(SYNC, ino_of(fd), 0, NULL, 0);
    return rc;
}

/* A name for a file: what leads to it from then on. */
static void
note_name(int dir, const char *to)
{
    struct stat st;

    if (fstatat(dir, to, &st, 0) == 0 && S_ISREG(st.st_mode))
        note(NAME, st.st_ino, 0, NULL, 0);
}

static int
log_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    int rc = ncz_system.name.renameat(from_dir, from, to_dir, to);

    if (rc == 0)
        note_name(to_dir, to);
    return rc;
}

static int
log_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
    int rc = ncz_system.name.rename_new(from_dir, from, to_dir, to);

    if (rc == 0)
        note_name(to_dir, to);
    return rc;
}

static int
log_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    int rc = ncz_system.name.linkat(from_dir, from, to_dir, to, flags);

    if (rc == 0)
        note_name(to_dir, to);
    return rc;
}

static void
clear_log(void)
{
    for (size_t i = 0; i < lg.n; i++)
        free(lg.v[i].bytes);
    free(lg.old);
    lg.old = NULL;
    lg.old_ino = 0;
    lg.n = lg.nacks = lg.nchecked = 0;
}

static void
begin_log(void)
{
    static ncz_syscalls table;

    clear_log();
    table = ncz_system;
    table.file.pwritev = log_pwritev;
    table.file.ftruncate = log_ftruncate;
    table.file.fsync = log_fsync;
    table.name.renameat = log_renameat;
    table.name.rename_new = log_rename_new;
    table.name.linkat = log_linkat;
    zmap_file_use(&table);
}

static void
end_log(void)
{
    zmap_file_use(NULL);
}

static void
acknowledge(size_t records, size_t defined)
{
    assert_true(lg.nacks < STEPS_MOST);
    lg.acks[lg.nacks++] = (ack){.after = lg.n, .records = records, .defined = defined};
}

/* ---- sessions ---- */

static const char *
url_of(const char *name)
{
    static char url[512];

    (void)snprintf(url, sizeof url, "file://%s#mode=netcdf4&reuse=readers", scratch_path(scratch_dir, name));
    return url;
}

static double
value_of(size_t v, size_t record, size_t i)
{
    return (double)(v * 1000000 + record * 1000 + i);
}

static void
put_record(int ncid, size_t nvars, size_t r)
{
    size_t start[2] = {r, 0}, count[2] = {1, NX};
    double values[NX];

    for (size_t v = 0; v < nvars; v++) {
        char name[24];
        int  varid;

        (void)snprintf(name, sizeof name, "v%zu", v);
        OK(nc_inq_varid(ncid, name, &varid));
        for (size_t i = 0; i < NX; i++)
            values[i] = value_of(v, r, i);
        OK(nc_put_vara_double(ncid, varid, start, count, values));
    }
}

static void
define_var(int ncid, size_t v)
{
    int  dims[2], varid;
    char name[24];

    (void)snprintf(name, sizeof name, "v%zu", v);
    OK(nc_inq_dimid(ncid, "time", &dims[0]));
    OK(nc_inq_dimid(ncid, "x", &dims[1]));
    OK(nc_def_var(ncid, name, NC_DOUBLE, 2, dims, &varid));
    if (v % 2 == 1)
        OK(nc_def_var_deflate(ncid, varid, 1, 1, 1));
    OK(nc_put_att_text(ncid, varid, "units", 1, "m"));
}

static void
create(const char *name, size_t nvars, int *ncid)
{
    int dim;

    OK(nc_create(url_of(name), NC_NETCDF4 | NC_CLOBBER, ncid));
    OK(nc_def_dim(*ncid, "time", NC_UNLIMITED, &dim));
    OK(nc_def_dim(*ncid, "x", NX, &dim));
    for (size_t v = 0; v < nvars; v++)
        define_var(*ncid, v);
    OK(nc_enddef(*ncid));
}

/* Records, with a sync every so many; a longer attribute, and a new variable, between. */
static void
append_and_redefine(const char *name, size_t steps, size_t every)
{
    size_t nvars = VARS;
    int    ncid;
    char   text[400];

    memset(text, 'x', sizeof text);
    create(name, nvars, &ncid);
    for (size_t r = 0; r < steps; r++) {
        put_record(ncid, nvars, r);
        if (r % every == every - 1) {
            OK(nc_sync(ncid));
            acknowledge(r + 1, nvars);
        }
        if (r == steps / 2) {
            OK(nc_redef(ncid));
            OK(nc_put_att_text(ncid, NC_GLOBAL, "history", sizeof text, text));
            define_var(ncid, nvars);
            OK(nc_enddef(ncid));
            nvars++;
        }
    }
    OK(nc_close(ncid));
    acknowledge(steps, nvars);
}

/* ---- what a crash leaves ---- */

typedef struct left {
    ino_t  ino; /* the file that the name leads to; 0: none */
    char  *data;
    size_t len, cap;
} left;

static void
set_len(left *f, size_t len)
{
    if (len > f->cap)
        f->data = realloc(f->data, f->cap = 2 * len);
    if (len > f->len)
        memset(f->data + f->len, 0, len - f->len);
    f->len = len;
}

static void
apply(left *f, const change *c, size_t most)
{
    size_t n = c->len < most ? c->len : most;

    if (c->kind == RESIZE)
        set_len(f, c->at);
    if (c->kind != WRITE || n == 0)
        return;
    if (c->at + n > f->len)
        set_len(f, c->at + n);
    memcpy(f->data + c->at, c->bytes, n);
}

/* The file that was there, which is on the disk; else nothing. */
static void
begin_left(left *f)
{
    f->len = 0;
    if (lg.old == NULL)
        return;
    set_len(f, lg.nold);
    memcpy(f->data, lg.old, lg.nold);
}

/* The file that the name leads to after `n` changes, 0: none of those that were logged. */
static ino_t
named_after(size_t n)
{
    ino_t ino = lg.old_ino;

    for (size_t i = 0; i < n; i++)
        if (lg.v[i].kind == NAME)
            ino = lg.v[i].ino;
    return ino;
}

static int
count_faults(const nczarr_structure_item *item, void *arg)
{
    if (item->kind == NCZARR_STRUCTURE_FAULT || item->kind == NCZARR_STRUCTURE_UNKNOWN) {
        print_error("%llu: %s: %s\n", item->address, item->path, item->what);
        ++*(size_t *)arg;
    }
    return 0;
}

static void
check_values(int ncid, size_t nvars, size_t records)
{
    for (size_t v = 0; v < nvars; v++) {
        double values[NX];
        char   name[24];
        int    varid;

        (void)snprintf(name, sizeof name, "v%zu", v);
        OK(nc_inq_varid(ncid, name, &varid));
        for (size_t r = 0; r < records; r++) {
            size_t start[2] = {r, 0}, count[2] = {1, NX};

            OK(nc_get_vara_double(ncid, varid, start, count, values));
            if (v < VARS)
                for (size_t i = 0; i < NX; i++)
                    assert_true(values[i] == value_of(v, r, i));
        }
    }
}

static void
check_made(int ncid, const ack *last)
{
    size_t n;
    int    dim;

    OK(nc_inq_dimid(ncid, "time", &dim));
    OK(nc_inq_dimlen(ncid, dim, &n));
    assert_true(n >= last->records);
    check_values(ncid, last->defined, n);
}

/* A file for states.py. */
static void
keep_left(const left *f)
{
    static int  number;
    const char *dir = getenv("NCZARR_REPLAY_STATES");
    char        path[600];

    if (dir == NULL)
        return;
    (void)snprintf(path, sizeof path, "%s/%05d.nc", dir, number++);
    scratch_write(path, f->data, f->len);
}

/* What was acknowledged by then is there. A commit that was not acknowledged may be there, too, as a whole. */
static void
check_left(const left *f, size_t after)
{
    const char *path = scratch_path(scratch_dir, "left.nc");
    ack         last = {.after = 0};
    size_t      faults = 0;
    int         ncid;

    for (size_t i = 0; i < lg.nacks && lg.acks[i].after <= after; i++)
        last = lg.acks[i];
    scratch_write(path, f->data, f->len);
    OK(nczarr_check_structure(path, count_faults, &faults));
    assert_int_equal(faults, 0);
    OK(nc_open(path, NC_NOWRITE, &ncid));
    lg.check(ncid, &last);
    OK(nc_close(ncid));
    keep_left(f);
    lg.nchecked++;
}

/* The file after `n` changes, and `part` bytes of the next one. */
static void
replay_prefix(size_t n, size_t part, left *f)
{
    ino_t ino = named_after(n);

    begin_left(f);
    if (ino == 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (lg.v[i].ino == ino)
            apply(f, &lg.v[i], SIZE_MAX);
    if (n < lg.n && lg.v[n].ino == ino && part > 0)
        apply(f, &lg.v[n], part);
    check_left(f, n);
}

/* What was not synced is there or not, in any order. Metadata of the file, its length, come before a sync or not. */
static void
replay_power(size_t n, unsigned *seed, left *f)
{
    ino_t   ino = named_after(n);
    size_t  synced = 0, some = 0;
    size_t *those = malloc((n + 1) * sizeof *those);

    begin_left(f);
    for (size_t i = 0; i < n; i++)
        if (lg.v[i].ino == ino && lg.v[i].kind == SYNC)
            synced = i + 1;
    if (synced == 0 && lg.old == NULL) /* a new file has its name without a sync: it may be lost then */
        ino = 0;
    for (size_t i = 0; i < n && ino != 0; i++) {
        if (lg.v[i].ino != ino)
            continue;
        if (i < synced)
            apply(f, &lg.v[i], SIZE_MAX);
        else if (rand_r(seed) % 2 == 0)
            those[some++] = i;
    }
    for (size_t i = some; i > 1; i--) { /* in random order */
        size_t k = (size_t)rand_r(seed) % i, swapped = those[i - 1];

        those[i - 1] = those[k];
        those[k] = swapped;
    }
    for (size_t i = 0; i < some; i++)
        apply(f, &lg.v[those[i]], SIZE_MAX);
    if (ino != 0)
        check_left(f, n);
    free(those);
}

static void
replay_all(unsigned seed)
{
    left f = {.ino = 0};

    for (size_t n = 0; n <= lg.n; n++) {
        const change *next = n < lg.n ? &lg.v[n] : NULL;

        replay_prefix(n, 0, &f);
        if (next != NULL && next->kind == WRITE && next->at >= SUPERBLOCK && next->len > 1)
            replay_prefix(n, next->len / 2, &f);
        replay_power(n, &seed, &f);
    }
    assert_true(lg.n > 30 && lg.nchecked > lg.n);
    free(f.data);
}

/* The power fails at the end. */
static void
replay_end(unsigned seed)
{
    left f = {.ino = 0};

    replay_prefix(lg.n, 0, &f);
    replay_power(lg.n, &seed, &f);
    free(f.data);
}

/* ---- tests ---- */

TEST(each_moment_of_an_append_with_a_sync_each_step_is_sound)
{
    begin_log();
    lg.check = check_made;
    append_and_redefine("a.nc", 14, 1);
    end_log();
    replay_all(1);
}

TEST(each_moment_of_an_append_with_few_syncs_is_sound)
{
    begin_log();
    lg.check = check_made;
    append_and_redefine("b.nc", 24, 5);
    end_log();
    replay_all(2);
}

TEST(a_file_that_replaces_another_is_sound_from_its_first_commit_on)
{
    int ncid;

    create("c.nc", 1, &ncid);
    put_record(ncid, 1, 0);
    OK(nc_close(ncid));
    begin_log();
    lg.check = check_made;
    append_and_redefine("c.nc", 8, 2);
    end_log();
    replay_all(3);
}

/* ---- a sync fails ---- */

/* Until it does: then no call commits any more, and each says so. Whether it did. */
static bool
append_until_failure(const char *name)
{
    int    ncid, rc = NC_NOERR;
    size_t r;

    create(name, VARS, &ncid);
    for (r = 0; r < 5 && rc == NC_NOERR; r++) {
        put_record(ncid, VARS, r);
        if ((rc = nc_sync(ncid)) == NC_NOERR)
            acknowledge(r + 1, VARS);
    }
    if (rc != NC_NOERR) {
        assert_int_equal(rc, NC_EIO);
        assert_int_equal(nc_sync(ncid), NC_EIO);
        assert_int_equal(nc_close(ncid), NC_EIO);
        return true;
    }
    if ((rc = nc_close(ncid)) == NC_NOERR)
        acknowledge(5, VARS);
    return rc != NC_NOERR;
}

/* What was written before is lost then, or not: nothing of it was acknowledged. */
TEST(a_sync_that_fails_loses_nothing_that_was_acknowledged)
{
    bool failed = true;

    for (size_t k = 1; failed; k++) {
        char name[24];

        (void)snprintf(name, sizeof name, "f%zu.nc", k);
        begin_log();
        lg.check = check_made;
        syncs_left = k;
        failed = append_until_failure(name);
        syncs_left = 0;
        end_log();
        for (unsigned seed = 0; seed < 8; seed++)
            replay_end(seed);
        assert_true(failed || k > 10);
    }
}

/* ---- files of others that are extended: t(t), v(t, x) ---- */

static void
put_old_record(int ncid, size_t r)
{
    int    t, v;
    short  row[3] = {(short)r, 1, 2};
    double time = (double)r;

    OK(nc_inq_varid(ncid, "t", &t));
    OK(nc_inq_varid(ncid, "v", &v));
    OK(nc_put_var1_double(ncid, t, &r, &time));
    OK(nc_put_vara_short(ncid, v, (size_t[]){r, 0}, (size_t[]){1, 3}, row));
}

static void
check_extended(int ncid, const ack *last)
{
    int    dim, t, v;
    size_t n;

    OK(nc_inq_dimid(ncid, "t", &dim));
    OK(nc_inq_dimlen(ncid, dim, &n));
    OK(nc_inq_varid(ncid, "t", &t));
    OK(nc_inq_varid(ncid, "v", &v));
    assert_true(n >= 4 && n >= last->records);
    for (size_t r = 0; r < n; r++) {
        short  row[3];
        double time;

        OK(nc_get_var1_double(ncid, t, &r, &time));
        OK(nc_get_vara_short(ncid, v, (size_t[]){r, 0}, (size_t[]){1, 3}, row));
        assert_true(time == (double)r && row[0] == (short)r && row[1] == 1 && row[2] == 2);
    }
    if (last->defined > 0)
        OK(nc_inq_varid(ncid, "late", &v));
}

static void
extend(const char *path)
{
    int ncid, dims[2], varid;

    OK(nc_open(path, NC_WRITE, &ncid));
    for (size_t r = 4; r < 9; r++) {
        put_old_record(ncid, r);
        OK(nc_sync(ncid));
        acknowledge(r + 1, 0);
    }
    (void)nc_redef(ncid);
    OK(nc_inq_dimid(ncid, "t", &dims[0]));
    OK(nc_inq_dimid(ncid, "x", &dims[1]));
    OK(nc_def_var(ncid, "late", NC_INT, 2, dims, &varid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "history", 8, "extended"));
    OK(nc_enddef(ncid));
    acknowledge(9, 1);
    for (size_t r = 9; r < 12; r++)
        put_old_record(ncid, r);
    OK(nc_close(ncid));
    acknowledge(12, 1);
}

/* `name`: a file of tests/fuzz/corpus/netcdf4_write, of 4 records; `version` of its superblock. */
static void
extend_and_replay(const char *name, int version)
{
    char        from[600];
    const char *path = scratch_path(scratch_dir, name);
    struct stat st;

    (void)snprintf(from, sizeof from, NCZ_TEST_DATA "/../fuzz/corpus/netcdf4_write/%s", name);
    begin_log();
    assert_non_null(lg.old = scratch_read(from, &lg.nold));
    assert_int_equal(lg.old[8], version);
    scratch_write(path, lg.old, lg.nold);
    assert_int_equal(stat(path, &st), 0);
    lg.old_ino = st.st_ino;
    lg.check = check_extended;
    extend(path);
    end_log();
    replay_all((unsigned)version + 4);
}

TEST(each_moment_of_an_append_to_a_file_of_netcdf_c_is_sound)
{
    extend_and_replay("netcdf_c_records", 2);
}

TEST(each_moment_of_an_append_to_a_file_of_h5py_is_sound)
{
    extend_and_replay("h5py_default", 0);
    clear_log();
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
