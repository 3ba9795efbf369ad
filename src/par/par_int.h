/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par: what a dataset that several ranks share does together. Each function takes this rank's result so far,
 * `rc`: a rank that failed takes part all the same, so that all fail and nobody waits.
 *
 * All run under the dataset's exclusive lock, and only where ranks share it.
 */
#ifndef NCZ_PAR_INT_H
#define NCZ_PAR_INT_H

#include "par/par_comm.h"
#include "dataset/dataset_int.h"
#include "par/par.h"

typedef struct ncz_par_owners ncz_par_owners; /* par_exchange.c */

/* The ranks that share a dataset, as one of them has it. */
typedef struct ncz_par_ranks {
    ncz_ranks              base;
    ncz_comm              *comm;
    ncz_par_owners        *owners;     /* of its objects, in collective puts */
    bool                   collective; /* access to variables that have no setting of their own */
    bool                   announced;  /* that the dataset grows: rank 0 has joined, the same on all */
    bool                   file;       /* it is one file, which they change in place */
    const ncz_session_ops *shared;     /* the kind that they share */
} ncz_par_ranks;

static inline ncz_par_ranks *
ncz_par_ranks_of(const ncz_dataset *ds)
{
    return (ncz_par_ranks *)ds->ranks;
}

/* NULL, which is one rank: the dataset is this process's alone. */
static inline ncz_comm *
ncz_par_comm(const ncz_dataset *ds)
{
    return ds->ranks != NULL ? ncz_par_ranks_of(ds)->comm : NULL;
}

static inline bool
ncz_par_is_file(const ncz_dataset *ds)
{
    return ncz_par_ranks_of(ds)->file;
}

/* Without a communicator yet. par_session.c */
int ncz_par_ranks_new(ncz_par_ranks **out);
/* Lets them share the dataset, which takes them. */
void ncz_par_share(ncz_dataset *ds, ncz_par_ranks *ranks);

/*
 * NC_EINVAL, with the first difference: the changed definitions are not the same on all ranks. Values of attributes may
 * differ: all ranks take those of rank 0, which logs the names of such attributes. _FillValue must be the same.
 */
int ncz_par_compare(ncz_dataset *ds, ncz_comm_call call);

/* Ends define mode: compares definitions; rank 0 stores the documents of a new dataset. */
int ncz_par_enddef(ncz_dataset *ds, int rc);

/* As ncz_dataset_flush(), in this order: the data of all ranks, durably; the documents, or the head, by rank 0. Then
 * drops all cached chunks, since other ranks may have changed theirs. */
int ncz_par_flush(ncz_dataset *ds, ncz_comm_call call, int rc);
int ncz_par_file_flush(ncz_dataset *ds, ncz_comm_call call, int rc); /* par_file.c */
/* Its steps. The first stores this rank's data, with its result so far; in the last one rank 0 has stored the rest. */
int  ncz_par_store_data(ncz_dataset *ds, ncz_comm_call call, int rc);
void ncz_par_end_flush(ncz_dataset *ds);
/* Runs `task` on rank 0 alone, and gives all ranks its result. */
int ncz_par_run_on_first(ncz_dataset *ds, ncz_comm_call call, int (*task)(ncz_dataset *ds));

/* Waits for all ranks, and runs `remove` on rank 0 alone. */
int ncz_par_abort(ncz_dataset *ds, int (*remove)(ncz_dataset *ds));

/* ---- par_lengths.c ---- */

/* A number for ncz_comm_agree(): the variable that a collective call is about. */
uint64_t ncz_par_tag(const ncz_var *v);
/* All ranks get the largest length of each unlimited dimension. */
int ncz_par_agree_lengths(ncz_dataset *ds);

/* ---- par.c: collective puts ---- */

/* Begins a collective put. What follows makes `shape`, the shape that this rank's selection needs, the one that all
 * ranks need; elements that become reachable hold only fill afterwards. */
int ncz_par_begin_put(ncz_dataset *ds, ncz_var *v, int rc);
int ncz_par_grow(ncz_dataset *ds, const ncz_var *v, uint64_t *shape);
/* NC_ERANGE is this rank's own: the data are stored. */
int ncz_par_end_put(ncz_dataset *ds, const ncz_var *v, int rc);

/* The end of a collective put of strings that failed on all ranks with `rc`: NC_EZARRMETA if a width was the reason. */
int ncz_par_follow_widths(ncz_dataset *ds, const ncz_var *v, int rc);

/* After a failure that all ranks agree on. Returns rc. */
int ncz_par_failed_put(const ncz_var *v, int rc);

/* ---- par_file.c: datasets that are one file ---- */

/* As ncz_file_enddef(): rank 0 moves data, all fill new variables, rank 0 stores the head. */
int ncz_par_file_enddef(ncz_dataset *ds, const ncz_file_room *room);
/* As ncz_par_grow(): makes shape[0] the largest that a rank needs, and records up to it. */
int ncz_par_file_grow(ncz_dataset *ds, const ncz_var *v, uint64_t *shape);
/* Makes records for a put of this rank alone; the others learn of them in the next collective call. */
int ncz_par_file_grow_alone(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape);
/* Gives all ranks the name of the file that rank 0 is making, in `name`; empty: there is none. `map`: rank 0's. */
int ncz_par_share_name(ncz_comm *c, ncz_comm_call call, const zmap *map, ncz_buf *name);

/* ---- par_definitions.c: what ranks compare ---- */

/* Bytes of somebody else's. */
typedef struct ncz_span {
    const char *p;
    size_t      len;
} ncz_span;

typedef struct ncz_definition {
    ncz_buf   name;  /* "dimension /x", "attribute /v:units" */
    ncz_buf   text;  /* its definition; of an attribute its type, length and values */
    ncz_atts *atts;  /* of an attribute: the list that it is in, */
    size_t    place; /* and its place there */
    bool      fixed; /* an attribute whose value must be the same on all ranks */
} ncz_definition;

typedef struct ncz_definitions {
    ncz_definition *v;
    size_t          n, cap;
} ncz_definitions;

/* Lists all changed definitions, in the same order on all ranks that have the same ones. */
int  ncz_par_definitions_list(const ncz_model *m, ncz_definitions *d);
int  ncz_par_definitions_write(const ncz_definitions *d, ncz_buf *out); /* name, text, name, text... */
void ncz_par_definitions_clear(ncz_definitions *d);

/* Gives an attribute the values that rank 0 has. *taken: false, and nothing is changed, if it has another type there,
 * or one whose values ranks do not send. */
int ncz_par_definition_take_values(ncz_model *m, const ncz_definition *e, ncz_span values, bool *taken);

int  ncz_par_put_number(ncz_buf *out, uint64_t n);
int  ncz_par_put_bytes(ncz_buf *out, const char *bytes, size_t len); /* their number, then the bytes */
bool ncz_par_next_span(ncz_cursor *c, ncz_span *out);                /* reads that; false at the end */

/* ---- par_exchange.c ---- */

/* Whether the parts of this variable travel to the ranks that own their objects. */
bool ncz_par_exchanges(const ncz_dataset *ds, const ncz_var *v);

/* A collective put between ncz_par_begin_put() and its end, which it includes: each object is put by one rank. */
int ncz_par_put(ncz_dataset *ds, const ncz_put *p);

void ncz_par_owners_free(ncz_par_owners *o); /* NULL is fine */

#endif /* NCZ_PAR_INT_H */
