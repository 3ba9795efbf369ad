/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's calls that are not in the table of files, which the stores' tests cover. */

#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "platform/platform.h"
#include "support/scratch.h"

TEST(a_temporary_file_has_no_name)
{
    char        *dir = scratch_new(), where[4096] = "", back[8] = "";
    struct iovec from = {(void *)(uintptr_t) "abcdef", 6};
    char        *map;
    int          fd;

    fd = ncz_sys_temp_file(dir, where, sizeof where);
    assert_true(fd >= 0);
    assert_int_equal(strncmp(where, dir, strlen(dir)), 0);
    assert_int_equal(scratch_count(dir), 0); /* no name leads to it */
    assert_int_equal(ncz_system.file.pwritev(fd, &from, 1, 0), 6);
    assert_int_equal(ncz_system.file.pread(fd, back, 3, 2), 3);
    assert_string_equal(back, "cde");
    assert_non_null(map = ncz_sys_map(fd, 6));
    assert_memory_equal(map, "abcdef", 6);
    ncz_sys_unmap(map, 6);
    assert_int_equal(ncz_system.file.close(fd), 0);

    assert_true(ncz_sys_temp_file(scratch_path(dir, "none"), where, sizeof where) < 0);
    assert_int_equal(errno, ENOENT);
    assert_true(ncz_sys_temp_file(dir, where, 4) < 0);
    assert_int_equal(errno, ENAMETOOLONG);
    scratch_free(dir);
}

/* A link in the last place is followed, also to where nothing is. */
TEST(follows_links)
{
    static const struct {
        const char *link, *text, *to;
    } rows[] = {
        {"l1", "f", "f"}, {"l2", "l1", "f"}, {"l3", "none/deeper", "none/deeper"}, {"l4", "/nowhere/x", NULL}};
    char *dir = scratch_new(), *got;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *want = rows[i].to != NULL ? scratch_path(dir, rows[i].to) : rows[i].text;

        assert_int_equal(symlink(rows[i].text, scratch_path(dir, rows[i].link)), 0);
        assert_non_null(got = ncz_sys_follow(scratch_path(dir, rows[i].link)));
        assert_string_equal(got, want);
        free(got);
    }
    assert_non_null(got = ncz_sys_follow("a/b//"));
    assert_string_equal(got, "a/b");
    free(got);
    assert_non_null(got = ncz_sys_follow("/"));
    assert_string_equal(got, "/");
    free(got);
    assert_int_equal(symlink("round", scratch_path(dir, "round")), 0);
    assert_null(ncz_sys_follow(scratch_path(dir, "round")));
    assert_int_equal(errno, ELOOP);
    scratch_free(dir);
}

TEST(paths_are_resolved_and_tidied)
{
    char *dir = scratch_new(), *real, path[] = "a\\b/c";

    scratch_write(scratch_path(dir, "f"), "x", 1);
    assert_non_null(real = ncz_sys_realpath(scratch_path(dir, "./f")));
    assert_string_equal(strrchr(real, '/'), "/f");
    free(real);
    assert_null(ncz_sys_realpath(scratch_path(dir, "none")));
    assert_int_equal(errno, ENOENT);
    ncz_sys_tidy_path(path);
    assert_string_equal(path, "a\\b/c"); /* here a name may contain it */
    assert_null(ncz_sys_bad_path("aux:/b\\"));
    scratch_free(dir);
}

TEST(a_process_is_told_from_its_successor)
{
    ncz_sys_process self = {.pid = 0}, found = {.pid = 0};
    char            text[128] = "";

    assert_true(ncz_sys_cpus() >= 1);
    assert_true(ncz_sys_files_most() > 3);
    assert_true(ncz_sys_files_raise(3) == ncz_sys_files_most()); /* it is never less */
    assert_true(ncz_sys_files_raise(ncz_sys_files_most() + 1) >= ncz_sys_files_most());
    assert_true(ncz_sys_pid() > 0);
    if (ncz_sys_process_self(&self)) { /* not under an emulator */
        assert_int_equal(self.pid, ncz_sys_pid());
        assert_int_equal(strlen(self.machine), 36);
        assert_false(self.ended);
        assert_true(ncz_sys_process_find(self.pid, &found));
        assert_int_equal(found.began, self.began);
        assert_false(ncz_sys_process_hidden(self.pid));
    }
    assert_true(strlen(ncz_sys_error_text(ENOENT, text, sizeof text)) > 4);
    assert_false(ncz_sys_privileged());
}

static void *
ask_signals(void *arg)
{
    return pthread_sigmask(SIG_BLOCK, NULL, arg) == 0 ? arg : NULL;
}

TEST(a_thread_gets_no_signals)
{
    pthread_t thread;
    sigset_t  before, in_thread, after;
    void     *answer = NULL;

    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &before), 0);
    assert_int_equal(ncz_sys_thread_start(&thread, ask_signals, &in_thread), 0);
    assert_int_equal(pthread_join(thread, &answer), 0);
    assert_ptr_equal(answer, &in_thread);
    assert_int_equal(sigismember(&in_thread, SIGINT), 1);
    assert_int_equal(sigismember(&in_thread, SIGTERM), 1);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &after), 0);
    assert_int_equal(sigismember(&after, SIGINT), sigismember(&before, SIGINT));
}

TEST(random_bytes_differ_and_are_wiped)
{
    unsigned char a[16] = {0}, b[16] = {0}, none[16] = {0};

    assert_int_equal(ncz_system.getrandom(a, sizeof a, 0), sizeof a);
    assert_int_equal(ncz_system.getrandom(b, sizeof b, 0), sizeof b);
    assert_memory_not_equal(a, b, sizeof a);
    ncz_sys_wipe(a, sizeof a);
    assert_memory_equal(a, none, sizeof a);
}

TEST(the_environment_is_read_and_emptied)
{
    assert_int_equal(setenv("NCZ_TEST_SET", "value", 1), 0);
    assert_int_equal(unsetenv("NCZ_TEST_UNSET"), 0);
    if (!ncz_sys_privileged())
        assert_string_equal(ncz_sys_getenv("NCZ_TEST_SET"), "value");
    ncz_sys_empty_env("NCZ_TEST_SET");
    ncz_sys_empty_env("NCZ_TEST_UNSET");
    assert_string_equal(getenv("NCZ_TEST_SET"), "");
    assert_null(getenv("NCZ_TEST_UNSET"));
}

/* ---- a terminal ------------------------------------------------------------------------------------------------ */

#define ASKED "\x1b[c"

typedef struct terminal {
    int         master;
    const char *name; /* of the program's side */
} terminal;

static terminal
open_terminal(void)
{
    const struct winsize size = {.ws_col = 91, .ws_row = 17, .ws_xpixel = 910, .ws_ypixel = 340};
    terminal             t = {.master = posix_openpt(O_RDWR | O_NOCTTY)};

    assert_true(t.master >= 0);
    assert_int_equal(grantpt(t.master), 0);
    assert_int_equal(unlockpt(t.master), 0);
    assert_int_equal(ioctl(t.master, TIOCSWINSZ, &size), 0);
    assert_non_null(t.name = ptsname(t.master));
    return t;
}

/* What a program says that has the terminal for its own: exit status 0 when ncz_sys_terminal_ask() gave this answer
 * ("": none), the terminal's modes are what they were, and its size is known. Without a name it has no terminal. */
static pid_t
start_program(const char *name, int wait_ms, size_t room, const char *want)
{
    pid_t child = fork();

    if (child == 0) {
        struct termios before = {0}, after = {0};
        ncz_sys_size   size = {0};
        char           answer[64] = "";
        int            fd, bad = setsid() < 0;

        fd = name != NULL ? open(name, O_RDWR) : -1; /* the first one that a session opens is its terminal */
        bad |= name != NULL && tcgetattr(fd, &before) != 0;
        bad |= ncz_sys_terminal_ask(ASKED, 'c', wait_ms, answer, room) != (want[0] != '\0');
        bad |= want[0] != '\0' && strcmp(answer, want) != 0;
        bad |= name != NULL && (tcgetattr(fd, &after) != 0 || after.c_lflag != before.c_lflag);
        bad |= ncz_sys_terminal_size(fd, &size) != (name != NULL);
        bad |= name != NULL && (size.columns != 91 || size.rows != 17 || size.width != 910 || size.height != 340);
        _exit(bad);
    }
    assert_true(child > 0);
    return child;
}

static void
expect_good(pid_t child)
{
    int status = -1;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Reads the request, then answers. */
static void
answer_request(terminal t, const char *answer)
{
    char    asked[sizeof ASKED] = "";
    ssize_t got;

    for (size_t n = 0; n < sizeof ASKED - 1; n += (size_t)got)
        assert_true((got = read(t.master, asked + n, sizeof ASKED - 1 - n)) > 0);
    assert_string_equal(asked, ASKED);
    assert_int_equal(write(t.master, answer, strlen(answer)), strlen(answer));
}

/* A program on a new terminal, which gives this answer. */
static void
check_answer(const char *answer, int wait_ms, size_t room, const char *want)
{
    terminal t = open_terminal();
    pid_t    child = start_program(t.name, wait_ms, room, want);

    answer_request(t, answer);
    expect_good(child);
    assert_int_equal(close(t.master), 0);
}

TEST(the_terminals_answer_is_read_to_its_end)
{
    const char *whole = "c\x1b[?62;4c"; /* a `c` that was typed before it does not end it */

    check_answer(whole, 60000, 64, whole);
    check_answer(whole, 60000, 5, ""); /* longer than there is room for */
    check_answer("", 50, 64, "");      /* none */
    expect_good(start_program(NULL, 60000, 64, ""));
}
