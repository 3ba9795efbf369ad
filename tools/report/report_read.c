/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_read.c: boxes of a variable's values as they are stored. What is in damaged chunks is missing.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>

void
report_reader_open(report_page *p, const dump_var *v, const value_meaning *m, size_t most, report_reader *r)
{
    *r = (report_reader){.v = v, .m = m, .damage = &p->d.damage, .buf = memory_alloc(most, v->size)};
    r->chunk = memory_alloc((size_t)v->ndims + 1, sizeof *r->chunk);
}

void
report_reader_close(report_reader *r)
{
    chunk_grid_clear(&r->grid);
    free(r->chunk);
    free(r->buf);
    r->chunk = NULL;
    r->buf = NULL;
}

int
report_reader_get(report_reader *r, const size_t *start, const size_t *count, const ptrdiff_t *stride)
{
    const dump_var *v = r->v;
    hyperslab_var   var = {
          .ncid = v->grp, .varid = v->id, .rank = v->ndims, .type = v->type, .size = v->size, .damage = r->damage};
    int rc = nc_get_vars(v->grp, v->id, start, count, stride, r->buf);

    r->damaged = rc != NC_NOERR;
    if (rc == NC_NOERR || (rc = damage_read(&var, rc, start, count, stride, r->buf)) != NC_NOERR)
        return rc;
    return r->grid.rank > 0 || v->ndims == 0 ? NC_NOERR : chunk_grid_load(v->grp, v->id, &r->grid);
}

/* Is the value at this index of the dataset in a damaged chunk? */
static bool
is_damaged(report_reader *r, const size_t *index)
{
    for (size_t d = 0; d < r->grid.rank; d++)
        r->chunk[d] = chunk_grid_find(&r->grid, d, index[d]);
    return damage_log_has(r->damage, r->v->grp, r->v->id, chunk_grid_place(&r->grid, r->chunk));
}

double
report_reader_value(report_reader *r, size_t k, const size_t *index)
{
    if (r->damaged && is_damaged(r, index)) {
        r->nlost++;
        return NAN;
    }
    r->nread++;
    return value_meaning_shown(r->m, r->buf + k * r->v->size);
}

int
report_reader_end(report_reader *r, const size_t *start, const size_t *count, const ptrdiff_t *stride)
{
    return r->nread > 0 || r->nlost == 0 ? NC_NOERR : nc_get_vars(r->v->grp, r->v->id, start, count, stride, r->buf);
}

/* ---- samples --------------------------------------------------------------------------------------------------- */

size_t
report_index_in_dim(const hyperslab_dim *part, size_t index)
{
    const hyperslab_run *run = part != NULL ? part->runs : NULL;

    if (run == NULL)
        return index;
    while (index >= run->count)
        index -= run++->count;
    return run->start + index * run->step;
}

bool
report_sample_failed(report_page *p, const dump_var *v, int rc, const char *reason, text_buf *why)
{
    if (rc != NC_NOERR && reason != NULL)
        text_add(why, reason);
    if (rc != NC_NOERR && reason == NULL) {
        dump_add_error(why, rc, v->name);
        dump_fail(&p->d.report, rc, v->name);
    }
    return rc != NC_NOERR;
}

void
report_sample_clear(report_sample *s)
{
    for (int i = 0; s->axis != NULL && i < s->ndims; i++)
        free(s->axis[i].index);
    free(s->axis);
    free(s->value);
    free(s->least);
    free(s->most);
    *s = (report_sample){.n = 0};
}

bool
report_is_numeric(const dump_var *v)
{
    return v->user == NULL && v->size > 0 && v->type != NC_CHAR && v->type != NC_STRING;
}
