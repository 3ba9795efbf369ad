/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_screen.c: what standard output can show. The environment is looked at first; only a terminal that it does not
 * name is asked, in one request that every terminal of the last forty years answers (DA1), and for 200 ms at most.
 */
#include "report_int.h"

#include "common/terminal_text.h"

#include <stdlib.h>
#include <string.h>

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

static bool
ask_for_sixel(void)
{
    char answer[256];

    return ncz_sys_terminal_ask("\x1b[c", 'c', WAIT_MS, answer, sizeof answer) && has_sixel(answer);
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

    if (!picture_has_cairo || !isatty(STDOUT_FILENO) || term[0] == '\0' || strcmp(term, "dumb") == 0 ||
        strcmp(term, "linux") == 0)
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
    ncz_sys_size size;

    if (!ncz_sys_terminal_size(STDOUT_FILENO, &size) || size.rows == 0)
        size = (ncz_sys_size){.columns = COLUMNS, .rows = ROWS};
    *screen = (report_screen){.graphics = wanted == REPORT_AUTO ? find_graphics() : wanted,
                              .colors = find_colors(color),
                              .utf8 = terminal_is_utf8(),
                              .columns = size.columns,
                              .rows = size.rows,
                              .width = size.width > 0 ? size.width : size.columns * CELL_WIDTH,
                              .height = size.height > 0 ? size.height : size.rows * CELL_HEIGHT};
    if (screen->colors == REPORT_MONO && wanted == REPORT_AUTO && color == REPORT_NEVER)
        screen->graphics = REPORT_BLOCKS;
}
