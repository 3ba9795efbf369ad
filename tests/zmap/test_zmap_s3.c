/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of all maps, on a bucket: a small one in the test's own process; below a prefix, and at its root.
 */
#include "contract/store.h"
#include "zmap/bucket.h"

#include <stdlib.h>

static void *
place(void)
{
    return bucket_start(NULL, NULL);
}

static void
clear(void *p)
{
    bucket_stop(p);
}

static int
on_any(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    *(bool *)arg = true;
    return 1;
}

/* To open a map of a bucket asks for nothing: whether there is something is looked for here. */
static zmap *
reopen_below(bucket *b, const char *prefix, zmap_open_how how)
{
    zmap *m = bucket_open(b, prefix, how);
    bool  any = how == ZMAP_CREATE_NEW;

    if (m != NULL && !any)
        (void)zmap_list(m, "", on_any, &any);
    if (any)
        return m;
    (void)zmap_close(m, ZMAP_KEEP);
    return NULL;
}

static zmap *
reopen_root(void *p, zmap_open_how how)
{
    return reopen_below(p, "", how);
}

static zmap *
make_root(void *p)
{
    return bucket_open(p, "", ZMAP_CREATE_NEW);
}

static const char deep[] = "a prefix/with+odd%25/characters";

static zmap *
reopen_deep(void *p, zmap_open_how how)
{
    return reopen_below(p, deep, how);
}

static zmap *
make_deep(void *p)
{
    return bucket_open(p, deep, ZMAP_CREATE_NEW);
}

int
main(void)
{
    static const store_maker root = {"s3", place, make_root, reopen_root, clear, 0, 0};
    static const store_maker below = {"s3, below a prefix", place, make_deep, reopen_deep, clear, 900, 900};

    return store_contract(&root) + store_contract(&below) != 0;
}
