/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_par: what a dataset that several ranks share does together. Each function takes this rank's result so far,
 * `rc`: a rank that failed takes part all the same, so that all fail and nobody waits.
 *
 * All run under the dataset's exclusive lock, and only with ds->comm.
 */
#ifndef NCZ_DATASET_PAR_H
#define NCZ_DATASET_PAR_H

#include "dataset/dataset_comm.h"
#include "dataset/dataset_int.h"

/* NC_EINVAL, with the first difference: the changed definitions are not the same on all ranks. */
int ncz_par_compare(ncz_dataset *ds, ncz_comm_call call);

/* Ends define mode: compares definitions; rank 0 stores the documents of a new dataset. */
int ncz_par_enddef(ncz_dataset *ds, int rc);

/* As ncz_dataset_flush(), in this order: the data of all ranks, durably; the documents, by rank 0. Then drops all
 * cached chunks, since other ranks may have changed theirs. */
int ncz_par_flush(ncz_dataset *ds, ncz_comm_call call, int rc);

/* Waits for all ranks, and runs `remove` on rank 0 alone. */
int ncz_par_abort(ncz_dataset *ds, int (*remove)(ncz_dataset *ds));

/* A number for ncz_comm_agree(): the variable that a collective call is about. */
uint64_t ncz_par_tag(const ncz_var *v);

/* Begins a collective put, and makes `shape`, the shape that this rank's selection needs, the one that all ranks
 * need. Elements that become reachable hold only fill afterwards. */
int ncz_par_begin_put(ncz_dataset *ds, ncz_var *v, uint64_t *shape, int rc);
/* NC_ERANGE is this rank's own: the data are stored. */
int ncz_par_end_put(ncz_dataset *ds, const ncz_var *v, int rc);

/* After a failure that all ranks agree on. Returns rc. */
int ncz_par_failed_put(const ncz_var *v, int rc);

/* ---- dataset_par_exchange.c ---- */

/* Puts a selection of this rank's into chunks. */
typedef int (*ncz_par_write)(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const uint64_t *shape,
                             const ncz_type *mem, const void *in);

/* Whether the parts of this variable travel to the ranks that own their objects. */
bool ncz_par_exchanges(const ncz_dataset *ds, const ncz_var *v);

/* A collective put between ncz_par_begin_put() and its end, which it includes: each object is put by one rank. */
int ncz_par_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const uint64_t *shape, const ncz_type *mem,
                const void *in, ncz_par_write write);

void ncz_par_owners_free(ncz_par_owners *o); /* NULL is fine */

#endif /* NCZ_DATASET_PAR_H */
