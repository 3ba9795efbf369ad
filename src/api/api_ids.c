/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_ids: the table of open datasets. Numbers are given in rising order and used again only after all others, so that a
 * closed ncid stays wrong for long. The table has its own lock, held only to look.
 */
#include "api/api_int.h"

#include <pthread.h>

#define MOST 0x7fff /* dataset numbers: 1 ... MOST */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_dataset   **table; /* by number */
static size_t          size, live;
static size_t          next = 1;

static bool
make_room(size_t number)
{
    size_t        want = size == 0 ? 16 : size;
    ncz_dataset **t;

    while (want <= number)
        want *= 2;
    if (want == size)
        return true;
    if ((t = ncz_grow(table, want, sizeof *t)) == NULL)
        return false;
    for (size_t i = size; i < want; i++)
        t[i] = NULL;
    table = t;
    size = want;
    return true;
}

/* The next number that is free; there is one. */
static size_t
free_number(void)
{
    while (next < size && table[next] != NULL)
        next = next == MOST ? 1 : next + 1;
    return next;
}

int
ncz_ids_add(ncz_dataset *ds, int *ncid)
{
    size_t number;
    int    rc = NC_NOERR;

    (void)pthread_mutex_lock(&lock);
    if (live == MOST) {
        rc = ncz_fail(NC_ENFILE, "%d datasets are open", MOST);
    } else if (!make_room(number = free_number())) {
        rc = ncz_fail_nomem(number * sizeof(void *));
    } else {
        table[number] = ds;
        live++;
        next = number == MOST ? 1 : number + 1;
        *ncid = (int)(number * NCZ_ID_GROUPS);
    }
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

static ncz_dataset **
slot(int ncid)
{
    size_t number = ncid < NCZ_ID_GROUPS ? 0 : (size_t)ncid / NCZ_ID_GROUPS;

    return number == 0 || number >= size || table[number] == NULL ? NULL : &table[number];
}

ncz_dataset *
ncz_ids_find(int ncid)
{
    ncz_dataset **s, *ds = NULL;

    (void)pthread_mutex_lock(&lock);
    if ((s = slot(ncid)) != NULL)
        ds = ncz_dataset_ref(*s);
    (void)pthread_mutex_unlock(&lock);
    return ds;
}

ncz_dataset *
ncz_ids_take(int ncid)
{
    ncz_dataset **s, *ds = NULL;

    (void)pthread_mutex_lock(&lock);
    if ((s = slot(ncid)) != NULL) {
        ds = *s;
        *s = NULL;
        if (--live == 0) { /* leave no memory behind in a process that is done with us */
            ncz_free(table);
            table = NULL;
            size = 0;
        }
    }
    (void)pthread_mutex_unlock(&lock);
    return ds;
}
