/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of one's own: all objects in one table of the program, as they might be in a database. Writes a dataset
 * into it, reads it back through the netCDF functions, and lists what the library keeps there.
 *
 *     cc own_map.c $(pkg-config --cflags --libs nczarr) && ./a.out
 */
#define _POSIX_C_SOURCE 200809L /* strdup() */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nczarr.h>
#include <nczarr_zmap.h>

#define MOST 64

typedef struct row {
    char  *key, *data;
    size_t len;
} row;

typedef struct table {
    row    rows[MOST];
    size_t n;
} table;

static row *
find(table *t, const char *key)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->rows[i].key, key) == 0)
            return &t->rows[i];
    return NULL;
}

/* Without NCZARR_MAP_CAN_RANGE the whole object is always asked for. */
static int
table_get(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    const row *r = find(user, key);

    (void)start;
    (void)count;
    return r != NULL ? nczarr_map_answer(reply, r->data, r->len) : NC_EEMPTY;
}

/* The new bytes are made first: if that fails, the old ones stay. */
static int
table_put(void *user, const char *key, const void *data, size_t count)
{
    table *t = user;
    row   *r = find(t, key);
    char  *copy = malloc(count + 1), *name = r == NULL ? strdup(key) : NULL;

    if (copy == NULL || (r == NULL && (name == NULL || t->n == MOST))) {
        free(copy);
        free(name);
        return t->n == MOST ? nczarr_map_fail(ENOSPC, "the table is full, no room for %s", key) : NC_ENOMEM;
    }
    if (count != 0)
        memcpy(copy, data, count);
    if (r == NULL) {
        r = &t->rows[t->n++];
        r->key = name;
        r->data = NULL;
    }
    free(r->data);
    r->data = copy;
    r->len = count;
    return NC_NOERR;
}

static int
table_del(void *user, const char *key)
{
    table *t = user;
    row   *r = find(t, key);

    if (r != NULL) {
        free(r->key);
        free(r->data);
        *r = t->rows[--t->n];
    }
    return NC_NOERR;
}

/* One call for each key below the prefix, of its next segment; the library sorts, and drops what it knows already. */
static int
table_list(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    const table *t = user;
    size_t       len = strlen(prefix);

    for (size_t i = 0; i < t->n; i++) {
        const char *rest = t->rows[i].key;
        char        name[256];
        size_t      n;
        int         rc;

        if (len != 0) {
            if (strncmp(rest, prefix, len) != 0 || rest[len] != '/')
                continue;
            rest += len + 1;
        }
        if ((n = strcspn(rest, "/")) >= sizeof name)
            return nczarr_map_fail(NC_EMAXNAME, "a segment of %zu bytes", n);
        memcpy(name, rest, n);
        name[n] = '\0';
        if ((rc = each(name, rest[n] == '\0', arg)) != 0)
            return rc;
    }
    return NC_NOERR;
}

static int
table_close(void *user, int keep)
{
    table *t = user;

    (void)keep;
    while (t->n > 0)
        (void)table_del(t, t->rows[0].key);
    return NC_NOERR;
}

static void
check(int rc)
{
    if (rc != NC_NOERR) {
        fprintf(stderr, "%s (%s)\n", nc_strerror(rc), nczarr_errmsg());
        exit(1);
    }
}

static int
show(const char *name, int leaf, void *arg)
{
    printf("  %s%s%s\n", *(const char **)arg, name, leaf ? "" : "/");
    return 0;
}

int
main(void)
{
    static const nczarr_map_ops ops = {.size = sizeof ops,
                                       .name = "table",
                                       .get = table_get,
                                       .put = table_put,
                                       .del = table_del,
                                       .list = table_list,
                                       .close = table_close};
    const char                 *top = "", *below = "height/";
    const double                values[4] = {1.5, 2.5, 3.5, 4.5};
    double                      back[4] = {0};
    table                       t = {.n = 0};
    nczarr_map                 *map;
    int                         ncid, dim, var;

    check(nczarr_map_own(&ops, &t, &map));
    check(nczarr_create_map(map, NULL, NC_CLOBBER, &ncid));
    check(nc_def_dim(ncid, "x", 4, &dim));
    check(nc_def_var(ncid, "height", NC_DOUBLE, 1, &dim, &var));
    check(nc_put_var_double(ncid, var, values));
    check(nc_close(ncid));

    check(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid));
    check(nc_get_var_double(ncid, var, back));
    check(nc_close(ncid));
    printf("height = %g ... %g, kept in %zu objects:\n", back[0], back[3], t.n);
    check(nczarr_map_search(map, "", show, &top));
    check(nczarr_map_search(map, "height", show, &below));
    check(nczarr_map_close(map));
    return back[3] == values[3] ? 0 : 1;
}
