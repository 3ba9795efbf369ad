/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world: the datasets that a random program of many threads works on, what its threads are, and how they say what
 * went wrong.
 *
 * There are SETS datasets, alike, each open under one ncid for all threads; the last is closed and opened again while
 * they use it. Element i of a variable holds stamp * nelems + i, so that each shows who put it and that it is in its
 * place; FILL where nothing was put. Puts cover whole blocks: these, and a few attributes, are the registers of the
 * history.
 *
 * Threads share nothing but atomics without order, lest ThreadSanitizer took them for the library's own locking.
 */
#ifndef WORLD_H
#define WORLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "nczarr.h"
#include "nczarr_zmap.h"

enum {
    SETS = 3,
    ATT_MOST = 8,       /* numbers in an attribute that is a register */
    CLOSING = SETS - 1, /* the dataset that is closed and opened again */
    VARS = 8,
    WIDE = 5,    /* the one with large chunks */
    ATTS = 4,    /* two that only change, two that are deleted, too */
    ACTORS = 16, /* at most */
    ROWS = 60,   /* of the unlimited dimension, at most */
    OWN_DIM = 10,
    OWN_MOST = 3, /* variables, and groups, that a thread makes in a dataset */
    FILL = -1,
};

typedef struct wvar {
    const char *name;
    nc_type     type;
    size_t      shape[2], chunk[2], block[2]; /* a first shape of ROWS is the unlimited dimension */
    int         filter;                       /* H5Z_FILTER_..., or 0 */
    bool        big_endian, unlimited;
    bool        owned; /* each chunk is put by one thread only */
    bool        fills; /* fill is put, too */
    bool        contiguous;
    size_t      nelems, nblocks[2];
    uint32_t    reg; /* of the first block */
    int         id;
} wvar;

typedef struct wset {
    int              number;
    nczarr_map      *map; /* NULL: in a directory */
    char             path[300];
    char             mode[60];
    atomic_int       ncid;
    atomic_bool      busy;    /* somebody closes and opens it */
    _Atomic uint64_t synced;  /* everything put before this moment is stored */
    _Atomic uint64_t growing; /* the longest that the unlimited dimension was asked to be */
    _Atomic uint64_t grown;   /* ... that it surely is */
    wvar             vars[VARS];
    int              nvars;
    uint32_t         atts; /* register of the first */
} wset;

typedef struct world {
    uint64_t         seed;
    bool             memory;
    bool             archive;    /* not in directories */
    bool             shards;     /* Zarr v3, all variables in shards; else v2 */
    bool             classic;    /* classic files, to which nothing is added once they are made */
    bool             netcdf4;    /* netCDF-4 files */
    bool             lookers;    /* datasets are opened a second time, to read, while they are written; else ... */
    bool             renames;    /* ... variables and groups with data are renamed */
    bool             contiguous; /* in netCDF-4 files the one with large chunks has none */
    bool             clears;     /* fill is put into the chunk that all are at */
    char             dir[256];
    wset             sets[SETS];
    uint32_t        *chunk_of;
    size_t           nregs;
    int              nactors, nops;
    struct actor    *actors;
    _Atomic uint32_t stamp; /* the next */
} world;

typedef struct own_var {
    char name[40];
    int  group; /* of own.groups, or -1 */
    int  data[OWN_DIM];
} own_var;

/* What one thread has made in one dataset, and only it touches. */
typedef struct own {
    own_var vars[OWN_MOST];
    char    groups[OWN_MOST][40];
    int     nvars, ngroups, ndims, natts;
    int     serial; /* of names */
} own;

typedef struct actor {
    world                *w;
    pthread_t             thread;
    int                   number;
    int                   ncalls; /* done */
    uint64_t              state;  /* of chance */
    hist                  h;
    void                 *buf;  /* for the largest variable in the widest type */
    uint32_t             *seen; /* per block of a variable */
    own                   own[SETS];
    _Atomic(const char *) what;
} actor;

/* ---- chance ---- */

uint64_t rnd(actor *a);
int      pick(actor *a, int n); /* 0 to n - 1 */
bool     one_in(actor *a, int n);
/* These are mostly the same for all threads for a while, so that they meet. */
int   turn(const actor *a);
wset *pick_set(actor *a);
wvar *pick_var(actor *a, wset *s);

/* ---- failing: says the seed, the thread and the call, and ends the process ---- */

__attribute__((noreturn, format(printf, 2, 3))) void fail(const actor *a, const char *fmt, ...);
void                                                 ok(const actor *a, int rc, const char *call);

#define OK(call) ok(a, (call), #call)

/* ---- datasets ---- */

int now_open(const wset *s); /* its ncid */
/* Is this the failure of a call on a dataset that somebody has just closed? */
bool gone(const wset *s, int rc);
void raise_to(_Atomic uint64_t *most, uint64_t n);
bool has_filter(int ncid, int filter);

void world_make(world *w, actor *a); /* `a` reports failures */
int  world_open(const wset *s, int mode, int *ncid);
/* Everything is looked at, closed, opened, looked at again; then the history of all actors is checked. */
void world_check(world *w, actor *a);
void world_drop(world *w);

/* ---- what an actor does: each is one call of some kind, or a few (do_data.c, do_meta.c, do_life.c) ---- */

void do_get(actor *a);
void do_put(actor *a);
void do_append(actor *a);
void do_storm(actor *a);
void do_attribute(actor *a);
void define_registers(actor *a, wset *s, int ncid); /* of a classic file: attributes that hold no stamp yet */
/* Gets through another ncid, that was opened when everything before `since` was stored. */
void get_from(actor *a, wset *s, int ncid, uint64_t since);
void get_everything(actor *a, wset *s);

void do_define(actor *a);
void do_inquire(actor *a);
void do_error(actor *a);
void check_own(actor *a, const actor *maker, int set); /* what `maker` has made is there; `a` looks */

void do_sync(actor *a);
void do_reopen(actor *a);
void do_look(actor *a);
void do_private(actor *a);
void do_threads(actor *a);

#endif
