/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_screen.c: what standard output can show. The environment is looked at first; only a terminal that it does not
 * name is asked, in one request that every terminal of the last forty years answers (DA1), and for 200 ms at most.
 */
#include "report_int.h"

#include "../terminal_text.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 200, COLUMNS = 80, ROWS = 24, CELL_WIDTH = 8, CELL_HEIGHT = 16 };

static const char *
read_env(const char *name)
{
    const char *value = getenv(name);

    return value != NULL ? value : "";
}

static bool
begins_with(const char *s, const char *begin)
{
    return strncmp(s, begin, strlen(begin)) == 0;
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

static long
clock_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)(t.tv_sec % 1000000) * 1000 + t.tv_nsec / 1000000;
}

/* Reads up to the end of the answer, ESC [ ? ... c. False: there was none in time. */
static bool
read_answer(int tty, char *answer, size_t size)
{
    long   end = clock_ms() + WAIT_MS, left;
    size_t n = 0;

    while (n + 1 < size && (left = end - clock_ms()) > 0) {
        struct pollfd p = {.fd = tty, .events = POLLIN};

        if (poll(&p, 1, (int)left) <= 0 || read(tty, answer + n, 1) != 1)
            return false;
        if (answer[n++] == 'c' && memchr(answer, '\x1b', n) != NULL) {
            answer[n] = '\0';
            return true;
        }
    }
    return false;
}

/* Is 4, sixel, one of the answer's numbers? */
static bool
has_sixel(const char *answer)
{
    const char *p = strstr(answer, "\x1b[?");

    for (p = p != NULL ? p + 3 : ""; *p != '\0'; p += strspn(p, ";c")) {
        size_t n = strcspn(p, ";c");

        if (n == 1 && *p == '4')
            return true;
        p += n;
    }
    return false;
}

/* A program in the background may not touch the terminal: it would be stopped. */
static bool
ask_for_sixel(void)
{
    static const char request[] = "\x1b[c";
    char              answer[256];
    struct termios    before, raw;
    int               tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool              yes = false;

    if (tty < 0)
        return false;
    if (tcgetpgrp(tty) == getpgrp() && tcgetattr(tty, &before) == 0) {
        raw = before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        if (tcsetattr(tty, TCSANOW, &raw) == 0) {
            yes = write(tty, request, sizeof request - 1) == (ssize_t)sizeof request - 1 &&
                  read_answer(tty, answer, sizeof answer) && has_sixel(answer);
            (void)tcsetattr(tty, TCSANOW, &before);
        }
    }
    (void)close(tty);
    return yes;
}

/* ---- the answer ----------------------------------------------------------------------------------------------- */

/* Programs between us and the terminal do not pass pictures on as kitty's protocol has them. */
static bool
is_multiplexed(void)
{
    return read_env("TMUX")[0] != '\0' || begins_with(read_env("TERM"), "screen") ||
           begins_with(read_env("TERM"), "tmux");
}

static report_graphics
find_graphics(void)
{
    const char *term = read_env("TERM"), *program = read_env("TERM_PROGRAM");

    if (!isatty(STDOUT_FILENO) || term[0] == '\0' || strcmp(term, "dumb") == 0 || strcmp(term, "linux") == 0)
        return REPORT_BLOCKS;
    if (!is_multiplexed() &&
        (read_env("KITTY_WINDOW_ID")[0] != '\0' || strcmp(term, "xterm-kitty") == 0 ||
         strcmp(term, "xterm-ghostty") == 0 || strcmp(program, "ghostty") == 0 || strcmp(program, "WezTerm") == 0))
        return REPORT_KITTY;
    return ask_for_sixel() ? REPORT_SIXEL : REPORT_BLOCKS;
}

bool
report_wants_color(report_when when)
{
    if (when != REPORT_WHEN_TERMINAL)
        return when == REPORT_ALWAYS;
    return isatty(STDOUT_FILENO) && read_env("NO_COLOR")[0] == '\0' && strcmp(read_env("TERM"), "dumb") != 0;
}

static report_colors
find_colors(report_when when)
{
    const char *depth = read_env("COLORTERM"), *term = read_env("TERM");

    if (!report_wants_color(when))
        return REPORT_MONO;
    if (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0)
        return REPORT_RGB;
    return when == REPORT_ALWAYS || strstr(term, "256color") != NULL || depth[0] != '\0' ? REPORT_256 : REPORT_MONO;
}

void
report_screen_find(report_screen *screen, report_graphics wanted, report_when color)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_col = COLUMNS, .ws_row = ROWS};
    *screen = (report_screen){.graphics = wanted == REPORT_AUTO ? find_graphics() : wanted,
                              .colors = find_colors(color),
                              .utf8 = terminal_is_utf8(),
                              .columns = size.ws_col,
                              .rows = size.ws_row,
                              .width = size.ws_xpixel > 0 ? size.ws_xpixel : size.ws_col * (size_t)CELL_WIDTH,
                              .height = size.ws_ypixel > 0 ? size.ws_ypixel : size.ws_row * (size_t)CELL_HEIGHT};
    if (screen->colors == REPORT_MONO && wanted == REPORT_AUTO && color == REPORT_NEVER)
        screen->graphics = REPORT_BLOCKS;
}
