/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_refer_files.c: the datasets that a set of references refers to, and how it names their places: relative to its
 * own folder where they are there or below, else absolute. URLs stay as they were given, without a fragment.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

size_t
copy_refer_file_add(copy_refer_files *f, const char *path)
{
    for (size_t i = 0; i < f->n; i++, f->last = f->last + 1 < f->n ? f->last + 1 : 0)
        if (strcmp(f->v[f->last].path, path) == 0)
            return f->last;
    f->v = memory_room(f->v, f->n, &f->cap, sizeof *f->v);
    f->v[f->n] = (copy_refer_file){.path = memory_need(strdup(path)), .ncid = -1};
    return f->last = f->n++;
}

/* Absolute, with the links of its folder resolved. NULL: there is no such folder. */
static char *
resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *folder = slash != NULL ? memory_textf("%.*s", (int)(slash - path) + 1, path) : memory_textf(".");
    char       *real = ncz_sys_realpath(folder), *out = NULL;

    if (real != NULL)
        out = memory_textf("%s%s%s", real, real[1] != '\0' ? "/" : "", slash != NULL ? slash + 1 : path);
    free(real);
    free(folder);
    return out;
}

char *
copy_refer_url(const copy_refer_files *f, const char *place)
{
    size_t      len = strlen(f->folder);
    const char *local = strncmp(place, "file://", 7) == 0 ? place + 7 : place;
    char       *real, *out;

    if (strstr(local, "://") != NULL || (real = resolve(local)) == NULL)
        return memory_need(strdup(place));
    if (strncmp(real, f->folder, len) != 0)
        return real;
    out = memory_textf("%s%s%s", f->prefix != NULL ? f->prefix : "",
                       f->prefix != NULL && f->prefix[strlen(f->prefix) - 1] != '/' ? "/" : "", real + len);
    free(real);
    return out;
}

/* What of a path names the dataset: not its fragment. */
static int
find_url(const copy_refer_files *f, copy_refer_file *file)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    const char       *kind = nczarr_map_name(file->map), *place;
    size_t            len;
    int               rc = nczarr_path_split(file->path, &parts);

    if (rc != NC_NOERR)
        return message_fail(rc, file->path);
    place = parts.local != NULL ? parts.local : parts.path;
    for (len = strlen(place); len > 1 && place[len - 1] == '/';)
        len--;
    if (strcmp(kind, "zip") == 0 || strcmp(kind, "memory") == 0) {
        file->why = strcmp(kind, "zip") == 0 ? "it is in an archive, whose entries other readers cannot reach"
                                             : "it is in memory";
    } else {
        char *text = memory_textf("%.*s", (int)len, place), *url = copy_refer_url(f, text);

        file->url = file->one ? url : memory_textf("%s/", url);
        if (!file->one)
            free(url);
        free(text);
    }
    nczarr_path_clear(&parts);
    return NC_NOERR;
}

int
copy_refer_file_open(const copy_refer_files *f, copy_refer_file *file, int ncid)
{
    int version = 0, rc = NC_NOERR;

    file->ncid = ncid;
    if (ncid < 0 && (rc = nczarr_open_fragment(f->source, file->path, &file->ncid)) != NC_NOERR)
        return message_fail(rc, file->path);
    if ((rc = nczarr_inq_map(file->ncid, &file->map)) != NC_NOERR ||
        (rc = nczarr_inq_zarr_format(file->ncid, &version, NULL)) != NC_NOERR)
        return message_fail(rc, file->path);
    file->one = version == 0;
    file->set =
        strcmp(nczarr_map_name(file->map), "kerchunk") == 0 || strcmp(nczarr_map_name(file->map), "icechunk") == 0;
    return file->set || file->url != NULL || file->path[0] == '\0' ? NC_NOERR : find_url(f, file);
}

int
copy_refer_pitch(int grp, int varid, unsigned long long row, unsigned long long *pitch)
{
    unsigned long long first = 0, second = 0;
    size_t            *index, *chunk, n = 0;
    int                rank = 0, rc = nc_inq_varndims(grp, varid, &rank);

    *pitch = row;
    if (rc != NC_NOERR || rank == 0)
        return rc;
    index = memory_alloc((size_t)rank, sizeof *index);
    chunk = memory_alloc((size_t)rank, sizeof *chunk);
    if ((rc = nc_inq_var_chunking(grp, varid, NULL, chunk)) == NC_NOERR &&
        (rc = nczarr_inq_var_chunk_lengths(grp, varid, 0, &n, NULL)) == NC_NOERR &&
        (rc = nczarr_inq_var_chunk_rows(grp, varid, index, NULL, pitch)) == NC_NOERR && *pitch == 0) {
        *pitch = row;
        if (chunk[0] == 1 && n > 1 &&
            (rc = nczarr_inq_var_chunk_key(grp, varid, index, NULL, NULL, &first, NULL)) == NC_NOERR) {
            index[0] = 1;
            rc = nczarr_inq_var_chunk_key(grp, varid, index, NULL, NULL, &second, NULL);
            if (rc == NC_NOERR && second > first)
                *pitch = second - first;
        }
    }
    free(index);
    free(chunk);
    return rc;
}

void
copy_refer_file_close(copy_refer_file *file)
{
    if (file->map != NULL)
        (void)nczarr_map_close(file->map);
    file->map = NULL;
    if (file->ncid >= 0)
        (void)nc_close(file->ncid);
    file->ncid = -1;
}

void
copy_refer_files_clear(copy_refer_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->v[i].map != NULL)
            (void)nczarr_map_close(f->v[i].map);
        free(f->v[i].path);
        free(f->v[i].url);
    }
    free(f->v);
    free(f->folder);
}
