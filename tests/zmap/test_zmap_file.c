/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file map beyond the contract: opening and creating, links and other things that are no objects, other tools'
 * leftovers, discard, removal, durability. What happens when system calls fail is in test_zmap_file_faults.c.
 */
#include "support/scratch.h"
#include "support/store_help.h"
#include "zmap/file/zmap_file.h"
#include "support/sysfault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "support/test.h"

typedef struct fixture {
    char *dir;   /* of this test */
    char *store; /* dir/store.zarr */
} fixture;

static int
set_up(void **state)
{
    fixture *fx = calloc(1, sizeof *fx);

    fx->dir = scratch_new();
    fx->store = strdup(scratch_path(fx->dir, "store.zarr"));
    *state = fx;
    return 0;
}

static int
tear_down(void **state)
{
    fixture *fx = *state;

    zmap_file_use(NULL);
    scratch_free(fx->dir);
    free(fx->store);
    free(fx);
    return 0;
}

static zmap *
open_store(const char *dir, zmap_open_how how)
{
    zmap *m = NULL;
    int   rc = zmap_file_open(dir, how, &m);

    if (rc != NC_NOERR)
        fail_msg("open %s: %d (%s)", dir, rc, ncz_err_text());
    return m;
}

/* Tests that hold with openat2() and without run twice; this is the table for the second time. */
static int
no_open_beneath(int dir, const char *path, int flags)
{
    (void)dir, (void)path, (void)flags;
    errno = EPERM; /* what some sandboxes say */
    return -1;
}

static const ncz_syscalls *
without_beneath(void)
{
    static ncz_syscalls table;

    table = ncz_system;
    table.name.open_beneath = no_open_beneath;
    return &table;
}

/* ---- open and create ------------------------------------------------------------------------------------------- */

TEST_WITH(stores_open_as_asked, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m = NULL;
    size_t   files = scratch_open_files();

    assert_rc(zmap_file_open(fx->store, ZMAP_OPEN_READ, &m), NC_ENOOBJECT);
    assert_rc(zmap_file_open(fx->store, ZMAP_OPEN_WRITE, &m), NC_ENOOBJECT);
    assert_false(scratch_exists(fx->store));
    assert_rc(zmap_file_open("", ZMAP_CREATE_NEW, &m), NC_EINVAL);
    assert_rc(zmap_file_open(NULL, ZMAP_OPEN_READ, &m), NC_EINVAL);
    scratch_write(fx->store, "plain", 5);
    assert_rc(zmap_file_open(fx->store, ZMAP_OPEN_READ, &m), NC_ENOOBJECT);
    assert_rc(zmap_file_open(fx->store, ZMAP_CREATE_NEW, &m), NC_EOBJECT);
    assert_rc(zmap_file_open(scratch_path(fx->store, "below"), ZMAP_CREATE_NEW, &m), NC_ENOOBJECT);
    assert_rc(zmap_file_open(scratch_path(fx->dir, "no/such/store.zarr"), ZMAP_CREATE_NEW, &m), NC_ENOOBJECT);
    assert_non_null(strstr(ncz_err_text(), "parent directory does not exist"));
    assert_rc(zmap_file_open("/", ZMAP_CREATE_NEW, &m), NC_EOBJECT);
    assert_rc(zmap_file_open(fx->dir, ZMAP_CREATE_NEW, &m), NC_EOBJECT); /* not empty */
    assert_null(m);
    assert_int_equal(scratch_open_files(), files);
}

TEST_WITH(any_form_of_a_path_creates, set_up, tear_down)
{
    static const char *const forms[] = {"a", "b/", "c///", "./d", ".//e/"};
    fixture                 *fx = *state;
    int                      cwd = open(".", O_RDONLY | O_DIRECTORY);

    assert_int_equal(chdir(fx->dir), 0);
    for (size_t i = 0; i < NCZ_LEN(forms); i++) {
        zmap *m = open_store(forms[i], ZMAP_CREATE_NEW);

        assert_int_equal(chdir("/"), 0); /* the map holds its place */
        put_text(m, "x/y", "z");
        assert_rc(zmap_sync(m), NC_NOERR);
        assert_rc(zmap_close(m, i % 2 == 0 ? ZMAP_DISCARD : ZMAP_KEEP), NC_NOERR);
        assert_int_equal(chdir(fx->dir), 0);
        assert_int_equal(scratch_exists(forms[i]), i % 2);
    }
    assert_true(scratch_exists("b/x/y"));
    assert_int_equal(fchdir(cwd), 0);
    close(cwd);
}

TEST_WITH(an_empty_directory_may_be_taken, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m;

    assert_int_equal(mkdir(fx->store, 0777), 0);
    m = open_store(fx->store, ZMAP_CREATE_NEW);
    put_text(m, "a/b", "x");
    assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    assert_true(scratch_exists(fx->store)); /* was there before us */
    assert_int_equal(scratch_count(fx->store), 0);

    scratch_write(scratch_path(fx->store, ".nczarr-tmp-left"), "", 0); /* not ours to decide about */
    assert_rc(zmap_file_open(fx->store, ZMAP_CREATE_NEW, &m), NC_EOBJECT);
}

TEST_WITH(the_umask_decides_permissions, set_up, tear_down)
{
    fixture    *fx = *state;
    mode_t      old = umask(027);
    zmap       *m = open_store(fx->store, ZMAP_CREATE_NEW);
    struct stat st;

    put_text(m, "a/b", "x");
    umask(old);
    assert_int_equal(stat(fx->store, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(stat(scratch_path(fx->store, "a"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0750);
    assert_int_equal(stat(scratch_path(fx->store, "a/b"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* ---- links ----------------------------------------------------------------------------------------------------- */

typedef struct link_row {
    const char *name, *target; /* of the link; '@' in a target is the test's own directory */
    const char *key;           /* to get through it */
    int         rc;
    const char *listed; /* in the list of the root */
} link_row;

static const link_row link_rows[] = {
    {"leaf", "../outside/secret", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "@/outside/secret", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "@/store.zarr/in/side", "leaf", NC_EACCESS, "leaf "}, /* leaves by its name, though not by place */
    {"leaf", "in/../../outside/secret", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "./../outside/secret", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "../store.zarr/in/side", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "leaf", "leaf", NC_EACCESS, "leaf/ "}, /* a loop */
    {"leaf", "in/side", "leaf", NC_NOERR, "leaf "},
    {"leaf", "in/../in/./side", "leaf", NC_NOERR, "leaf "},
    {"leaf", "nowhere", "leaf", NC_EACCESS, "leaf/ "}, /* may have been a directory */
    {"leaf", "in", "leaf", NC_EACCESS, "leaf/ "},
    {"leaf", "/etc/passwd", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "/dev/zero", "leaf", NC_EACCESS, "leaf "},
    {"leaf", "/proc/self/environ", "leaf", NC_EACCESS, "leaf "},
    {"dir", "../outside", "dir/secret", NC_EACCESS, "dir/ "},
    {"dir", "@/outside", "dir/secret", NC_EACCESS, "dir/ "},
    {"dir", "..", "dir/outside/secret", NC_EACCESS, "dir/ "},
    {"dir", "/", "dir/etc/passwd", NC_EACCESS, "dir/ "},
    {"dir", "/proc/self/root", "dir/etc/passwd", NC_EACCESS, "dir/ "},
    {"dir", "/proc/self/cwd", "dir/x", NC_EACCESS, "dir/ "},
    {"dir", "in", "dir/side", NC_NOERR, "dir/ "},
    {"dir", ".", "dir/in/side", NC_NOERR, "dir/ "},
    {"dir", ".", "dir/dir/dir/in/side", NC_NOERR, "dir/ "},
    {"in/deep", "../../outside", "in/deep/secret", NC_EACCESS, ""},
    {"in/deep", "../../../../../../../../../../etc", "in/deep/passwd", NC_EACCESS, ""},
    {"in/deep", "../in", "in/deep/side", NC_NOERR, ""},
    {"leaf", "in/", "leaf", NC_EACCESS, "leaf/ "},
    {"leaf", "in/side/", "leaf", NC_EACCESS, "leaf/ "}, /* a file is no directory */
    {"leaf", ".//in///side", "leaf", NC_NOERR, "leaf "},
    {"dir", "in/..", "dir/in/side", NC_NOERR, "dir/ "},
    {"dir", "in/../in/../in", "dir/side", NC_NOERR, "dir/ "},
    {"dir", "in/../dir", "dir/side", NC_EACCESS, "dir/ "}, /* a loop with more in it */
    {"in/deep", "../in/deep/..", "in/deep/side", NC_EACCESS, ""},
    {"in/deep", "..", "in/deep/in/deep/in/side", NC_NOERR, ""},
    {"in/deep", "../..", "in/deep/store.zarr/in/side", NC_EACCESS, ""}, /* out, though back in at once */
};

static void
make_tree(const fixture *fx)
{
    assert_int_equal(mkdir(fx->store, 0777), 0);
    assert_int_equal(mkdir(scratch_path(fx->store, "in"), 0777), 0);
    scratch_write(scratch_path(fx->store, "in/side"), "inside", 6);
    assert_int_equal(mkdir(scratch_path(fx->dir, "outside"), 0777), 0);
    scratch_write(scratch_path(fx->dir, "outside/secret"), "SECRET", 6);
}

static void
expect_outside_untouched(const fixture *fx)
{
    size_t len;
    char  *data = scratch_read(scratch_path(fx->dir, "outside/secret"), &len);

    assert_non_null(data);
    assert_string_equal(data, "SECRET");
    assert_int_equal(scratch_count(scratch_path(fx->dir, "outside")), 1);
    free(data);
}

static void
try_link(const fixture *fx, const link_row *row)
{
    char        target[4096], want[64];
    const char *path = scratch_path(fx->store, row->name);
    zmap       *m = open_store(fx->store, ZMAP_OPEN_WRITE);
    int         rc = row->rc;
    bool        in_root = strchr(row->name, '/') == NULL;

    if (row->target[0] == '@')
        snprintf(target, sizeof target, "%s%s", fx->dir, row->target + 1);
    else
        snprintf(target, sizeof target, "%s", row->target);
    assert_int_equal(symlink(target, path), 0);

    expect_get(m, row->key, rc, rc == NC_NOERR ? "inside" : "");
    if (rc == NC_EACCESS)
        assert_non_null(strstr(ncz_err_text(), row->key));
    snprintf(want, sizeof want, "%sin/ %s", row->listed[0] != 'd' ? "" : row->listed,
             row->listed[0] != 'l' ? "" : row->listed);
    if (in_root)
        expect_list(m, "", want);

    /* Put and del take the link itself, never what it leads to. */
    rc = zmap_put(m, row->key, "new", 3);
    if (strchr(row->key, '/') == NULL)
        expect_get(m, row->key, NC_NOERR, "new");
    else if (rc != NC_NOERR)
        assert_int_equal(rc, NC_EACCESS);
    zmap_del(m, &row->key, 1);
    unlink(path);
    mkdir(scratch_path(fx->store, "in"), 0777); /* a del through a link inside may have emptied it */
    scratch_write(scratch_path(fx->store, "in/side"), "inside", 6);
    expect_outside_untouched(fx);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(links_that_lead_out_are_refused, set_up, tear_down)
{
    fixture *fx = *state;

    make_tree(fx);
    for (size_t i = 0; i < NCZ_LEN(link_rows); i++)
        try_link(fx, &link_rows[i]);
    zmap_file_use(without_beneath());
    for (size_t i = 0; i < NCZ_LEN(link_rows); i++)
        try_link(fx, &link_rows[i]);
}

/* Many links one behind the other: forty are followed, as by the kernel; no descriptor stays open. */
static void
chain_links(const fixture *fx)
{
    zmap  *m = open_store(fx->store, ZMAP_OPEN_WRITE);
    size_t files = scratch_open_files();

    expect_get(m, "in/39", NC_NOERR, "inside");
    expect_get(m, "in/40", NC_EACCESS, "");
    assert_non_null(strstr(ncz_err_text(), "too many links"));
    expect_get(m, "in/39/below", NC_EACCESS, "");
    assert_non_null(strstr(ncz_err_text(), "below: a directory above it is a file"));
    assert_int_equal(scratch_open_files(), files);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

TEST_WITH(long_chains_of_links_are_refused, set_up, tear_down)
{
    fixture *fx = *state;
    char     name[32], target[32] = "side";

    make_tree(fx);
    for (int i = 0; i <= 40; i++) {
        snprintf(name, sizeof name, "in/%d", i);
        assert_int_equal(symlink(target, scratch_path(fx->store, name)), 0);
        snprintf(target, sizeof target, "../in/%d", i);
    }
    chain_links(fx);
    zmap_file_use(without_beneath());
    chain_links(fx);
}

/* A root that is a link is the caller's own choice. */
TEST_WITH(the_root_may_be_a_link, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m;

    make_tree(fx);
    assert_int_equal(symlink("store.zarr", scratch_path(fx->dir, "link")), 0);
    m = open_store(scratch_path(fx->dir, "link"), ZMAP_OPEN_WRITE);
    expect_get(m, "in/side", NC_NOERR, "inside");
    put_text(m, "in/more", "x");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    assert_true(scratch_exists(scratch_path(fx->store, "in/more")));
}

typedef struct swapper {
    const char *a, *b; /* two names in one directory */
    int         stop;  /* atomic */
} swapper;

static void *
swap_names(void *arg)
{
    swapper *s = arg;

    while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED))
        ncz_system.name.rename_swap(AT_FDCWD, s->a, AT_FDCWD, s->b);
    return NULL;
}

/* A directory and a link that leads out change places all the time: what is outside is neither read nor written.
 * On a busy processor the two threads may take turns so seldom that one state alone is seen: it goes on until both are. */
static void
race_links(const fixture *fx, int rounds)
{
    char     *a = strdup(scratch_path(fx->store, "in")), *b = strdup(scratch_path(fx->store, "out"));
    swapper   s = {a, b, 0};
    zmap     *m = open_store(fx->store, ZMAP_OPEN_WRITE);
    size_t    good = 0, refused = 0;
    pthread_t thread;

    assert_int_equal(symlink("../outside", b), 0);
    assert_int_equal(pthread_create(&thread, NULL, swap_names, &s), 0);
    for (int i = 0; i < rounds || (i < 1000 * rounds && (good == 0 || refused == 0)); i++) {
        ncz_buf     body = NCZ_BUF_INIT;
        const char *key = "in/put";

        if (i >= rounds)
            sched_yield();

        if (zmap_get(m, "in/secret", &body) == NC_NOERR) {
            assert_string_equal(ncz_buf_str(&body), "inside");
            good++;
        } else {
            refused++;
        }
        ncz_buf_clear(&body);
        zmap_put(m, key, "x", 1);
        zmap_del(m, &key, 1);
    }
    __atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_true(good > 0 && refused > 0); /* else it was no race */
    expect_outside_untouched(fx);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    if (unlink(a) != 0)
        assert_int_equal(unlink(b), 0);
    else
        assert_int_equal(rename(b, a), 0);
    free(a);
    free(b);
}

TEST_WITH(a_link_exchanged_meanwhile_leads_nowhere, set_up, tear_down)
{
    fixture *fx = *state;

    make_tree(fx);
    scratch_write(scratch_path(fx->store, "in/secret"), "inside", 6);
    race_links(fx, 3000);
    zmap_file_use(without_beneath());
    race_links(fx, 3000);
}

/* ---- what is no object ----------------------------------------------------------------------------------------- */

TEST_WITH(special_files_are_not_read, set_up, tear_down)
{
    fixture           *fx = *state;
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int                sock = socket(AF_UNIX, SOCK_STREAM, 0);
    zmap              *m;

    make_tree(fx);
    assert_int_equal(mkfifo(scratch_path(fx->store, "fifo"), 0666), 0);
    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", scratch_path(fx->store, "sock"));
    assert_int_equal(bind(sock, (struct sockaddr *)&addr, sizeof addr), 0);
    m = open_store(fx->store, ZMAP_OPEN_WRITE);
    alarm(60); /* a get that waits for a writer of the FIFO would wait for ever */
    expect_get(m, "fifo", NC_EACCESS, "");
    assert_non_null(strstr(ncz_err_text(), "fifo: not a regular file"));
    alarm(0);
    assert_true(zmap_get(m, "sock", &NCZ_BUF_INIT) != NC_NOERR);
    expect_get(m, "fifo/x", NC_EACCESS, "");
    expect_get(m, "in", NC_EACCESS, "");
    assert_non_null(strstr(ncz_err_text(), "in: is a directory, where a file should be"));
    expect_list(m, "", "fifo in/ sock ");
    expect_list(m, "fifo", "");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    close(sock);

    assert_rc(zmap_file_remove(fx->store, NULL), NC_EOBJECT); /* looks first: nothing goes */
    assert_true(scratch_exists(scratch_path(fx->store, "in/side")));
    assert_true(scratch_exists(scratch_path(fx->store, "fifo")));
}

TEST_WITH(temporaries_are_not_shown, set_up, tear_down)
{
    static const char *const names[] = {".nczarr-tmp-0123456789abcdef-1", ".nczarr-tmp-", "0.0.6f1d.partial",
                                        ".partial"};
    fixture                 *fx = *state;
    zmap                    *m;

    make_tree(fx);
    m = open_store(fx->store, ZMAP_OPEN_WRITE);
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        char key[64];

        snprintf(key, sizeof key, "in/%s", names[i]);
        scratch_write(scratch_path(fx->store, key), "half an obj", 11);
        expect_get(m, key, NC_EEMPTY, "");
        assert_rc(zmap_put(m, key, "x", 1), NC_EINVAL);
        assert_rc(zmap_del(m, (const char *[]){key}, 1), NC_NOERR);
        assert_true(scratch_exists(scratch_path(fx->store, key)));
    }
    expect_list(m, "in", "side ");
    put_text(m, "rain.partial/0.0",
             "a variable may be called so"); /* as a prefix such a name is one like any other */
    expect_list(m, "", "in/ rain.partial/ ");
    expect_get(m, "rain.partial/0.0", NC_NOERR, "a variable may be called so");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* Names that others put there and that are no keys cannot be reached, so they are not shown either. */
TEST_WITH(names_that_are_no_keys_are_not_shown, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m;

    make_tree(fx);
    scratch_write(scratch_path(fx->store, "new\nline"), "x", 1);
    scratch_write(scratch_path(fx->store, "back\\slash"), "x", 1);
    scratch_write(scratch_path(fx->store, "latin1-\xe9"), "x", 1);
    assert_int_equal(mkdir(scratch_path(fx->store, "\x1b[31m"), 0777), 0);
    m = open_store(fx->store, ZMAP_OPEN_READ);
    expect_list(m, "", "in/ ");
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

/* An empty directory, left by a put that was killed, is no prefix and stands in nobody's way. */
TEST_WITH(an_empty_directory_stands_in_nobodys_way, set_up, tear_down)
{
    fixture     *fx = *state;
    zmap        *m;
    zmap_put_req r = {.key = "in/k2", .data = "x", .len = 1, .when = ZMAP_IF_ABSENT};

    make_tree(fx);
    assert_int_equal(mkdir(scratch_path(fx->store, "in/k"), 0777), 0);
    assert_int_equal(mkdir(scratch_path(fx->store, "in/k2"), 0777), 0);
    m = open_store(fx->store, ZMAP_OPEN_WRITE);
    put_text(m, "in/k", "x");
    expect_get(m, "in/k", NC_NOERR, "x");
    assert_rc(zmap_put_batch(m, &r, 1), NC_NOERR);
    assert_rc(zmap_put(m, "in", "x", 1), NC_EOBJECT);
    assert_int_equal(scratch_count(fx->store), 1); /* no temporary stays */
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}

static off_t size_said; /* by fstat, of every file */

static int
fstat_lies(int fd, struct stat *st)
{
    int rc = ncz_system.file.fstat(fd, st);

    st->st_size = size_said;
    return rc;
}

/* Other programs write in place: the size of a file is a hint, what is read until the end is the object. */
TEST_WITH(a_file_may_grow_while_it_is_read, set_up, tear_down)
{
    fixture     *fx = *state;
    ncz_syscalls table = ncz_system;
    size_t       len = 200000;
    char        *data = malloc(len), *seen = malloc(len);
    zmap_get_req r = {.key = "in/big", .len = ZMAP_WHOLE, .into = seen, .into_cap = len};
    zmap        *m;

    make_tree(fx);
    for (size_t i = 0; i < len; i++)
        data[i] = (char)(i * 7 + i / 1000);
    scratch_write(scratch_path(fx->store, "in/big"), data, len);
    m = open_store(fx->store, ZMAP_OPEN_READ);
    table.file.fstat = fstat_lies;
    zmap_file_use(&table);
    for (size_said = 0; size_said < (off_t)len + 2; size_said += size_said == 0 ? 1 : 66667) {
        ncz_buf body = NCZ_BUF_LIMIT(len + 100000);

        assert_rc(zmap_get(m, "in/big", &body), NC_NOERR);
        assert_int_equal(body.len, len);
        assert_memory_equal(body.data, data, len);
        ncz_buf_clear(&body);
    }
    size_said = 10;
    for (size_t limit = 10; limit < len; limit += limit + 1) { /* grown past the ceiling */
        ncz_buf body = NCZ_BUF_LIMIT(limit);

        assert_rc(zmap_get(m, "in/big", &body), NC_ENOMEM);
        assert_int_equal(body.len, 0);
        ncz_buf_clear(&body);
    }
    assert_rc(zmap_get_batch(m, &r, 1, NULL, NULL), NC_NOERR);
    assert_memory_equal(seen, data, len);
    r.into_cap = len - 1; /* grown past the caller's memory */
    assert_rc(zmap_get_batch(m, &r, 1, NULL, NULL), NC_ETRUNC);
    size_said = (off_t)len + 10;
    r = (zmap_get_req){.key = "in/big", .off = len - 5, .len = 10, .into = seen, .into_cap = len};
    assert_rc(zmap_get_batch(m, &r, 1, NULL, NULL), NC_EIO); /* cut while being read */
    zmap_file_use(NULL);
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    free(data);
    free(seen);
}

/* ---- discard and remove ---------------------------------------------------------------------------------------- */

TEST_WITH(discarding_leaves_what_others_put, set_up, tear_down)
{
    fixture     *fx = *state;
    zmap        *m = open_store(fx->store, ZMAP_CREATE_NEW);
    const char  *taken = "v/taken";
    zmap_put_req late = {.key = "v/mine", .data = "x", .len = 1, .when = ZMAP_IF_ABSENT};

    put_text(m, "v/0", "x");
    put_text(m, "v/taken", "x");
    put_text(m, "w/deep/er/0", "x");
    put_text(m, "x/0", "x");
    assert_rc(zmap_del(m, &taken, 1), NC_NOERR);
    scratch_write(scratch_path(fx->store, "v/taken"), "theirs", 6);
    scratch_write(scratch_path(fx->store, "v/mine"), "theirs", 6);
    assert_rc(zmap_put_batch(m, &late, 1), NC_EOBJECT); /* it failed: so it is not ours */
    scratch_write(scratch_path(fx->store, "w/deep/decoy"), "theirs", 6);
    assert_int_equal(mkdir(scratch_path(fx->store, "x/empty"), 0777), 0);
    scratch_write(scratch_path(fx->dir, "beside"), "theirs", 6);
    assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);

    assert_false(scratch_exists(scratch_path(fx->store, "v/0")));
    assert_true(scratch_exists(scratch_path(fx->store, "v/taken")));
    assert_true(scratch_exists(scratch_path(fx->store, "v/mine")));
    assert_true(scratch_exists(scratch_path(fx->store, "w/deep/decoy")));
    assert_false(scratch_exists(scratch_path(fx->store, "w/deep/er")));
    assert_true(scratch_exists(scratch_path(fx->store, "x/empty")));
    assert_false(scratch_exists(scratch_path(fx->store, "x/0")));
    assert_true(scratch_exists(scratch_path(fx->dir, "beside")));
}

/* Somebody moved our root away and put another one in its place. */
TEST_WITH(discarding_leaves_another_root, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m = open_store(fx->store, ZMAP_CREATE_NEW);

    put_text(m, "a/0", "x");
    assert_int_equal(rename(fx->store, scratch_path(fx->dir, "moved")), 0);
    assert_int_equal(mkdir(fx->store, 0777), 0);
    put_text(m, "a/1", "x");
    assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    assert_true(scratch_exists(fx->store));
    assert_int_equal(scratch_count(scratch_path(fx->dir, "moved")), 0); /* what we made went, where it stood */
}

TEST_WITH(removing_takes_the_whole_tree, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m = open_store(fx->store, ZMAP_CREATE_NEW);
    char     deep[2048] = "";
    size_t   files;

    put_text(m, ".zgroup", "{}");
    put_text(m, "a/b/c/0", "x");
    for (int i = 0; i < 200; i++) {
        char key[32];

        snprintf(key, sizeof key, "v/%d", i);
        put_text(m, key, "x");
    }
    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    scratch_write(scratch_path(fx->store, "v/.nczarr-tmp-x"), "", 0);
    files = scratch_open_files();

    assert_int_equal(symlink("store.zarr", scratch_path(fx->dir, "link")), 0);
    assert_rc(zmap_file_remove(scratch_path(fx->dir, "link"), NULL), NC_EOBJECT);
    assert_rc(zmap_file_remove(scratch_path(fx->dir, "link/"), NULL), NC_EOBJECT);
    assert_rc(zmap_file_remove(scratch_path(fx->dir, "link/v/0"), NULL), NC_EOBJECT);
    assert_rc(zmap_file_remove(scratch_path(fx->dir, "nothing"), NULL), NC_ENOOBJECT);
    assert_rc(zmap_file_remove("", NULL), NC_EINVAL);

    assert_int_equal(symlink("../..", scratch_path(fx->store, "a/b/up")), 0);
    assert_rc(zmap_file_remove(fx->store, NULL), NC_EOBJECT);
    assert_true(scratch_exists(scratch_path(fx->store, "v/199")));
    assert_int_equal(unlink(scratch_path(fx->store, "a/b/up")), 0);
    assert_rc(zmap_file_remove(fx->store, NULL), NC_NOERR);
    assert_false(scratch_exists(fx->store));

    for (int i = 0; i < 300; i++) { /* far deeper than any dataset */
        assert_int_equal(mkdir(scratch_path(fx->dir, i == 0 ? "deep" : deep), 0777), 0);
        snprintf(deep + strlen(deep), sizeof deep - strlen(deep), i == 0 ? "deep/d" : "/d");
    }
    assert_rc(zmap_file_remove(scratch_path(fx->dir, "deep"), NULL), NC_EOBJECT);
    assert_true(scratch_exists(scratch_path(fx->dir, "deep")));
    assert_int_equal(scratch_open_files(), files);
}

/* ---- durability ------------------------------------------------------------------------------------------------ */

TEST_WITH(a_sync_syncs_what_was_changed, set_up, tear_down)
{
    fixture *fx = *state;
    zmap    *m;

    sysfault_start((sysfault){0});
    m = open_store(fx->store, ZMAP_CREATE_NEW);
    put_text(m, "a/b/0", "x");
    put_text(m, "a/b/1", "x");
    put_text(m, "a/b/1", "again");
    assert_int_equal(sysfault_plan.fsyncs, 0);
    assert_rc(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.fsyncs, 2 + 3 + 1); /* files; "", "a", "a/b"; the directory of the root */
    assert_rc(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.fsyncs, 6); /* nothing new */
    put_text(m, "a/b/0", "x");
    assert_rc(zmap_del(m, (const char *[]){"a/b/1"}, 1), NC_NOERR);
    assert_rc(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.fsyncs, 6 + 2);

    for (int i = 0; i < 5000; i++) {
        char key[32];

        snprintf(key, sizeof key, "v/%d", i);
        put_text(m, key, "x");
    }
    assert_rc(zmap_sync(m), NC_NOERR);
    assert_int_equal(sysfault_plan.fsyncs, 8);
    assert_int_equal(sysfault_plan.syncfss, 1);

    assert_rc(zmap_file_sync_each(m), NC_NOERR);
    put_text(m, "v/0", "y");
    assert_int_equal(sysfault_plan.fsyncs, 9);
    assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    assert_false(scratch_exists(fx->store));
}

/* The second fsync would succeed, and the data would be gone all the same. */
TEST_WITH(a_failed_fsync_is_final, set_up, tear_down)
{
    static const int codes[][2] = {{EIO, NC_EIO}, {ENOSPC, ENOSPC}};
    fixture         *fx = *state;
    zmap            *m = open_store(fx->store, ZMAP_CREATE_NEW);

    assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(codes); i++) {
        sysfault plan = {.err = codes[i][0]};
        bool     met = false;

        while (!met) { /* up to the first fsync */
            sysfault_start((sysfault){0});
            m = open_store(fx->store, ZMAP_OPEN_WRITE);
            put_text(m, "a", "x");
            plan.nth++;
            sysfault_start(plan);
            zmap_sync(m);
            met = sysfault_plan.hit != NULL && strcmp(sysfault_plan.hit, "fsync") == 0;
            if (met) {
                assert_rc(zmap_sync(m), codes[i][1]);
                assert_rc(zmap_put(m, "b", "x", 1), codes[i][1]);
                assert_non_null(strstr(ncz_err_text(), "durable"));
                assert_rc(zmap_del(m, (const char *[]){"a"}, 1), codes[i][1]);
                expect_get(m, "a", NC_NOERR, "x");
            }
            assert_rc(zmap_close(m, ZMAP_KEEP), NC_NOERR);
        }
    }
}

/* ---- many files at once ---- */

enum { MANY = 40, FILES_MOST = 4096 };

/* What is done to each file, by its inode. */
static struct {
    pthread_mutex_t lock;
    ino_t           inode[FILES_MOST];
    int             starts[FILES_MOST], fsyncs[FILES_MOST];
    bool            dir[FILES_MOST];
    size_t          n;
    size_t          nfsyncs, nsyncfs;
    size_t          fail_at; /* of the fsyncs; 0: none */
    bool            late_start, early_dir, silent;
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t
watched_place(int fd)
{
    struct stat st;
    size_t      i = 0;

    assert_int_equal(fstat(fd, &st), 0);
    while (i < watched.n && watched.inode[i] != st.st_ino)
        i++;
    if (i == watched.n) {
        assert_true(i < FILES_MOST);
        watched.inode[watched.n++] = st.st_ino;
        watched.dir[i] = S_ISDIR(st.st_mode);
    }
    return i;
}

static int
watched_start(int fd)
{
    (void)pthread_mutex_lock(&watched.lock);
    watched.starts[watched_place(fd)]++;
    watched.late_start = watched.late_start || watched.nfsyncs > 0;
    (void)pthread_mutex_unlock(&watched.lock);
    return 0;
}

static int
watched_fsync(int fd)
{
    size_t i;
    bool   fail;

    (void)pthread_mutex_lock(&watched.lock);
    i = watched_place(fd);
    fail = ++watched.nfsyncs == watched.fail_at;
    watched.fsyncs[i]++;
    for (size_t k = 0; watched.dir[i] && k < watched.n; k++)
        watched.early_dir = watched.early_dir || (!watched.dir[k] && watched.fsyncs[k] == 0);
    (void)pthread_mutex_unlock(&watched.lock);
    errno = EIO;
    return fail ? -1 : 0;
}

static int
watched_syncfs(int fd)
{
    (void)fd;
    watched.nsyncfs++;
    return 0;
}

static bool
watched_tells(void)
{
    return !watched.silent;
}

static void
watch(size_t fail_at, bool silent)
{
    static ncz_syscalls table;

    table = ncz_system;
    table.file.start_write = watched_start;
    table.file.fsync = watched_fsync;
    table.dir.syncfs = watched_syncfs;
    table.dir.syncfs_tells = watched_tells;
    watched.n = watched.nfsyncs = watched.nsyncfs = 0;
    memset(watched.starts, 0, sizeof watched.starts);
    memset(watched.fsyncs, 0, sizeof watched.fsyncs);
    watched.late_start = watched.early_dir = false;
    watched.fail_at = fail_at;
    watched.silent = silent;
    zmap_file_use(&table);
}

static void
put_many(zmap *m, int n)
{
    for (int i = 0; i < n; i++) {
        char key[32];

        snprintf(key, sizeof key, "v/%d/%d", i % 3, i);
        put_text(m, key, "x");
    }
}

/* All are set on their way first, each is fsynced once, the directories last; by one thread or by several. */
TEST_WITH(many_files_are_synced_once_each, set_up, tear_down)
{
    static const unsigned threads[] = {1, 4, 0};
    fixture              *fx = *state;

    for (size_t t = 0; t < NCZ_LEN(threads); t++) {
        zmap  *m;
        size_t ndirs = 0;

        ncz_pool_set_threads(threads[t]);
        watch(0, false);
        m = open_store(fx->store, ZMAP_CREATE_NEW);
        put_many(m, MANY);
        assert_rc(zmap_sync(m), NC_NOERR);
        for (size_t i = 0; i < watched.n; i++) {
            ndirs += watched.dir[i];
            assert_int_equal(watched.fsyncs[i], 1);
            assert_int_equal(watched.starts[i], watched.dir[i] ? 0 : 1);
        }
        assert_int_equal(watched.n, MANY + ndirs);
        assert_int_equal(ndirs, 5 + 1); /* "", v, v/0 ... v/2; the directory of the root */
        assert_false(watched.late_start || watched.early_dir);
        assert_int_equal(watched.nsyncfs, 0);
        assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    }
    ncz_pool_set_threads(0);
}

/* Whichever fails, and on whichever thread: the sync fails, and stays so. */
TEST_WITH(one_failure_of_many_fails_the_sync, set_up, tear_down)
{
    fixture *fx = *state;

    ncz_pool_set_threads(4);
    for (size_t at = 1; at <= MANY + 5; at++) {
        zmap *m;

        watch(at, false);
        m = open_store(fx->store, ZMAP_CREATE_NEW);
        put_many(m, MANY);
        assert_rc(zmap_sync(m), NC_EIO);
        assert_non_null(strstr(ncz_err_text(), "durable"));
        assert_rc(zmap_sync(m), NC_EIO);
        assert_rc(zmap_put(m, "w", "x", 1), NC_EIO);
        assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    }
    ncz_pool_set_threads(0);
}

/* Past a thousand one syncfs does it; where that would say nothing of failures, they are fsynced one by one. */
TEST_WITH(many_files_are_synced_by_one_call, set_up, tear_down)
{
    fixture *fx = *state;

    for (int silent = 0; silent < 2; silent++) {
        zmap *m;

        watch(0, silent == 1);
        m = open_store(fx->store, ZMAP_CREATE_NEW);
        put_many(m, 1100);
        assert_rc(zmap_sync(m), NC_NOERR);
        assert_int_equal(watched.nsyncfs, silent == 1 ? 0 : 1);
        assert_int_equal(watched.nfsyncs, silent == 1 ? 1100 + 5 + 1 : 1);
        assert_rc(zmap_close(m, ZMAP_DISCARD), NC_NOERR);
    }
}
