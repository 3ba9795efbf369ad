/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running a chain over one chunk. Encoding goes down the list, decoding comes back up.
 *
 * One codec works straight between the caller's memories. With more, each stage between has a buffer, of the
 * thread's scratch where there is one, and at most two of them live at once. The size of what a stage decodes to is
 * known where all codecs before it have fixed sizes, and is else bounded by what they can make of a whole chunk: an
 * object that lies cannot ask for more.
 *
 * A codec is called by the functions at the top only: each clears the vector state that the codec's library may leave
 * (ISA-L 2.30 does, and an application's codec may), for the stages that follow and for the caller.
 */
#include "filter/chain_int.h"
#include "filter/filter_int.h"

#include <string.h>

/* ---- calling a codec ----------------------------------------------------------------------------------- */

static int
run_encode(const chain_link *l, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap,
           size_t *used)
{
    int rc = l->ops->encode(&l->params, env, in, n, out, cap, used);

    ncz_vector_clear();
    return rc;
}

static int
run_decode(const chain_link *l, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t cap, bool exact,
           size_t *used)
{
    int rc = l->ops->decode(&l->params, env, in, n, out, cap, exact, used);

    ncz_vector_clear();
    return rc;
}

static int
run_decode_part(const chain_link *l, const ncz_codec_env *env, const void *in, size_t n, void *out, size_t size,
                ncz_byte_range *part)
{
    int rc = l->ops->decode_part(&l->params, env, in, n, out, size, part);

    ncz_vector_clear();
    return rc;
}

/* ---- encoding ------------------------------------------------------------------------------------------ */

static int
encode_link(const chain_link *l, const ncz_codec_env *env, const void *in, size_t n, ncz_buf *out)
{
    size_t cap, used;
    int    rc;

    ncz_buf_reset(out);
    if (!l->ops->bound(&l->params, n, &cap))
        return ncz_fail(NC_EFILTER, "codec '%s': %zu bytes are more than it can encode", l->id, n);
    if ((rc = ncz_buf_reserve(out, cap)) != NC_NOERR)
        return rc;
    if ((rc = run_encode(l, env, in, n, out->data, cap, &used)) != NC_NOERR)
        return rc;
    out->len = used;
    out->data[used] = '\0';
    return NC_NOERR;
}

/* The buffers of the stages between, taken by turns. */
typedef struct stages {
    ncz_buf  own[2];
    ncz_buf *bufs[2];
} stages;

static void
stages_init(stages *s, ncz_scratch *scratch)
{
    *s = (stages){.own = {NCZ_BUF_INIT, NCZ_BUF_INIT}};
    s->bufs[0] = scratch != NULL ? ncz_scratch_buf(scratch, NCZ_SCRATCH_STAGE, 0) : &s->own[0];
    s->bufs[1] = scratch != NULL ? ncz_scratch_buf(scratch, NCZ_SCRATCH_STAGE2, 0) : &s->own[1];
}

static void
stages_clear(stages *s)
{
    ncz_buf_clear(&s->own[0]);
    ncz_buf_clear(&s->own[1]);
}

/* All of its codecs are there, and those from `from` on work on bytes. */
static int
check_chain(const ncz_chain *c, size_t from)
{
    int rc = ncz_chain_usable(c);

    for (size_t i = from; rc == NC_NOERR && i < c->n; i++)
        if (ncz_chain_link_packs(&c->links[i]))
            rc = ncz_fail(NC_EFILTER, "codec '%s' stores objects, not bytes", c->links[i].id);
    return rc;
}

static int
check_texts(const ncz_chain *c)
{
    if (!ncz_chain_objects(c))
        return ncz_fail(NC_EFILTER, "no codec of the chain stores objects");
    return check_chain(c, 1);
}

/* The codecs from `from` on. */
static int
encode_from(const ncz_chain *c, size_t from, stages *between, ncz_codec_env *at, const void *in, size_t n,
            ncz_buf *out)
{
    int rc;

    for (size_t i = from; i < c->n; i++) {
        ncz_buf *to = i + 1 == c->n ? out : between->bufs[i % 2];

        if ((rc = encode_link(&c->links[i], at, in, n, to)) != NC_NOERR)
            return rc;
        ncz_chain_pass(&c->links[i], at);
        in = to->data;
        n = to->len;
    }
    return NC_NOERR;
}

int
ncz_chain_encode(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t n, ncz_buf *out)
{
    stages        between;
    ncz_codec_env at = *env;
    int           rc;

    ncz_buf_reset(out);
    if (ncz_chain_len(c) == 0)
        return ncz_buf_append(out, in, n);
    if ((rc = check_chain(c, 0)) != NC_NOERR)
        return rc;

    stages_init(&between, env->scratch);
    rc = encode_from(c, 0, &between, &at, in, n, out);
    stages_clear(&between);
    if (rc != NC_NOERR)
        ncz_buf_reset(out);
    return rc;
}

/* The first codec makes bytes of texts, and says how many. */
int
ncz_chain_encode_vlen(const ncz_chain *c, const ncz_codec_env *env, const ncz_vlen_block *in, ncz_buf *out)
{
    stages            between;
    ncz_codec_env     at = *env;
    const chain_link *first;
    ncz_buf          *to;
    int               rc;

    ncz_buf_reset(out);
    if ((rc = check_texts(c)) != NC_NOERR)
        return rc;
    stages_init(&between, env->scratch);
    first = &c->links[0];
    to = c->n == 1 ? out : between.bufs[0];
    ncz_buf_reset(to);
    to->limit = 0;
    if ((rc = first->ops->pack(&first->params, env, in, to)) == NC_NOERR) {
        ncz_chain_pass(first, &at);
        rc = encode_from(c, 1, &between, &at, ncz_buf_str(to), to->len, out);
    }
    stages_clear(&between);
    if (rc != NC_NOERR)
        ncz_buf_reset(out);
    return rc;
}

/* ---- decoding ------------------------------------------------------------------------------------------ */

/* What enters codec k when a chunk is encoded: exactly `most` bytes, or at most that. */
typedef struct stage {
    ncz_codec_env env;
    size_t        most;
    bool          exact;
} stage;

/*
 * What the first k codecs make of a chunk of n bytes. Other writers' encoders have other worst cases than ours, so
 * what is not exact gets an eighth of room on top.
 */
static int
stage_at(const ncz_chain *c, size_t k, const ncz_codec_env *env, size_t n, stage *out)
{
    stage s = {.env = *env, .most = n, .exact = true};

    for (size_t i = 0; i < k; i++) {
        const chain_link *l = &c->links[i];
        bool              fits = l->ops->bound(&l->params, s.most, &s.most);

        if (!l->ops->fixed) {
            s.exact = false;
            fits = fits && ncz_add(s.most, s.most / 8 + 1024, &s.most);
        }
        if (!fits)
            return ncz_fail(NC_EFILTER, "codec '%s': a chunk of %zu bytes is more than it can encode", l->id, n);
        ncz_chain_pass(l, &s.env);
    }
    *out = s;
    return NC_NOERR;
}

/* An object that is the chunk itself. */
static int
check_plain(size_t nin, size_t n, bool tail_ok)
{
    if (nin < n || (nin > n && !tail_ok))
        return ncz_fail(NC_EFILTER, "%zu bytes, a chunk has %zu", nin, n);
    return NC_NOERR;
}

static int
decode_empty(const void *in, size_t nin, void *out, size_t n, bool tail_ok)
{
    int rc = check_plain(nin, n, tail_ok);

    if (rc == NC_NOERR && n > 0)
        memcpy(out, in, n);
    return rc;
}

/* Decodes the stage of codec k from in[0..*nin) into `to`, which gets the size that it may have. */
static int
decode_stage(const ncz_chain *c, size_t k, const ncz_codec_env *env, const void *in, size_t *nin, size_t n,
             ncz_buf *to)
{
    const chain_link *l = &c->links[k];
    size_t            used;
    stage             s;
    int               rc;

    if ((rc = stage_at(c, k, env, n, &s)) != NC_NOERR)
        return rc;
    ncz_buf_reset(to);
    if (to->cap <= s.most) { /* anew: there is nothing in it to keep */
        ncz_buf_clear(to);
        to->limit = s.most;
        if ((rc = ncz_buf_reserve(to, s.most)) != NC_NOERR)
            return rc;
    }
    used = s.most;
    if ((rc = run_decode(l, &s.env, in, *nin, to->data, s.most, s.exact, &used)) == NC_NOERR)
        *nin = used;
    return rc;
}

int
ncz_chain_decode(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, void *out, size_t n,
                 bool tail_ok)
{
    stages            between;
    const chain_link *first;
    size_t            used = n;
    int               rc;

    if (ncz_chain_len(c) == 0)
        return decode_empty(in, nin, out, n, tail_ok);
    if ((rc = check_chain(c, 0)) != NC_NOERR)
        return rc;

    stages_init(&between, env->scratch);
    for (size_t k = c->n - 1; k > 0; k--) {
        ncz_buf *to = between.bufs[(k - 1) % 2];

        if ((rc = decode_stage(c, k, env, in, &nin, n, to)) != NC_NOERR)
            goto done;
        in = to->data;
    }
    first = &c->links[0];
    rc = run_decode(first, env, in, nin, out, n, true, &used);
done:
    stages_clear(&between);
    return rc;
}

/* ---- texts --------------------------------------------------------------------------------------------- */

#define ROOM_FIRST ((size_t)16 << 10)

/*
 * The stage of codec k where nobody knows what it decodes to. It gets some room, and four times as much as long as it
 * asks for more: so what is taken stays near what is there, and corrupt objects get no second try.
 */
static int
decode_open(const ncz_chain *c, size_t k, const ncz_codec_env *env, const void *in, size_t *nin, size_t limit,
            ncz_buf *to)
{
    const chain_link *l = &c->links[k];
    size_t            room = ROOM_FIRST, used;
    int               rc;

    while (room < *nin && room < limit)
        room *= 4;
    for (;; room *= 4) {
        if (room > limit)
            room = limit;
        ncz_buf_reset(to);
        if (to->cap <= room) {
            ncz_buf_clear(to);
            to->limit = room;
            if ((rc = ncz_buf_reserve(to, room)) != NC_NOERR)
                return rc;
        }
        used = room;
        rc = run_decode(l, env, in, *nin, to->data, room, false, &used);
        if (rc == NC_NOERR)
            *nin = used;
        if (rc != NC_EFILTER || room == limit || (l->ops->own == NULL && !ncz_codec_was_too_long()))
            return rc;
    }
}

/* What enters codec k. */
static ncz_codec_env
env_at(const ncz_chain *c, size_t k, const ncz_codec_env *env)
{
    ncz_codec_env at = *env;

    for (size_t i = 0; i < k; i++)
        ncz_chain_pass(&c->links[i], &at);
    return at;
}

int
ncz_chain_decode_vlen(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, size_t nelems,
                      size_t limit, ncz_buf *out)
{
    stages            between;
    const chain_link *first;
    size_t            most;
    int               rc;

    if ((rc = check_texts(c)) != NC_NOERR)
        return rc;
    stages_init(&between, env->scratch);
    for (size_t k = c->n - 1; k > 0; k--) {
        ncz_buf      *to = between.bufs[(k - 1) % 2];
        ncz_codec_env at = env_at(c, k, env);

        if ((rc = decode_open(c, k, &at, in, &nin, limit, to)) != NC_NOERR)
            goto done;
        in = to->data;
    }
    first = &c->links[0];
    out->limit = ncz_vlen_bound(nelems, &most) && ncz_add(most, limit, &most) ? most : SIZE_MAX;
    rc = first->ops->unpack(&first->params, env, in, nin, nelems, out);
done:
    stages_clear(&between);
    return rc;
}

/* ---- decoding in part ---------------------------------------------------------------------------------- */

bool
ncz_chain_in_parts(const ncz_chain *c)
{
    return ncz_chain_len(c) == 0 || (c->n == 1 && c->links[0].ops != NULL && c->links[0].ops->decode_part != NULL);
}

int
ncz_chain_decode_part(const ncz_chain *c, const ncz_codec_env *env, const void *in, size_t nin, void *out, size_t n,
                      bool tail_ok, ncz_byte_range *part)
{
    ncz_byte_range want = {part->from < n ? part->from : n, part->to < n ? part->to : n};
    int            rc;

    if (want.to < want.from)
        want.to = want.from;
    if (!ncz_chain_in_parts(c)) {
        want = (ncz_byte_range){0, n};
        rc = ncz_chain_decode(c, env, in, nin, out, n, tail_ok);
    } else if (ncz_chain_len(c) == 0) {
        if ((rc = check_plain(nin, n, tail_ok)) == NC_NOERR && want.to > want.from)
            memcpy((char *)out + want.from, (const char *)in + want.from, want.to - want.from);
    } else {
        rc = run_decode_part(&c->links[0], env, in, nin, out, n, &want);
    }
    if (rc == NC_NOERR)
        *part = want;
    return rc;
}
