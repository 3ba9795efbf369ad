/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_comm: agreements between the ranks that share a dataset, over the program's table of functions.
 *
 * An agreement is one allreduce_max of three numbers: the failing rank (nranks - rank, so that the lowest wins), and
 * the tag of the call with both signs, whose maxima show whether all tags are equal. Only after a failure more is
 * exchanged: the error with its text, or which rank made which call. So all ranks always take the same branch.
 */
#include "par/par_comm.h"

#include <string.h>

struct ncz_comm {
    nczarr_comm table;
    ncz_err     failed; /* final */
};

/* An error on its way to the other ranks. */
typedef struct error_message {
    int64_t code;
    char    text[NCZ_ERR_TEXT];
} error_message;

static const char *const call_names[] = {
    [NCZ_COMM_CREATE] = "nczarr_create_par()", [NCZ_COMM_OPEN] = "nczarr_open_par()",
    [NCZ_COMM_ENDDEF] = "nc_enddef()",         [NCZ_COMM_SYNC] = "nc_sync()",
    [NCZ_COMM_PUT] = "a collective put",       [NCZ_COMM_CLOSE] = "nc_close()",
    [NCZ_COMM_ABORT] = "nc_abort()",           [NCZ_COMM_DECOMPOSE] = "nczarr_def_var_decomposition()",
    [NCZ_COMM_REDEF] = "nc_redef()",
};

void
ncz_comm_free(ncz_comm *c)
{
    if (c == NULL)
        return;
    if (c->table.release != NULL)
        c->table.release(c->table.context);
    ncz_free(c);
}

bool
ncz_comm_first(const ncz_comm *c)
{
    return c == NULL || c->table.rank == 0;
}

int
ncz_comm_rank(const ncz_comm *c)
{
    return c != NULL ? c->table.rank : 0;
}

size_t
ncz_comm_size(const ncz_comm *c)
{
    return c != NULL ? (size_t)c->table.nranks : 1;
}

bool
ncz_comm_exchanges(const ncz_comm *c)
{
    return c->table.alltoall != NULL && c->table.nranks > 1;
}

/* Makes the current error final. */
static int
set_failed(ncz_comm *c, int rc)
{
    ncz_err_save(&c->failed, rc);
    return rc;
}

/* A function of the table returned `rc`, and may have recorded a text. */
static int
fail_message(const ncz_comm *c, const char *function, int rc)
{
    const char *text = ncz_err_text();

    return ncz_fail(rc, "the communicator of rank %d fails (%s returns %d): %s", c->table.rank, function, rc,
                    text[0] != '\0' ? text : "another rank may have ended");
}

static int
reduce(ncz_comm *c, int64_t *values, size_t n)
{
    int rc;

    if (c->failed.code != NC_NOERR)
        return ncz_err_adopt(&c->failed);
    ncz_err_clear();
    rc = c->table.allreduce_max(c->table.context, values, n);
    return rc == NC_NOERR ? rc : set_failed(c, fail_message(c, "allreduce_max", rc));
}

static int
broadcast(ncz_comm *c, int root, void *data, size_t len)
{
    int rc;

    if (c->failed.code != NC_NOERR)
        return ncz_err_adopt(&c->failed);
    ncz_err_clear();
    rc = c->table.broadcast(c->table.context, root, data, len);
    return rc == NC_NOERR ? rc : set_failed(c, fail_message(c, "broadcast", rc));
}

/* The number whose maximum shows the lowest rank for which `yes` holds; 0: for none. */
static int64_t
rank_mark(const ncz_comm *c, bool yes)
{
    return yes ? c->table.nranks - c->table.rank : 0;
}

static int
marked_rank(const ncz_comm *c, int64_t mark)
{
    return c->table.nranks - (int)mark;
}

static const char *
call_name(int64_t tag)
{
    size_t call = (size_t)(tag & 0xFF);

    return call < sizeof call_names / sizeof *call_names ? call_names[call] : "an unknown call";
}

/* Ranks made different calls: finds out which, and makes that the final error. */
static int
fail_different(ncz_comm *c, int64_t tag)
{
    int64_t first = tag, other = tag, mark;
    int     rc, rank;

    if ((rc = broadcast(c, 0, &first, sizeof first)) != NC_NOERR)
        return rc;
    mark = rank_mark(c, first != tag);
    if ((rc = reduce(c, &mark, 1)) != NC_NOERR)
        return rc;
    rank = marked_rank(c, mark);
    if ((rc = broadcast(c, rank, &other, sizeof other)) != NC_NOERR)
        return rc;
    return set_failed(c, ncz_fail(NC_EINVAL,
                                  "rank %d makes %s while rank 0 makes %s%s: all ranks must make the same collective "
                                  "calls in the same order; the dataset can only be closed now",
                                  rank, call_name(other), call_name(first),
                                  (other & 0xFF) == (first & 0xFF) ? " of another variable" : ""));
}

/* Gives the error of one rank to all. */
static int
fail_on_all(ncz_comm *c, int rank, int code)
{
    error_message m = {.code = code};
    int           rc;

    (void)strncpy(m.text, ncz_err_text(), sizeof m.text - 1);
    if ((rc = broadcast(c, rank, &m, sizeof m)) != NC_NOERR)
        return rc;
    m.text[sizeof m.text - 1] = '\0';
    return ncz_fail((int)m.code, "rank %d: %s", rank, m.text);
}

int
ncz_comm_agree(ncz_comm *c, ncz_comm_call call, uint64_t object, int rc)
{
    int64_t tag = (int64_t)(object << 8 | (uint64_t)call);
    int64_t v[] = {0, tag, -tag};
    ncz_err own;
    int     failed;

    if (c == NULL)
        return rc;
    v[0] = rank_mark(c, rc != NC_NOERR);
    ncz_err_save(&own, rc);
    if ((failed = reduce(c, v, sizeof v / sizeof *v)) != NC_NOERR)
        return failed;
    if (v[1] != -v[2])
        return fail_different(c, tag);
    if (v[0] == 0)
        return NC_NOERR;
    if (rc != NC_NOERR)
        (void)ncz_err_adopt(&own);
    return fail_on_all(c, marked_rank(c, v[0]), rc);
}

int
ncz_comm_new(const nczarr_comm *table, ncz_comm_call call, ncz_comm **out)
{
    ncz_comm *c, first = {.failed = {.code = NC_NOERR}};
    int       rc;

    if (table == NULL || table->size < sizeof *table)
        return ncz_fail(NC_EPARINIT, "no communicator, or its `size` is not that of nczarr_comm");
    if (table->broadcast == NULL || table->allreduce_max == NULL)
        return ncz_fail(NC_EPARINIT, "the communicator lacks a function: broadcast or allreduce_max");
    if (table->nranks < 1 || table->rank < 0 || table->rank >= table->nranks || table->node_ranks < 1)
        return ncz_fail(NC_EPARINIT, "the communicator has rank %d of %d, %d of them on this machine", table->rank,
                        table->nranks, table->node_ranks);
    first.table = *table;
    /* Without its own memory a rank still takes part, so that nobody waits for it. */
    c = ncz_zalloc(sizeof *c);
    rc = ncz_comm_agree(&first, call, 0, c == NULL ? ncz_fail_nomem(sizeof *c) : NC_NOERR);
    if (rc != NC_NOERR) {
        ncz_free(c);
        if (table->release != NULL)
            table->release(table->context);
        return rc;
    }
    *c = first;
    *out = c;
    return NC_NOERR;
}

/* In blocks on the stack: a rank that ran out of memory here would keep the others waiting. */
int
ncz_comm_max(ncz_comm *c, uint64_t *values, size_t n)
{
    int64_t v[32];
    size_t  most = sizeof v / sizeof *v;

    for (size_t at = 0, some; c != NULL && at < n; at += some) {
        int rc;

        some = n - at < most ? n - at : most;
        for (size_t i = 0; i < some; i++)
            v[i] = (int64_t)values[at + i];
        if ((rc = reduce(c, v, some)) != NC_NOERR)
            return rc;
        for (size_t i = 0; i < some; i++)
            values[at + i] = (uint64_t)v[i];
    }
    return NC_NOERR;
}

int
ncz_comm_same(ncz_comm *c, uint64_t digest, bool *same)
{
    int64_t d = (int64_t)(digest >> 1), v[] = {d, -d};
    int     rc = reduce(c, v, 2);

    if (rc == NC_NOERR)
        *same = v[0] == -v[1];
    return rc;
}

int
ncz_comm_share(ncz_comm *c, ncz_comm_call call, ncz_buf *bytes)
{
    int64_t len = (int64_t)bytes->len;
    int     rc;

    if ((rc = broadcast(c, 0, &len, sizeof len)) != NC_NOERR)
        return rc;
    if (!ncz_comm_first(c)) {
        ncz_buf_reset(bytes);
        rc = (uint64_t)len <= SIZE_MAX ? ncz_buf_reserve(bytes, (size_t)len) : ncz_fail_nomem(SIZE_MAX);
    }
    if ((rc = ncz_comm_agree(c, call, 0, rc)) != NC_NOERR || len == 0)
        return rc;
    if ((rc = broadcast(c, 0, bytes->data, (size_t)len)) != NC_NOERR)
        return rc;
    bytes->len = (size_t)len;
    bytes->data[bytes->len] = '\0';
    return NC_NOERR;
}

static int
alltoall(ncz_comm *c, const void *send, const size_t *send_len, void *received, const size_t *received_len)
{
    int rc;

    if (c->failed.code != NC_NOERR)
        return ncz_err_adopt(&c->failed);
    if ((rc = c->table.alltoall(c->table.context, send, send_len, received, received_len)) == NC_NOERR)
        return NC_NOERR;
    return set_failed(c, ncz_fail(rc,
                                  "the communicator of rank %d fails (alltoall returns %d): another rank may have "
                                  "ended",
                                  c->table.rank, rc));
}

/* Exchanges as many bytes with each rank. `lens` has room for one number for each. */
static int
alltoall_equal(ncz_comm *c, const void *send, size_t len, void *received, size_t *lens)
{
    for (size_t r = 0; r < ncz_comm_size(c); r++)
        lens[r] = len;
    return alltoall(c, send, lens, received, lens);
}

int
ncz_comm_gather(ncz_comm *c, const void *own, size_t len, void *all)
{
    size_t  n = ncz_comm_size(c), total = 0;
    size_t *lens = ncz_alloc_n(n, sizeof *lens);
    char   *copies = ncz_mul(n, len, &total) ? ncz_alloc(total) : NULL;
    int     rc = lens == NULL || copies == NULL ? ncz_fail_nomem(total) : NC_NOERR;

    for (size_t r = 0; rc == NC_NOERR && r < n; r++)
        memcpy(copies + r * len, own, len);
    if ((rc = ncz_comm_agree(c, NCZ_COMM_PUT, 0, rc)) == NC_NOERR)
        rc = alltoall_equal(c, copies, len, all, lens);
    ncz_free(lens);
    ncz_free(copies);
    return rc;
}

int
ncz_comm_exchange(ncz_comm *c, ncz_comm_call call, const ncz_buf *send, const size_t *send_len, ncz_buf *received)
{
    size_t    n = ncz_comm_size(c), total = 0;
    size_t   *lens = ncz_alloc_n(n, sizeof *lens);
    uint64_t *theirs = ncz_alloc_n(2 * n, sizeof *theirs), *ours = theirs != NULL ? theirs + n : NULL;
    int       rc = lens == NULL || theirs == NULL ? ncz_fail_nomem(2 * n * sizeof *theirs) : NC_NOERR;

    for (size_t r = 0; rc == NC_NOERR && r < n; r++)
        ours[r] = send_len[r];
    if ((rc = ncz_comm_agree(c, call, 0, rc)) != NC_NOERR ||
        (rc = alltoall_equal(c, ours, sizeof *ours, theirs, lens)) != NC_NOERR)
        goto done;
    for (size_t r = 0; rc == NC_NOERR && r < n; r++) {
        lens[r] = (size_t)theirs[r];
        if (theirs[r] > SIZE_MAX || !ncz_add(total, lens[r], &total))
            rc = ncz_fail_nomem(SIZE_MAX);
    }
    ncz_buf_reset(received);
    if (rc == NC_NOERR)
        rc = ncz_buf_reserve(received, total + 1); /* also without bytes both are places in memory */
    if ((rc = ncz_comm_agree(c, call, 0, rc)) != NC_NOERR ||
        (rc = alltoall(c, ncz_buf_str(send), send_len, received->data, lens)) != NC_NOERR)
        goto done;
    received->len = total;
done:
    ncz_free(lens);
    ncz_free(theirs);
    return rc;
}
