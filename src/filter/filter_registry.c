/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All codecs: the table of codecs/codecs.h, which is fixed at build time, and the list of the codecs that
 * applications registered, which is global and has its own lock.
 */
#include "filter/chain_int.h"
#include "codecs/codec_int.h"
#include "filter/user_int.h"

#include <string.h>

#define TABLE_ENTRY(name) &ncz_codec_##name,
static const ncz_codec_ops *const codecs[] = {NCZ_CODECS(TABLE_ENTRY)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_user_codec *user_codecs; /* holds references; guarded by the lock */

/* ---- lookup ---------------------------------------------------------------------------------------- */

typedef enum name_kind { NAME_V2, NAME_V3, NAME_HDF5, NAME_HDF5_V3 } name_kind;

/* Most names of the table differ in their first letter. */
static bool
same_text(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static bool
has_name(const ncz_codec_ops *ops, name_kind kind, const char *name, unsigned number)
{
    switch (kind) {
    case NAME_V2: return !ops->v3_only && same_text(ops->id, name);
    case NAME_V3: return ops->v3_name != NULL && same_text(ops->v3_name, name);
    case NAME_HDF5: return number != 0 && ops->hdf5_id == number;
    case NAME_HDF5_V3: return number != 0 && ops->v3_hdf5_id == number;
    }
    return false;
}

static const ncz_codec_ops *
find_codec(name_kind kind, const char *name, unsigned number)
{
    const ncz_codec_ops *found = NULL;

    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (has_name(codecs[i], kind, name, number))
            return codecs[i];
    (void)pthread_mutex_lock(&lock);
    for (ncz_user_codec *o = user_codecs; o != NULL && found == NULL; o = o->next)
        if (has_name(&o->ops, kind, name, number)) {
            o->ops.ref_ops(&o->ops);
            found = &o->ops;
        }
    (void)pthread_mutex_unlock(&lock);
    return found;
}

const ncz_codec_ops *
ncz_codec_by_id(const char *id)
{
    return find_codec(NAME_V2, id, 0);
}

/* Early drafts of v3 called `bytes` "endian". */
const ncz_codec_ops *
ncz_codec_by_v3_name(const char *name)
{
    size_t               prefix = sizeof NCZ_NUMCODECS - 1;
    const ncz_codec_ops *ops = find_codec(NAME_V3, name, 0);

    if (ops != NULL)
        return ops;
    if (strcmp(name, "endian") == 0)
        return &ncz_codec_bytes;
    return find_codec(NAME_V2, strncmp(name, NCZ_NUMCODECS, prefix) == 0 ? name + prefix : name, 0);
}

const ncz_codec_ops *
ncz_codec_by_hdf5(unsigned hdf5_id, ncz_codec_spelling spelling)
{
    const ncz_codec_ops *ops = NULL;

    if (spelling == NCZ_SPELLING_V3)
        ops = find_codec(NAME_HDF5_V3, NULL, hdf5_id);
    else if (spelling == NCZ_SPELLING_HDF5)
        ops = ncz_filter_find(hdf5_id);

    return ops != NULL ? ops : find_codec(NAME_HDF5, NULL, hdf5_id);
}

unsigned
ncz_codec_hdf5_id(const ncz_codec_ops *ops, ncz_codec_spelling spelling)
{
    if (ops == NULL || ops->hdf5_id > NCZ_HDF5_FILTER_MOST)
        return 0;
    return spelling == NCZ_SPELLING_V3 && ops->v3_hdf5_id != 0 ? ops->v3_hdf5_id : ops->hdf5_id;
}

void
ncz_codec_ops_unref(const ncz_codec_ops *ops)
{
    if (ops != NULL && ops->unref_ops != NULL)
        ops->unref_ops(ops);
}

const ncz_codec_ops *
ncz_codec_at(size_t i)
{
    return i < NCZ_LEN(codecs) ? codecs[i] : NULL;
}

const char *
ncz_codec_name(const ncz_codec_ops *ops)
{
    return ops->v3_only ? ops->v3_name : ops->id;
}

int
ncz_codec_fail_unknown(const char *name)
{
    const char *near = NULL;

    for (size_t i = 0; i < NCZ_LEN(codecs); i++) {
        const char *pair[] = {near != NULL ? near : ncz_codec_name(codecs[i]), ncz_codec_name(codecs[i])};

        near = ncz_nearest(name, pair, NCZ_LEN(pair));
    }
    return ncz_fail(NC_ENOFILTER, NCZ_CODEC_NOT_KNOWN "%s%s%s", name, near != NULL ? ": did you mean '" : "",
                    near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* ---- registering --------------------------------------------------------------------------------------- */

/* Whether the name or the number is taken. Needs the lock. */
static bool
is_taken(const ncz_codec_ops *ops)
{
    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (has_name(codecs[i], NAME_V2, ops->id, 0) || has_name(codecs[i], NAME_HDF5, NULL, ops->hdf5_id))
            return true;
    for (const ncz_user_codec *o = user_codecs; o != NULL; o = o->next)
        if (has_name(&o->ops, NAME_V2, ops->id, 0) || has_name(&o->ops, NAME_HDF5, NULL, ops->hdf5_id))
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
    if (!(taken = is_taken(&o->ops))) {
        o->next = user_codecs;
        user_codecs = o;
    }
    (void)pthread_mutex_unlock(&lock);
    if (!taken)
        return NC_NOERR;
    rc = ncz_fail(NC_ENAMEINUSE, "there is a codec '%s', or one with the HDF5 id %u", o->id, o->ops.hdf5_id);
    o->c.release = NULL; /* not registered, so the caller keeps its data */
    ncz_user_codec_unref(o);
    return rc;
}

int
ncz_codec_unregister(const char *id)
{
    ncz_user_codec **at = &user_codecs, *o;

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
