/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_progress.c: one line on a terminal, redrawn a few times a second: share, bytes, chunks, rate, time left. It is
 * never wider than the terminal, which is asked for its width at each draw: the less room, the fewer fields. Silent
 * where standard error is no terminal. Callers make sure that one thread at a time is in here; messages of other
 * threads take the line away first, and the lock of standard error keeps the two apart.
 */
#include "copy_int.h"

#include "common/terminal_text.h"
#include "common/text_quote.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define EACH_SECONDS 0.2

enum { COLUMNS = 80, BAR_MIN = 6, BAR_MAX = 24, NAME_WIDTH_MIN = 8, NAME_WIDTH_MAX = 20, GAP = 2 };

static double
read_clock(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
copy_progress_begin(copy_progress *p, const copy_opts *o, double total)
{
    *p = (copy_progress){.on = o->progress == COPY_YES || (o->progress == COPY_AUTO && isatty(STDERR_FILENO)),
                         .json = o->progress_json,
                         .phase = "copy",
                         .total = total,
                         .begun = read_clock()};
    p->shown = p->begun;
}

/* Columns that a line may take. The last one stays free: a terminal whose last column is taken may wrap. */
static size_t
measure_line(void)
{
    ncz_sys_size size;

    return (ncz_sys_terminal_size(STDERR_FILENO, &size) ? size.columns : COLUMNS) - 1;
}

/* ---- names ---- */

/* The end of a name in at most `room` columns. */
static void
print_name(const char *name, size_t room)
{
    size_t columns = terminal_measure(name), n;

    if (columns > room) {
        fputs("...", stderr);
        for (room -= 3; columns > room; name += n)
            columns -= terminal_columns(terminal_decode(name, &n));
    }
    terminal_print_safe(stderr, name);
}

/* ---- the line ---- */

typedef enum field_id { SHARE, BYTES, CHUNKS, RATE, CLOCK, FIELDS } field_id;

static void
format_clock(double seconds, const char *what, char *out, size_t size)
{
    unsigned long s = seconds < 0 || seconds > 8640000 ? 8640000 : (unsigned long)(seconds + 0.5);

    if (s >= 3600)
        (void)snprintf(out, size, "%lu:%02lu:%02lu%s", s / 3600, s / 60 % 60, s % 60, what);
    else
        (void)snprintf(out, size, "%lu:%02lu%s", s / 60, s % 60, what);
}

static void
fill_fields(const copy_progress *p, double at, bool end, double share, char field[FIELDS][80])
{
    bool   own = strcmp(p->phase, "copy") != 0;
    double took = at - p->begun, per_second = took > 0 ? p->moved / took : 0;
    char   done[32], total[32];
    int    n;

    (void)snprintf(field[SHARE], sizeof field[SHARE], "%s%s%3.0f%%", own ? p->phase : "", own ? " " : "",
                   share * 100);
    n = snprintf(field[BYTES], sizeof field[BYTES], "%s of %s", size_text(p->done, "B", done),
                 size_text(p->total, "B", total));

    if (p->resumed && p->done > p->moved)
        (void)snprintf(field[BYTES] + n, sizeof field[BYTES] - (size_t)n, " (%s kept)",
                       size_text(p->done - p->moved, "B", done));
    if (p->chunks > 0)
        (void)snprintf(field[CHUNKS], sizeof field[CHUNKS], p->chunks == 1 ? "%zu chunk" : "%zu chunks", p->chunks);
    (void)snprintf(field[RATE], sizeof field[RATE], "%s/s", size_text(per_second, "B", done));
    if (end)
        format_clock(took, "", field[CLOCK], sizeof field[CLOCK]);
    else if (per_second > 0)
        format_clock((p->total - p->done) / per_second, " left", field[CLOCK], sizeof field[CLOCK]);
}

static void
print_bar(double share, size_t len)
{
    char   bar[BAR_MAX + 1];
    size_t full = (size_t)(share * (double)len);

    memset(bar, '=', full);
    memset(bar + full, ' ', len - full);
    fprintf(stderr, "[%.*s] ", (int)len, bar);
}

/* Takes `columns` of the room, if there are so many. */
static bool
take_columns(size_t *room, size_t columns)
{
    if (columns > *room)
        return false;
    *room -= columns;
    return true;
}

/* What a line holds. */
typedef struct line {
    char   field[FIELDS][80];
    bool   wanted[FIELDS];
    size_t bar, name; /* columns; 0: none */
} line;

/*
 * Who gets the room, the most wanted first: share, time, bytes, rate, a short bar, the name's end, chunks. What is
 * left then makes the name and the bar longer.
 */
static void
lay_out_line(line *l, const char *name)
{
    static const field_id order[] = {CLOCK, BYTES, RATE};
    size_t                room = measure_line(), longest = terminal_measure(name), least, more;

    if (!(l->wanted[SHARE] = take_columns(&room, strlen(l->field[SHARE]))))
        return;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *text = l->field[order[i]];

        l->wanted[order[i]] = text[0] != '\0' && take_columns(&room, strlen(text) + GAP);
    }
    if (take_columns(&room, BAR_MIN + 3)) /* brackets and a space */
        l->bar = BAR_MIN;
    longest = longest < NAME_WIDTH_MAX ? longest : NAME_WIDTH_MAX;
    least = longest < NAME_WIDTH_MIN ? longest : NAME_WIDTH_MIN;
    if (longest > 0 && take_columns(&room, least + GAP))
        l->name = least;
    l->wanted[CHUNKS] = l->field[CHUNKS][0] != '\0' && take_columns(&room, strlen(l->field[CHUNKS]) + GAP);
    if (l->name > 0) {
        more = longest - least < room ? longest - least : room;
        l->name += more;
        room -= more;
    }
    if (l->bar > 0)
        l->bar += room < BAR_MAX - BAR_MIN ? room : BAR_MAX - BAR_MIN;
}

static void
draw_line(const copy_progress *p, double at, bool end)
{
    const char *name = !end && p->what != NULL ? p->what : "";
    double      share = p->total > 0 && p->done < p->total ? p->done / p->total : 1;
    line        l = {.bar = 0};

    fill_fields(p, at, end, share, l.field);
    lay_out_line(&l, name);
    flockfile(stderr);
    fputc('\r', stderr);
    if (l.bar > 0)
        print_bar(share, l.bar);
    for (size_t i = 0; i < FIELDS; i++)
        if (l.wanted[i])
            fprintf(stderr, "%s%s", i == SHARE ? "" : "  ", l.field[i]);
    if (l.name > 0) {
        fputs("  ", stderr);
        print_name(name, l.name);
    }
    fputs(end ? "\x1b[K\n" : "\x1b[K", stderr);
    fflush(stderr);
    copy_set_line_drawn(!end);
    funlockfile(stderr);
}

/* ---- as JSON ---- */

/* One line, written whole: a reader may take line by line. Its members are in nczcopy(1). */
static void
print_json(const copy_progress *p, double at, const char *event)
{
    text_buf name = TEXT_BUF_INIT;

    text_set_terminal(true); /* where the line may be shown */
    if (p->what != NULL)
        text_add_json(&name, p->what, strlen(p->what));
    text_set_terminal(false);
    flockfile(stderr);
    fprintf(stderr, "{\"event\": \"%s\", \"phase\": \"%s\", \"done\": %.0f, \"total\": %.0f, \"moved\": %.0f, ",
            event, p->phase, p->done, p->total, p->moved);
    fprintf(stderr, "\"chunks\": %zu, \"milliseconds\": %.0f, \"variable\": %s}\n", p->chunks, (at - p->begun) * 1000,
            p->what != NULL ? name.s : "null");
    fflush(stderr);
    funlockfile(stderr);
    text_clear(&name);
}

void
copy_progress_add(copy_progress *p, double bytes, bool moved, size_t chunks, const char *what)
{
    double at;

    p->done += bytes;
    p->moved += moved ? bytes : 0;
    p->chunks += chunks;
    p->what = what;
    if (!p->on || (at = read_clock()) - p->shown < EACH_SECONDS)
        return;
    p->shown = at;
    if (p->json)
        print_json(p, at, "progress");
    else
        draw_line(p, at, false);
}

void
copy_progress_end(copy_progress *p, bool complete)
{
    if (p->on && p->json)
        print_json(p, read_clock(), complete ? "complete" : "failed");
    else if (p->on && complete)
        draw_line(p, read_clock(), true);
    p->on = false;
    copy_clear_line();
}
