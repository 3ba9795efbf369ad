/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of addresses, each with a number: a hash table that is at most half full. */
#include "hdf5/hdf5_check_int.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

struct ncz_hdf5_address {
    uint64_t addr;
    size_t   number; /* and one; 0: the slot is free */
};

static struct ncz_hdf5_address *
find_slot(const ncz_hdf5_addresses *a, uint64_t addr)
{
    size_t i = (size_t)ncz_hash(&addr, sizeof addr) & (a->nslots - 1);

    while (a->slots[i].number != 0 && a->slots[i].addr != addr)
        i = (i + 1) & (a->nslots - 1);
    return &a->slots[i];
}

bool
ncz_hdf5_addresses_get(const ncz_hdf5_addresses *a, uint64_t addr, size_t *number)
{
    const struct ncz_hdf5_address *slot = a->nslots > 0 ? find_slot(a, addr) : NULL;

    if (slot == NULL || slot->number == 0)
        return false;
    *number = slot->number - 1;
    return true;
}

static int
grow(ncz_hdf5_addresses *a)
{
    ncz_hdf5_addresses larger = {.nslots = a->nslots > 0 ? a->nslots * 2 : FIRST_SLOTS, .n = a->n};

    if ((larger.slots = ncz_zalloc_n(larger.nslots, sizeof *larger.slots)) == NULL)
        return ncz_fail_nomem(larger.nslots * sizeof *larger.slots);
    for (size_t i = 0; i < a->nslots; i++)
        if (a->slots[i].number != 0)
            *find_slot(&larger, a->slots[i].addr) = a->slots[i];
    ncz_free(a->slots);
    *a = larger;
    return NC_NOERR;
}

int
ncz_hdf5_addresses_put(ncz_hdf5_addresses *a, uint64_t addr, size_t number)
{
    int rc = a->n >= a->nslots / 2 ? grow(a) : NC_NOERR;

    if (rc != NC_NOERR)
        return rc;
    *find_slot(a, addr) = (struct ncz_hdf5_address){.addr = addr, .number = number + 1};
    a->n++;
    return NC_NOERR;
}

void
ncz_hdf5_addresses_clear(ncz_hdf5_addresses *a)
{
    ncz_free(a->slots);
    *a = (ncz_hdf5_addresses){.slots = NULL};
}
