/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object: what is kept of the objects of one dataset: creation and destruction.
 */
#include "object/object_draft.h"
#include "object/object_hash.h"
#include "object/object_spill.h"
#include "object/object_staged_chunk.h"
#include "object/object_staging.h"
#include "object/object_table.h"

/* Objects of several chunks that keep some of them. */
#define KEEP_WHOLE ((size_t)32 << 20)
#define KEEP_RANGE ((size_t)8 << 20)
/* Objects that are written in place before they are complete: smaller ones are not worth a file of their own, and many
 * smaller chunks are written with fewer calls after they were collected in memory. */
#define DRAFT_LEAST ((size_t)256 << 10)
#define DRAFT_CHUNK ((size_t)16 << 10)

int
ncz_object_init(ncz_objects *objects, ncz_cells *cells, zmap *map, const ncz_limits *limits)
{
    int err;

    *objects = (ncz_objects){.cells = cells,
                             .limits = *limits,
                             .keep_whole = KEEP_WHOLE,
                             .keep_range = KEEP_RANGE,
                             .draft_least = DRAFT_LEAST,
                             .draft_chunk = DRAFT_CHUNK,
                             .del_match = (zmap_caps_of(map) & ZMAP_CAN_DEL_MATCH) != 0};
    if ((err = ncz_rwlock_init(&objects->window)) != 0)
        return ncz_fail_lock(err);
    objects->map = zmap_ref(map);
    cells->conditions = (~zmap_caps_of(map) & (ZMAP_CAN_WRITE | ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH)) == 0;
    return NC_NOERR;
}

void
ncz_object_clear(ncz_objects *objects)
{
    ncz_object_forget_indexes(objects, 0);
    (void)ncz_object_staging_forget(objects, 0);
    ncz_object_drop_spares(objects);
    ncz_object_drafts_end(objects);
    ncz_object_spill_close(&objects->staging.spill);
    ncz_object_hash_clear(&objects->staging.hash);
    ncz_object_hash_clear(&objects->known.hash);
    ncz_rwlock_clear(&objects->window);
    /* This drops one of several references. The dataset closes the store itself and gets its status. */
    (void)zmap_close(objects->map, ZMAP_KEEP);
}
