/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_aggregate.c: an aggregation (CF-1.13) in place of a copy: a small file that says in which files the values lie,
 * and has those of the coordinates. The library writes it (nczarr_join()), here beside the target, whose name it gets
 * when it is complete.
 */
#include "copy_int.h"

#include "common/path_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The files in their order, and the dimension along which they are joined. */
typedef struct files {
    char **v;
    size_t n, cap;
    int    along; /* number of the dimension; -1: one file */
    size_t first;
} files;

static int
add_file(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    files *f = arg;

    (void)count, (void)variable;
    if (path == NULL)
        return NC_NOERR;
    f->v = memory_room(f->v, f->n, &f->cap, sizeof *f->v);
    f->v[f->n++] = memory_need(strdup(path));
    if (f->n == 2)
        for (f->along = 0; start[f->along] == 0;)
            f->along++;
    return NC_NOERR;
}

static void
clear_files(files *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i]);
    free(f->v);
    *f = (files){.along = -1};
}

/* Those of the variable that has most of them. */
static int
find_files(int ncid, files *best, char *along)
{
    int n = 0, rc = nc_inq_nvars(ncid, &n);

    *best = (files){.along = -1};
    for (int i = 0; i < n && rc == NC_NOERR; i++) {
        files f = {.along = -1};
        int   rank = 0;

        rc = nczarr_list_var_fragments(ncid, i, add_file, &f);
        if (rc != NC_NOERR || f.n <= best->n) {
            clear_files(&f);
            continue;
        }
        clear_files(best);
        *best = f;
        along[0] = '\0';
        if (f.along >= 0 && (rc = nc_inq_varndims(ncid, i, &rank)) == NC_NOERR) {
            int *ids = memory_alloc((size_t)rank, sizeof *ids);

            if ((rc = nc_inq_vardimid(ncid, i, ids)) == NC_NOERR)
                rc = nc_inq_dimname(ncid, ids[f.along], along);
            free(ids);
        }
    }
    return rc;
}

static int
check_options(const copy_opts *o)
{
    const char *other = o->references                            ? "--references"
                        : o->chunks.n > 0 || o->shards.n > 0     ? "-c or --shards"
                        : o->nfilters > 0 || o->deflate >= 0     ? "-F or -d"
                        : o->shuffle                             ? "-s"
                        : o->vars.n > 0 || o->groups.n > 0       ? "-v, -V, -g or -G"
                        : o->limits.n > 0                        ? "-d of a part"
                        : o->resume                              ? "--resume"
                        : o->verify                              ? "--verify"
                        : o->flatten || o->repack || o->in_place ? "--flatten, --repack or --in-place"
                        : o->damaged != DAMAGE_STOP              ? "--damaged"
                        : o->memory_in || o->memory_out          ? "-r or -w"
                                                                 : NULL;

    if (other == NULL)
        return NC_NOERR;
    return message_error(COPY_USAGE, "--aggregate: says where values lie, and changes nothing of them: not with %s",
                         other);
}

/* What is there is replaced if it is a dataset. */
static int
check_old(const copy_opts *o, const copy_target *t)
{
    int ncid, rc;

    if ((rc = nc_open(t->url, NC_NOWRITE, &ncid)) == NC_NOERR) {
        (void)nc_close(ncid);
        if (!o->keep)
            return NC_NOERR;
        return message_error(NC_EEXIST, "%s: is there (--no-clobber)", t->parts.shown);
    }
    if (rc == ENOENT || rc == NC_ENOOBJECT || o->replace_all)
        return NC_NOERR;
    return message_error(NC_EEXIST, "%s: is no dataset, and would be replaced: choose another name, or --replace-all",
                         t->parts.shown);
}

/* The mode of what has another name until it is complete. */
static const char *
mode_of(const copy_target *t)
{
    path_name name = path_name_of(&t->parts);

    if (t->parts.fragment[0] != '\0')
        return t->parts.fragment;
    return path_is_zarr(&t->parts) || name == PATH_NAME_ANY ? "mode=nczarr"
           : name == PATH_NAME_CLASSIC                      ? "mode=cdf1"
                                                            : "mode=netcdf4";
}

static int
name_target(const copy_opts *o, copy_target *t)
{
    const char *mode = o->kind_given && o->mode != NULL ? o->mode : o->netcdf4 ? "netcdf4" : NULL;
    char       *keys = memory_need(path_mode_keys(mode, o->zarr_format));
    int         rc;

    *t = (copy_target){.ncid = -1, .lock = -1, .parts.size = sizeof t->parts};
    t->url = copy_add_keys(o->out, keys);
    free(keys);
    if (t->url == NULL || (rc = nczarr_path_split(t->url, &t->parts)) != NC_NOERR)
        return COPY_USAGE;
    if (t->parts.local == NULL || t->parts.store == NCZARR_STORE_ARCHIVE)
        return message_error(NC_EINVAL, "%s: an aggregation is written to a disk, as a file or a directory",
                             t->parts.shown);
    if ((rc = copy_check_format(t)) != NC_NOERR || (rc = copy_name_beside(o, t)) != NC_NOERR)
        return rc;
    t->work = memory_textf("%s#%s", t->temp_path, mode_of(t));
    return (rc = copy_check_apart(o, t)) == NC_NOERR ? check_old(o, t) : rc;
}

static int
publish(copy_target *t)
{
    int ncid, rc;

    if (ncz_system.name.renameat(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) == 0)
        return NC_NOERR;
    if (nc_open(t->url, NC_NOWRITE, &ncid) == NC_NOERR) { /* a directory is in the way */
        (void)nc_close(ncid);
        if ((rc = nc_delete(t->url)) != NC_NOERR)
            return message_fail(rc, t->parts.shown);
    }
    return copy_rename_temp(t);
}

int
copy_aggregate(const copy_opts *o)
{
    copy_target t = {.ncid = -1, .lock = -1};
    files       f = {.along = -1};
    char        along[NC_MAX_NAME + 1] = "";
    int         ncid = -1, rc = check_options(o);

    if (rc != NC_NOERR || (rc = name_target(o, &t)) != NC_NOERR || (rc = copy_open_source(o, &ncid)) != NC_NOERR)
        goto done;
    copy_say_warnings(o, ncid);
    if ((rc = find_files(ncid, &f, along)) != NC_NOERR)
        (void)message_fail(rc, o->in);
    (void)nc_close(ncid);
    if (rc == NC_NOERR && f.n == 0) { /* one dataset, which is no aggregation */
        size_t none = 0;

        (void)add_file(&none, &none, o->in, "", &f);
    }
    if (rc == NC_NOERR && o->dry_run) {
        for (size_t i = 0; i < f.n; i++)
            printf("%s\n", f.v[i]);
        goto done;
    }
    if (rc == NC_NOERR && (rc = nczarr_join(f.n, (const char *const *)f.v, along[0] != '\0' ? along : o->along,
                                            t.work, NC_CLOBBER)) != NC_NOERR)
        (void)message_fail(rc, t.parts.shown);
    else if (rc == NC_NOERR)
        rc = publish(&t);
    if (rc != NC_NOERR)
        (void)nc_delete(t.work);
done:
    clear_files(&f);
    copy_target_clear(&t);
    return rc;
}
