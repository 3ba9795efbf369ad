/* SPDX-License-Identifier: BSD-3-Clause */
#include "crash/netcdf4_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf5/hdf5_check.h"
#include "hdf5/hdf5_json.h"
#include "nczarr.h"
#include "support/scratch.h"

enum { WIDTH_MOST = 1024, HISTORY = 3000, LATE = 2 }; /* LATE: the step that defines more */

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        int try_rc = (call);                                                                                         \
        if (try_rc != NC_NOERR)                                                                                      \
            return try_rc;                                                                                           \
    } while (0)

/* ---- what a step has -------------------------------------------------------------------------------------------- */

static size_t
count_records(int step)
{
    static const size_t n[STEPS_ALL] = {3, 5, 5, 5, 6, 8, 9, 9, 11, 11, 31, 31};

    return step < 0 ? 0 : n[step];
}

/* How often the record was put. */
static int
generation(int step, size_t r)
{
    if (step == STEPS_ALL - 1)
        return 2;
    return (r == 0 && step >= 5) || (r == 1 && step >= 8) ? 1 : 0;
}

static int
value(int version, int generation, int var, size_t r, int i)
{
    return version * 10000000 + generation * 1000000 + var * 100000 + (int)r * 1000 + i % 1000;
}

static void
text(int version, int generation, size_t r, char out[300])
{
    int n = snprintf(out, 300, "record %d of %d, put %d times:", (int)r, version, generation);

    memset(out + n, 'a' + (int)r % 26, r * 8);
    out[n + (int)r * 8] = '\0';
}

/* Whether there is such a variable, dimension, attribute or group. Sets `rc` where that cannot be said. */
static bool
is_there(int found, int absent, int *rc)
{
    if (found != NC_NOERR && found != absent)
        *rc = found;
    return found == NC_NOERR;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static int
put_record(const steps_file *f, int ncid, int version, int generation, size_t r)
{
    int         row[WIDTH_MOST], q, s;
    double      here = value(version, generation, 1, r, 0);
    char        buf[300];
    const char *p = buf;

    for (int i = 0; i < f->width; i++)
        row[i] = value(version, generation, 0, r, i);
    TRY(nc_put_vara_int(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, (size_t)f->width}, row));
    TRY(nc_inq_varid(ncid, "q", &q));
    TRY(nc_put_var1_double(ncid, q, &r, &here));
    if (!f->texts)
        return NC_NOERR;
    text(version, generation, r, buf);
    TRY(nc_inq_varid(ncid, "s", &s));
    return nc_put_var1_string(ncid, s, &r, &p);
}

/* Records as they are after a step, from `first` on. */
static int
put_records(const steps_file *f, int ncid, int step, size_t first)
{
    int version;

    TRY(nc_get_att_int(ncid, NC_GLOBAL, "version", &version));
    for (size_t r = first; r < count_records(step); r++)
        TRY(put_record(f, ncid, version, generation(step, r), r));
    return NC_NOERR;
}

static int
put_again(const steps_file *f, int ncid, int step, size_t r)
{
    int version;

    TRY(nc_get_att_int(ncid, NC_GLOBAL, "version", &version));
    return put_record(f, ncid, version, generation(step, r), r);
}

static int
define(const steps_file *f, int ncid, int version)
{
    int t, x, v;

    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    TRY(nc_def_dim(ncid, "x", (size_t)f->width, &x));
    TRY(nc_def_var(ncid, "f", NC_INT, 1, &x, &v));
    TRY(nc_def_var(ncid, "r", NC_INT, 2, (int[]){t, x}, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){1, (size_t)(f->width + 1) / 2}));
    TRY(nc_def_var_deflate(ncid, v, 1, 1, 1));
    TRY(nc_def_var(ncid, "q", NC_DOUBLE, 1, &t, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){4}));
    if (f->texts) {
        TRY(nc_def_var(ncid, "s", NC_STRING, 1, &t, &v));
        TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
    }
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "mark", 12, "a long value"));
    TRY(nc_put_att_int(ncid, NC_GLOBAL, "version", NC_INT, 1, &version));
    return nc_put_att_int(ncid, NC_GLOBAL, "step", NC_INT, 1, (int[]){-1});
}

static int
start(const steps_file *f, int ncid)
{
    int row[WIDTH_MOST], version;

    (void)nc_enddef(ncid); /* refused where it was done before. A new file is shown then, at step -1 */
    TRY(nc_put_att_int(ncid, NC_GLOBAL, "step", NC_INT, 1, (int[]){0}));
    TRY(nc_get_att_int(ncid, NC_GLOBAL, "version", &version));
    for (int i = 0; i < f->width; i++)
        row[i] = value(version, 0, 2, 0, i);
    TRY(nc_put_var_int(ncid, 0, row));
    TRY(put_records(f, ncid, 0, 0));
    return nc_sync(ncid);
}

static int
define_more(int ncid)
{
    int t, v, g, rc = nc_redef(ncid);

    if (rc != NC_NOERR && rc != NC_EINDEFINE)
        return rc;
    TRY(nc_inq_dimid(ncid, "t", &t));
    rc = NC_NOERR;
    if (!is_there(nc_inq_varid(ncid, "late", &v), NC_ENOTVAR, &rc) && rc == NC_NOERR)
        TRY(nc_def_var(ncid, "late", NC_DOUBLE, 1, &t, &v));
    if (!is_there(nc_inq_grp_ncid(ncid, "g", &g), NC_ENOGRP, &rc) && rc == NC_NOERR)
        TRY(nc_def_grp(ncid, "g", &g));
    return rc == NC_NOERR ? nc_enddef(ncid) : rc;
}

static int
rename_all(int ncid)
{
    int v, d, rc = NC_NOERR;

    if (is_there(nc_inq_varid(ncid, "r", &v), NC_ENOTVAR, &rc))
        TRY(nc_rename_var(ncid, v, "a longer name"));
    if (is_there(nc_inq_dimid(ncid, "x", &d), NC_EBADDIM, &rc))
        TRY(nc_rename_dim(ncid, d, "xx"));
    TRY(rc);
    TRY(nc_inq_varid(ncid, "late", &v));
    TRY(nc_put_var1_double(ncid, v, (size_t[]){0}, (double[]){7}));
    return nc_sync(ncid);
}

static int
change_atts(const steps_file *f, int ncid)
{
    static char history[HISTORY];
    int         rc = NC_NOERR;

    memset(history, 'h', sizeof history);
    if (is_there(nc_inq_attid(ncid, NC_GLOBAL, "mark", NULL), NC_ENOTATT, &rc))
        TRY(nc_del_att(ncid, NC_GLOBAL, "mark"));
    TRY(rc);
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "history", sizeof history, history));
    TRY(put_records(f, ncid, 4, count_records(3)));
    return nc_sync(ncid);
}

static int
define_in_group(int ncid)
{
    int t, v, g, rc = nc_redef(ncid);

    if (rc != NC_NOERR && rc != NC_EINDEFINE)
        return rc;
    TRY(nc_inq_dimid(ncid, "t", &t));
    TRY(nc_inq_grp_ncid(ncid, "g", &g));
    rc = NC_NOERR;
    if (!is_there(nc_inq_varid(g, "later", &v), NC_ENOTVAR, &rc) && rc == NC_NOERR)
        TRY(nc_def_var(g, "later", NC_SHORT, 1, &t, &v));
    if (is_there(nc_inq_varid(ncid, "late", &v), NC_ENOTVAR, &rc))
        TRY(nc_rename_var(ncid, v, "late2"));
    return rc == NC_NOERR ? nc_enddef(ncid) : rc;
}

static int
put_in_group(const steps_file *f, int ncid)
{
    int v, g;

    TRY(put_again(f, ncid, 8, 1));
    TRY(put_records(f, ncid, 8, count_records(7)));
    TRY(nc_inq_grp_ncid(ncid, "g", &g));
    TRY(nc_inq_varid(g, "later", &v));
    TRY(nc_put_var1_short(g, v, (size_t[]){2}, (short[]){9}));
    return nc_sync(ncid);
}

static int
rename_att(int ncid)
{
    int rc = NC_NOERR;

    if (is_there(nc_inq_attid(ncid, NC_GLOBAL, "history", NULL), NC_ENOTATT, &rc))
        TRY(nc_rename_att(ncid, NC_GLOBAL, "history", "story"));
    return rc == NC_NOERR ? nc_sync(ncid) : rc;
}

/* A step, but for the close that ends the last one of a session. */
static int
do_step(const steps_file *f, int ncid, int step)
{
    if (step > 0)
        TRY(nc_put_att_int(ncid, NC_GLOBAL, "step", NC_INT, 1, &step));
    switch (step) {
    case 0: return start(f, ncid);
    case 1: TRY(put_records(f, ncid, 1, count_records(0))); return nc_sync(ncid);
    case LATE: return define_more(ncid);
    case 3: return rename_all(ncid);
    case 4: return change_atts(f, ncid);
    case 5: TRY(put_again(f, ncid, 5, 0)); return put_records(f, ncid, 5, count_records(4));
    case 6: TRY(put_records(f, ncid, 6, count_records(5))); return nc_sync(ncid);
    case 7: return define_in_group(ncid);
    case 8: return put_in_group(f, ncid);
    case 9: return rename_att(ncid);
    case 10: TRY(put_records(f, ncid, 10, count_records(9))); return nc_sync(ncid);
    default: return put_records(f, ncid, STEPS_ALL - 1, 0);
    }
}

/* Notes the first failure. */
static int
note(steps_log *log, int rc, int *first)
{
    if (rc == NC_NOERR)
        return rc;
    (void)snprintf(*first == NC_NOERR ? log->why : log->last, sizeof log->why, "%d, %s", rc, nczarr_errmsg());
    *first = *first == NC_NOERR ? rc : *first;
    return rc;
}

/* Steps from `first` on, and the close. */
static int
go_on(const steps_file *f, int ncid, int from, int end, steps_log *log)
{
    int rc = NC_NOERR, first = NC_NOERR;

    for (int step = from; step < end && rc == NC_NOERR; step++) {
        log->begun = step;
        for (int i = 0; (rc = note(log, do_step(f, ncid, step), &first)) != NC_NOERR && i < f->tries; i++) {
        }
        if (rc == NC_NOERR && step < end - 1)
            log->done = step;
    }
    if (rc != NC_NOERR && f->abort)
        (void)nc_abort(ncid);
    else if (note(log, nc_close(ncid), &first) == NC_NOERR && rc == NC_NOERR)
        log->done = log->begun;
    return first;
}

int
steps_create(const steps_file *f, int version, steps_log *log)
{
    int ncid, first = NC_NOERR;

    *log = (steps_log){-1, -1, "", ""};
    if (note(log, nc_create(f->url, NC_NETCDF4, &ncid), &first) != NC_NOERR)
        return first;
    if (note(log, define(f, ncid, version), &first) == NC_NOERR)
        return go_on(f, ncid, 0, STEPS_CREATED, log);
    (void)nc_abort(ncid);
    return first;
}

int
steps_append(const steps_file *f, steps_log *log)
{
    int ncid, first = NC_NOERR, step = -1;

    *log = (steps_log){STEPS_CREATED - 1, STEPS_CREATED - 1, "", ""};
    if (note(log, nc_open(f->url, NC_WRITE, &ncid), &first) != NC_NOERR)
        return first;
    if (note(log, nc_get_att_int(ncid, NC_GLOBAL, "step", &step), &first) == NC_NOERR)
        return go_on(f, ncid, step + 1, STEPS_ALL, log);
    (void)nc_close(ncid);
    return first;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool
wrong(char why[400], const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(why, 400, fmt, args);
    va_end(args);
    return false;
}

#define GET(call)                                                                                                    \
    do {                                                                                                             \
        if ((call) != NC_NOERR)                                                                                      \
            return wrong(why, "%s: %s", #call, nczarr_errmsg());                                                     \
    } while (0)

static bool
has_text(int ncid, int version, int generation, size_t r, char why[400])
{
    char want[300], *got = NULL;
    int  s;
    bool same;

    GET(nc_inq_varid(ncid, "s", &s));
    text(version, generation, r, want);
    GET(nc_get_var1_string(ncid, s, &r, &got));
    same = got != NULL && strcmp(got, want) == 0;
    if (!same)
        (void)wrong(why, "text %zu is \"%.99s\", not \"%.99s\"", r, got == NULL ? "(null)" : got, want);
    (void)nc_free_string(1, &got);
    return same;
}

static bool
has_record(const steps_file *f, int ncid, int version, int generation, size_t r, char why[400])
{
    int    row[WIDTH_MOST], q;
    double here;

    GET(nc_get_vara_int(ncid, 1, (size_t[]){r, 0}, (size_t[]){1, (size_t)f->width}, row));
    for (int i = 0; i < f->width; i++)
        if (row[i] != value(version, generation, 0, r, i))
            return wrong(why, "record %zu: element %d is %d, not %d", r, i, row[i],
                         value(version, generation, 0, r, i));
    GET(nc_inq_varid(ncid, "q", &q));
    GET(nc_get_var1_double(ncid, q, &r, &here));
    if (here != value(version, generation, 1, r, 0))
        return wrong(why, "q of record %zu is %g, not %d", r, here, value(version, generation, 1, r, 0));
    return !f->texts || has_text(ncid, version, generation, r, why);
}

static bool
has_names(int ncid, int step, char why[400])
{
    int    v, g;
    size_t n;
    double late;
    short  later;

    GET(nc_inq_varid(ncid, step < 3 ? "r" : "a longer name", &v));
    GET(nc_inq_dimid(ncid, step < 3 ? "x" : "xx", &v));
    if ((nc_inq_attid(ncid, NC_GLOBAL, "mark", NULL) == NC_NOERR) != (step < 4))
        return wrong(why, "\"mark\" is there or not");
    if (step >= 4)
        GET(nc_inq_attlen(ncid, NC_GLOBAL, step < 9 ? "history" : "story", &n));
    if (step < LATE)
        return true;
    GET(nc_inq_varid(ncid, step < 7 ? "late" : "late2", &v));
    GET(nc_get_var1_double(ncid, v, (size_t[]){0}, &late));
    if (late != (step < 3 ? (double)NC_FILL_DOUBLE : 7))
        return wrong(why, "\"late\" is %g", late);
    GET(nc_inq_grp_ncid(ncid, "g", &g));
    if (step < 7)
        return true;
    GET(nc_inq_varid(g, "later", &v));
    GET(nc_get_var1_short(g, v, (size_t[]){2}, &later));
    return later == (step < 8 ? NC_FILL_SHORT : 9) || wrong(why, "\"later\" is %d", later);
}

static bool
has_all(const steps_file *f, int ncid, int version, int step, char why[400])
{
    int    row[WIDTH_MOST], t;
    size_t n;

    if (step < -1 || step >= STEPS_ALL)
        return wrong(why, "its step is %d", step);
    GET(nc_inq_dimid(ncid, "t", &t));
    GET(nc_inq_dimlen(ncid, t, &n));
    if (n != count_records(step))
        return wrong(why, "step %d has %zu records, not %zu", step, n, count_records(step));
    GET(nc_get_var_int(ncid, 0, row));
    for (int i = 0; i < f->width; i++)
        if (row[i] != (step < 0 ? NC_FILL_INT : value(version, 0, 2, 0, i)))
            return wrong(why, "element %d of \"f\" is %d", i, row[i]);
    for (size_t r = 0; r < n; r++)
        if (!has_record(f, ncid, version, generation(step, r), r, why))
            return false;
    return has_names(ncid, step, why);
}

bool
steps_look(const steps_file *f, const char *path, int *version, int *step, char why[400])
{
    int  ncid;
    bool good = false;

    why[0] = '\0';
    if (nc_open(path, NC_NOWRITE, &ncid) != NC_NOERR)
        return wrong(why, "%s", nczarr_errmsg());
    if (nc_get_att_int(ncid, NC_GLOBAL, "version", version) == NC_NOERR &&
        nc_get_att_int(ncid, NC_GLOBAL, "step", step) == NC_NOERR)
        good = has_all(f, ncid, *version, *step, why);
    else
        (void)wrong(why, "%s", nczarr_errmsg());
    (void)nc_close(ncid);
    return good;
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

typedef struct sound {
    char    *why;
    uint64_t end;
    bool     overlaps;
} sound;

static int
take_fault(void *arg, const ncz_hdf5_fault *fault)
{
    (void)wrong(((sound *)arg)->why, "%s at %llu: %s", fault->path, (unsigned long long)fault->addr, fault->text);
    return NC_NOERR;
}

static int
take_extent(void *arg, const ncz_hdf5_extent *e)
{
    sound *s = arg;

    if (e->addr < s->end)
        (void)wrong(s->why, "%s of %s at %llu overlap what is before", ncz_hdf5_part_name(e->part), e->path,
                    (unsigned long long)e->addr);
    s->end = e->addr + e->len;
    return NC_NOERR;
}

bool
steps_sound(const char *path, char why[400])
{
    size_t           len = 0;
    char            *file = scratch_read(path, &len);
    hdf5_bytes       bytes = {.data = (unsigned char *)file, .len = len};
    ncz_read_source  source = hdf5_bytes_source(&bytes);
    ncz_hdf5        *f = NULL;
    sound            s = {.why = why};
    ncz_hdf5_checker c = {.fault = take_fault, .extent = take_extent, .arg = &s};
    int              rc;

    why[0] = '\0';
    if (file == NULL)
        return wrong(why, "there is no file");
    if ((rc = ncz_hdf5_open(&source, &ncz_limits_default, &f)) == NC_NOERR)
        rc = ncz_hdf5_check(f, &c);
    if (rc != NC_NOERR && why[0] == '\0')
        (void)wrong(why, "check: %s", nczarr_errmsg());
    else if (s.end > len)
        (void)wrong(why, "it has %zu bytes and uses %llu", len, (unsigned long long)s.end);
    ncz_hdf5_close(f);
    free(file);
    return why[0] == '\0';
}
