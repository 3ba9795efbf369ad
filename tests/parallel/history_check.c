/* SPDX-License-Identifier: BSD-3-Clause */
/* history_check: is what is stored what the ranks reported? */
#include "history.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
say_why(history *h, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(h->why, sizeof h->why, format, args);
    va_end(args);
    return false;
}

void
history_expect(history *h, int run, int first, size_t len)
{
    h->len[history_stamp(run, h->s.epochs - 1) + 1] = len;
    for (int e = first; e < h->s.epochs; e++) {
        int        stamp = history_stamp(run, e);
        epoch_plan p;

        history_plan(&h->s, run, e, len, &p);
        if (e == first)
            h->len[stamp] = len;
        len = h->len[stamp + 1] = p.len;
        if (p.late)
            h->defined[VAR_LATE + e] = true;
        for (int i = 0; i < p.nops; i++)
            for (int r = 0; r < h->s.nranks; r++) {
                block  b;
                size_t var = (size_t)p.ops[i].var;

                if (!history_block(&h->s, &p.ops[i], r, &b))
                    continue;
                for (size_t y = 0; y < b.count[0]; y++)
                    for (size_t x = 0; x < b.count[1]; x++) {
                        size_t at = (b.start[0] + y) * HISTORY_WIDTH + b.start[1] + x * (size_t)b.stride[1];

                        h->written[var][at] |= (uint16_t)(1U << stamp);
                        h->owner[var][at] = (int8_t)r;
                    }
            }
    }
}

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static int
read_epoch(int ncid, int varid)
{
    int epoch = -1;

    return nc_get_att_int(ncid, varid, "epoch", &epoch) == NC_NOERR ? epoch : -1;
}

typedef struct stored {
    bool   there[HISTORY_VARS];
    size_t len;
    int    epoch, fixed_epoch; /* as the root's document and that of a variable say */
    int    value[HISTORY_VARS][HISTORY_LONGEST * HISTORY_WIDTH];
} stored;

static bool
read_var(history *h, int ncid, int var, stored *d)
{
    char   name[16];
    int    varid, dims[2], rank;
    size_t rows = 0, width = 0;

    history_name(var, name);
    for (size_t i = 0; i < HISTORY_LONGEST * HISTORY_WIDTH; i++)
        d->value[var][i] = NC_FILL_INT;
    if (nc_inq_varid(ncid, name, &varid) != NC_NOERR)
        return true;
    d->there[var] = true;
    if (nc_inq_var(ncid, varid, NULL, NULL, &rank, dims, NULL) != NC_NOERR || rank != 2 ||
        nc_inq_dimlen(ncid, dims[0], &rows) != NC_NOERR || nc_inq_dimlen(ncid, dims[1], &width) != NC_NOERR)
        return say_why(h, "%s cannot be inquired: %s", name, nczarr_errmsg());
    if (width != HISTORY_WIDTH || rows > HISTORY_LONGEST)
        return say_why(h, "%s has the shape %zu, %zu", name, rows, width);
    if (rows > 0 && nc_get_var_int(ncid, varid, d->value[var]) != NC_NOERR)
        return say_why(h, "%s cannot be read: %s", name, nczarr_errmsg());
    return true;
}

static bool
read_all(history *h, const char *url, stored *d)
{
    int  ncid, dimid, rc;
    bool good = true;

    *d = (stored){.epoch = -2};
    if ((rc = nc_open(url, NC_NOWRITE, &ncid)) != NC_NOERR)
        return say_why(h, "cannot be opened: %s", nczarr_errmsg());
    if (nc_inq_dimid(ncid, "t", &dimid) != NC_NOERR || nc_inq_dimlen(ncid, dimid, &d->len) != NC_NOERR)
        good = say_why(h, "the dimension is missing: %s", nczarr_errmsg());
    d->epoch = read_epoch(ncid, NC_GLOBAL);
    d->fixed_epoch = read_epoch(ncid, VAR_FIXED);
    for (int v = 0; good && v < HISTORY_VARS; v++)
        good = read_var(h, ncid, v, d);
    for (int v = 0; good && v < VAR_LATE; v++)
        if (!d->there[v])
            good = say_why(h, "variable %d is missing", v);
    if ((rc = nc_close(ncid)) != NC_NOERR && good)
        good = say_why(h, "close: %s", nczarr_errmsg());
    return good;
}

/* The stamp that a value was written in. -1: it is fill. -2: nobody wrote it there. */
static int
stamp_of(const history *h, int var, size_t at, int value)
{
    int stamp = value / 16000 - 1;

    if (value == NC_FILL_INT)
        return -1;
    if (stamp < 0 || stamp >= HISTORY_STAMPS || (h->written[var][at] >> stamp & 1) == 0 ||
        value != history_value(stamp, var, at / HISTORY_WIDTH, at % HISTORY_WIDTH))
        return -2;
    return stamp;
}

/* The last stamp up to `most` that wrote an element; -1: there is no such stamp. */
static int
last_write(const history *h, int var, size_t at, int most)
{
    for (int s = most; s >= 0; s--)
        if ((h->written[var][at] >> s & 1) != 0)
            return s;
    return -1;
}

/* `least`: with ranks, the stamp whose documents are there: nothing before it may be missing. */
static bool
check_values(history *h, const stored *d, const report *r, const report *again, int least)
{
    for (int v = 0; v < HISTORY_VARS; v++)
        for (size_t i = 0; d->there[v] && i < (v == VAR_RECORDS ? d->len : HISTORY_ROWS) * HISTORY_WIDTH; i++) {
            int owner = h->owner[v][i], stamp = stamp_of(h, v, i, d->value[v][i]), must = least;

            if (h->s.jobs && h->written[v][i] != 0)
                must = again != NULL ? history_stamp(1, again[owner].acked) : r[owner].acked;
            if (must >= 0 && h->s.jobs && again != NULL && last_write(h, v, i, must) < HISTORY_EPOCHS)
                must = r[owner].acked;
            if (stamp == -2)
                return say_why(h, "nobody wrote the %d at %d[%zu, %zu]", d->value[v][i], v, i / HISTORY_WIDTH,
                               i % HISTORY_WIDTH);
            if (stamp < last_write(h, v, i, must))
                return say_why(h,
                               "the value of stamp %d is lost at %d[%zu, %zu]: that of %d is there; stored up to %d",
                               last_write(h, v, i, must), v, i / HISTORY_WIDTH, i % HISTORY_WIDTH, stamp, must);
        }
    return true;
}

/* ---- after the first run ----------------------------------------------------------------------------------------- */

static int
most_acked(const history *h, const report *r)
{
    int most = -2;

    for (int i = 0; i < h->s.nranks; i++)
        most = r[i].acked > most ? r[i].acked : most;
    return most;
}

/* Without a communicator each process is acknowledged by itself. */
static bool
check_jobs(history *h, const stored *d, const report *r, const report *again, int run)
{
    size_t least = 0, most = 0;

    for (int i = 0; i < h->s.nranks; i++) {
        const report *of = again != NULL ? &again[i] : &r[i];
        epoch_plan    p;
        block         b;

        history_plan(&h->s, run, 0, 0, &p);
        if (p.nops == 0 || !history_block(&h->s, &p.ops[0], i, &b))
            continue; /* it has no part of the records */

        if (of->acked >= 0 && least < h->len[history_stamp(run, of->acked) + 1])
            least = h->len[history_stamp(run, of->acked) + 1];
        if (of->started >= 0 && most < h->len[history_stamp(run, of->started) + 1])
            most = h->len[history_stamp(run, of->started) + 1];
    }
    if (again != NULL && h->found_len > least)
        least = h->found_len;
    if ((h->s.without >> VAR_RECORDS & 1) == 0 && (d->len < least || (d->len > most && d->len > h->found_len)))
        return say_why(h, "the length is %zu, but %zu is acknowledged, and nobody wrote beyond %zu", d->len, least,
                       most);
    h->found_len = d->len;
    return check_values(h, d, r, again, -1);
}

/* The documents of an epoch follow its data; those of two epochs may be there only while one replaces the other. */
static bool
check_ranks(history *h, const stored *d, const report *r)
{
    int acked = most_acked(h, r), newest = d->epoch;

    if (d->epoch < acked)
        return say_why(h, "epoch %d is acknowledged, but the documents are those of %d", acked, d->epoch);
    if (d->epoch + 1 < h->s.epochs && d->len == h->len[d->epoch + 2] && d->len != h->len[d->epoch + 1])
        newest = d->epoch + 1;
    else if (d->len != h->len[d->epoch + 1])
        return say_why(h, "the length is %zu in epoch %d, which has %zu", d->len, d->epoch, h->len[d->epoch + 1]);
    for (int v = VAR_LATE; v < HISTORY_VARS; v++) {
        if (d->there[v] && v - VAR_LATE > newest && d->epoch >= 0) /* a new dataset's definitions come first */
            newest = v - VAR_LATE;
        if (!d->there[v] && h->defined[v] && v - VAR_LATE <= d->epoch)
            return say_why(h, "the variable of epoch %d is missing in epoch %d", v - VAR_LATE, d->epoch);
    }
    newest = d->fixed_epoch > newest ? d->fixed_epoch : newest;
    if (newest > d->epoch + 1 || d->fixed_epoch < d->epoch)
        return say_why(h, "documents of the epochs %d, %d and %d are there at once", d->epoch, d->fixed_epoch,
                       newest);
    return check_values(h, d, r, NULL, newest);
}

static void
find_nothing(history *h)
{
    h->found_len = 0;
    h->found_epoch = -2;
    for (int v = 0; v < HISTORY_VARS; v++)
        for (size_t i = 0; i < HISTORY_LONGEST * HISTORY_WIDTH; i++)
            h->found[v][i] = NC_FILL_INT;
}

bool
history_check(history *h, const char *url, const report *r)
{
    static stored d; /* large */
    bool          readable, acked = h->s.jobs || most_acked(h, r) > -2;

    h->single_len = h->found_len;
    memcpy(h->single, h->found[VAR_RECORDS], sizeof h->single);
    find_nothing(h);
    readable = read_all(h, url, &d);
    if (!readable && (acked || d.epoch != -2))
        return false;
    if (readable && !(h->s.jobs ? check_jobs(h, &d, r, NULL, 0) : check_ranks(h, &d, r)))
        return false;
    if (!acked) { /* it is created again: readers of a consolidated copy may see it sooner than writers */
        find_nothing(h);
        return true;
    }
    h->found_epoch = d.epoch;
    h->found_len = d.len;
    /* What lies beyond the length, or has no document, must not come back. */
    for (int v = 0; v < HISTORY_VARS; v++) {
        size_t rows = !d.there[v] ? 0 : h->s.jobs ? HISTORY_LONGEST : v == VAR_RECORDS ? d.len : HISTORY_ROWS;

        memcpy(h->found[v], d.value[v], rows * HISTORY_WIDTH * sizeof **h->found);
    }
    return true;
}

bool
history_check_again(history *h, const char *url, const report *r, const report *again)
{
    static stored d;
    int           last = history_stamp(1, h->s.epochs - 1);
    size_t        len = h->len[last + 1] > h->single_len ? h->len[last + 1] : h->single_len;

    if (!read_all(h, url, &d))
        return false;
    if (h->s.jobs)
        return check_jobs(h, &d, r, again, 1);
    if (d.epoch != h->s.epochs - 1 || (d.len != len && d.len != h->len[last + 1]))
        return say_why(h, "written again: epoch %d with the length %zu, not %d and %zu", d.epoch, d.len,
                       h->s.epochs - 1, h->len[last + 1]);
    for (int v = 0; v < HISTORY_VARS; v++)
        for (size_t i = 0; d.there[v] && i < (v == VAR_RECORDS ? d.len : HISTORY_ROWS) * HISTORY_WIDTH; i++) {
            int stamp = last_write(h, v, i, last), want = h->found[v][i];

            if (stamp >= HISTORY_EPOCHS)
                want = history_value(stamp, v, i / HISTORY_WIDTH, i % HISTORY_WIDTH);
            if (v == VAR_RECORDS && stamp < HISTORY_EPOCHS && i / HISTORY_WIDTH >= h->found_len &&
                i / HISTORY_WIDTH < h->single_len && d.value[v][i] == h->single[i])
                continue;
            if (d.value[v][i] != want)
                return say_why(h, "written again: %d[%zu, %zu] is %d, not %d", v, i / HISTORY_WIDTH,
                               i % HISTORY_WIDTH, d.value[v][i], want);
        }
    return true;
}
