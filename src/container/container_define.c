/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding arrays to a container, and removing them with what they have in the file. */
#include "container/container_int.h"

/* What HDF5 can have: a chunk of fewer than 4 GiB. */
static int
check_chunked(const ncz_container_array *g)
{
    uint64_t nbytes = g->element;

    if (g->rank == 0)
        return ncz_fail(NC_EINVAL, "array %" PRIu64 ": a scalar has no chunks", g->uid);
    for (unsigned d = 0; d < g->rank; d++)
        if (g->chunk[d] == 0 || !ncz_mul64(nbytes, g->chunk[d], &nbytes) || nbytes > UINT32_MAX)
            return ncz_fail(NC_EINVAL, "array %" PRIu64 ": a chunk has 1 to %" PRIu32 " bytes in HDF5", g->uid,
                            UINT32_MAX);
    return NC_NOERR;
}

static int
new_array(const ncz_container_array *given, container_array **out)
{
    container_array *a = ncz_zalloc(sizeof *a);
    int              rc;

    if (a == NULL)
        return ncz_fail_nomem(sizeof *a);
    a->given = *given;
    a->given.fill = NULL;
    a->data = NCZ_HDF5_NONE;
    rc = given->kind == NCZ_HDF5_CHUNKED ? check_chunked(given) : ncz_container_pieces_set(a);
    if (rc == NC_NOERR && given->fill != NULL && (a->fill = ncz_dup(given->fill, given->element)) == NULL)
        rc = ncz_fail_nomem(given->element);
    if (rc != NC_NOERR)
        ncz_container_array_free(a);
    else
        *out = a;
    return rc;
}

static bool
has_objects(const container_array *a)
{
    return a->nput > 0 || (a->tree != NULL ? ncz_hdf5_tree_count(a->tree) > 0 : a->given.is_there);
}

/* Gives up what it has in the file, and frees it. */
static void
drop_array(container *c, container_array *a)
{
    ncz_container_chunks_drop(c, a);
    ncz_container_pieces_drop(c, a);
    ncz_container_remove(c, a);
}

int
ncz_container_set(zmap *m, const ncz_container_array *given)
{
    container       *c = (container *)m;
    container_array *a = NULL, *old;
    int              rc = NC_NOERR;

    if (given->rank > NCZ_HDF5_MAX_RANK || given->element == 0)
        return ncz_fail(NC_EINVAL, "array %" PRIu64 ": %u dimensions, elements of %" PRIu32 " bytes", given->uid,
                        given->rank, given->element);
    if ((rc = new_array(given, &a)) != NC_NOERR)
        return rc;
    (void)pthread_rwlock_wrlock(&c->gate);
    old = ncz_container_find(c, given->uid);
    if (old != NULL && has_objects(old))
        rc = ncz_fail(NC_EINVAL, "array %" PRIu64 " has data already", given->uid);
    else if (old != NULL)
        drop_array(c, old);
    if (rc == NC_NOERR)
        rc = ncz_container_enter(c, a);
    (void)pthread_rwlock_unlock(&c->gate);
    if (rc != NC_NOERR)
        ncz_container_array_free(a);
    return rc;
}

bool
ncz_container_has(const zmap *m, uint64_t uid)
{
    container *c = (container *)(uintptr_t)m;
    bool       has;

    (void)pthread_rwlock_rdlock(&c->gate);
    has = ncz_container_find(c, uid) != NULL;
    (void)pthread_rwlock_unlock(&c->gate);
    return has;
}

int
ncz_container_drop(zmap *m, uint64_t uid)
{
    container       *c = (container *)m;
    container_array *a;
    int              rc = NC_NOERR;

    (void)pthread_rwlock_wrlock(&c->gate);
    if ((a = ncz_container_find(c, uid)) != NULL) {
        /* The chunks of an opened one are to be known, to give their room up. */
        if (a->given.kind == NCZ_HDF5_CHUNKED && a->given.is_there)
            rc = ncz_container_chunk_tree(c, a);
        if (rc == NC_NOERR) {
            drop_array(c, a);
            c->changed = true;
        }
    }
    (void)pthread_rwlock_unlock(&c->gate);
    return rc;
}
