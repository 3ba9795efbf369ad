/* SPDX-License-Identifier: BSD-3-Clause */
/* api_places: whether the places are there that a dataset refers to. */
#include "nczarr_zmap.h"

#include "api/api_int.h"
#include "open/open.h"

typedef struct call {
    nczarr_place_each each;
    void             *arg;
} call;

static int
tell_place(const zmap_place *p, void *arg)
{
    const call             *c = arg;
    const nczarr_place_item item = {.size = sizeof item,
                                    .status = p->status,
                                    .place = p->place,
                                    .key = p->key,
                                    .count = p->nrefs,
                                    .why = p->why,
                                    .end = p->end};

    return c->each(&item, c->arg);
}

int
nczarr_check_places(int ncid, nczarr_place_each each, void *arg)
{
    ncz_call c;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (each == NULL)
        rc = ncz_fail(NC_EINVAL, "nczarr_check_places: no function");
    else
        rc = ncz_dataset_check_places(c.ds, tell_place, &(call){.each = each, .arg = arg});
    return ncz_call_leave(&c, rc);
}
