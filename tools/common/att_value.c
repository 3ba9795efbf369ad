/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/att_value.h"
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>

int
att_value_load(int grp, int varid, const char *name, att_value *a)
{
    int size, rc;

    *a = (att_value){.grp = grp};
    if ((rc = nc_inq_att(grp, varid, name, &a->type, &a->len)) != NC_NOERR)
        return rc;
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    if (a->type > NC_MAX_ATOMIC_TYPE && (rc = user_type_load(grp, a->type, &a->user)) != NC_NOERR)
        return rc;
    if ((size = a->user != NULL ? (int)a->user->size : nctypelen(a->type)) <= 0)
        return NC_NOERR;
    a->val = memory_alloc(a->len + 1, (size_t)size);
    if (a->len > 0 && (rc = nc_get_att(grp, varid, name, a->val)) != NC_NOERR) {
        free(a->val);
        a->val = NULL;
    }
    return rc;
}

void
att_value_clear(att_value *a)
{
    if (a->type == NC_STRING && a->val != NULL)
        (void)nc_free_string(a->len, a->val);
    else if (a->user != NULL && a->val != NULL && a->len > 0)
        (void)nc_reclaim_data(a->grp, a->type, a->val, a->len);
    free(a->val);
    user_type_free(a->user);
    *a = (att_value){.val = NULL};
}
