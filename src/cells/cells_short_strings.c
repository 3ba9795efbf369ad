/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_short_strings: chunks of fixed-width strings that are narrower than their array says. The width of an array may
 * grow (dataset_widen.c), and a process that has not seen it grow stores its chunks at the width that it knows. Such a
 * chunk has as many elements as the array's chunks and a smaller width, which its decoded length tells. It is read as
 * if each of its strings ended in so many more NULs.
 *
 * In an array that was never widened no chunk is narrower, and a shorter one has lost its end: an error, as for other
 * types. In another one a string never has bytes after its first NUL. Of a chunk that lost its end, and has such a
 * length by chance, most strings do.
 */
#include "cells/cells_short_strings.h"

#include <string.h>

/* Whether it is an array of strings of fixed width that has been widened, or that others may widen meanwhile. */
static bool
may_be_short(const ncz_spec *spec)
{
    return spec->dtype.kind == NCZ_KIND_BYTES && spec->type->class == NCZ_TYPE_STRING && spec->chunk_nelems > 0 &&
           (spec->earlier.n > 0 || spec->earlier.any);
}

/* The width of a chunk of so many bytes; 0: it is not a narrower one. */
static size_t
width_of(const ncz_spec *spec, size_t nbytes)
{
    size_t width = nbytes < spec->chunk_bytes && nbytes % spec->chunk_nelems == 0 ? nbytes / spec->chunk_nelems : 0;

    return width > 0 && ncz_widths_has(&spec->earlier, width) ? width : 0;
}

static bool
is_padded(const char *s, size_t width)
{
    const char *end = memchr(s, '\0', width);

    while (end != NULL && end < s + width && *end == '\0')
        end++;
    return end == NULL || end == s + width;
}

/* Moves strings of `width` bytes apart, from the last one on; `to` may be where they are. False: no such strings. */
static bool
spread_strings(const char *from, size_t width, char *to, size_t wider, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (!is_padded(from + i * width, width))
            return false;
        memmove(to + i * wider, from + i * width, width);
        memset(to + i * wider + width, 0, wider - width);
    }
    return true;
}

/* Once for each dataset. */
static void
log_narrow(ncz_cells *cells, const ncz_spec *spec, const char *key, size_t width)
{
    if (!atomic_exchange(&cells->short_told, true))
        ncz_log(NCZ_LOG_WARN,
                "%s: is read as strings of %zu bytes, though its array has %zu: a process has stored it that did not "
                "know of the longer ones, or its end is lost",
                key, width, spec->dtype.size);
}

int
ncz_cells_spread_short(ncz_cells *cells, const ncz_spec *spec, const char *key, size_t nbytes, char *data)
{
    size_t width = may_be_short(spec) ? width_of(spec, nbytes) : 0;

    if (width == 0 || !spread_strings(data, width, data, spec->dtype.size, spec->chunk_nelems))
        return ncz_fail(NC_ETRUNC, "%s: %zu bytes, but its chunk has %zu", key, nbytes, spec->chunk_bytes);
    log_narrow(cells, spec, key, width);
    return NC_NOERR;
}

/* Decodes strings of `width` bytes with the codecs that the array had for them. */
static int
decode_at_width(const ncz_spec *spec, size_t width, ncz_scratch *scratch, const void *bytes, size_t n, char *narrow)
{
    ncz_array_type type = ncz_spec_array_type(spec);
    ncz_chain     *fitted = NULL, *chain = NULL;
    int            rc;

    type.dtype.size = width;
    type.chunk_bytes = width * spec->chunk_nelems;
    type.fill = NULL;
    if ((rc = ncz_chain_fit_width(spec->chain, &type, &fitted)) == NC_NOERR &&
        (rc = ncz_chain_retype(fitted, &type, &chain)) == NC_NOERR)
        rc = ncz_chain_decode(chain, scratch, bytes, n, narrow, type.chunk_bytes, false);
    ncz_chain_unref(chain);
    ncz_chain_unref(fitted);
    return rc;
}

int
ncz_cells_decode_short(ncz_cells *cells, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                       const void *bytes, size_t n, char *to)
{
    size_t  len = 0, width = 0;
    char   *narrow = NULL;
    ncz_err first;
    int     rc;

    ncz_err_save(&first, NC_EFILTER);
    if (!may_be_short(spec) || spec->chain == NULL)
        return NC_EFILTER;
    if ((rc = ncz_chain_decoded_len(spec->chain, scratch, bytes, n, spec->chunk_bytes, &len)) == NC_NOERR &&
        (width = width_of(spec, len)) > 0) {
        if ((narrow = ncz_alloc(len)) == NULL)
            return ncz_fail_nomem(len);
        if ((rc = decode_at_width(spec, width, scratch, bytes, n, narrow)) == NC_NOERR &&
            !spread_strings(narrow, width, to, spec->dtype.size, spec->chunk_nelems))
            width = 0;
        ncz_free(narrow);
    }
    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR || width == 0)
        return ncz_err_adopt(&first);
    log_narrow(cells, spec, key, width);
    return NC_NOERR;
}

/* ---- a stored chunk -------------------------------------------------------------------------------------------- */

int
ncz_cells_widen_short(ncz_cells *cells, const ncz_spec *spec, const char *key, ncz_scratch *scratch,
                      const void *bytes, size_t n, char *to, bool *narrow)
{
    int rc = NC_NOERR;

    if (spec->chain == NULL) {
        if ((*narrow = width_of(spec, n) > 0)) {
            memcpy(to, bytes, n);
            rc = ncz_cells_spread_short(cells, spec, key, n, to);
        }
    } else {
        rc = ncz_chain_decode(spec->chain, scratch, bytes, n, to, spec->chunk_bytes, false);
        if ((*narrow = rc == NC_EFILTER))
            rc = ncz_cells_decode_short(cells, spec, key, scratch, bytes, n, to);
    }
    if (rc != NC_EFILTER && rc != NC_ETRUNC)
        return rc;
    *narrow = false;
    ncz_log(NCZ_LOG_INFO, "%s stays as it is: %s", key, ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
}
