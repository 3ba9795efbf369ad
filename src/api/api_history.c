/* SPDX-License-Identifier: BSD-3-Clause */
/* api_history: the history of a repository, which needs no dataset that opens. */
#include "api/api_int.h"
#include "open/open.h"

typedef struct call {
    nczarr_history_each each;
    void               *arg;
} call;

static int
tell_item(const ncz_icechunk_entry *e, void *arg)
{
    static const int    kinds[] = {[NCZ_ICECHUNK_SNAPSHOT] = NCZARR_HISTORY_SNAPSHOT,
                                   [NCZ_ICECHUNK_BRANCH] = NCZARR_HISTORY_BRANCH,
                                   [NCZ_ICECHUNK_TAG] = NCZARR_HISTORY_TAG};
    const call         *c = arg;
    nczarr_history_item item = {.size = sizeof item,
                                .kind = kinds[e->kind],
                                .name = e->name,
                                .id = e->id,
                                .parent = e->parent,
                                .message = e->message,
                                .time_us = e->time_us};

    return c->each(&item, c->arg);
}

int
nczarr_inq_history(const char *path, nczarr_history_each each, void *arg)
{
    call c = {.each = each, .arg = arg};

    ncz_err_clear();
    if (path == NULL || each == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_inq_history: no %s", path == NULL ? "path" : "function to call"));
    return ncz_call_done(ncz_dataset_history(path, tell_item, &c));
}
