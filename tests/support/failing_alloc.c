/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/failing_alloc.h"
#include "support/peak.h"
#include "support/scratch.h"
#include "support/test.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "util/util.h"

static atomic_size_t seen, largest; /* workers allocate, too */
static size_t        fail_at;       /* 0: none fails */
static bool          fail_on;       /* those after it as well */
static atomic_bool   failed;

static bool
must_fail(size_t nbytes)
{
    size_t at = atomic_fetch_add(&seen, 1) + 1, was = atomic_load(&largest);

    while (nbytes > was && !atomic_compare_exchange_weak(&largest, &was, nbytes))
        ;
    if (fail_at == 0 || (at != fail_at && !(fail_on && at > fail_at)))
        return false;
    atomic_store(&failed, true);
    return true;
}

static void *
get_memory(size_t nbytes)
{
    return must_fail(nbytes) ? NULL : malloc(nbytes);
}

static void *
resize_memory(void *p, size_t nbytes)
{
    return must_fail(nbytes) ? NULL : realloc(p, nbytes);
}

static void
use_table(size_t nth, bool on)
{
    static const ncz_alloc_table table = {.get = get_memory, .resize = resize_memory, .put = free};

    fail_at = nth;
    fail_on = on;
    atomic_store(&seen, 0);
    atomic_store(&largest, 0);
    atomic_store(&failed, false);
    ncz_alloc_use(&table);
}

void
fail_allocation(size_t nth)
{
    if (nth == 0)
        ncz_alloc_use(NULL);
    else
        use_table(nth, false);
}

void
fail_allocations_from(size_t nth)
{
    use_table(nth, true);
}

void
watch_allocations(void)
{
    use_table(0, false);
}

bool
end_failing(void)
{
    ncz_alloc_use(NULL);
    return atomic_load(&failed);
}

size_t
allocations_seen(void)
{
    return atomic_load(&seen);
}

size_t
largest_allocation(void)
{
    return atomic_load(&largest);
}

size_t
next_allocation(size_t at)
{
    size_t step = PEAK_SANITIZED && getenv("NCZARR_TEST_SHORT") != NULL ? 7 : 1;

    return at == 0 ? 1 + test_seed() % step : at + step;
}

void
each_allocation_fails(int (*step)(void *arg), void *arg)
{
    bool met = true;

    for (size_t at = 1; met; at++) {
        int rc;

        fail_allocation(at);
        rc = step(arg);
        met = end_failing();
        assert_int_equal(rc, met ? NC_ENOMEM : NC_NOERR);
        assert_true(at < 10000);
    }
}
