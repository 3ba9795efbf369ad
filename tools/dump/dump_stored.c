/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_stored.c: how many bytes of a variable are stored. No chunk is read; of many, the lengths of some are asked for,
 * since each may cost a request or a system call.
 */
#include "dump_int.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MOST = 1000000, MEASURED_MOST = 512, STOPPED = 1 };

bool
dump_stored_add(dump_stored *s, nczarr_map *map, const char *key, unsigned long long *length)
{
    bool known =
        *length != NCZARR_MAP_WHOLE || (s->measured < MEASURED_MOST && nczarr_map_len(map, key, length) == NC_NOERR);

    s->listed++;
    if (known) {
        s->measured++;
        s->measured_bytes += (double)*length;
    }
    return known;
}

bool
dump_stored_is_full(const dump_stored *s)
{
    return s->listed >= LISTED_MOST;
}

double
dump_stored_bytes(const dump_stored *s)
{
    return s->measured > 0 ? s->measured_bytes * (double)s->listed / (double)s->measured : 0;
}

/* True if each element has its own length: sequences, and compounds with strings or sequences. */
static bool
any_length(const dump_var *v)
{
    char *text;
    bool  object;

    if (v->type <= NC_MAX_ATOMIC_TYPE)
        return v->type == NC_STRING;
    text = var_text(nczarr_inq_var_dtype, v->grp, v->id);
    object = text == NULL || strcmp(text, "|O") == 0;
    free(text);
    return object;
}

double
dump_raw_bytes(const dump_var *v)
{
    double raw = any_length(v) ? 0 : (double)v->size;

    for (int i = 0; i < v->ndims; i++)
        raw *= (double)v->shape[i];
    return raw;
}

double
dump_stored_ratio(const dump_stored *s, const dump_var *v)
{
    double stored = dump_stored_bytes(s);

    return stored > 0 && s->listed == s->total ? dump_raw_bytes(v) / stored : 0;
}

typedef struct listing {
    dump_stored *s;
    nczarr_map  *map;
} listing;

static int
add_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    listing *l = arg;

    (void)index;
    (void)offset;
    (void)dump_stored_add(l->s, l->map, key, &length);
    return dump_stored_is_full(l->s) ? STOPPED : 0;
}

bool
dump_stored_count(const dump_var *v, size_t *total)
{
    size_t n;

    *total = 1;
    for (int i = 0; i < v->ndims; i++) {
        if (nczarr_inq_var_chunk_lengths(v->grp, v->id, i, &n, NULL) != NC_NOERR || (n > 0 && *total > SIZE_MAX / n))
            return false;
        *total *= n;
    }
    return true;
}

bool
dump_stored_load(const dump_var *v, dump_stored *s)
{
    listing l = {.s = s};
    int     rc;

    *s = (dump_stored){.total = 0};
    if (!dump_stored_count(v, &s->total))
        return false;
    if (s->total == 0)
        return true;
    if ((rc = nczarr_inq_map(v->grp, &l.map)) == NC_NOERR)
        rc = nczarr_list_var_chunks(v->grp, v->id, add_chunk, &l);
    (void)nczarr_map_close(l.map);
    return (rc == NC_NOERR || rc == STOPPED) && (s->listed == 0 || s->measured > 0);
}
