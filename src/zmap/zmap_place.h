/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_place: whether a place is there that a dataset refers to: what the checks of references and of aggregations
 * tell.
 */
#ifndef NCZ_ZMAP_PLACE_H
#define NCZ_ZMAP_PLACE_H

#include <stdint.h>

typedef struct zmap_place {
    const char *place;  /* where, as messages show it */
    const char *key;    /* the first object or variable that refers to it */
    uint64_t    nrefs;  /* how many do */
    int         status; /* NC_NOERR: it is there, as long as it must be, and of the version that is named */
    const char *why;    /* "": it is */
    uint64_t    end;    /* of the object, which ranges pass that may do so: what is there is read. UINT64_MAX: none */
} zmap_place;

/* Another result than 0 ends the check, which returns it. */
typedef int (*zmap_place_fn)(const zmap_place *place, void *arg);

#endif /* NCZ_ZMAP_PLACE_H */
