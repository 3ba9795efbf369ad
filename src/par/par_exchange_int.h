/* SPDX-License-Identifier: BSD-3-Clause */
/* par_exchange_int.h: what the files of collective puts in two phases share; see par_exchange.c. */
#ifndef NCZ_PAR_EXCHANGE_INT_H
#define NCZ_PAR_EXCHANGE_INT_H

#include "par/par_int.h"

/* In one round a rank sends about this much; objects up to it are put together in memory. */
#define NCZ_PAR_ROUND_BYTES ((uint64_t)64 << 20)

/* A box of a variable's elements, and their place. */
typedef struct ncz_part {
    uint64_t   *object; /* in the grid of objects */
    uint64_t   *start, *count, *stride;
    size_t      nelems;
    const char *packed; /* in the variable's type; NULL: in the caller's memory, `mem` elements from its begin */
    char       *owned;  /* the same, if it is the part's own memory */
    ptrdiff_t   mem;
    ptrdiff_t  *imap;
    int         owner;
    bool        done;
    bool        whole; /* it is whole chunks, and the store lets ranks write those in place */
} ncz_part;

typedef struct ncz_parts {
    ncz_part *v;
    size_t    n, cap;
} ncz_parts;

/* One collective put. */
typedef struct ncz_exchange {
    ncz_dataset      *ds;
    ncz_var          *v;
    const ncz_select *sel;
    uint64_t         *shape;
    const ncz_type   *mem;
    const char       *in;
    uint64_t         *object; /* shape of an object in elements */
    const uint64_t
        *box; /* [lo, hi) of each rank and dimension: its selection in the first collective put; then around all */
    ncz_parts mine;
    uint64_t  nrounds, round;
    ncz_buf   send, received;
    size_t   *send_len;
    bool      range; /* a value did not fit the variable's type */
} ncz_exchange;

/* ---- par_owners.c: which rank puts an object ---- */

/* Finds or, in a variable's first collective put, gathers x->box. Collective: `rc` is this rank's result so far.
 * x->box stays NULL if gathering failed, on all ranks. */
int ncz_par_load_owners(ncz_exchange *x, int rc);
int ncz_par_find_owner(const ncz_exchange *x, const uint64_t *object);
/* The number of an object, equal on all ranks; consecutive objects have consecutive ones. */
uint64_t ncz_par_object_number(const ncz_exchange *x, const uint64_t *object);

/* ---- par_parts.c: the parts of this rank's selection, and messages with parts ---- */

void      ncz_par_clear_parts(ncz_parts *p);
ncz_part *ncz_par_add_part(ncz_parts *p, size_t rank); /* with room for its arrays; NULL: out of memory */
int       ncz_par_cut_selection(ncz_exchange *x);      /* at the objects, into x->mine */
/* Converts the elements of a part in the caller's memory to the variable's type, packed. */
int      ncz_par_pack_part(ncz_exchange *x, const ncz_part *p, char *out);
uint64_t ncz_par_count_travelling(const ncz_exchange *x); /* bytes that this rank sends in all rounds */
int      ncz_par_pack_round(ncz_exchange *x);             /* into x->send and x->send_len */
/* The parts in x->received. The other ranks are the same program, but a mistake must not damage memory. */
int ncz_par_read_messages(ncz_exchange *x, ncz_parts *got);

/* ---- par_in_place.c: chunks that ranks write in objects of others ---- */

/* Marks the parts of this rank's selection that could be. Whether some belong to objects of others. */
bool ncz_par_mark_whole(ncz_exchange *x);
/* Writes what the owners let it write. Collective. *rc: this rank's result so far. Returns what all ranks agree on. */
int ncz_par_write_in_place(ncz_exchange *x, int *rc);

/* ---- par_assembly.c: the second phase ---- */

/* Puts the objects of which parts were received, together with this rank's own parts of them. */
int ncz_par_write_received(ncz_exchange *x);
/* Puts what is left of this rank's selection in objects that it owns; `whole_chunks`: only what is whole chunks. */
int ncz_par_write_rest(ncz_exchange *x, bool whole_chunks);

#endif /* NCZ_PAR_EXCHANGE_INT_H */
