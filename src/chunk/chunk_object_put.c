/* SPDX-License-Identifier: BSD-3-Clause */
/* chunk_object_put: what all steps of storing an object of several chunks use. chunk_store_object.c has the steps. */
#include "chunk/chunk_object_put.h"

void
ncz_object_put_fail(ncz_object_put *o, int rc)
{
    ncz_err_save(&o->err, rc);
    o->pending = false;
}

ncz_slot_bytes
ncz_object_put_part_bytes(const ncz_object_put *o, const ncz_chunk_part *p)
{
    if (p->gone)
        return (ncz_slot_bytes){.data = NULL};
    return (ncz_slot_bytes){p->data != NULL ? p->data : (const char *)o->map + p->spilled, p->nbytes};
}
