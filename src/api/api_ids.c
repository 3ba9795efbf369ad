/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_ids: the table of open datasets. Numbers are assigned in rising order and reused only after the others of a
 * round, which has at least twice as many as datasets are open: a closed ncid stays invalid for long, and a program
 * that opens one dataset after the other needs no more memory for its millionth than for its thousandth.
 *
 * A slot has the lock of its dataset, so that a call that only looks takes one lock for both: it shares that lock
 * before it reads the slot's dataset, and has it until it ends. Other calls announce themselves in the slot instead,
 * and stay announced until they end. Either is a reference to the dataset. Who ends a dataset empties the slot, closes
 * the dataset, and waits until no call is announced there, and for the lock, before it frees the dataset. These waits
 * are short, since closing has waited for the calls that were under way. Adding and removing take the table's lock.
 * Slots never move: they are in pages that are never freed. The first page is static.
 */
#include "api/api_int.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Dataset numbers: FIRST_NUMBER ... MAX_NUMBER. In front of libnetcdf they begin above that library's (src/forward). */
#ifdef NCZ_API_FIRST_NUMBER
#define FIRST_NUMBER NCZ_API_FIRST_NUMBER
#else
#define FIRST_NUMBER 1
#endif
#define MAX_NUMBER 0x7fff
#define NUMBERS    (MAX_NUMBER - FIRST_NUMBER + 1)
#define PAGE_SLOTS 256
#define PAGES      ((MAX_NUMBER + PAGE_SLOTS) / PAGE_SLOTS)

typedef struct id_slot {
    _Atomic(ncz_dataset *) ds;    /* NULL: none is open */
    atomic_uint            calls; /* that may have it */
    ncz_rwlock             lock;  /* of its datasets, one after the other; made before the first one is there */
    bool                   ready; /* it is made; under the table's lock, */
    bool                   used;  /* like this: the number is not free */
} id_slot;

static id_slot            first_page[PAGE_SLOTS];
static _Atomic(id_slot *) pages[PAGES] = {[FIRST_NUMBER / PAGE_SLOTS] = first_page};
static pthread_mutex_t    lock = PTHREAD_MUTEX_INITIALIZER; /* guards the variables below and changes of slots */
static size_t             live;
static size_t             next_number = FIRST_NUMBER;
static size_t             round_numbers = 1024; /* in a round, from the first; all of them, where more are open */

static id_slot *
slot_of(size_t number)
{
    id_slot *page = atomic_load_explicit(&pages[number / PAGE_SLOTS], memory_order_acquire);

    return page == NULL ? NULL : &page[number % PAGE_SLOTS];
}

/* The slot of a number that will be used. Allocates its page if needed. NULL: out of memory. */
static id_slot *
make_slot(size_t number)
{
    id_slot *page;

    if (slot_of(number) != NULL)
        return slot_of(number);
    if ((page = ncz_alloc_n(PAGE_SLOTS, sizeof *page)) == NULL)
        return NULL;
    for (size_t i = 0; i < PAGE_SLOTS; i++) {
        atomic_init(&page[i].ds, NULL);
        atomic_init(&page[i].calls, 0);
        page[i].ready = page[i].used = false;
    }
    atomic_store_explicit(&pages[number / PAGE_SLOTS], page, memory_order_release);
    return &page[number % PAGE_SLOTS];
}

static size_t
number_after(size_t number)
{
    return number - FIRST_NUMBER + 1 < round_numbers ? number + 1 : FIRST_NUMBER;
}

/* The next free number. At least one number must be free. */
static size_t
find_free_number(void)
{
    id_slot *s;

    while (live >= round_numbers / 2 && round_numbers < NUMBERS)
        round_numbers = round_numbers < NUMBERS / 2 ? 2 * round_numbers : NUMBERS;
    while ((s = slot_of(next_number)) != NULL && s->used)
        next_number = number_after(next_number);
    return next_number;
}

static int
make_lock(id_slot *s)
{
    int err = s->ready ? 0 : ncz_rwlock_init(&s->lock);

    s->ready = err == 0;
    return err == 0 ? NC_NOERR : ncz_fail_errno(err, "making a lock");
}

int
ncz_ids_add(ncz_dataset *ds, int *ncid)
{
    id_slot *s;
    size_t   number;
    int      rc = NC_NOERR;

    (void)pthread_mutex_lock(&lock);
    if (live == NUMBERS) {
        rc = ncz_fail(NC_ENFILE, "%zu datasets are open", live);
    } else if ((s = make_slot(number = find_free_number())) == NULL) {
        rc = ncz_fail_nomem(PAGE_SLOTS * sizeof *s);
    } else if ((rc = make_lock(s)) == NC_NOERR) {
        ncz_dataset_lock_with(ds, &s->lock);
        atomic_store(&s->ds, ds);
        s->used = true;
        live++;
        next_number = number_after(number);
        *ncid = (int)(number * NCZ_ID_GROUPS);
    }
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

static id_slot *
slot_of_ncid(int ncid)
{
    return ncid < NCZ_ID_GROUPS ? NULL : slot_of((size_t)ncid / NCZ_ID_GROUPS);
}

ncz_dataset *
ncz_ids_enter(int ncid)
{
    id_slot     *s = slot_of_ncid(ncid);
    ncz_dataset *ds;

    if (s == NULL)
        return NULL;
    atomic_fetch_add(&s->calls, 1);
    if ((ds = atomic_load(&s->ds)) == NULL)
        atomic_fetch_sub(&s->calls, 1);
    return ds;
}

void
ncz_ids_leave(int ncid)
{
    atomic_fetch_sub(&slot_of_ncid(ncid)->calls, 1);
}

ncz_dataset *
ncz_ids_share(int ncid)
{
    id_slot     *s = slot_of_ncid(ncid);
    ncz_dataset *ds;

    if (s == NULL || atomic_load(&s->ds) == NULL) /* there may be no lock */
        return NULL;
    ncz_rwlock_share(&s->lock);
    if ((ds = atomic_load(&s->ds)) == NULL)
        ncz_rwlock_unshare(&s->lock);
    return ds;
}

void
ncz_ids_unshare(int ncid)
{
    ncz_rwlock_unshare(&slot_of_ncid(ncid)->lock);
}

ncz_dataset *
ncz_ids_take(int ncid)
{
    id_slot *s = slot_of_ncid(ncid);

    return s != NULL ? atomic_exchange(&s->ds, NULL) : NULL;
}

void
ncz_ids_free(int ncid, ncz_dataset *ds)
{
    id_slot *s = slot_of_ncid(ncid);

    while (atomic_load(&s->calls) != 0) /* calls that were waiting as the dataset was closed */
        (void)sched_yield();
    ncz_rwlock_take(&s->lock); /* after those that share it; others find no dataset */
    ncz_rwlock_give(&s->lock);
    ncz_dataset_lock_with(ds, NULL);
    (void)pthread_mutex_lock(&lock);
    s->used = false;
    live--;
    (void)pthread_mutex_unlock(&lock);
}
