/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par: datasets that the ranks of a communicator share (nczarr_par.h). What they do together is a kind of session
 * (dataset/dataset_session.h), so that all other functions are those of dataset.h.
 *
 * Threads: those of dataset.h. A call is collective where nczarr_par.h says so.
 */
#ifndef NCZ_PAR_H
#define NCZ_PAR_H

#include "dataset/dataset.h"

/* Creates or opens on all ranks of a communicator (nczarr_par.h), whose table is copied. */
struct nczarr_comm;
int ncz_par_create(const char *path, int cmode, int default_format, const struct nczarr_comm *table,
                   const ncz_limits *limits, ncz_dataset **out);
int ncz_par_open(const char *path, int omode, const struct nczarr_comm *table, const ncz_limits *limits,
                 ncz_dataset **out);

/* The last step of opening on all ranks, with this rank's result `rc`: NC_NOERR, or the error of one of them on all. */
int ncz_par_agree_opened(ncz_dataset *ds, int rc);

/* Sets how this rank accesses a variable, or NULL: all. NC_ENOPAR: the dataset is not open in parallel. Under
 * NCZ_USE_TUNE. */
int  ncz_par_set_collective(ncz_dataset *ds, ncz_var *v, bool yes);
bool ncz_par_is_collective(const ncz_dataset *ds, const ncz_var *v);
bool ncz_par_is_shared(const ncz_dataset *ds); /* several ranks share it */
/* Defines chunks, and shards if the variable has any, that fit the blocks of all ranks. `rc`: this rank's result so
 * far, with which it takes part; `v` may be NULL then. Under NCZ_USE_DEFINE. */
int ncz_par_decompose(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, int rc);

#endif /* NCZ_PAR_H */
