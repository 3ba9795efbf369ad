/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test of classic files: a child process that creates one, also over an older one, changes it, appends
 * records, also with NC_SHARE, defines more, which moves data or fits into the room of the header, or changes
 * attributes and names in data mode, dies at its n-th system call on the store, for every n until it gets through.
 * After each death the file opens; its definitions are the old ones or the new ones; what was there is there, and
 * what was put is there or is not; and the same calls then succeed, and remove what was begun.
 *
 * usage: test_classic_kill [small]     small: many records lie in one chunk
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nczarr.h"
#include "support/kill.h"
#include "support/scratch.h"

enum { WIDTH_MOST = 600, WIDTH_SMALL = 6, RECS = 3, MORE = 4 };

static char   top[64], path[100];
static size_t width = WIDTH_MOST; /* elements of a record */
static size_t room;               /* in the header of a new file */

/* In the child: the first failure ends it. */
#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((call) != NC_NOERR)                                                                                      \
            return false;                                                                                            \
    } while (0)

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        if ((call) != NC_NOERR) {                                                                                    \
            fprintf(stderr, "[  FAILED  ] classic_kill: %s: %s\n", #call, nczarr_errmsg());                          \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

/* The value of element i in variable v of a state of the file. */
static int
value(int state, int v, size_t i)
{
    return state * 100000 + v * 10000 + (int)i;
}

/* Puts `n` records from `first` on, and the fixed variable if `fixed`. */
static bool
put_values(int ncid, int state, size_t first, size_t n, bool fixed)
{
    int b[WIDTH_MOST];

    for (size_t i = 0; i < width; i++)
        b[i] = value(state, 0, i);
    if (fixed)
        TRY(nc_put_var_int(ncid, 0, b));
    for (size_t r = first; r < first + n; r++) {
        for (size_t i = 0; i < width; i++)
            b[i] = value(state, 1, r * 1000 + i);
        TRY(nc_put_vara_int(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, width}, b));
        TRY(nc_put_var1_int(ncid, 2, &r, (int[]){value(state, 2, r)}));
    }
    return true;
}

static bool
create(void *arg)
{
    int state = *(const int *)arg, ncid, t, x, v;

    TRY(nc_create(path, NC_64BIT_OFFSET, &ncid));
    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    TRY(nc_def_dim(ncid, "x", width, &x));
    TRY(nc_def_var(ncid, "f", NC_INT, 1, &x, &v));
    TRY(nc_def_var(ncid, "r", NC_INT, 2, (int[]){t, x}, &v));
    TRY(nc_def_var(ncid, "q", NC_INT, 1, &t, &v));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "mark", 12, "a long value"));
    TRY(nc_put_att_int(ncid, NC_GLOBAL, "state", NC_INT, 1, &state));
    TRY(nc__enddef(ncid, room, 4, 0, 4));
    if (!put_values(ncid, state, 0, RECS, true))
        return false;
    TRY(nc_close(ncid));
    return true;
}

static bool
append(void *arg)
{
    int ncid;

    (void)arg;
    TRY(nc_open(path, NC_WRITE, &ncid));
    if (!put_values(ncid, 1, RECS, MORE, false))
        return false;
    TRY(nc_sync(ncid));
    if (!put_values(ncid, 1, RECS + MORE, MORE, false))
        return false;
    TRY(nc_close(ncid));
    return true;
}

/* Each record is there for others when it is put. */
static bool
append_shared(void *arg)
{
    int ncid;

    (void)arg;
    TRY(nc_open(path, NC_WRITE | NC_SHARE, &ncid));
    if (!put_values(ncid, 1, RECS, 2 * MORE, false))
        return false;
    TRY(nc_close(ncid));
    return true;
}

/* In data mode: the header gets smaller, so that what is behind the attribute lies elsewhere in it. */
static bool
change_in_place(void *arg)
{
    int ncid, dim;

    (void)arg;
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "mark", 3, "new"));
    if (nc_inq_dimid(ncid, "y", &dim) != NC_NOERR)
        TRY(nc_rename_dim(ncid, 1, "y"));
    TRY(nc_sync(ncid));
    if (!put_values(ncid, 1, RECS, MORE, false))
        return false;
    TRY(nc_close(ncid));
    return true;
}

/* All moves, and more records are put behind that, before others see any of it. */
static bool
define_twice(void *arg)
{
    int ncid, dims[2], v;

    (void)arg;
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_redef(ncid));
    TRY(nc_inq_vardimid(ncid, 1, dims));
    if (nc_inq_varid(ncid, "late", &v) != NC_NOERR)
        TRY(nc_def_var(ncid, "late", NC_DOUBLE, 2, dims, &v));
    TRY(nc__enddef(ncid, 2000, 4, 0, 4));
    if (!put_values(ncid, 1, RECS, MORE, false))
        return false;
    TRY(nc_redef(ncid));
    if (nc_inq_attid(ncid, NC_GLOBAL, "mark", NULL) == NC_NOERR)
        TRY(nc_del_att(ncid, NC_GLOBAL, "mark"));
    TRY(nc_enddef(ncid));
    TRY(nc_close(ncid));
    return true;
}

static bool
define(void *arg)
{
    static char text[3000];
    int         ncid, dims[2], v;

    (void)arg;
    memset(text, 'h', sizeof text);
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_redef(ncid));
    TRY(nc_inq_vardimid(ncid, 1, dims));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "history", sizeof text, text));
    if (nc_inq_varid(ncid, "late", &v) != NC_NOERR)
        TRY(nc_def_var(ncid, "late", NC_DOUBLE, 1, dims, &v));
    TRY(nc_enddef(ncid));
    TRY(nc_close(ncid));
    return true;
}

/* There is room: the header alone changes, over several sectors, and twice. */
static bool
define_in_place(void *arg)
{
    static char text[3000];
    int         ncid, dim;

    (void)arg;
    memset(text, 'h', sizeof text);
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_redef(ncid));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "history", sizeof text, text));
    if (nc_inq_dimid(ncid, "a longer name", &dim) != NC_NOERR)
        TRY(nc_rename_dim(ncid, 1, "a longer name"));
    TRY(nc_enddef(ncid));
    if (!put_values(ncid, 1, RECS, MORE, false))
        return false;
    TRY(nc_redef(ncid));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "history", sizeof text / 2, text));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "mark", 3, "new"));
    TRY(nc_enddef(ncid));
    TRY(nc_close(ncid));
    return true;
}

/* Whether an element has its value, or in a file whose data need not be there yet is filled. */
static bool
is_value(int got, int want, bool whole)
{
    return got == want || (!whole && got == NC_FILL_INT);
}

/* Whether the file has the values of a state in its first `recs` records, and in its fixed variable. Of the last new
 * record the second variable may be missing, or half of it is there: with NC_SHARE the record is there when the first
 * one is put. */
static bool
has_values(int ncid, int state, size_t recs, bool whole)
{
    int b[WIDTH_MOST], q;

    TRY(nc_get_var_int(ncid, 0, b));
    for (size_t i = 0; i < width; i++)
        if (!is_value(b[i], value(state, 0, i), whole))
            return false;
    for (size_t r = 0; r < recs; r++) {
        TRY(nc_get_vara_int(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, width}, b));
        TRY(nc_get_var1_int(ncid, 2, &r, &q));
        for (size_t i = 0; i < width; i++)
            if (!is_value(b[i], value(state, 1, r * 1000 + i), whole))
                return false;
        if (!is_value(q, value(state, 2, r), whole) && (r + 1 < recs || recs <= RECS))
            return false;
    }
    return true;
}

/* The attribute has one of its values, or none. */
static bool
has_mark(int ncid)
{
    char   text[64] = "";
    size_t n;

    if (nc_inq_attlen(ncid, NC_GLOBAL, "mark", &n) != NC_NOERR)
        return true;
    return n < sizeof text && nc_get_att_text(ncid, NC_GLOBAL, "mark", text) == NC_NOERR &&
           (strcmp(text, "a long value") == 0 || strcmp(text, "new") == 0);
}

/* What a death left: the state, and the records. False: it does not open, or has something else. */
static bool
look(int *state, size_t *recs, bool whole)
{
    int  ncid, t;
    bool good;

    if (nc_open(path, NC_NOWRITE, &ncid) != NC_NOERR)
        return false;
    good = nc_get_att_int(ncid, NC_GLOBAL, "state", state) == NC_NOERR && nc_inq_unlimdim(ncid, &t) == NC_NOERR &&
           nc_inq_dimlen(ncid, t, recs) == NC_NOERR && has_mark(ncid) && has_values(ncid, *state, *recs, whole);
    (void)nc_close(ncid);
    return good;
}

typedef struct scenario {
    const char *name;
    bool (*go)(void *arg);
    int    to;    /* the state that it makes */
    size_t recs;  /* records in the end */
    size_t steps; /* how many records each of its commits adds; 0: none */
    size_t room;  /* in the older file's header */
    bool   fresh; /* there is no older file: it is there from nc_enddef() on, when nothing is put yet */
} scenario;

static const scenario scenarios[] = {
    {"create", create, 2, RECS, 0},
    {"append", append, 1, RECS + 2 * MORE, MORE},
    {"append_shared", append_shared, 1, RECS + 2 * MORE, 1},
    {"define", define, 1, RECS, 0},
    {"define_twice", define_twice, 1, RECS + MORE, MORE},
    {"change_in_place", change_in_place, 1, RECS + MORE, MORE},
    {"define_in_place", define_in_place, 1, RECS + MORE, MORE, .room = 6000},
    {"create_fresh", create, 2, RECS, 0, .fresh = true},
};

static bool
wrong(const scenario *s, long n, const char *what)
{
    fprintf(stderr, "%s killed at call %ld: %s (%s)\n", s->name, n, what, nczarr_errmsg());
    return false;
}

/* After a death, or at the end of the calls. */
static bool
check_file(const scenario *s, long n, bool through)
{
    int    state = 0;
    size_t recs = 0;

    if (s->fresh && !through && !scratch_exists(path))
        return true;
    if (!look(&state, &recs, through || !s->fresh))
        return wrong(s, n, "it does not open, or has other values");
    if (!s->fresh && (s->steps == 0 ? recs != RECS : recs < RECS || (recs - RECS) % s->steps != 0))
        return wrong(s, n, "it has another number of records");
    if (through && (state != s->to || recs != s->recs))
        return wrong(s, n, "it is not what the calls made");
    return true;
}

static bool
survives(const scenario *s, long *points)
{
    int first = 1, to = s->to;

    for (long n = 1;; n++) {
        bool through;

        scratch_empty(top);
        room = s->room;
        if (!s->fresh && !create(&first))
            return wrong(s, n, "the older file cannot be made");
        through = kill_at_call(n, KILL_AT_CHANGES, s->name, s->go, &to);
        *points = n;
        if (!check_file(s, n, through))
            return false;
        if (!s->go(&to) || !check_file(s, n, true))
            return wrong(s, n, "the same calls do not succeed afterwards");
        if (scratch_find(top, ".nczarr-") > 0)
            return wrong(s, n, "a file that nothing leads to is left");
        if (through)
            return true;
    }
}

int
main(int argc, char **argv)
{
    bool failed = false;

    if (argc > 1 && strcmp(argv[1], "small") == 0)
        width = WIDTH_SMALL;

    snprintf(top, sizeof top, "%s/nczarr-classic-kill-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(top) == NULL)
        return 2;
    snprintf(path, sizeof path, "%s/f.bin", top);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        long points = 0;
        bool good = survives(&scenarios[i], &points);

        printf("[%s] classic_kill_%s at each of %ld system calls\n", good ? "       OK " : "  FAILED  ",
               scenarios[i].name, points);
        fflush(stdout);
        failed = failed || !good;
    }
    scratch_remove(top);
    return failed;
}
