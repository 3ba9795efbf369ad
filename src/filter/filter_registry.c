/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The codecs that there are: one table, fixed at build time (the build says which optional libraries there are), and
 * the list of those that applications registered, which is the process's and has its lock.
 */
#include "filter/filter_int.h"
#include "filter/codec_user_int.h"

#include <string.h>

static const ncz_codec_ops *const codecs[] = {
    &ncz_codec_zlib,      &ncz_codec_shuffle,          &ncz_codec_fletcher32, &ncz_codec_gzip,
    &ncz_codec_delta,     &ncz_codec_fixedscaleoffset, &ncz_codec_quantize,   &ncz_codec_bitround,
    &ncz_codec_packbits,  &ncz_codec_astype,           &ncz_codec_crc32,      &ncz_codec_crc32c,
    &ncz_codec_adler32,   &ncz_codec_lookup3,          &ncz_codec_base64,
#ifdef NCZ_WITH_BLOSC
    &ncz_codec_blosc,
#endif
#ifdef NCZ_WITH_ZSTD
    &ncz_codec_zstd,
#endif
#ifdef NCZ_WITH_LZ4
    &ncz_codec_lz4,
#endif
#ifdef NCZ_WITH_LZMA
    &ncz_codec_lzma,
#endif
#ifdef NCZ_WITH_BZIP2
    &ncz_codec_bz2,
#endif
#ifdef NCZ_WITH_SZIP
    &ncz_codec_szip,
#endif
    &ncz_codec_vlen_utf8, &ncz_codec_vlen_bytes,       &ncz_codec_vlen_array, &ncz_codec_json2,
    &ncz_codec_msgpack2,  &ncz_codec_categorize,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_user_codec *owns; /* the registry's references; under the lock */

/* ---- looking up ---------------------------------------------------------------------------------------- */

/* By id, or by number where `id` is NULL. */
static bool
is_it(const ncz_codec_ops *ops, const char *id, unsigned hdf5_id)
{
    return id != NULL ? strcmp(ops->id, id) == 0 : hdf5_id != 0 && ops->hdf5_id == hdf5_id;
}

static const ncz_codec_ops *
find(const char *id, unsigned hdf5_id)
{
    const ncz_codec_ops *found = NULL;

    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (is_it(codecs[i], id, hdf5_id))
            return codecs[i];
    (void)pthread_mutex_lock(&lock);
    for (ncz_user_codec *o = owns; o != NULL && found == NULL; o = o->next)
        if (is_it(&o->ops, id, hdf5_id)) {
            atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
            found = &o->ops;
        }
    (void)pthread_mutex_unlock(&lock);
    return found;
}

const ncz_codec_ops *
ncz_codec_by_id(const char *id)
{
    return find(id, 0);
}

const ncz_codec_ops *
ncz_codec_by_hdf5(unsigned hdf5_id)
{
    return find(NULL, hdf5_id);
}

void
ncz_codec_unref(const ncz_codec_ops *ops)
{
    if (ops != NULL)
        ncz_user_codec_unref(ops->own);
}

const ncz_codec_ops *
ncz_codec_at(size_t i)
{
    return i < NCZ_LEN(codecs) ? codecs[i] : NULL;
}

/* What the codec's configuration may have, for people: "level, checksum". */
static int
fail_member(const ncz_codec_ops *ops, size_t n, const char *member)
{
    const char *nearest = ncz_nearest(member, ops->members, n);
    ncz_buf     list = NCZ_BUF_INIT;
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_buf_printf(&list, "%s%s", i > 0 ? ", " : "", ops->members[i]);
    if (rc == NC_NOERR && nearest != NULL)
        rc = ncz_fail(NC_EFILTER, "codec '%s': unknown parameter \"%.40s\"; did you mean \"%s\"?", ops->id, member,
                      nearest);
    else if (rc == NC_NOERR)
        rc = ncz_fail(NC_EFILTER, "codec '%s': unknown parameter \"%.40s\"; it has %s", ops->id, member,
                      n > 0 ? ncz_buf_str(&list) : "none");
    ncz_buf_clear(&list);
    return rc;
}

/* As numcodecs does: a parameter that nobody knows may change what the bytes mean. */
static int
check_members(const ncz_codec_ops *ops, const ncz_json *config)
{
    size_t n = 0;

    while (n < NCZ_CODEC_MEMBERS && ops->members[n] != NULL)
        n++;
    for (size_t i = 0; i < ncz_json_len(config); i++) {
        const char *member = ncz_json_key(config, i);
        bool        known = strcmp(member, "id") == 0;

        for (size_t k = 0; !known && k < n; k++)
            known = strcmp(member, ops->members[k]) == 0;
        if (!known)
            return fail_member(ops, n, member);
    }
    return NC_NOERR;
}

int
ncz_codec_of_json(const ncz_codec_ops *ops, const ncz_json *config, const ncz_codec_env *env, ncz_codec_params *out)
{
    int rc;

    if (ops->own != NULL)
        return ncz_user_codec_of_json(ops->own, config, env, out);
    if ((rc = check_members(ops, config)) != NC_NOERR)
        return rc;
    return ops->configure(config, env, out);
}

int
ncz_codec_of_words(const ncz_codec_ops *ops, size_t n, const unsigned *words, const ncz_codec_env *env,
                   ncz_codec_params *out)
{
    return ops->own != NULL ? ncz_user_codec_of_words(ops->own, n, words, env, out)
                            : ops->from_words(n, words, env, out);
}

/* ---- registering --------------------------------------------------------------------------------------- */

/* The name or the number is taken. Under the lock. */
static bool
clashes(const ncz_codec_ops *ops)
{
    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (is_it(codecs[i], ops->id, 0) || is_it(codecs[i], NULL, ops->hdf5_id))
            return true;
    for (const ncz_user_codec *o = owns; o != NULL; o = o->next)
        if (is_it(&o->ops, ops->id, 0) || is_it(&o->ops, NULL, ops->hdf5_id))
            return true;
    return false;
}

int
ncz_codec_register(const nczarr_codec *codec)
{
    ncz_user_codec *o = NULL;
    bool            taken;
    int             rc;

    if ((rc = ncz_user_codec_new(codec, &o)) != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&lock);
    if (!(taken = clashes(&o->ops))) {
        o->next = owns;
        owns = o;
    }
    (void)pthread_mutex_unlock(&lock);
    if (!taken)
        return NC_NOERR;
    rc = ncz_fail(NC_ENAMEINUSE, "there is a codec '%s', or one with the HDF5 id %u", o->id, o->ops.hdf5_id);
    o->c.release = NULL; /* it never was: what is the caller's stays the caller's */
    ncz_user_codec_unref(o);
    return rc;
}

int
ncz_codec_unregister(const char *id)
{
    ncz_user_codec **at = &owns, *o;

    (void)pthread_mutex_lock(&lock);
    while (*at != NULL && strcmp((*at)->id, id) != 0)
        at = &(*at)->next;
    if ((o = *at) != NULL)
        *at = o->next;
    (void)pthread_mutex_unlock(&lock);
    if (o == NULL)
        return ncz_fail(NC_ENOFILTER, "no codec '%s' is registered", id);
    ncz_user_codec_unref(o);
    return NC_NOERR;
}
