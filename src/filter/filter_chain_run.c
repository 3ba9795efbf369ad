/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a chain over one chunk. Encoding runs the steps in order, decoding in reverse.
 *
 * A single codec works straight between the caller's buffers. Several codecs need buffers for the results between
 * steps, from the thread's scratch if there is one; at most two are in use at once. The decoded size of a step is
 * known if all codecs before it have fixed sizes. Otherwise it is bounded by their worst case for a whole chunk, so
 * that a bad object cannot make the reader allocate more.
 *
 * Only the functions at the top call codecs. Each clears the vector state that the codec's library may leave behind
 * (ISA-L 2.30 does, and an application's codec may), for the steps that follow and for the caller.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"

#include <string.h>

/* ---- calling a codec ----------------------------------------------------------------------------------- */

static int
run_encode(const ncz_chain_step *s, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    int rc = s->codec->ops->encode(s->codec->state, &s->in, in, n, out, cap, used);

    ncz_vector_clear();
    return rc;
}

static int
run_decode(const ncz_chain_step *s, const void *in, size_t n, void *out, size_t cap, bool exact, size_t *used)
{
    int rc = s->codec->ops->decode(s->codec->state, &s->in, in, n, out, cap, exact, used);

    ncz_vector_clear();
    return rc;
}

static int
run_decode_part(const ncz_chain_step *s, const void *in, size_t n, void *out, size_t size, ncz_byte_range *part)
{
    int rc = s->codec->ops->decode_part(s->codec->state, &s->in, in, n, out, size, part);

    ncz_vector_clear();
    return rc;
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

static bool
bound_step(const ncz_chain_step *s, size_t n, size_t *out)
{
    *out = n;
    return s->codec->ops->bound == NULL || s->codec->ops->bound(s->codec->state, n, out);
}

bool
ncz_chain_bound(const ncz_chain *c, size_t n, size_t *out)
{
    *out = n;
    for (size_t i = 0; c != NULL && i < c->nrun; i++)
        if (c->run[i]->codec->ops != NULL && !bound_step(c->run[i], *out, out))
            return false;
    return true;
}

static int
encode_step(const ncz_chain_step *s, const void *in, size_t n, ncz_buf *out)
{
    size_t cap, used;
    int    rc;

    ncz_buf_reset(out);
    if (!bound_step(s, n, &cap))
        return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes are more than it can encode", ncz_codec_id(s->codec), n);
    if ((rc = ncz_buf_reserve(out, cap)) != NC_NOERR)
        return rc;
    if ((rc = run_encode(s, in, n, out->data, cap, &used)) != NC_NOERR)
        return rc;
    out->len = used;
    out->data[used] = '\0';
    return NC_NOERR;
}

/* The two buffers between steps, used in turn. */
typedef struct stages {
    ncz_buf  own[2];
    ncz_buf *bufs[2];
} stages;

static void
init_stages(stages *s, ncz_scratch *scratch)
{
    *s = (stages){.own = {NCZ_BUF_INIT, NCZ_BUF_INIT}};
    s->bufs[0] = scratch != NULL ? ncz_scratch_buf(scratch, NCZ_SCRATCH_STAGE, 0) : &s->own[0];
    s->bufs[1] = scratch != NULL ? ncz_scratch_buf(scratch, NCZ_SCRATCH_STAGE2, 0) : &s->own[1];
}

static void
clear_stages(stages *s)
{
    ncz_buf_clear(&s->own[0]);
    ncz_buf_clear(&s->own[1]);
}

/* Checks that all codecs are usable, and that those from `from` on work on bytes. */
static int
check_chain(const ncz_chain *c, size_t from)
{
    int rc = ncz_chain_usable(c);

    for (size_t i = from; rc == NC_NOERR && i < c->nrun; i++)
        if (ncz_chain_step_vlen(c->run[i]))
            rc = ncz_fail(NC_EFILTER, "codec '%s' stores objects, not bytes", ncz_codec_id(c->run[i]->codec));
    return rc;
}

static int
check_objects(const ncz_chain *c)
{
    if (!ncz_chain_objects(c))
        return ncz_fail(NC_EFILTER, "no codec of the chain stores objects");
    return check_chain(c, 1);
}

/* Runs the steps from `from` on. */
static int
encode_from(const ncz_chain *c, size_t from, stages *between, const void *in, size_t n, ncz_buf *out)
{
    int rc;

    for (size_t i = from; i < c->nrun; i++) {
        ncz_buf *to = i + 1 == c->nrun ? out : between->bufs[i % 2];

        if ((rc = encode_step(c->run[i], in, n, to)) != NC_NOERR)
            return rc;
        in = to->data;
        n = to->len;
    }
    return NC_NOERR;
}

/* Whether no step changes the bytes, so that the stored object is the chunk itself. */
static bool
is_plain(const ncz_chain *c)
{
    return c == NULL || c->nrun == 0;
}

int
ncz_chain_encode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t n, ncz_buf *out)
{
    stages between;
    int    rc;

    ncz_buf_reset(out);
    if (is_plain(c))
        return ncz_buf_append(out, in, n);
    if ((rc = check_chain(c, 0)) != NC_NOERR)
        return rc;

    init_stages(&between, scratch);
    rc = encode_from(c, 0, &between, in, n, out);
    clear_stages(&between);
    if (rc != NC_NOERR)
        ncz_buf_reset(out);
    return rc;
}

/* The first codec turns objects into bytes. Its output buffer grows as needed. */
int
ncz_chain_encode_vlen(const ncz_chain *c, ncz_scratch *scratch, const ncz_vlen_block *in, ncz_buf *out)
{
    stages                between;
    const ncz_chain_step *first;
    ncz_buf              *to;
    int                   rc;

    ncz_buf_reset(out);
    if ((rc = check_objects(c)) != NC_NOERR)
        return rc;
    init_stages(&between, scratch);
    first = c->run[0];
    to = c->nrun == 1 ? out : between.bufs[0];
    ncz_buf_reset(to);
    to->limit = 0;
    if ((rc = first->codec->ops->encode_vlen(first->codec->state, &first->in, in, to)) == NC_NOERR)
        rc = encode_from(c, 1, &between, ncz_buf_str(to), to->len, out);
    clear_stages(&between);
    if (rc != NC_NOERR)
        ncz_buf_reset(out);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/*
 * The size of the input of step k when a chunk of n bytes is encoded. *exact: the size is exact, else it is the most.
 * Other writers' encoders have other worst cases than ours, so a size that is not exact gets an eighth more.
 */
static int
bound_input(const ncz_chain *c, size_t k, size_t n, size_t *most, bool *exact)
{
    *most = n;
    *exact = true;
    for (size_t i = 0; i < k; i++) {
        const ncz_chain_step *s = c->run[i];
        bool                  fits = bound_step(s, *most, most);

        if (!s->codec->ops->fixed) {
            *exact = false;
            fits = fits && ncz_add(*most, *most / 8 + 1024, most);
        }
        if (!fits)
            return ncz_fail(NC_EFILTER, "codec '%s': a chunk of %zu bytes is more than it can encode",
                            ncz_codec_id(s->codec), n);
    }
    return NC_NOERR;
}

bool
ncz_chain_is_fixed(const ncz_chain *c)
{
    for (size_t i = 0; c != NULL && i < c->nrun; i++)
        if (!c->run[i]->codec->ops->fixed)
            return false;
    return true;
}

/* Checks the size of an object that is the chunk itself. */
static int
check_plain(size_t nin, size_t n, bool tail_ok)
{
    if (nin < n || (nin > n && !tail_ok))
        return ncz_fail(NC_EFILTER, "%zu bytes, a chunk has %zu", nin, n);
    return NC_NOERR;
}

static int
decode_plain(const void *in, size_t nin, void *out, size_t n, bool tail_ok)
{
    int rc = check_plain(nin, n, tail_ok);

    if (rc == NC_NOERR && n > 0)
        memcpy(out, in, n);
    return rc;
}

/* Gives `to` at least `most` bytes. A new buffer replaces it, since there is no content to keep. */
static int
make_room(ncz_buf *to, size_t most)
{
    ncz_buf_reset(to);
    if (to->cap > most)
        return NC_NOERR;
    ncz_buf_clear(to);
    to->limit = most;
    return ncz_buf_reserve(to, most);
}

/* Decodes step k from in[0..*nin) into `to`. Sets *nin to the size of the result. */
static int
decode_step(const ncz_chain *c, size_t k, const void *in, size_t *nin, size_t n, ncz_buf *to)
{
    size_t most, used;
    bool   exact;
    int    rc;

    if ((rc = bound_input(c, k, n, &most, &exact)) != NC_NOERR || (rc = make_room(to, most)) != NC_NOERR)
        return rc;
    used = most;
    if ((rc = run_decode(c->run[k], in, *nin, to->data, most, exact, &used)) == NC_NOERR)
        *nin = used;
    return rc;
}

int
ncz_chain_decode(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                 bool tail_ok)
{
    stages between;
    size_t used = n;
    int    rc;

    if (is_plain(c))
        return decode_plain(in, nin, out, n, tail_ok);
    if ((rc = check_chain(c, 0)) != NC_NOERR)
        return rc;

    init_stages(&between, scratch);
    /* All steps but the first decode into the buffers in turn. The first one decodes straight into `out`. */
    for (size_t k = c->nrun - 1; k > 0; k--) {
        ncz_buf *to = between.bufs[(k - 1) % 2];

        if ((rc = decode_step(c, k, in, &nin, n, to)) != NC_NOERR)
            goto done;
        in = to->data;
    }
    rc = run_decode(c->run[0], in, nin, out, n, true, &used);
done:
    clear_stages(&between);
    return rc;
}

/* Whether a step gives as many bytes as it takes. */
static bool
keeps_length(const ncz_chain_step *s)
{
    return s->codec->ops->fixed && s->codec->ops->bound == NULL;
}

int
ncz_chain_decoded_len(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, size_t most, size_t *len)
{
    stages between;
    size_t from = 0;
    int    rc = is_plain(c) ? NC_NOERR : check_chain(c, 0);

    if (rc != NC_NOERR)
        return rc;
    init_stages(&between, scratch);
    while (!is_plain(c) && from < c->nrun && keeps_length(c->run[from]))
        from++;
    for (size_t k = is_plain(c) ? 0 : c->nrun; rc == NC_NOERR && k-- > from;) {
        ncz_buf *to = between.bufs[k % 2];
        size_t   cap = 0, used;
        bool     exact;

        if ((rc = bound_input(c, k, most, &cap, &exact)) != NC_NOERR || (rc = make_room(to, cap)) != NC_NOERR)
            break;
        used = cap;
        if ((rc = run_decode(c->run[k], in, nin, to->data, cap, false, &used)) == NC_NOERR)
            nin = used;
        in = to->data;
    }
    clear_stages(&between);
    if (rc == NC_NOERR)
        *len = nin;
    return rc;
}

/* ---- objects ------------------------------------------------------------------------------------------- */

#define ROOM_FIRST ((size_t)16 << 10)

/*
 * Decodes step k when the size of the result is unknown. The buffer starts small and grows by a factor of four while
 * the codec asks for more. So the allocation stays close to the real size, and corrupt objects are not tried again.
 */
static int
decode_unbounded(const ncz_chain *c, size_t k, const void *in, size_t *nin, size_t limit, ncz_buf *to)
{
    const ncz_chain_step *s = c->run[k];
    size_t                room = ROOM_FIRST, used;
    int                   rc;

    /* Decoded data are rarely smaller than encoded data, so do not try less. */
    while (room < *nin && room < limit)
        room *= 4;
    for (;; room *= 4) {
        if (room > limit)
            room = limit;
        if ((rc = make_room(to, room)) != NC_NOERR)
            return rc;
        used = room;
        rc = run_decode(s, in, *nin, to->data, room, false, &used);
        if (rc == NC_NOERR)
            *nin = used;
        /* Retry with more room if the result did not fit. Corrupt input fails at once, except with any_error. */
        if (rc != NC_EFILTER || room == limit || !(s->codec->ops->any_error || ncz_codec_was_too_long()))
            return rc;
    }
}

int
ncz_chain_decode_vlen(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, size_t nelems,
                      size_t limit, ncz_buf *out)
{
    stages                between;
    const ncz_chain_step *first;
    size_t                most;
    int                   rc;

    if ((rc = check_objects(c)) != NC_NOERR)
        return rc;
    init_stages(&between, scratch);
    for (size_t k = c->nrun - 1; k > 0; k--) {
        ncz_buf *to = between.bufs[(k - 1) % 2];

        if ((rc = decode_unbounded(c, k, in, &nin, limit, to)) != NC_NOERR)
            goto done;
        in = to->data;
    }
    first = c->run[0];
    out->limit = ncz_vlen_bound(nelems, &most) && ncz_add(most, limit, &most) ? most : SIZE_MAX;
    rc = first->codec->ops->decode_vlen(first->codec->state, &first->in, in, nin, nelems, out);
done:
    clear_stages(&between);
    return rc;
}

/* ---- decoding in part ---------------------------------------------------------------------------------- */

bool
ncz_chain_in_parts(const ncz_chain *c)
{
    return is_plain(c) ||
           (c->nrun == 1 && c->run[0]->codec->ops != NULL && c->run[0]->codec->ops->decode_part != NULL);
}

int
ncz_chain_decode_part(const ncz_chain *c, ncz_scratch *scratch, const void *in, size_t nin, void *out, size_t n,
                      bool tail_ok, ncz_byte_range *part)
{
    ncz_byte_range want = {part->from < n ? part->from : n, part->to < n ? part->to : n};
    int            rc;

    if (want.to < want.from)
        want.to = want.from;
    if (!ncz_chain_in_parts(c)) {
        want = (ncz_byte_range){0, n};
        rc = ncz_chain_decode(c, scratch, in, nin, out, n, tail_ok);
    } else if (is_plain(c)) {
        if ((rc = check_plain(nin, n, tail_ok)) == NC_NOERR && want.to > want.from)
            memcpy((char *)out + want.from, (const char *)in + want.from, want.to - want.from);
    } else {
        rc = run_decode_part(c->run[0], in, nin, out, n, &want);
    }
    if (rc == NC_NOERR)
        *part = want;
    return rc;
}
