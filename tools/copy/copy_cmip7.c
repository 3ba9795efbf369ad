/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_cmip7.c: --cmip7: the chunks that CMIP7 asks for, as its tools cmip7repack and check_cmip7_packing have it. The
 * time coordinate of the root and its bounds are one chunk each. The data variable, which the attribute variable_id
 * names, has one chunk or chunks of 4 MiB at most and nearly that: more steps a chunk, the lengths of the other
 * dimensions as they are. What gets other chunks gets shuffle, deflate and fletcher32, too.
 */
#include "copy_int.h"

#include "common/coord_role.h"

#include <stdlib.h>
#include <string.h>

enum { PACKED_BYTES = 4 << 20 };

/* A variable of the root whose data are in chunks; NULL: there is none of that name. */
static copy_var *
find_var(const copy_source *s, const char *name)
{
    for (size_t i = 0; i < s->nvars; i++) {
        copy_var *v = &s->vars[i];
        int       storage = NC_CONTIGUOUS;

        if (strcmp(s->groups[v->group].path, "/") == 0 && strcmp(v->name, name) == 0)
            return v->rank > 0 && v->data && !v->carried &&
                           nc_inq_var_chunking(s->groups[v->group].in, v->in, &storage, NULL) == NC_NOERR &&
                           storage == NC_CHUNKED
                       ? v
                       : NULL;
    }
    return NULL;
}

static bool
has_one_chunk(const copy_var *v)
{
    for (int d = 0; d < v->rank; d++)
        if (v->chunk_in[d] < v->shape[d])
            return false;
    return true;
}

static void
pack_whole(copy_var *v)
{
    if (v == NULL || has_one_chunk(v))
        return;
    v->packed = memory_alloc((size_t)v->rank, sizeof *v->packed);
    memcpy(v->packed, v->shape, (size_t)v->rank * sizeof *v->packed);
}

/* As many steps as 4 MiB have room for, if those are more than now. */
static void
pack_steps(copy_var *v)
{
    size_t step = 1;

    if (v == NULL || has_one_chunk(v))
        return;
    step = v->value;
    for (int d = 1; d < v->rank; d++)
        step = v->chunk_in[d] < PACKED_BYTES / step + 1 ? step * v->chunk_in[d] : PACKED_BYTES + 1;
    if (PACKED_BYTES / step <= v->chunk_in[0])
        return;
    v->packed = memory_alloc((size_t)v->rank, sizeof *v->packed);
    memcpy(v->packed, v->chunk_in, (size_t)v->rank * sizeof *v->packed);
    v->packed[0] = PACKED_BYTES / step < v->shape[0] ? PACKED_BYTES / step : v->shape[0];
}

void
copy_pack_cmip7(const copy_opts *o, const copy_source *s)
{
    copy_var *time = o->cmip7 ? find_var(s, "time") : NULL;
    char     *name = time != NULL ? coord_text_att(s->groups[time->group].in, time->in, "bounds") : NULL;

    if (!o->cmip7)
        return;
    pack_whole(time);
    if (name != NULL)
        pack_whole(find_var(s, name));
    free(name);
    name = coord_text_att(s->ncid, NC_GLOBAL, "variable_id");
    if (name != NULL)
        pack_steps(find_var(s, name));
    free(name);
}
