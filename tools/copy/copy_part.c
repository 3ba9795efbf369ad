/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_part.c: a part of the source, chosen with -d: how its values are read, and which of its chunks are the target's
 * chunks as they are.
 */
#include "copy_int.h"

hyperslab_var
copy_part_of(int in, const copy_var *v, damage_log *log)
{
    return (hyperslab_var){.ncid = in,
                           .varid = v->in,
                           .rank = v->rank,
                           .type = v->type,
                           .counted = v->type == NC_STRING,
                           .size = v->value,
                           .dims = v->part,
                           .damage = log};
}

int
copy_read_piece(int in, const copy_var *v, damage_log *log, const size_t *start, const size_t *count, void *data)
{
    hyperslab_var part = copy_part_of(in, v, log);

    return hyperslab_read(&part, start, count, data);
}

void
copy_free_piece(int in, const copy_var *v, void *data, size_t n)
{
    hyperslab_var part = copy_part_of(in, v, NULL);

    hyperslab_free(&part, data, n);
}

int
copy_put_piece(int out, const copy_var *v, const size_t *start, const size_t *count, const void *data)
{
    return v->type == NC_STRING ? nczarr_put_vars_counted(out, v->out, start, count, NULL, data)
                                : nc_put_vara(out, v->out, start, count, data);
}

/*
 * What a chunk holds beyond the end of its array would become values when the array grows. So a part ends where a chunk
 * ends, or where the source does.
 */
bool
copy_part_is_aligned(const copy_source *s, const copy_var *v, const size_t *unit)
{
    for (int d = 0; d < v->rank; d++) {
        const hyperslab_dim *part = v->part[d];
        const hyperslab_run *run = part != NULL ? &part->runs[0] : NULL;

        if (part == NULL)
            continue;
        if (part->nruns != 1 || (run->step != 1 && run->count > 1) || run->start % unit[d] != 0 ||
            (run->count % unit[d] != 0 && run->start + run->count != s->dims[v->dims[d]].len_in))
            return false;
    }
    return true;
}

bool
copy_part_index(const copy_var *v, const size_t *unit, size_t *index)
{
    for (int d = 0; d < v->rank; d++) {
        size_t first = copy_part_start(v, d) / unit[d], n = copy_divide_up(v->shape[d], unit[d]);

        if (index[d] < first || index[d] - first >= n)
            return false;
        index[d] -= first;
    }
    return true;
}

size_t
copy_part_start(const copy_var *v, int d)
{
    return v->part[d] != NULL ? v->part[d]->runs[0].start : 0;
}
