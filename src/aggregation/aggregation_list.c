/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_list: where the fragments of an aggregation are, for programs that look at these themselves.
 */
#include "aggregation/aggregation_int.h"

/* Fragment number f. `path`: room for a text. */
static int
list_fragment(const ncz_aggregated *g, size_t f, const uint64_t *start, const uint64_t *count, ncz_buf *path,
              ncz_part_fn each, void *arg)
{
    const ncz_fragment_map *m = &g->map;
    int                     rc;

    if (m->values != NULL || m->uris[f] == NULL || m->uris[f][0] == '\0')
        return each(start, count, NULL, NULL, arg);
    if ((rc = ncz_fragment_path(g->of, m->uris[f], path)) != NC_NOERR)
        return rc;
    return each(start, count, ncz_buf_str(path), m->identifiers[m->common ? 0 : f], arg);
}

int
ncz_aggregated_list(ncz_var_source *s, ncz_part_fn each, void *arg)
{
    ncz_aggregated         *g = (ncz_aggregated *)(void *)s; /* its first member */
    const ncz_fragment_map *m = &g->map;
    ncz_buf                 path = NCZ_BUF_INIT;
    ncz_dims                start, count;
    int                     rc = ncz_features_read(g);

    if (rc != NC_NOERR)
        return rc;
    start.v = count.v = NULL;
    if ((rc = ncz_dims_init(&start, m->rank)) == NC_NOERR && (rc = ncz_dims_init(&count, m->rank)) == NC_NOERR)
        for (size_t f = 0; f < m->total && rc == NC_NOERR; f++) {
            size_t rest = f;

            for (size_t d = m->rank; d-- > 0; rest /= m->n[d]) {
                const uint64_t *at = &m->start[d][rest % m->n[d]];

                start.v[d] = at[0];
                count.v[d] = at[1] - at[0];
            }
            rc = list_fragment(g, f, start.v, count.v, &path, each, arg);
        }
    ncz_dims_clear(&start);
    ncz_dims_clear(&count);
    ncz_buf_clear(&path);
    return rc;
}
