/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds nodes by name, by scope and by path, and iterates over all groups. Nothing here changes the tree. */
#include "model/model_int.h"

#include <string.h>

ncz_group *
ncz_group_find_group(const ncz_group *g, const char *name)
{
    size_t i;

    return ncz_names_get(&g->group_index, name, &i) ? g->groups[i] : NULL;
}

ncz_var *
ncz_group_find_var(const ncz_group *g, const char *name)
{
    size_t i;

    return ncz_names_get(&g->var_index, name, &i) ? g->vars[i] : NULL;
}

ncz_dim *
ncz_group_find_dim(const ncz_group *g, const char *name)
{
    size_t i;

    return ncz_names_get(&g->dim_index, name, &i) ? g->dims[i] : NULL;
}

ncz_dim *
ncz_group_scope_dim(const ncz_group *g, const char *name)
{
    for (; g != NULL; g = g->parent) {
        ncz_dim *d = ncz_group_find_dim(g, name);

        if (d != NULL)
            return d;
    }
    return NULL;
}

/* The child whose name is the segment s[0..len). Names of ordinary length are looked up in the index. */
static ncz_group *
find_child(const ncz_group *g, const char *s, size_t len)
{
    char name[NC_MAX_NAME + 1];

    if (len < sizeof name) {
        memcpy(name, s, len);
        name[len] = '\0';
        return ncz_group_find_group(g, name);
    }
    for (size_t i = 0; i < g->ngroups; i++)
        if (strlen(g->groups[i]->name) == len && memcmp(g->groups[i]->name, s, len) == 0)
            return g->groups[i];
    return NULL;
}

/* Follows all segments of "/a/b/name" but the last. *name: the last segment. */
static const ncz_group *
follow_path(const ncz_model *m, const char *fqn, const char **name)
{
    const ncz_group *g = m->root;
    const char      *slash;

    if (*fqn++ != '/')
        return NULL;
    while (g != NULL && (slash = strchr(fqn, '/')) != NULL) {
        g = find_child(g, fqn, (size_t)(slash - fqn));
        fqn = slash + 1;
    }
    *name = fqn;
    return g;
}

ncz_group *
ncz_model_group_at(const ncz_model *m, const char *fqn)
{
    const char      *name;
    const ncz_group *g = follow_path(m, fqn, &name);

    if (g == NULL)
        return NULL;
    if (*name == '\0')
        return g == m->root ? m->root : NULL;
    return ncz_group_find_group(g, name);
}

ncz_dim *
ncz_model_dim_at(const ncz_model *m, const char *fqn)
{
    const char      *name;
    const ncz_group *g = follow_path(m, fqn, &name);

    return g == NULL ? NULL : ncz_group_find_dim(g, name);
}

ncz_user_type *
ncz_group_find_type(const ncz_group *g, const char *name)
{
    size_t i;

    return ncz_names_get(&g->type_index, name, &i) ? g->types[i] : NULL;
}

ncz_user_type *
ncz_model_find_type(const ncz_model *m, const ncz_group *g, const char *name)
{
    ncz_user_type *t = NULL;

    if (name[0] == '/') {
        g = follow_path(m, name, &name);
        return g == NULL ? NULL : ncz_group_find_type(g, name);
    }
    /* First where it is visible, then anywhere, as netCDF-C looks for types. */
    for (; g != NULL; g = g->parent)
        if ((t = ncz_group_find_type(g, name)) != NULL)
            return t;
    for (g = ncz_model_next_group(m, NULL); g != NULL && t == NULL; g = ncz_model_next_group(m, g))
        t = ncz_group_find_type(g, name);
    return t;
}

/* Appends the names from below the root down to `g`, each after `lead`. The first has no `lead` if !lead_first. */
static int
append_path(const ncz_group *g, bool lead_first, ncz_buf *out)
{
    size_t depth = 0;
    int    rc;

    for (const ncz_group *p = g; p->parent != NULL; p = p->parent)
        depth++;
    for (size_t level = 0; level < depth;
         level++) { /* up again for each level: paths are short, and no list is needed */
        const ncz_group *p = g;

        for (size_t up = depth - level - 1; up > 0; up--)
            p = p->parent;
        if ((level > 0 || lead_first) && (rc = ncz_buf_putc(out, '/')) != NC_NOERR)
            return rc;
        if ((rc = ncz_buf_puts(out, p->name)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

int
ncz_group_fqn(const ncz_group *g, ncz_buf *out)
{
    return g->parent == NULL ? ncz_buf_putc(out, '/') : append_path(g, true, out);
}

int
ncz_dim_fqn(const ncz_dim *d, ncz_buf *out)
{
    int rc;

    if ((rc = append_path(d->group, true, out)) != NC_NOERR || (rc = ncz_buf_putc(out, '/')) != NC_NOERR)
        return rc;
    return ncz_buf_puts(out, d->name);
}

int
ncz_type_fqn(const ncz_user_type *t, ncz_buf *out)
{
    int rc;

    if ((rc = append_path(t->group, true, out)) != NC_NOERR || (rc = ncz_buf_putc(out, '/')) != NC_NOERR)
        return rc;
    return ncz_buf_puts(out, t->node.name);
}

int
ncz_group_key(const ncz_group *g, ncz_buf *out)
{
    return append_path(g, false, out);
}

int
ncz_var_key(const ncz_var *v, ncz_buf *out)
{
    int rc = ncz_group_key(v->group, out);

    if (rc == NC_NOERR && v->group->parent != NULL)
        rc = ncz_buf_putc(out, '/');
    return rc == NC_NOERR ? ncz_buf_puts(out, v->name) : rc;
}

ncz_group *
ncz_model_next_group(const ncz_model *m, const ncz_group *g)
{
    if (g == NULL)
        return m->root;
    if (g->ngroups > 0)
        return g->groups[0];
    for (; g->parent != NULL; g = g->parent) { /* the next sibling, of the group or of the first above that has one */
        size_t place = 0;

        (void)ncz_names_get(&g->parent->group_index, g->name, &place);
        if (place + 1 < g->parent->ngroups)
            return g->parent->groups[place + 1];
    }
    return NULL;
}

ncz_var *
ncz_model_next_var(const ncz_model *m, const ncz_var *v)
{
    const ncz_group *g = v != NULL ? v->group : m->root;
    size_t           i = v != NULL ? (size_t)v->id + 1 : 0;

    for (; g != NULL && i == g->nvars; i = 0)
        g = ncz_model_next_group(m, g);
    return g != NULL ? g->vars[i] : NULL;
}

bool
ncz_dim_is_of_text(const ncz_dim *d)
{
    return d->nothers == 0 && ncz_group_find_var(d->group, d->name) == NULL;
}

void
ncz_var_shape(const ncz_var *v, uint64_t *shape)
{
    for (size_t r = 0; r < v->rank; r++)
        shape[r] = v->dims[r]->len;
}
