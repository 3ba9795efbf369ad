/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree itself: creates, renames and releases groups, dimensions and variables.
 *
 * Invariant: the index of a parent has each node's place in the parent's array; dimensions and groups are also in the
 * dataset-wide arrays, at their ids. A failed call leaves all of them unchanged.
 */
#include "model/model_int.h"

#include <string.h>

/* ---- release ------------------------------------------------------------------------------------------------ */

/* One block of the arena has a variable, its dimensions, chunk lengths and first name. */
static char *
first_name(const ncz_var *v)
{
    return (char *)(v->chunk + v->rank);
}

void
ncz_var_drop_name(const ncz_var *v)
{
    if (v->name != first_name(v))
        ncz_free(v->name);
}

static void
free_var(ncz_model *m, ncz_var *v)
{
    if (v == NULL)
        return;
    if (v->format != NULL && m->format_free != NULL)
        m->format_free(v->format);
    if (v->place != NULL && m->format_free != NULL)
        m->format_free(v->place);
    ncz_atts_clear(&v->atts);
    ncz_var_clear_fill(v);
    ncz_spec_unref(v->spec);
    ncz_chain_unref(v->chain);
    ncz_free(v->shard);
    ncz_rectilinear_unref(v->rectilinear);
    ncz_free(v->order);
    ncz_free(v->dtype_text);
    ncz_free(v->fill_text);
    ncz_err_drop(v->unusable);
    ncz_var_drop_name(v);
}

static void
free_group(ncz_model *m, ncz_group *g)
{
    if (g == NULL)
        return;
    for (size_t i = 0; i < g->nvars; i++)
        free_var(m, g->vars[i]);
    if (g->format != NULL && m->format_free != NULL)
        m->format_free(g->format);
    ncz_atts_clear(&g->atts);
    ncz_names_clear(&g->group_index);
    ncz_names_clear(&g->var_index);
    ncz_names_clear(&g->dim_index);
    ncz_names_clear(&g->type_index);
    ncz_free(g->groups);
    ncz_free(g->vars);
    ncz_free(g->dims);
    ncz_free(g->types);
    ncz_free(g->name);
    ncz_free(g);
}

void
ncz_model_free(ncz_model *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->ngroups; i++)
        free_group(m, m->groups[i]);
    for (size_t i = 0; i < m->nunlisted; i++)
        free_var(m, m->unlisted[i]);
    ncz_free(m->unlisted);
    for (size_t i = 0; i < m->ndims; i++) {
        ncz_free(m->dims[i]->name);
        ncz_free(m->dims[i]);
    }
    ncz_model_free_types(m); /* after everything that has elements of them */
    if (m->format != NULL && m->format_free != NULL)
        m->format_free(m->format);
    ncz_arena_clear(&m->arena);
    ncz_free(m->groups);
    ncz_free(m->dims);
    ncz_free(m);
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

static int
make_group(ncz_model *m, ncz_group *parent, const char *name, ncz_group **out)
{
    ncz_group *g = ncz_zalloc(sizeof *g);
    int        rc;

    if (g == NULL || (g->name = ncz_strdup(name)) == NULL) {
        ncz_free(g);
        return ncz_fail_nomem(sizeof *g);
    }
    g->parent = parent;
    g->id = (int)m->ngroups;
    g->document = NCZ_DOCUMENT_NEW;
    g->atts.dirty = true;
    if ((rc = ncz_model_room(&m->groups, m->ngroups, sizeof *m->groups)) != NC_NOERR) {
        free_group(m, g);
        return rc;
    }
    *out = g;
    return NC_NOERR;
}

int
ncz_model_new(const ncz_limits *limits, ncz_model **out)
{
    ncz_model *m = ncz_zalloc(sizeof *m);
    int        rc;

    if (m == NULL)
        return ncz_fail_nomem(sizeof *m);
    m->limits = *limits;
    if ((rc = make_group(m, NULL, "", &m->root)) != NC_NOERR) {
        ncz_model_free(m);
        return rc;
    }
    m->groups[m->ngroups++] = m->root;
    *out = m;
    return NC_NOERR;
}

static int
check_depth(const ncz_model *m, const ncz_group *parent)
{
    size_t depth = 1;

    for (const ncz_group *g = parent; g->parent != NULL; g = g->parent)
        depth++;
    if (depth > m->limits.group_depth)
        return ncz_fail(NC_EZARRMETA, "groups nested deeper than %zu (limit `group_depth`)", m->limits.group_depth);
    return NC_NOERR;
}

int
ncz_model_add_group(ncz_model *m, ncz_group *parent, const char *name, ncz_group **out)
{
    ncz_group *g = NULL;
    int        rc;

    if ((rc = ncz_model_check_name(parent, name)) != NC_NOERR ||
        (rc = ncz_model_check_count(m, NC_EZARRMETA)) != NC_NOERR || (rc = check_depth(m, parent)) != NC_NOERR ||
        (rc = ncz_model_room(&parent->groups, parent->ngroups, sizeof *parent->groups)) != NC_NOERR ||
        (rc = make_group(m, parent, name, &g)) != NC_NOERR)
        return rc;
    if ((rc = ncz_names_refer(&parent->group_index, g->name, parent->ngroups)) != NC_NOERR) {
        free_group(m, g);
        return rc;
    }
    parent->groups[parent->ngroups++] = g;
    m->groups[m->ngroups++] = g;
    ncz_document_change(&parent->document);
    *out = g;
    return NC_NOERR;
}

/* Adds a node's name to an index. While a file is loaded that may have it twice, the first one stays; names are looked
 * up in NFC, so one of another form gets a second entry. */
int
ncz_model_index_name(ncz_model *m, ncz_names *index, const char *name, size_t place)
{
    const char *kept;
    char       *form = NULL;
    size_t      len, found;
    int         rc;

    if (!m->twins)
        return ncz_names_refer(index, name, place);
    len = strlen(name);
    if ((rc = ncz_names_refer_first(index, name, place)) != NC_NOERR ||
        ncz_is_ascii(name, len) /* it has no other form */ || !ncz_utf8_valid(name, len))
        return rc;
    if ((rc = ncz_nfc(name, &form)) == NC_NOERR) {
        kept = ncz_arena_text(&m->arena, form, strlen(form));
        rc = kept != NULL ? ncz_names_refer_first(index, kept, place) : ncz_fail_nomem(len);
    }
    if (rc != NC_NOERR && ncz_names_get(index, name, &found) && found == place)
        ncz_names_del(index, name);
    ncz_free(form);
    return rc;
}

int
ncz_model_add_dim(ncz_model *m, ncz_group *g, const char *name, uint64_t len, bool unlimited, ncz_dim **out)
{
    ncz_dim *d = NULL;
    int      rc;

    if (!m->twins && ncz_group_find_dim(g, name) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "dimension '%s' exists already", name);
    /* All steps that can fail come before the arrays change, so a failure leaves the tree unchanged. */
    if ((rc = ncz_model_check_count(m, NC_EMAXDIMS)) != NC_NOERR ||
        (rc = ncz_model_room(&g->dims, g->ndims, sizeof *g->dims)) != NC_NOERR ||
        (rc = ncz_model_room(&m->dims, m->ndims, sizeof *m->dims)) != NC_NOERR)
        return rc;
    if ((d = ncz_zalloc(sizeof *d)) == NULL || (d->name = ncz_strdup(name)) == NULL) {
        ncz_free(d);
        return ncz_fail_nomem(sizeof *d);
    }
    d->len = len;
    d->unlimited = unlimited;
    d->id = (int)m->ndims;
    d->group = g;
    if ((rc = ncz_model_index_name(m, &g->dim_index, d->name, g->ndims)) != NC_NOERR) {
        ncz_free(d->name);
        ncz_free(d);
        return rc;
    }
    g->dims[g->ndims++] = d;
    m->dims[m->ndims++] = d;
    ncz_document_change(&g->document);
    *out = d;
    return NC_NOERR;
}

/* Counts the use as dimension r, or takes it back. */
static void
count_use(const ncz_var *v, size_t r, bool more)
{
    ncz_dim *d = v->dims[r];
    bool     row = v->type->class == NCZ_TYPE_CHAR && r + 1 == v->rank;

    if (row)
        d->nchars = more ? d->nchars + 1 : d->nchars - 1;
    if (!row || strcmp(v->name, d->name) == 0)
        d->nothers = more ? d->nothers + 1 : d->nothers - 1;
}

void
ncz_var_count_uses(const ncz_var *v, bool more)
{
    for (size_t r = 0; r < v->rank; r++)
        count_use(v, r, more);
}

static ncz_var *
alloc_var(ncz_model *m, const char *name, size_t rank)
{
    size_t   nname = strlen(name) + 1, n;
    ncz_var *v;

    if (!ncz_mul(rank, sizeof *v->dims + sizeof *v->chunk, &n) || !ncz_add(n, sizeof *v + nname, &n) ||
        (v = ncz_arena_get(&m->arena, n)) == NULL)
        return NULL;
    memset(v, 0, n);
    v->rank = rank;
    v->dims = (ncz_dim **)(void *)(v + 1);
    v->chunk = (uint64_t *)(void *)(v->dims + rank);
    v->name = memcpy(first_name(v), name, nname);
    return v;
}

/* A variable with all fields at netCDF's defaults and no place in the tree yet. */
static int
make_var(ncz_model *m, ncz_group *g, const char *name, const ncz_type *type, size_t rank, ncz_dim *const *dims,
         ncz_var **out)
{
    bool     unmasked = ncz_model_is_unmasked(type);
    ncz_var *v = alloc_var(m, name, rank);

    if (v == NULL)
        return ncz_fail_nomem(sizeof *v);
    if (rank != 0)
        memcpy(v->dims, dims, rank * sizeof *dims);
    v->group = g;
    v->unusable = &ncz_err_none;
    v->id = (int)g->nvars;
    v->uid = m->last_uid + 1;
    v->type = type;
    v->maxstrlen = 128; /* the specification's default, appendix H */
    v->dtype = ncz_dtype_of(type, false, v->maxstrlen);
    v->key_encoding = m->key_encoding;
    v->fill_mode =
        m->nofill || (unmasked && m->unmasked_fill == NCZ_UNMASKED_NONE) ? NCZ_FILL_NONE : NCZ_FILL_DEFAULT;
    v->fill_null = ncz_var_default_is_null(m, v);
    v->cache_bytes = m->limits.cache_bytes;
    v->cache_nelems = 1000;
    v->cache_preemption = 0.75f;
    v->document = NCZ_DOCUMENT_NEW;
    v->atts.dirty = true;
    *out = v;
    return NC_NOERR;
}

int
ncz_model_place_var(ncz_model *m, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                    ncz_dim *const *dims, ncz_var **out)
{
    ncz_var *v = NULL;
    int      rc;

    if (rank > m->limits.rank)
        return ncz_fail(NC_EMAXDIMS, "%s: %zu dimensions are more than %zu (limit `rank`)", name, rank,
                        m->limits.rank);
    if ((rc = ncz_model_use_type(m, type)) != NC_NOERR ||
        (!m->twins && (rc = ncz_model_check_name(g, name)) != NC_NOERR) ||
        (rc = ncz_model_check_count(m, NC_EMAXVARS)) != NC_NOERR ||
        (rc = ncz_model_room(&g->vars, g->nvars, sizeof *g->vars)) != NC_NOERR ||
        (rc = make_var(m, g, name, type, rank, dims, &v)) != NC_NOERR)
        return rc;
    if ((rc = ncz_model_index_name(m, &g->var_index, v->name, g->nvars)) != NC_NOERR) {
        free_var(m, v);
        return rc;
    }
    g->vars[g->nvars++] = v;
    ncz_var_count_uses(v, true);
    m->nvars++;
    m->last_uid++;
    ncz_document_change(&g->document);
    *out = v;
    return NC_NOERR;
}

int
ncz_model_add_var(ncz_model *m, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                  ncz_dim *const *dims, ncz_var **out)
{
    ncz_document_state document = g->document;
    ncz_var           *v = NULL;
    int                rc;

    if ((rc = ncz_model_place_var(m, g, name, type, rank, dims, &v)) != NC_NOERR)
        return rc;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        ncz_model_drop_var(m, v);
        g->document = document;
        return rc;
    }
    *out = v;
    return NC_NOERR;
}

void
ncz_model_drop_var(ncz_model *m, ncz_var *v)
{
    ncz_group *g = v->group;

    ncz_var_count_uses(v, false);
    ncz_names_del(&g->var_index, v->name);
    g->nvars--;
    m->nvars--;
    free_var(m, v);
}

/* ---- renaming -------------------------------------------------------------------------------------------------- */

/* Replaces *old by `name`, also in `index` at `place`. `kept`: what is not freed, a variable's first name; or NULL. */
static int
rename_in_index(ncz_names *index, char **old, const char *kept, const char *name, size_t place)
{
    char *copy = ncz_strdup(name);
    int   rc;

    if (copy == NULL)
        return ncz_fail_nomem(strlen(name));
    if ((rc = ncz_names_refer(index, copy, place)) != NC_NOERR) {
        ncz_free(copy);
        return rc;
    }
    ncz_names_del(index, *old);
    if (*old != kept)
        ncz_free(*old);
    *old = copy;
    return NC_NOERR;
}

static void
mark_var(ncz_var *v)
{
    ncz_document_change(&v->document);
    v->atts.dirty = true;
}

int
ncz_model_rename_var(ncz_model *m, ncz_var *v, const char *name)
{
    char *old;
    int   rc;

    if ((rc = ncz_model_check_name(v->group, name)) != NC_NOERR)
        return rc;
    if ((old = ncz_strdup(v->name)) == NULL)
        return ncz_fail_nomem(strlen(v->name));
    ncz_var_count_uses(v, false);
    if ((rc = rename_in_index(&v->group->var_index, &v->name, first_name(v), name, (size_t)v->id)) != NC_NOERR)
        goto done;
    if ((rc = ncz_var_respec(m, v)) != NC_NOERR) {
        (void)rename_in_index(&v->group->var_index, &v->name, first_name(v), old, (size_t)v->id);
        goto done;
    }
    mark_var(v);
    ncz_document_change(&v->group->document);
done:
    ncz_var_count_uses(v, true);
    ncz_free(old);
    return rc;
}

static bool
is_within(const ncz_group *g, const ncz_group *ancestor)
{
    for (; g != NULL; g = g->parent)
        if (g == ancestor)
            return true;
    return false;
}

/* Handles the change of all keys below `top`: makes new specs, and marks all documents for writing. */
static int
respec_vars_below(ncz_model *m, ncz_group *top)
{
    int rc;

    for (size_t i = 0; i < m->ngroups; i++) {
        ncz_group *g = m->groups[i];

        if (!is_within(g, top))
            continue;
        for (size_t k = 0; k < g->nvars; k++) {
            if ((rc = ncz_var_respec(m, g->vars[k])) != NC_NOERR)
                return rc;
            mark_var(g->vars[k]);
        }
        ncz_document_change(&g->document);
        g->atts.dirty = true;
    }
    return NC_NOERR;
}

/* Marks all documents, since those of any group may have the full name of a type. */
static void
mark_all(ncz_model *m)
{
    for (size_t i = 0; i < m->ngroups; i++) {
        ncz_group *g = m->groups[i];

        ncz_document_change(&g->document);
        g->atts.dirty = true;
        for (size_t k = 0; k < g->nvars; k++)
            mark_var(g->vars[k]);
    }
}

/* Marks the variables that use `d`, in any group, since their documents have its name or its path. */
static void
mark_vars_of_dim(ncz_model *m, const ncz_dim *d)
{
    for (size_t i = 0; i < m->ngroups; i++)
        for (size_t k = 0; k < m->groups[i]->nvars; k++) {
            ncz_var *v = m->groups[i]->vars[k];

            for (size_t r = 0; r < v->rank; r++)
                if (v->dims[r] == d)
                    mark_var(v);
        }
}

/* Counts the uses of a dimension again, which has another name. */
static void
recount_uses(ncz_model *m, ncz_dim *d)
{
    d->nchars = d->nothers = 0;
    for (const ncz_var *v = ncz_model_next_var(m, NULL); v != NULL; v = ncz_model_next_var(m, v))
        for (size_t r = 0; r < v->rank; r++)
            if (v->dims[r] == d)
                count_use(v, r, true);
}

int
ncz_model_rename_group(ncz_model *m, ncz_group *g, const char *name)
{
    size_t place = 0;
    char  *old;
    int    rc;

    if (g->parent == NULL)
        return ncz_fail(NC_EBADGRPID, "the root group has no name to change");
    if ((rc = ncz_model_check_name(g->parent, name)) != NC_NOERR)
        return rc;
    if ((old = ncz_strdup(g->name)) == NULL)
        return ncz_fail_nomem(strlen(g->name));
    (void)ncz_names_get(&g->parent->group_index, g->name, &place);
    if ((rc = rename_in_index(&g->parent->group_index, &g->name, NULL, name, place)) != NC_NOERR)
        goto done;
    if ((rc = respec_vars_below(m, g)) != NC_NOERR) {
        /* Undo: the specs that were replaced already get their old paths back. */
        (void)rename_in_index(&g->parent->group_index, &g->name, NULL, old, place);
        (void)respec_vars_below(m, g);
        goto done;
    }
    ncz_document_change(&g->parent->document);
    /* Variables in any group may refer to these dimensions by their paths. */
    for (size_t i = 0; i < m->ndims; i++)
        if (is_within(m->dims[i]->group, g))
            mark_vars_of_dim(m, m->dims[i]);
    if (m->ntypes > 0)
        mark_all(m);
done:
    ncz_free(old);
    return rc;
}

int
ncz_model_rename_dim(ncz_model *m, ncz_dim *d, const char *name)
{
    size_t place = 0;
    int    rc;

    if (ncz_group_find_dim(d->group, name) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "dimension '%s' exists already", name);
    (void)ncz_names_get(&d->group->dim_index, d->name, &place);
    if ((rc = rename_in_index(&d->group->dim_index, &d->name, NULL, name, place)) != NC_NOERR)
        return rc;
    d->made_up = false; /* now it has a name */
    ncz_document_change(&d->group->document);
    mark_vars_of_dim(m, d);
    recount_uses(m, d);
    return NC_NOERR;
}

void
ncz_model_grow_dim(ncz_model *m, ncz_dim *d, uint64_t len)
{
    if (len <= d->len)
        return;
    d->len = len;
    ncz_document_change(&d->group->document);
    mark_vars_of_dim(m, d);
}
