/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the log says of a chunk. No state; any thread.
 */
#include "cells/cells.h"

#include <inttypes.h>
#include <stdio.h>

void
ncz_cell_log(const ncz_spec *spec, const uint64_t *index, const char *what, size_t stored, size_t nbytes,
             int64_t begun)
{
    char   at[160] = "";
    size_t len = 0;

    for (size_t d = 0; d < spec->rank && len < sizeof at - 24; d++)
        len += (size_t)snprintf(at + len, sizeof at - len, "%s%" PRIu64, d > 0 ? "," : "", index[d]);
    if (nbytes > 0)
        ncz_log(NCZ_LOG_CHUNK, "%s: chunk [%s] %s: %zu bytes stored, %zu in memory, %.3f ms", spec->path, at, what,
                stored, nbytes, (double)(ncz_now_ns() - begun) / 1e6);
    else
        ncz_log(NCZ_LOG_CHUNK, "%s: chunk [%s] %s", spec->path, at, what);
}
