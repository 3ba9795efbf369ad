/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_places.c: where the chunks of a variable lie, in a map that refers to other places: how many chunks each object
 * there has.
 */
#include "dump_int.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_SHOWN = 8, PLACES_KEPT = 100000 };

void
dump_places_add(dump_places *p, nczarr_map *map, const char *key)
{
    unsigned long long start, length;
    char              *name = NULL;
    size_t             low = 0, high = p->n;

    if (nczarr_map_place(map, key, &name, &start, &length) != NC_NOERR || name == NULL)
        return;
    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (strcmp(p->v[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < p->n && strcmp(p->v[low].name, name) == 0) {
        p->v[low].n++;
        free(name);
        return;
    }
    if (p->n == PLACES_KEPT) {
        p->others++;
        free(name);
        return;
    }
    p->v = memory_room(p->v, p->n, &p->cap, sizeof *p->v);
    memmove(p->v + low + 1, p->v + low, (p->n - low) * sizeof *p->v);
    p->v[low] = (dump_place){.name = name, .n = 1};
    p->n++;
}

void
dump_places_print(const dump_places *p, text_buf *t)
{
    for (size_t i = 0; i < p->n && i < PLACES_SHOWN; i++) {
        text_add(t, "\n    at ");
        text_add_safe(t, p->v[i].name);
        text_addf(t, ": %zu chunk%s", p->v[i].n, p->v[i].n == 1 ? "" : "s");
    }
    if (p->n > PLACES_SHOWN || p->others > 0)
        text_addf(t, "\n    at %zu%s other places", p->n - PLACES_SHOWN, p->others > 0 ? " and more" : "");
}

void
dump_places_print_json(const dump_places *p, text_buf *t)
{
    if (p->n == 0)
        return;
    text_add(t, ",\n   \"places\": [");
    for (size_t i = 0; i < p->n; i++) {
        text_addf(t, "%s{\"place\": ", i > 0 ? ", " : "");
        text_add_json(t, p->v[i].name, strlen(p->v[i].name));
        text_addf(t, ", \"chunks\": %zu}", p->v[i].n);
    }
    text_addc(t, ']');
}

void
dump_places_clear(dump_places *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i].name);
    free(p->v);
}
