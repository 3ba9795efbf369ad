/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells_payload: the decoded data of a chunk: its elements, or a vlen block, which has its own size.
 */
#include "cells/cells.h"

bool
ncz_cell_is_vlen(const ncz_spec *spec)
{
    return spec->dtype.kind == NCZ_KIND_OBJECT;
}

size_t
ncz_cell_data_bytes(const ncz_spec *spec, const char *data)
{
    return ncz_cell_is_vlen(spec) ? ncz_vlen_nbytes(ncz_cell_vlen(data)) : spec->chunk_bytes;
}

bool
ncz_cell_is_fill(const ncz_spec *spec, const char *data)
{
    if (ncz_cell_is_vlen(spec))
        return ncz_vlen_all(ncz_cell_vlen(data), spec->fill);
    return ncz_all_fill(data, spec->chunk_nelems, spec->fill, spec->dtype.size);
}
