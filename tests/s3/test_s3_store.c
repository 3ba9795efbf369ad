/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of all maps on a bucket. Not run by Meson: real_run.py starts a server and calls it.
 *
 * usage: test_s3_store URL SEGMENT     below the URL nothing is there; SEGMENT is the longest name that the server
 * can store, 0 where a key is all that counts
 */
#include "contract/store.h"
#include "nczarr_zmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base;
static unsigned    number; /* a place for each test */

static void *
new_place(void)
{
    char *place = malloc(strlen(base) + 64);

    if (place != NULL)
        sprintf(place, "%s/store%u.zarr#mode=nczarr,s3", base, number++);
    return place;
}

static int
found_one(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf, (void)arg;
    return 1;
}

static zmap *
open_place(void *place, zmap_open_how how)
{
    zmap *m = NULL;
    int   rc = nczarr_map_open(place,
                             how == ZMAP_OPEN_READ    ? NCZARR_MAP_READ
                               : how == ZMAP_OPEN_WRITE ? NCZARR_MAP_WRITE
                                                        : NCZARR_MAP_CREATE,
                               &m);

    if (rc != NC_NOERR)
        fprintf(stderr, "%s: %d %s\n", (const char *)place, rc, nczarr_errmsg());
    /* A bucket has no directories: what holds no object is not there. */
    if (rc == NC_NOERR && how != ZMAP_CREATE_NEW && zmap_list(m, "", found_one, NULL) == NC_NOERR) {
        (void)zmap_close(m, ZMAP_KEEP);
        return NULL;
    }
    return rc == NC_NOERR ? m : NULL;
}

static zmap *
make_store(void *place)
{
    return open_place(place, ZMAP_CREATE_NEW);
}

int
main(int argc, char **argv)
{
    store_maker maker = {.name = "s3", .place = new_place, .make = make_store, .reopen = open_place, .clear = free};

    if (argc != 3) {
        fprintf(stderr, "usage: test_s3_store URL SEGMENT\n");
        return 2;
    }
    base = argv[1];
    maker.key_max = ZMAP_KEY_MAX - strlen(base) - strlen("/store123.zarr/"); /* and a little more */
    maker.segment_max = strtoul(argv[2], NULL, 10);
    return store_contract(&maker) != 0;
}
