/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczcopy's progress line on a pseudo-terminal: no line that is drawn is wider than the terminal, whatever its width
 * is and however it changes, and whatever the variable is called; what fits is shown; messages do not share its line.
 */
#include "support/test.h"

#include "copy/copy_int.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int terminal, kept_stderr; /* the side of whoever looks at the terminal; where messages of the test go */

static void
set_width(unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};

    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

static int
open_terminal(void **state)
{
    struct termios how;
    int            end;

    (void)state;
    if ((terminal = posix_openpt(O_RDWR | O_NOCTTY)) < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
        (end = open(ptsname(terminal), O_RDWR | O_NOCTTY)) < 0 || tcgetattr(end, &how) != 0)
        return -1;
    how.c_oflag &= ~(tcflag_t)OPOST;
    kept_stderr = dup(STDERR_FILENO);
    if (tcsetattr(end, TCSANOW, &how) != 0 || dup2(end, STDERR_FILENO) < 0)
        return -1;
    close(end);
    return 0;
}

static int
close_terminal(void **state)
{
    (void)state;
    dup2(kept_stderr, STDERR_FILENO);
    close(kept_stderr);
    return close(terminal);
}

/* What was written to the terminal since. */
static size_t
look(char out[4096])
{
    struct pollfd p = {.fd = terminal, .events = POLLIN};
    size_t        n = 0;

    fflush(stderr);
    while (n < 4095 && poll(&p, 1, 0) > 0) {
        ssize_t got = read(terminal, out + n, 4095 - n);

        assert_true(got > 0);
        n += (size_t)got;
    }
    out[n] = '\0';
    return n;
}

/* Columns of what a terminal shows of `text`: the letters of the names below, and marks that take no column. */
static size_t
columns(const char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];

        assert_true(c >= 0x20 && c != 0x7f); /* nothing else moves the cursor */
        if (c == 0xCC && i + 1 < len)
            i++; /* a combining mark */
        else if (c >= 0xE3)
            n += 2;
        else if ((c & 0xC0) != 0x80)
            n++;
    }
    return n;
}

static const char *const names[] = {
    "",
    "/t",
    "/atmosphere/u",
    "/a/rather/deep/group/and_a_long_name_of_a_variable",
    "/\xe6\xb8\xa9\xe5\xba\xa6/\xe6\xb0\xb4\xe5\xb9\xb3\xe9\xa2\xa8\xe9\x80\x9f\xe5\x88\x86\xe9\x87\x8f", /* wide */
    "/temp\xc3\xa9rature de l\xe2\x80\x99"
    "eau",
    "/e\xcc\x81te\xcc\x81/e\xcc\x81te\xcc\x81/e\xcc\x81te\xcc\x81", /* combining accents */
    "/\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xf0\x9f\x8c\x8a\xf0\x9f\x8c"
    "\x8a/x",
    "/\xc2\x85\xff\xe6\xb8/control and broken",
};

/* Draws one line and gives it back without what moves the cursor. */
static char *
drawn_line(copy_progress *p, double bytes, const char *name, char out[4096])
{
    size_t n;

    p->shown = -1; /* long ago */
    copy_progress_add(p, bytes, true, 1, name);
    n = look(out);
    assert_true(n >= 4 && out[0] == '\r');
    assert_memory_equal(out + n - 3, "\x1b[K", 3);
    out[n - 3] = '\0';
    return out + 1;
}

TEST_WITH(a_line_fits_any_width, open_terminal, close_terminal)
{
    char room[4096];

    for (unsigned short w = 1; w <= 200; w++) {
        copy_opts     o = COPY_OPTS_INIT;
        copy_progress p;

        set_width(w);
        copy_progress_begin(&p, &o, 1.5e12);
        assert_true(p.on);
        p.begun -= 7200; /* hours, so that the clock takes its room */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char  *line = drawn_line(&p, 1.1e11, names[i], room);
            size_t n = columns(line, strlen(line));

            if (n >= w)
                fail_msg("%zu of %u columns: %s", n, w, line);
            if (w > 4)
                assert_non_null(strchr(line, '%'));
        }
        copy_progress_end(&p, true);
        look(room);
        assert_non_null(strstr(room, "\x1b[K\n"));
        assert_true(columns(room + 1, (size_t)(strchr(room, '\x1b') - room - 1)) < w);
    }
}

/* With room enough all fields are there; at 80 columns, most are. */
TEST_WITH(fields_are_left_out_as_it_gets_narrow, open_terminal, close_terminal)
{
    copy_opts     o = COPY_OPTS_INIT;
    copy_progress p;
    char          room[4096], *line;

    set_width(120);
    copy_progress_begin(&p, &o, 4096);
    p.begun -= 10;
    line = drawn_line(&p, 1024, "/atmosphere/u", room);
    assert_string_equal(line, "[======                  ]  25%  1.0 KiB of 4.0 KiB  1 chunk  102 B/s  0:30 left  "
                              "/atmosphere/u");
    line = drawn_line(&p, 1024, "/a/rather/deep/group/and_a_long_name", room);
    assert_non_null(strstr(line, "  ...p/and_a_long_name"));
    set_width(80); /* meanwhile */
    line = drawn_line(&p, 0, "/atmosphere/u", room);
    assert_string_equal(line, "[===    ]  50%  2.0 KiB of 4.0 KiB  3 chunks  205 B/s  0:10 left  /atmosphere/u");
    set_width(30);
    line = drawn_line(&p, 0, "/atmosphere/u", room);
    assert_string_equal(line, " 50%  205 B/s  0:10 left");
    set_width(0); /* a terminal that does not know */
    line = drawn_line(&p, 0, "/atmosphere/u", room);
    assert_true(strlen(line) < 80 && strlen(line) > 60);
    copy_progress_end(&p, false);
    look(room);
    assert_string_equal(room, "\r\x1b[K");
}

TEST_WITH(messages_do_not_mix_with_the_line, open_terminal, close_terminal)
{
    copy_opts     o = COPY_OPTS_INIT;
    copy_progress p;
    char          room[4096];

    copy_report_begin();
    set_width(80);
    copy_progress_begin(&p, &o, 4096);
    (void)drawn_line(&p, 1024, "/t", room);
    message_print("%s", "something");
    look(room);
    assert_string_equal(room, "\r\x1b[Knczcopy: something\n");
    message_print("%s", "more");
    look(room);
    assert_string_equal(room, "nczcopy: more\n");
    copy_set_unfinished("https://user:secret@host/b/x.zarr?sig=hidden");
    copy_say_unfinished();
    look(room);
    assert_string_equal(
        room, "nczcopy: https://host/b/x.zarr is not complete: the same command with --resume continues it\n");
    copy_set_unfinished(NULL);
    copy_say_unfinished();
    assert_int_equal(look(room), 0);
    copy_progress_end(&p, false);
    assert_int_equal(look(room), 0);
}
