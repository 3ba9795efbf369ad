/* SPDX-License-Identifier: BSD-3-Clause */
/* dump_att.c: an attribute with its values. */
#include "dump_int.h"

#include "common/memory.h"
#include "common/user_type.h"

#include <stdio.h>
#include <stdlib.h>

int
dump_att_load_named(int grp, int varid, const char *name, dump_att *a)
{
    size_t size;
    int    rc;

    *a = (dump_att){.grp = grp};
    if ((rc = nc_inq_att(grp, varid, name, &a->type, &a->len)) != NC_NOERR)
        return rc;
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    if (a->type > NC_MAX_ATOMIC_TYPE && (rc = dump_type_load(grp, a->type, &a->user)) != NC_NOERR)
        return rc;
    if ((size = a->user != NULL ? a->user->size : dump_type_size(a->type)) == 0)
        return NC_NOERR; /* val stays NULL: a type this program cannot read */
    a->val = memory_alloc(a->len + 1, size);
    if (a->len > 0 && (rc = nc_get_att(grp, varid, name, a->val)) != NC_NOERR) {
        free(a->val);
        a->val = NULL;
    }
    return rc;
}

int
dump_att_load(int grp, int varid, int index, dump_att *a)
{
    char name[NC_MAX_NAME + 1];
    int  rc;

    *a = (dump_att){.val = NULL};
    if ((rc = nc_inq_attname(grp, varid, index, name)) != NC_NOERR)
        return rc;
    return dump_att_load_named(grp, varid, name, a);
}

void
dump_att_clear(dump_att *a)
{
    if (a->type == NC_STRING && a->val != NULL)
        (void)nc_free_string(a->len, a->val);
    else if (a->user != NULL && a->val != NULL && a->len > 0)
        (void)nc_reclaim_data(a->grp, a->type, a->val, a->len);
    free(a->val);
    user_type_free(a->user);
    *a = (dump_att){.val = NULL};
}

bool
dump_att_take(dump_context *d, int grp, int varid, int index, dump_att *a)
{
    int rc = dump_att_load(grp, varid, index, a);

    if (rc == NC_NOERR && a->val != NULL)
        return true;
    if (varid == NC_GLOBAL || dump_asks_for_var(d, grp, varid))
        dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a->name[0] != '\0' ? a->name : "attribute");
    dump_att_clear(a);
    return false;
}
