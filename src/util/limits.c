/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default limits: far above real datasets, far below what would exhaust a machine.
 */
#include "util/util.h"

#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

const ncz_limits ncz_limits_default = {
    .document_bytes = 64 * MIB,
    .json_depth = 128,
    .group_depth = 64,
    .objects = 1000000,
    .attributes = 65536,
    .name_bytes = 1024,
    .rank = 1024,
    .element_bytes = 16 * MIB,
    .chunk_bytes = 2 * GIB,
    .object_bytes = 2 * GIB,
    .chain = 32,
    .cache_bytes = 64 * MIB,
    .references = 10000000,
    .index_bytes = 512 * MIB,
};
