/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_tree_sizes.c: the bytes that --tree shows: of each variable, by listing its chunks; or, for a dataset on a
 * server, of all variables by one walk through the store, whose list has the lengths of the objects.
 */
#include "dump_int.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

static size_t
add_size(dump_tree_sizes *l, dump_tree_size one)
{
    l->size = memory_room(l->size, l->n, &l->cap, sizeof *l->size);
    l->size[l->n] = one;
    return l->n++;
}

/* ---- the walk -------------------------------------------------------------------------------------------------- */

/* What the walk found below the key of a variable. */
typedef struct walked_var {
    char       *key;
    dump_stored stored;
} walked_var;

typedef struct walked {
    nczarr_map *map;
    walked_var *var; /* sorted by key */
    size_t      n, cap;
} walked;

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const walked_var *)a)->key, ((const walked_var *)b)->key);
}

static int
add_vars(walked *w, int root)
{
    tree_list vars;
    int       rc = tree_list_load(root, TREE_VARS, &vars);

    for (size_t i = 0; i < vars.n; i++) {
        w->var = memory_room(w->var, w->n, &w->cap, sizeof *w->var);
        w->var[w->n++] = (walked_var){.key = memory_need(strdup(vars.v[i].path + 1))};
    }
    tree_list_clear(&vars);
    return rc;
}

static walked_var *
find_var(const walked *w, const char *key, size_t len)
{
    char       *front = memory_alloc(len + 1, 1);
    walked_var *v;

    memcpy(front, key, len);
    v = w->n == 0 ? NULL : bsearch(&(walked_var){.key = front}, w->var, w->n, sizeof *w->var, by_key);
    free(front);
    return v;
}

/* Behind the variable's own key: "0.0", "c/0/0" and the like, not a document. */
static bool
is_chunk(const char *rest)
{
    return (*rest >= '0' && *rest <= '9') || (*rest == 'c' && (rest[1] == '\0' || rest[1] == '/' || rest[1] == '.'));
}

static int
count_object(const char *key, unsigned long long length, void *arg)
{
    walked *w = arg;

    for (size_t len = strlen(key); len > 0; len--) {
        walked_var *v = key[len] == '/' && is_chunk(key + len + 1) ? find_var(w, key, len) : NULL;

        if (v != NULL) {
            (void)dump_stored_add(&v->stored, w->map, key, &length);
            break;
        }
    }
    return 0;
}

/* Reports a failure, and returns its code. */
static int
walk_store(dump_context *d, walked *w)
{
    int rc = add_vars(w, d->root);

    if (w->n > 1)
        qsort(w->var, w->n, sizeof *w->var, by_key);
    if (rc == NC_NOERR && (rc = nczarr_inq_map(d->root, &w->map)) == NC_NOERR)
        rc = nczarr_map_walk(w->map, "", count_object, w);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "--sizes"); /* before the next call forgets why */
    (void)nczarr_map_close(w->map);
    w->map = NULL;
    return rc;
}

static void
clear_walked(walked *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->var[i].key);
    free(w->var);
}

/* False: its bytes are not known. Objects that hold several chunks do not say how many: no ratio. */
static bool
take_walked(const walked *w, const dump_var *v, dump_stored *s)
{
    char       *path = group_var_path(v->grp, v->name);
    walked_var *found = find_var(w, path + 1, strlen(path + 1));
    size_t      total;

    free(path);
    if (found == NULL)
        return false;
    *s = found->stored;
    if (!dump_stored_count(v, &total))
        return false;
    s->total = v->shard != NULL ? SIZE_MAX : total;
    return s->listed == 0 || s->measured > 0;
}

/* ---- variables and groups -------------------------------------------------------------------------------------- */

/* False: its bytes are not known. */
static bool
load_stored(dump_context *d, const walked *w, const dump_var *v, dump_stored *s)
{
    dump_fragments f;
    bool           known;

    if (dump_fragments_load(v->grp, v->id, &f) != NC_NOERR)
        known = false;
    else if (f.n > 0)
        known = dump_fragments_sum(d, &f, s);
    else
        known = w != NULL ? take_walked(w, v, s) : dump_stored_load(v, s);
    dump_fragments_clear(&f);
    return known;
}

static dump_tree_size
measure_var(dump_context *d, const walked *w, int grp, int varid)
{
    dump_tree_size one = {.grp = grp, .varid = varid};
    dump_var       v;
    dump_stored    s;

    if (dump_var_load(d, grp, varid, &v) == NC_NOERR && !v.empty && load_stored(d, w, &v, &s)) {
        one.known = true;
        one.about = s.measured < s.listed || (w == NULL && dump_stored_is_full(&s));
        one.bytes = dump_stored_bytes(&s);
        one.ratio = dump_stored_ratio(&s, &v);
    }
    dump_var_clear(&v);
    return one;
}

/* Returns the group's sum. */
static dump_tree_size
measure_group(dump_context *d, dump_tree_sizes *l, const walked *w, int grp)
{
    dump_tree_size sum = {.grp = grp, .varid = NC_GLOBAL};
    size_t         at = add_size(l, sum);
    id_list        vars = {.n = 0}, grps = {.n = 0};

    if (id_list_vars(grp, &vars) == NC_NOERR && id_list_groups(grp, &grps) == NC_NOERR)
        for (int i = 0; i < vars.n + grps.n; i++) {
            dump_tree_size one =
                i < vars.n ? measure_var(d, w, grp, vars.id[i]) : measure_group(d, l, w, grps.id[i - vars.n]);

            if (i < vars.n)
                (void)add_size(l, one);
            sum.known |= one.known;
            sum.about |= one.about;
            sum.bytes += one.bytes;
        }
    id_list_clear(&vars);
    id_list_clear(&grps);
    l->size[at] = sum;
    return sum;
}

void
dump_tree_sizes_load(dump_context *d, bool walk, dump_tree_sizes *l)
{
    walked w = {.n = 0};

    if (!walk)
        (void)measure_group(d, l, NULL, d->root);
    else if (walk_store(d, &w) == NC_NOERR)
        (void)measure_group(d, l, &w, d->root);
    clear_walked(&w);
    dump_fragment_files_clear(&d->fragment_files);
}

dump_tree_size
dump_tree_sizes_take(dump_tree_sizes *l, int grp, int varid)
{
    for (size_t i = l->at; i < l->n; i++)
        if (l->size[i].grp == grp && l->size[i].varid == varid) {
            l->at = i + 1;
            return l->size[i];
        }
    return (dump_tree_size){.known = false};
}

void
dump_tree_sizes_clear(dump_tree_sizes *l)
{
    free(l->size);
}
