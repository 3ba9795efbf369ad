/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_exchange: collective puts in two phases. The ranks exchange the pieces of their selections, so that each
 * object (chunk, or shard) gets its elements from one rank, its owner, which encodes and puts it once.
 *
 * An object's owner is one of the ranks whose selections touched its place in the first collective put of the variable
 * (along unlimited dimensions the pattern of that put repeats, since a decomposition stays and records come), so that
 * aligned selections move nothing. It stays the owner until the dataset is closed: an object that waits in a cache has
 * one writer.
 *
 * Where an object can be written in place (chunk_lend.c), a rank writes its whole chunks of other ranks' objects
 * itself, and tells the owners (par_in_place.c). Everything else travels.
 *
 * In one round a rank sends about NCZ_PAR_ROUND_BYTES at most; the objects of a round follow from their places alone,
 * so all parts of an object travel together.
 */
#include "par/par_exchange_int.h"

/* More than a rank sends: ncz_par_count_travelling() gives 2^62 at most. */
#define SOME_WHOLE ((uint64_t)1 << 62 | 1)

/* Makes the plan of this rank. A failure is that of all ranks. */
static int
begin_exchange(ncz_exchange *x)
{
    const ncz_spec *spec = x->v->spec;
    size_t          nranks = ncz_comm_size(ncz_par_comm(x->ds));
    int             rc = NC_NOERR;

    x->object = ncz_alloc_n(x->v->rank, sizeof *x->object);
    x->send_len = ncz_alloc_n(nranks, sizeof *x->send_len);
    if (x->object == NULL || x->send_len == NULL)
        rc = ncz_fail_nomem(nranks * sizeof *x->send_len);
    for (size_t d = 0; rc == NC_NOERR && d < x->v->rank; d++)
        if (!ncz_mul64(spec->chunk[d], spec->layout->object[d], &x->object[d]))
            rc = ncz_fail(NC_EINTERNAL, "%s: its shards are too long", x->v->name);
    rc = ncz_par_load_owners(x, rc);
    if (x->box == NULL) /* on all ranks */
        return rc;
    if (rc == NC_NOERR)
        rc = ncz_par_cut_selection(x);
    return ncz_comm_agree(ncz_par_comm(x->ds), NCZ_COMM_PUT, 0, rc);
}

/* All rounds. *rc: this rank's failure so far, which ends the exchange on all ranks in the next round. Returns what
 * all ranks agree on. */
static int
exchange_parts(ncz_exchange *x, int *rc)
{
    int agreed;

    for (; x->round < x->nrounds; x->round++) {
        if (*rc == NC_NOERR)
            *rc = ncz_par_pack_round(x);
        if ((agreed = ncz_comm_agree(ncz_par_comm(x->ds), NCZ_COMM_PUT, x->round, *rc)) != NC_NOERR ||
            (agreed = ncz_comm_exchange(ncz_par_comm(x->ds), NCZ_COMM_PUT, &x->send, x->send_len, &x->received)) !=
                NC_NOERR)
            return agreed;
        *rc = ncz_par_write_received(x);
    }
    return NC_NOERR;
}

/*
 * Writes in place what can be, and counts the rounds for the rest. *most: bytes that a rank sends, the most of all.
 * *in_place: some rank had whole chunks of other ranks' objects.
 */
static int
agree_rounds(ncz_exchange *x, int *rc, uint64_t *most, bool *in_place)
{
    int agreed;

    *most = ncz_par_mark_whole(x) ? SOME_WHOLE : ncz_par_count_travelling(x);
    if ((agreed = ncz_comm_max(ncz_par_comm(x->ds), most, 1)) != NC_NOERR)
        return agreed;
    if ((*in_place = *most == SOME_WHOLE)) {
        if ((agreed = ncz_par_write_in_place(x, rc)) != NC_NOERR)
            return agreed;
        *most = ncz_par_count_travelling(x);
        if ((agreed = ncz_comm_max(ncz_par_comm(x->ds), most, 1)) != NC_NOERR)
            return agreed;
    }
    x->nrounds = *most > 0 ? *most / NCZ_PAR_ROUND_BYTES + 1 : 0;
    return NC_NOERR;
}

bool
ncz_par_exchanges(const ncz_dataset *ds, const ncz_var *v)
{
    return ncz_comm_exchanges(ncz_par_comm(ds)) && v->rank > 0 && !v->type->owns && v->type->size > 0;
}

int
ncz_par_put(ncz_dataset *ds, const ncz_put *p)
{
    ncz_exchange x = {.ds = ds,
                      .v = p->v,
                      .sel = p->sel,
                      .shape = p->shape,
                      .mem = p->mem,
                      .in = p->in,
                      .send = NCZ_BUF_INIT,
                      .received = NCZ_BUF_INIT};
    uint64_t     most;
    bool         in_place;
    int          rc = NC_NOERR, agreed = begin_exchange(&x);

    if (agreed != NC_NOERR || (agreed = agree_rounds(&x, &rc, &most, &in_place)) != NC_NOERR)
        goto done;
    if ((agreed = exchange_parts(&x, &rc)) != NC_NOERR)
        goto done;
    if (rc == NC_NOERR && most == 0 && !in_place && !ncz_select_is_empty(p->sel))
        rc = ncz_dataset_put_chunks(ds, p);
    else if (rc == NC_NOERR)
        rc = ncz_par_write_rest(&x, false);
    /* In a file a rank may put the same elements itself the next time: those of others do not wait in the cache. */
    if ((rc == NC_NOERR || rc == NC_ERANGE) && most != 0 && ncz_par_is_file(ds)) {
        int stored = ncz_dataset_flush_chunks(ds, p->v->uid);

        rc = stored == NC_NOERR ? rc : stored;
    }
    rc = rc == NC_NOERR && x.range ? NC_ERANGE : rc;
done:
    ncz_buf_clear(&x.send);
    ncz_buf_clear(&x.received);
    ncz_par_clear_parts(&x.mine);
    ncz_free(x.object);
    ncz_free(x.send_len);
    return agreed != NC_NOERR ? ncz_par_failed_put(p->v, agreed) : ncz_par_end_put(ds, p->v, rc);
}
