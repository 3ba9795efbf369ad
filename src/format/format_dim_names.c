/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of dimensions for readers that know only names, not groups: each must mean one dimension wherever it is used.
 */
#include "format/format_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* True if two dimensions of one name would mislead a reader that knows only names. Unlimited dimensions differ even
 * at equal lengths, as a name must not change when a dimension grows. */
static bool
dims_differ(const ncz_dim *a, const ncz_dim *b)
{
    return a != b && (a->len != b->len || a->unlimited || b->unlimited);
}

/* True if variables of `g` may use `name` for `d`. Not if it is another dimension's name: one in the scope of this
 * group, or (as a variable may use dimensions of any group) one that a variable of this group uses. */
static bool
name_is_free(const ncz_group *g, const ncz_dim *d, const char *name)
{
    const ncz_dim *seen = ncz_group_scope_dim(g, name);

    if (seen == d)
        return true;
    if (seen != NULL && dims_differ(seen, d))
        return false;
    for (size_t i = 0; i < g->nvars; i++)
        for (size_t r = 0; r < g->vars[i]->rank; r++) {
            const ncz_dim *other = g->vars[i]->dims[r];

            if (dims_differ(other, d) && strcmp(other->name, name) == 0)
                return false;
        }
    return true;
}

int
ncz_format_plain_dim_name(const ncz_group *g, const ncz_dim *d, ncz_buf *out)
{
    int rc;

    ncz_buf_reset(out);
    if (name_is_free(g, d, d->name))
        return ncz_buf_puts(out, d->name);
    if ((rc = ncz_dim_fqn(d, out)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < out->len; i++)
        if (out->data[i] == '/')
            out->data[i] = '_';
    if (!name_is_free(g, d, out->data))
        ncz_buf_reset(out);
    return NC_NOERR;
}

bool
ncz_format_uses_anonymous(const ncz_var *v)
{
    for (size_t i = 0; i < v->rank; i++)
        if (strncmp(v->dims[i]->name, NCZ_ANONYMOUS, strlen(NCZ_ANONYMOUS)) == 0)
            return true;
    return v->rank == 0;
}

bool
ncz_format_is_anonymous(const ncz_dim *d)
{
    char name[sizeof NCZ_ANONYMOUS + 20];

    snprintf(name, sizeof name, NCZ_ANONYMOUS "%" PRIu64, d->len);
    return d->group->parent == NULL && strcmp(d->name, name) == 0;
}

bool
ncz_format_all_anonymous(const ncz_var *v)
{
    for (size_t i = 0; i < v->rank; i++)
        if (!ncz_format_is_anonymous(v->dims[i]))
            return false;
    return v->rank > 0;
}
