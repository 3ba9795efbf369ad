/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model_view: what a reader sees in place of what is stored: variables whose values lie elsewhere, and without those
 * variables and dimensions that only say where. Of a model that is loaded and not written; ids close the gaps.
 */
#include "model/model_int.h"

#include <string.h>

/* One block has the dimensions, the chunk lengths and the name, as that of a new variable does (model.c). */
static int
give_block(ncz_model *m, ncz_var *v, size_t rank, ncz_dim *const *dims)
{
    size_t    nname = strlen(v->name) + 1, n;
    ncz_dim **block;
    char     *name;
    int       rc;

    if (!ncz_mul(rank, sizeof *v->dims + sizeof *v->chunk, &n) || !ncz_add(n, nname, &n) ||
        (block = ncz_arena_get(&m->arena, n)) == NULL)
        return ncz_fail_nomem(SIZE_MAX);
    memset(block, 0, n);
    for (size_t d = 0; d < rank; d++)
        block[d] = dims[d];
    name = memcpy((char *)(block + rank) + rank * sizeof *v->chunk, v->name, nname);
    if ((rc = ncz_names_refer(&v->group->var_index, name, (size_t)v->id)) != NC_NOERR)
        return rc;
    ncz_var_drop_name(v);
    v->dims = block;
    v->chunk = (uint64_t *)(void *)(block + rank);
    v->rank = rank;
    v->name = name;
    return NC_NOERR;
}

int
ncz_model_set_source(ncz_model *m, ncz_var *v, size_t rank, ncz_dim *const *dims, ncz_var_source *source)
{
    int rc;

    ncz_var_count_uses(v, false);
    rc = give_block(m, v, rank, dims);
    ncz_var_count_uses(v, true);
    if (rc != NC_NOERR)
        return rc;
    ncz_chain_unref(v->chain);
    v->chain = NULL;
    v->chunk_set = false;
    v->storage = rank > 0 ? NC_CHUNKED : NC_CONTIGUOUS;
    v->dtype = ncz_dtype_of(v->type, false, v->maxstrlen);
    v->source = source;
    return ncz_var_respec(m, v);
}

/* The places of all variables of a group, after some have gone. */
static int
index_group(ncz_model *m, ncz_group *g)
{
    int rc = NC_NOERR;

    ncz_names_clear(&g->var_index);
    for (size_t i = 0; i < g->nvars && rc == NC_NOERR; i++) {
        g->vars[i]->id = (int)i;
        rc = ncz_model_index_name(m, &g->var_index, g->vars[i]->name, i);
    }
    return rc;
}

static int
hide_in_group(ncz_model *m, ncz_group *g, bool (*hides)(const ncz_var *v, void *arg), void *arg)
{
    size_t kept = 0, before = g->nvars;
    int    rc = NC_NOERR;

    for (size_t i = 0; i < before; i++) {
        ncz_var *v = g->vars[i];
        bool     hidden = rc == NC_NOERR && hides(v, arg);

        if (hidden && (rc = ncz_model_room(&m->unlisted, m->nunlisted, sizeof *m->unlisted)) == NC_NOERR) {
            m->unlisted[m->nunlisted++] = v;
            m->nvars--;
            ncz_var_count_uses(v, false);
        } else {
            g->vars[kept++] = v;
        }
    }
    g->nvars = kept;
    if (rc == NC_NOERR && kept < before)
        rc = index_group(m, g);
    return rc;
}

/* A dimension that no variable has any more, and that one which is hidden had. */
static void
hide_dim(const ncz_model *m, ncz_dim *d)
{
    for (const ncz_var *v = ncz_model_next_var(m, NULL); v != NULL; v = ncz_model_next_var(m, v))
        for (size_t r = 0; r < v->rank; r++)
            if (v->dims[r] == d)
                return;
    d->hidden = true;
}

int
ncz_model_hide_vars(ncz_model *m, bool (*hides)(const ncz_var *v, void *arg), void *arg)
{
    int rc = NC_NOERR;

    for (ncz_group *g = m->root; g != NULL && rc == NC_NOERR; g = ncz_model_next_group(m, g))
        rc = hide_in_group(m, g, hides, arg);
    for (size_t i = 0; i < m->nunlisted && rc == NC_NOERR; i++)
        for (size_t r = 0; r < m->unlisted[i]->rank; r++)
            if (!m->unlisted[i]->dims[r]->hidden)
                hide_dim(m, m->unlisted[i]->dims[r]);
    return rc;
}
