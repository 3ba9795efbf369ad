/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The nc_* API, step by step, so that count_run.py can look at what each step asked of the server, and
 * chaos_shards.py at what is stored. One line in, one line out: "ok", a number, numbers, or "fail CODE TEXT". The
 * variables are one-dimensional, of int; element i holds i + 1 + STAMP.
 *
 * create URL | new URL (where nothing is) | open URL | write URL | def NAME LENGTH CHUNK [SHARD] | enddef | put NAME
 * START COUNT [STAMP] | get NAME START COUNT (they hold what was put without a stamp, or fill) | show NAME START
 * COUNT | att NAME VALUE | vars | sync | close | abort | delete URL | peak (the most memory so far, in KiB)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "nczarr.h"

static int ncid = -1;

/* shard 0: each chunk is an object */
static int
define(const char *name, size_t len, size_t chunk, size_t shard)
{
    char dim_name[256];
    int  dim, var, rc;

    snprintf(dim_name, sizeof dim_name, "d_%s", name);
    if ((rc = nc_def_dim(ncid, dim_name, len, &dim)) != NC_NOERR)
        return rc;
    if ((rc = nc_def_var(ncid, name, NC_INT, 1, &dim, &var)) != NC_NOERR)
        return rc;
    if ((rc = nc_def_var_chunking(ncid, var, NC_CHUNKED, &chunk)) != NC_NOERR || shard == 0)
        return rc;
    return nczarr_def_var_shards(ncid, var, &shard);
}

static int
put(const char *name, size_t start, size_t count, int stamp)
{
    int *data = malloc((count + 1) * sizeof *data);
    int  var, rc = data != NULL ? nc_inq_varid(ncid, name, &var) : NC_ENOMEM;

    for (size_t i = 0; rc == NC_NOERR && i < count; i++)
        data[i] = (int)(start + i) + 1 + stamp;
    if (rc == NC_NOERR)
        rc = nc_put_vara_int(ncid, var, &start, &count, data);
    free(data);
    return rc;
}

/* Every value is what put() stored, or the fill value. */
static int
get(const char *name, size_t start, size_t count)
{
    int *data = malloc((count + 1) * sizeof *data);
    int  var, rc = data != NULL ? nc_inq_varid(ncid, name, &var) : NC_ENOMEM;

    if (rc == NC_NOERR)
        rc = nc_get_vara_int(ncid, var, &start, &count, data);
    for (size_t i = 0; rc == NC_NOERR && i < count; i++)
        if (data[i] != (int)(start + i) + 1 && data[i] != NC_FILL_INT) {
            fprintf(stderr, "%s[%zu] is %d\n", name, start + i, data[i]);
            rc = NC_EBADID;
        }
    free(data);
    return rc;
}

/* Prints the values. */
static int
show(const char *name, size_t start, size_t count)
{
    int *data = malloc((count + 1) * sizeof *data);
    int  var, rc = data != NULL ? nc_inq_varid(ncid, name, &var) : NC_ENOMEM;

    if (rc == NC_NOERR)
        rc = nc_get_vara_int(ncid, var, &start, &count, data);
    for (size_t i = 0; rc == NC_NOERR && i < count; i++)
        printf("%d ", data[i]);
    free(data);
    return rc;
}

static int
put_att(const char *name, const char *value)
{
    int var, rc = nc_inq_varid(ncid, name, &var);

    return rc == NC_NOERR ? nc_put_att_text(ncid, var, "note", strlen(value), value) : rc;
}

/* Asks all there is to ask about every variable of the root. */
static int
count_vars(int *n)
{
    char name[NC_MAX_NAME + 1], att[NC_MAX_NAME + 1];
    int  natts, rc = nc_inq_nvars(ncid, n);

    for (int v = 0; rc == NC_NOERR && v < *n; v++) {
        rc = nc_inq_var(ncid, v, name, NULL, NULL, NULL, &natts);
        for (int a = 0; rc == NC_NOERR && a < natts; a++)
            rc = nc_inq_attname(ncid, v, a, att);
    }
    return rc;
}

static int
find_peak(int *kib)
{
    struct rusage use;

    (void)getrusage(RUSAGE_SELF, &use);
    *kib = (int)use.ru_maxrss;
    return NC_NOERR;
}

static int
do_step(char **w, int n, int *number)
{
    const char *what = w[0], *a = n > 1 ? w[1] : "";
    size_t      x = n > 2 ? strtoul(w[2], NULL, 10) : 0, y = n > 3 ? strtoul(w[3], NULL, 10) : 0;
    size_t      z = n > 4 ? strtoul(w[4], NULL, 10) : 0;

    if (strcmp(what, "create") == 0)
        return nc_create(a, NC_NETCDF4, &ncid);
    if (strcmp(what, "new") == 0)
        return nc_create(a, NC_NETCDF4 | NC_NOCLOBBER, &ncid);
    if (strcmp(what, "open") == 0)
        return nc_open(a, NC_NOWRITE, &ncid);
    if (strcmp(what, "write") == 0)
        return nc_open(a, NC_WRITE, &ncid);
    if (strcmp(what, "def") == 0)
        return define(a, x, y, z);
    if (strcmp(what, "enddef") == 0)
        return nc_enddef(ncid);
    if (strcmp(what, "put") == 0)
        return put(a, x, y, (int)z);
    if (strcmp(what, "get") == 0)
        return get(a, x, y);
    if (strcmp(what, "show") == 0)
        return show(a, x, y);
    if (strcmp(what, "att") == 0)
        return put_att(a, n > 2 ? w[2] : "");
    if (strcmp(what, "vars") == 0)
        return count_vars(number);
    if (strcmp(what, "sync") == 0)
        return nc_sync(ncid);
    if (strcmp(what, "close") == 0)
        return nc_close(ncid);
    if (strcmp(what, "abort") == 0)
        return nc_abort(ncid);
    if (strcmp(what, "delete") == 0)
        return nc_delete(a);
    if (strcmp(what, "peak") == 0)
        return find_peak(number);
    fprintf(stderr, "no such step: %s\n", what);
    exit(2);
}

int
main(void)
{
    char line[4096];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char *w[5] = {NULL}, *save = NULL;
        int   n = 0, number = -1, rc;

        for (char *p = strtok_r(line, " \n", &save); p != NULL && n < 5; p = strtok_r(NULL, " \n", &save))
            w[n++] = p;
        if (n == 0)
            continue;
        if ((rc = do_step(w, n, &number)) != NC_NOERR)
            printf("fail %d %s: %s\n", rc, nc_strerror(rc), nczarr_errmsg());
        else if (number >= 0)
            printf("%d\n", number);
        else
            printf("ok\n");
        fflush(stdout);
    }
    return 0;
}
