/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kerchunk: sets of references in JSON, versions 0 and 1, as kerchunk, VirtualiZarr and fsspec write them: keys of a
 * Zarr store, and for each a text, bytes in base64, a JSON value, or an object elsewhere, whole or a range of it. A set
 * becomes a store that is only read. Source: the specification of kerchunk, and what its writers do
 * (docs/howto/virtual.md).
 *
 * Threads: any.
 */
#ifndef NCZ_KERCHUNK_H
#define NCZ_KERCHUNK_H

#include "places/places.h"
#include "zmap/zmap.h"

/* Is this the last name of the key of a document, by which a set is told from other JSON? */
typedef bool (*ncz_kerchunk_document_fn)(const char *name, size_t len);

/* Do these first bytes of a file look like those of a JSON object? */
bool ncz_kerchunk_may_be(const char *head, size_t len);

/*
 * The store of a set, whose places it may reach through `places`, of which it takes a reference. `text` is the
 * document; it is taken, also on failure. `name`: for messages.
 *
 * NC_ENOTNC: JSON, but not a set of references; NC_EZARRMETA: malformed, with the position; NC_ENOTBUILT: a version,
 * or an expression in a template, that is not known; NC_ENOMEM: more than the limits `references` or `object_bytes`.
 * What a reference says is looked at when it is asked for: NC_EZARRMETA, with its key.
 */
int ncz_kerchunk_open(ncz_buf *text, const char *name, ncz_kerchunk_document_fn is_document, ncz_places *places,
                      zmap **out);

#endif /* NCZ_KERCHUNK_H */
