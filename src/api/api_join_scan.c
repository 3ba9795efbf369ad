/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join_scan: what files have that are to be joined, and whether they fit. The first file says which variables there
 * are; in each other one these have the same type and dimensions, of the same lengths but for the one along which files
 * are joined, and coordinates that files share have the same values. What others have besides is left out.
 */
#include "aggregation/aggregation.h"
#include "api/api_join.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { COORDINATE_MOST = 1 << 20 }; /* elements of one that are compared */

static void
clear_var(ncz_join_var *v)
{
    for (int d = 0; v->dims != NULL && d < v->rank; d++)
        ncz_free(v->dims[d]);
    ncz_free(v->dims);
    ncz_free(v->lens);
    ncz_free(v->group);
    ncz_free(v->name);
    ncz_free(v->values);
    ncz_buf_clear(&v->packing);
}

void
ncz_join_clear(ncz_join *j)
{
    for (size_t i = 0; i < j->nvars; i++)
        clear_var(&j->vars[i]);
    ncz_free(j->vars);
    ncz_free(j->differs);
    ncz_free(j->along);
    ncz_join_files_clear(&j->files);
    ncz_texts_clear(&j->left_out);
    if (j->ncid >= 0) {
        ncz_err err; /* of the call that ends */

        ncz_err_save(&err, NC_NOERR);
        (void)nc_close(j->ncid);
        (void)ncz_err_adopt(&err);
    }
    j->ncid = -1;
}

/* ---- one variable ---- */

static int
path_of_group(int grp, char **out)
{
    size_t len;
    int    rc = nc_inq_grpname_len(grp, &len);

    if (rc == NC_NOERR && (*out = ncz_zalloc(len + 1)) == NULL)
        rc = ncz_fail_nomem(len + 1);
    return rc == NC_NOERR ? nc_inq_grpname_full(grp, NULL, *out) : rc;
}

/* Adds the name and the value of an attribute to a text, if it is there. */
static int
add_att(int grp, int varid, const char *name, ncz_buf *out, bool *there)
{
    nc_type type;
    size_t  len, size = 1;
    char   *values = NULL, *string = NULL;
    int     rc = nc_inq_att(grp, varid, name, &type, &len);

    *there = rc == NC_NOERR && type <= NC_MAX_ATOMIC_TYPE && (type != NC_STRING || len == 1);
    if (!*there)
        return rc == NC_ENOTATT ? NC_NOERR : rc;
    if (type == NC_STRING) {
        rc = nc_get_att_string(grp, varid, name, &string);
        len = string != NULL ? strlen(string) : 0;
    } else if ((rc = nc_inq_type(grp, type, NULL, &size)) == NC_NOERR) {
        values = ncz_alloc_n(len + 1, size);
        rc = values != NULL ? nc_get_att(grp, varid, name, values) : ncz_fail_nomem(len * size);
    }
    if (rc == NC_NOERR && (rc = ncz_buf_puts(out, name)) == NC_NOERR)
        rc = ncz_buf_append(out, string != NULL ? string : values != NULL ? values : "", len * size);
    ncz_free(values);
    if (string != NULL)
        (void)nc_free_string(1, &string);
    return rc;
}

/* What says how a variable's numbers are to be understood. */
static int
look_at_packing(int grp, int varid, ncz_join_var *v)
{
    static const char *const names[] = {"scale_factor", "add_offset", "_Unsigned",    "units",
                                        "calendar",     "_FillValue", "missing_value"};
    bool                     there, has[NCZ_LEN(names)] = {false};
    char                     name[NC_MAX_NAME + 1];
    int                      n, rc = nc_inq_varnatts(grp, varid, &n);

    for (int i = 0; i < n && rc == NC_NOERR; i++) /* to ask for those that are not there takes long */
        if ((rc = nc_inq_attname(grp, varid, i, name)) == NC_NOERR)
            for (size_t k = 0; k < NCZ_LEN(names); k++)
                has[k] = has[k] || strcmp(names[k], name) == 0;
    for (size_t i = 0; i < NCZ_LEN(names) && rc == NC_NOERR; i++)
        if (has[i]) {
            rc = add_att(grp, varid, names[i], &v->packing, &there);
            v->packed = v->packed || (there && i < 3);
        }
    return rc;
}

/* What a file has of a variable; `along`: where to look for its place. */
static int
look(int grp, int varid, const char *along, ncz_join_var *v)
{
    char name[NC_MAX_NAME + 1];
    int *ids, rc;

    *v = (ncz_join_var){.at = NCZ_JOIN_FIXED};
    if ((rc = path_of_group(grp, &v->group)) != NC_NOERR ||
        (rc = nc_inq_var(grp, varid, name, &v->type, &v->rank, NULL, NULL)) != NC_NOERR)
        return rc;
    v->name = ncz_strdup(name);
    v->dims = ncz_zalloc_n((size_t)v->rank + 1, sizeof *v->dims);
    v->lens = ncz_zalloc_n((size_t)v->rank + 1, sizeof *v->lens);
    ids = ncz_alloc_n((size_t)v->rank + 1, sizeof *ids);
    if (v->name == NULL || v->dims == NULL || v->lens == NULL || ids == NULL)
        rc = ncz_fail_nomem(sizeof *v);
    else
        rc = nc_inq_vardimid(grp, varid, ids);
    for (int d = 0; d < v->rank && rc == NC_NOERR; d++) {
        if ((rc = nc_inq_dim(grp, ids[d], name, &v->lens[d])) == NC_NOERR && (v->dims[d] = ncz_strdup(name)) == NULL)
            rc = ncz_fail_nomem(sizeof name);
        if (rc == NC_NOERR && v->at == NCZ_JOIN_FIXED && along != NULL && strcmp(name, along) == 0)
            v->at = d;
    }
    v->coordinate = rc == NC_NOERR && v->rank == 1 && strcmp(v->dims[0], v->name) == 0;
    if (rc == NC_NOERR)
        rc = look_at_packing(grp, varid, v);
    ncz_free(ids);
    return rc;
}

static bool
is_number(nc_type t)
{
    return t >= NC_BYTE && t <= NC_UINT64 && t != NC_CHAR;
}

/* The values of a coordinate that is the same in all files. *values NULL: it is not of numbers, or too long. */
static int
read_coordinate(int grp, int varid, const ncz_join_var *v, double **values)
{
    *values = NULL;
    if (!v->coordinate || v->at != NCZ_JOIN_FIXED || !is_number(v->type) || v->lens[0] > COORDINATE_MOST)
        return NC_NOERR;
    if ((*values = ncz_alloc_n(v->lens[0] + 1, sizeof **values)) == NULL)
        return ncz_fail_nomem(v->lens[0] * sizeof **values);
    return v->lens[0] > 0 ? nc_get_var_double(grp, varid, *values) : NC_NOERR;
}

static bool
has_blank(const ncz_join_var *v)
{
    bool blank = strchr(v->name, ' ') != NULL;

    for (int d = 0; d < v->rank; d++)
        blank = blank || strchr(v->dims[d], ' ') != NULL;
    return blank;
}

/* Why a variable cannot be an aggregation; NULL: it can. */
static const char *
reason_against(const ncz_join_var *v)
{
    if (v->type > NC_MAX_ATOMIC_TYPE || v->type <= NC_NAT)
        return "its type is no atomic one";
    return has_blank(v) ? "its name, or a dimension's, has a blank in it" : NULL;
}

static int
leave_out(ncz_join *j, const ncz_join_var *v, const char *why)
{
    char *text = ncz_sprintf("%s%s%s is left out where files are joined: %s", v->group,
                             v->group[1] != '\0' ? "/" : "", v->name, why);
    int   rc = text != NULL ? ncz_texts_add(&j->left_out, text) : ncz_fail_nomem(sizeof *v);

    if (rc == NC_NOERR)
        ncz_log(NCZ_LOG_WARN, "%s", text);
    ncz_free(text);
    return rc;
}

/* ---- the first file ---- */

static int
note_var(ncz_join *j, int grp, int varid)
{
    ncz_join_var v;
    const char  *why;
    int          rc = look(grp, varid, j->along, &v);

    if (rc == NC_NOERR && (why = reason_against(&v)) != NULL) {
        rc = leave_out(j, &v, why);
        clear_var(&v);
        return rc;
    }
    if (rc == NC_NOERR)
        rc = read_coordinate(grp, varid, &v, &v.values);
    if (rc == NC_NOERR)
        rc = ncz_make_room(&j->vars, j->nvars, &j->cap, sizeof *j->vars);
    if (rc != NC_NOERR) {
        clear_var(&v);
        return rc;
    }
    j->vars[j->nvars++] = v;
    return NC_NOERR;
}

/* Calls `act` for a group and all below it; groups nest no deeper than the library's limit. */
static int
each_group(ncz_join *j, int grp, int (*act)(ncz_join *j, int grp))
{
    int n = 0, *ids, rc = act(j, grp);

    if (rc != NC_NOERR || (rc = nc_inq_grps(grp, &n, NULL)) != NC_NOERR || n == 0)
        return rc == NC_ENOTNC4 ? NC_NOERR : rc; /* a classic file has none */
    if ((ids = ncz_alloc_n((size_t)n, sizeof *ids)) == NULL)
        return ncz_fail_nomem((size_t)n * sizeof *ids);
    rc = nc_inq_grps(grp, NULL, ids);
    for (int i = 0; i < n && rc == NC_NOERR; i++)
        rc = each_group(j, ids[i], act);
    ncz_free(ids);
    return rc;
}

static int
note_group(ncz_join *j, int grp)
{
    int n, rc = nc_inq_nvars(grp, &n);

    for (int i = 0; i < n && rc == NC_NOERR; i++)
        rc = note_var(j, grp, i);
    return rc;
}

/* *n: the unlimited dimensions of the root; *id: the only one. */
static int
find_unlimited(int ncid, int *n, int *id)
{
    int rc = nc_inq_unlimdims(ncid, n, NULL);

    if (rc == NC_ENOTNC4) { /* a classic file */
        rc = nc_inq_unlimdim(ncid, id);
        *n = rc == NC_NOERR && *id >= 0;
    } else if (rc == NC_NOERR && *n == 1) {
        rc = nc_inq_unlimdims(ncid, NULL, id);
    }
    return rc;
}

/* Along which dimension, if nobody says it: the unlimited one, or else `time`. */
static int
choose_along(ncz_join *j)
{
    int  n = 0, id, rc = find_unlimited(j->ncid, &n, &id);
    char name[NC_MAX_NAME + 1] = "time";

    if (rc == NC_NOERR && n == 1)
        rc = nc_inq_dimname(j->ncid, id, name);
    else if (rc == NC_NOERR && nc_inq_dimid(j->ncid, name, &id) != NC_NOERR)
        rc = ncz_fail(NC_EBADDIM,
                      "%s: %s: say along which dimension files are joined: "
                      "along=NAME behind the path, or --along NAME",
                      j->files.v[0].path,
                      n == 0 ? "it has no unlimited dimension, and none that is named time"
                             : "it has several unlimited dimensions, and none that is named time");
    if (rc == NC_NOERR && (j->along = ncz_strdup(name)) == NULL)
        rc = ncz_fail_nomem(sizeof name);
    return rc;
}

static int
scan_first(ncz_join *j, const char *along)
{
    bool any = false;
    int  rc = ncz_api_open(j->files.v[0].path, NC_NOWRITE, &j->ncid);

    if (rc != NC_NOERR) {
        j->ncid = -1;
        return rc;
    }
    if (along != NULL && (j->along = ncz_strdup(along)) == NULL)
        return ncz_fail_nomem(strlen(along));
    if (along == NULL && (rc = choose_along(j)) != NC_NOERR)
        return rc;
    if ((rc = each_group(j, j->ncid, note_group)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < j->nvars; i++)
        any = any || j->vars[i].at != NCZ_JOIN_FIXED;
    return any ? NC_NOERR
               : ncz_fail(NC_EBADDIM, "%s: no variable has the dimension %s, along which files are joined",
                          j->files.v[0].path, j->along);
}

/* ---- the others ---- */

static int
fail_var(const char *path, const ncz_join_var *v, const char *what)
{
    return ncz_fail(NC_EINVAL, "%s: variable %s %s in the first of the files that are joined", path, v->name, what);
}

/* Whether a variable is as in the first file, but for the length along which files are joined. */
static int
compare_var(const char *path, const ncz_join_var *first, const ncz_join_var *v)
{
    if (v->type != first->type)
        return fail_var(path, v, "is of another type than");
    if (v->rank != first->rank || v->at != first->at)
        return fail_var(path, v, "has other dimensions than");
    for (int d = 0; d < v->rank; d++)
        if (strcmp(v->dims[d], first->dims[d]) != 0)
            return fail_var(path, v, "has other dimensions than");
        else if (d != v->at && v->lens[d] != first->lens[d])
            return ncz_fail(NC_EINVAL,
                            "%s: dimension %s is %zu long, and %zu in the first of the files that are joined", path,
                            v->dims[d], v->lens[d], first->lens[d]);
    return NC_NOERR;
}

static int
compare_coordinate(const char *path, int grp, int varid, const ncz_join_var *first, const ncz_join_var *v)
{
    double *values;
    bool    same = true;
    int     rc;

    if (first->values == NULL)
        return NC_NOERR;
    rc = read_coordinate(grp, varid, v, &values);
    for (size_t i = 0; rc == NC_NOERR && values != NULL && i < v->lens[0]; i++)
        same = same && (values[i] == first->values[i] || (isnan(values[i]) && isnan(first->values[i])));
    ncz_free(values);
    return rc != NC_NOERR || same ? rc : fail_var(path, v, "has other values than");
}

static int
find_in(int ncid, const ncz_join_var *first, int *grp, int *varid)
{
    int rc;

    *grp = ncid;
    if (strcmp(first->group, "/") != 0 && (rc = nc_inq_grp_full_ncid(ncid, first->group, grp)) != NC_NOERR)
        return rc;
    return nc_inq_varid(*grp, first->name, varid);
}

/* The length of file number i, and its first and last coordinates. */
static int
note_length(ncz_join *j, size_t i, int grp, int varid, const ncz_join_var *v)
{
    size_t start = 0, end;
    int    rc;

    if (v->at == NCZ_JOIN_FIXED)
        return NC_NOERR;
    if (j->files.v[i].len != SIZE_MAX && j->files.v[i].len != v->lens[v->at])
        return ncz_fail(NC_EINVAL, "%s: dimension %s has several lengths, in groups", j->files.v[i].path, j->along);
    j->files.v[i].len = v->lens[v->at];
    if (!v->coordinate || !is_number(v->type) || v->lens[0] == 0 || strcmp(v->group, "/") != 0)
        return NC_NOERR;
    end = v->lens[0] - 1;
    rc = nc_get_var1_double(grp, varid, &start, &j->files.v[i].start);
    return rc == NC_NOERR ? nc_get_var1_double(grp, varid, &end, &j->files.v[i].end) : rc;
}

static bool
has_packing(const ncz_join_var *a, const ncz_join_var *b)
{
    return a->packing.len == b->packing.len &&
           (a->packing.len == 0 || memcmp(a->packing.data, b->packing.data, a->packing.len) == 0);
}

static int
scan_var(ncz_join *j, size_t i, int ncid, const ncz_join_var *first)
{
    ncz_join_var v = {.group = NULL};
    int          grp, varid, rc = find_in(ncid, first, &grp, &varid);

    if (rc != NC_NOERR)
        return ncz_fail(NC_EINVAL, "%s: has no variable %s, as the first of the files that are joined",
                        j->files.v[i].path, first->name);
    if ((rc = look(grp, varid, j->along, &v)) == NC_NOERR && !has_packing(first, &v))
        atomic_store(&j->differs[first - j->vars], true);
    if (rc == NC_NOERR && (rc = compare_var(j->files.v[i].path, first, &v)) == NC_NOERR &&
        (rc = compare_coordinate(j->files.v[i].path, grp, varid, first, &v)) == NC_NOERR)
        rc = note_length(j, i, grp, varid, &v);
    clear_var(&v);
    return rc;
}

/* The scan of all, and the first failure by the files' order. */
typedef struct scan {
    ncz_join       *j;
    size_t          kept; /* so many of the files stay open */
    pthread_mutex_t lock;
    size_t          at;
    ncz_err         err;
} scan;

/* The text says which file does not open. */
static int
name_file(const char *path, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    return strstr(err.text, path) != NULL ? ncz_err_adopt(&err) : ncz_fail(rc, "%s: %s", path, err.text);
}

static void
scan_file(void *arg, size_t i, ncz_scratch *scratch)
{
    scan     *s = arg;
    ncz_join *j = s->j;
    int       ncid = j->ncid, rc = i == 0 ? NC_NOERR : ncz_api_open(j->files.v[i].path, NC_NOWRITE, &ncid);
    ncz_err   err;

    (void)scratch;
    j->files.v[i].len = SIZE_MAX;
    j->files.v[i].start = j->files.v[i].end = NAN;
    if (rc != NC_NOERR)
        rc = name_file(j->files.v[i].path, rc);
    for (size_t k = 0; k < j->nvars && rc == NC_NOERR; k++)
        rc = scan_var(j, i, ncid, &j->vars[k]);
    ncz_err_save(&err, rc);
    if (i != 0 && ncid != j->ncid && rc == NC_NOERR && i <= s->kept)
        j->files.v[i].ds = ncz_api_withdraw(ncid);
    else if (i != 0 && ncid != j->ncid)
        (void)nc_close(ncid);
    if (rc == NC_NOERR)
        return;
    (void)pthread_mutex_lock(&s->lock);
    if (s->err.code == NC_NOERR || i < s->at) {
        s->err = err;
        s->at = i;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

int
ncz_join_scan(ncz_join *j, const char *along)
{
    scan s = {.j = j};
    int  rc = scan_first(j, along), err;

    if (rc != NC_NOERR)
        return rc;
    if ((j->differs = ncz_zalloc_n(j->nvars + 1, sizeof *j->differs)) == NULL)
        return ncz_fail_nomem(j->nvars * sizeof *j->differs);
    for (size_t k = 0; k < j->nvars; k++)
        atomic_init(&j->differs[k], false);
    if ((err = pthread_mutex_init(&s.lock, NULL)) != 0)
        return ncz_fail_lock(err);
    s.kept = ncz_aggregation_open_most(j->nvars);
    ncz_pool_each(j->files.n, ncz_pool_threads(), scan_file, &s);
    (void)pthread_mutex_destroy(&s.lock);
    return ncz_err_adopt(&s.err);
}
