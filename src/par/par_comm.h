/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_comm: the ranks that share a dataset: what they agree on, and bytes that one of them gives to all.
 *
 * NULL is a communicator of one rank, for first, rank, size, agree and max.
 *
 * All functions but free, first, rank, size and exchanges are collective. After a failure of the communicator, or after
 * ranks made different calls, each of them returns that error at once, on every rank.
 *
 * Threads: one call at a time; the dataset's exclusive lock sees to that.
 */
#ifndef NCZ_PAR_COMM_H
#define NCZ_PAR_COMM_H

#include "nczarr_par.h"

#include "util/util.h"

typedef struct ncz_comm ncz_comm;

/* The collective calls, for ncz_comm_agree(). */
typedef enum ncz_comm_call {
    NCZ_COMM_CREATE,
    NCZ_COMM_OPEN,
    NCZ_COMM_ENDDEF,
    NCZ_COMM_SYNC,
    NCZ_COMM_PUT,
    NCZ_COMM_CLOSE,
    NCZ_COMM_ABORT,
    NCZ_COMM_DECOMPOSE,
    NCZ_COMM_REDEF,
} ncz_comm_call;

/* Copies the table, on all ranks that make `call`. NC_EPARINIT: this rank's is incomplete; it is not taken, and the
 * other ranks do not learn of it. After another error it has been released. */
int    ncz_comm_new(const nczarr_comm *table, ncz_comm_call call, ncz_comm **out);
void   ncz_comm_free(ncz_comm *c);        /* calls the table's `release`. NULL is fine */
bool   ncz_comm_first(const ncz_comm *c); /* true on rank 0 */
int    ncz_comm_rank(const ncz_comm *c);
size_t ncz_comm_size(const ncz_comm *c);      /* the number of ranks */
bool   ncz_comm_exchanges(const ncz_comm *c); /* it can gather and exchange */

/*
 * Waits until all ranks have called. Returns NC_NOERR if `rc` is that on all of them; else, on all of them, the error
 * of the lowest rank that has one. `object`: what the call is about, less than 2^48. NC_EINVAL: ranks made different
 * calls, or calls about different objects.
 */
int ncz_comm_agree(ncz_comm *c, ncz_comm_call call, uint64_t object, int rc);

/* Replaces each number with the largest of all ranks. They are less than 2^63. `n` is the same on all ranks. */
int ncz_comm_max(ncz_comm *c, uint64_t *values, size_t n);

/* *same: `digest` is equal on all ranks. */
int ncz_comm_same(ncz_comm *c, uint64_t digest, bool *same);

/* Replaces `bytes` on all other ranks with those of rank 0. A rank without memory for them fails on all. */
int ncz_comm_share(ncz_comm *c, ncz_comm_call call, ncz_buf *bytes);

/* Puts `len` bytes of each rank, in the order of ranks, into `all`. `len` is the same on all ranks. */
int ncz_comm_gather(ncz_comm *c, const void *own, size_t len, void *all);

/* Sends send_len[r] bytes to each rank r; in `send` they follow each other. Replaces `received` with what the others
 * sent, in their order. A rank without memory fails on all. */
int ncz_comm_exchange(ncz_comm *c, ncz_comm_call call, const ncz_buf *send, const size_t *send_len,
                      ncz_buf *received);

#endif /* NCZ_PAR_COMM_H */
