/* SPDX-License-Identifier: BSD-3-Clause */
/* See shadow.h. Plain loops over indexes: slow, and easy to believe. */
#include "shadow.h"

#include <stdlib.h>
#include <string.h>

void
shadow_init(shadow *s)
{
    memset(s, 0, sizeof *s);
    s->groups[0].parent = -1;
    s->ngroups = 1;
}

void
shadow_clear(shadow *s)
{
    for (int i = 0; i < s->nvars; i++)
        free(s->vars[i].data);
    memset(s, 0, sizeof *s);
}

size_t
shadow_nelems(const size_t *shape, int rank)
{
    size_t n = 1;

    for (int d = 0; d < rank; d++)
        n *= shape[d];
    return n;
}

void
shadow_shape(const shadow *s, const shadow_var *v, size_t *shape)
{
    for (int d = 0; d < v->rank; d++)
        shape[d] = s->dims[v->dims[d]].len;
}

shadow_cell *
shadow_at(const shadow_var *v, const size_t *index)
{
    size_t at = 0;

    for (int d = 0; d < v->rank; d++)
        at = at * v->shape[d] + index[d];
    return &v->data[at];
}

bool
shadow_fit(shadow *s, shadow_var *v)
{
    size_t       shape[SHADOW_RANK] = {0}, index[SHADOW_RANK] = {0};
    size_t       n;
    shadow_cell *data;

    shadow_shape(s, v, shape);
    if (v->data != NULL && memcmp(shape, v->shape, (size_t)v->rank * sizeof *shape) == 0)
        return true;
    n = shadow_nelems(shape, v->rank);
    if ((data = malloc((n + 1) * sizeof *data)) == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        bool   old = v->data != NULL;

        for (int d = v->rank - 1; d >= 0; d--) {
            index[d] = rest % shape[d];
            rest /= shape[d];
            old = old && index[d] < v->shape[d];
        }
        data[i] = old ? *shadow_at(v, index) : v->fill;
    }
    free(v->data);
    v->data = data;
    memcpy(v->shape, shape, sizeof shape);
    return true;
}

shadow_att *
shadow_att_find(shadow_atts *a, const char *name)
{
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->v[i].name, name) == 0)
            return &a->v[i];
    return NULL;
}
