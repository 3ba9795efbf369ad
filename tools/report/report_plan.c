/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_plan.c: which chunks of a variable are read: all of them where bytes and requests are few, else some, evenly
 * spaced. A chunk costs the same however little of it is used.
 */
#include "report_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((double)(256 << 20)) /* larger chunks are not read */
#define PIECE_BYTES ((double)(128 << 10)) /* of a variable that is not in chunks */
/* What a chunk costs beside its bytes: to find and open it, and, far away, to ask for it. */
#define COST_HERE 512.
#define COST_FAR  ((double)(1 << 20))

double
report_plan_product(const size_t *n, int ndims)
{
    double product = 1;

    for (int i = 0; i < ndims; i++)
        product *= (double)n[i];
    return product;
}

void
report_plan_reduce(size_t *n, int ndims, double most)
{
    while (report_plan_product(n, ndims) > most) {
        int largest = 0;

        for (int i = 1; i < ndims; i++)
            if (n[i] > n[largest])
                largest = i;
        if (n[largest] <= 1)
            return;
        n[largest] = dump_divide_up(n[largest], 2);
    }
}

/* The same for a variable in one piece: boxes that lie one after another. */
static void
cut_in_pieces(const dump_var *v, size_t *chunk)
{
    double bytes = report_plan_product(chunk, v->ndims) * (double)v->size;

    for (int i = 0; i < v->ndims && bytes > PIECE_BYTES; i++) {
        double rest = bytes / (double)chunk[i], fits = floor(PIECE_BYTES / rest);

        chunk[i] = fits < 1 ? 1 : (size_t)fits;
        bytes = rest * (double)chunk[i];
    }
}

static bool
load_chunk_shape(const dump_var *v, size_t *chunk)
{
    int storage = NC_CONTIGUOUS;

    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) != NC_NOERR)
        return false;
    for (int i = 0; i < v->ndims; i++)
        if (storage != NC_CHUNKED || chunk[i] == 0 || chunk[i] > v->shape[i])
            chunk[i] = v->shape[i];
    if (storage != NC_CHUNKED)
        cut_in_pieces(v, chunk);
    return true;
}

static bool
is_far(const char *name)
{
    return name != NULL && strstr(name, "://") != NULL && strncmp(name, "file://", 7) != 0;
}

bool
report_plan_make(report_page *p, const dump_var *v, const size_t *at, int free_dims, report_plan *plan,
                 const char **why)
{
    size_t n = (size_t)v->ndims;
    double bytes, cost, used, budget = fmin(p->limits.var_bytes, (p->limits.bytes - p->decoded) / 4);

    *plan = (report_plan){.v = v,
                          .chunk = memory_alloc(n, sizeof *plan->chunk),
                          .count = memory_alloc(n, sizeof *plan->count),
                          .at = memory_alloc(n, sizeof *plan->at),
                          .fixed = memory_alloc(n, sizeof *plan->fixed)};
    *why = "no values: a dimension has length 0";
    if (v->empty)
        return false;
    *why = "not read: the chunks are too large to be drawn from";
    if (!load_chunk_shape(v, plan->chunk))
        return false;
    bytes = report_plan_product(plan->chunk, v->ndims) * (double)v->size;
    cost = bytes + (is_far(p->d.report.file) ? COST_FAR : COST_HERE);
    for (int i = 0; i < v->ndims; i++) {
        plan->fixed[i] = at != NULL && i < v->ndims - free_dims;
        plan->at[i] = plan->fixed[i] ? at[i] : 0;
        plan->count[i] = plan->fixed[i] ? 1 : dump_divide_up(v->shape[i], plan->chunk[i]);
    }
    plan->all = report_plan_product(plan->count, v->ndims) * cost <= budget;
    report_plan_reduce(plan->count, v->ndims, fmax(floor(budget / cost), 1));
    used = report_plan_product(plan->count, v->ndims) * (bytes + COST_HERE);
    if (bytes > CHUNK_BYTES || p->decoded + used > p->limits.bytes)
        return false;
    p->decoded += used;
    return true;
}

void
report_plan_clear(report_plan *plan)
{
    free(plan->chunk);
    free(plan->count);
    free(plan->at);
    free(plan->fixed);
    *plan = (report_plan){.v = NULL};
}
