/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress.c: one line on a terminal, drawn anew a few times a second: share, bytes, chunks, rate, time left. Silent
 * where nobody looks. Callers see to it that one thread at a time is in here.
 */
#include "copy_int.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EACH_SECONDS 0.2

enum { BAR = 24, WHAT = 20 };

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
copy_progress_begin(copy_progress *p, const copy_opts *o, double total)
{
    *p = (copy_progress){.on = o->progress == COPY_YES || (o->progress == COPY_AUTO && isatty(STDERR_FILENO)),
                         .total = total,
                         .begun = now()};
    p->shown = p->begun;
}

static void
clock_text(double seconds, char *out, size_t size)
{
    unsigned long s = seconds < 0 || seconds > 8640000 ? 8640000 : (unsigned long)(seconds + 0.5);

    if (s >= 3600)
        (void)snprintf(out, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        (void)snprintf(out, size, "%lu:%02lu", s / 60, s % 60);
}

static void
draw(const copy_progress *p, double at, bool end)
{
    char        bar[BAR + 1], done[32], total[32], rate[32], left[24] = "";
    double      share = p->total > 0 ? p->done / p->total : 1, took = at - p->begun;
    double      per_second = took > 0 ? p->moved / took : 0;
    const char *what = p->what != NULL ? p->what : "";
    size_t      full, len = strlen(what);

    share = share > 1 ? 1 : share;
    full = (size_t)(share * BAR);
    memset(bar, '=', full);
    memset(bar + full, ' ', BAR - full);
    bar[BAR] = '\0';
    if (end)
        clock_text(took, left, sizeof left);
    else if (per_second > 0)
        clock_text((p->total - p->done) / per_second, left, sizeof left);
    fprintf(stderr, "\r[%s] %3.0f%%  %s of %s  %zu chunks  %s/s  %s%s  %s%s\x1b[K", bar, share * 100,
            copy_size_text(p->done, done), copy_size_text(p->total, total), p->chunks,
            copy_size_text(per_second, rate), left, end || left[0] == '\0' ? "" : " left", len > WHAT ? "..." : "",
            end          ? ""
            : len > WHAT ? what + len - WHAT
                         : what);
    if (end)
        fputc('\n', stderr);
    fflush(stderr);
}

void
copy_progress_add(copy_progress *p, double bytes, bool moved, size_t chunks, const char *what)
{
    double at;

    p->done += bytes;
    p->moved += moved ? bytes : 0;
    p->chunks += chunks;
    p->what = what;
    if (!p->on || (at = now()) - p->shown < EACH_SECONDS)
        return;
    p->shown = at;
    draw(p, at, false);
}

void
copy_progress_end(copy_progress *p)
{
    if (p->on)
        draw(p, now(), true);
    p->on = false;
}
