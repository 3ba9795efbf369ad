/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a netCDF-4 file that is opened to be changed: an attribute, elements, a variable and a name are put, and
 * it is closed. Where that is refused, the file has the same bytes; where it is done, the file opens, has what was put,
 * and grew by no more than that and its metadata need; its structure is sound if it was. Where it is given up, or
 * fails, what was there opens.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/walk.h"
#include "hdf5/hdf5_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out);
int __wrap_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out);

enum { GROWS_MOST = 16 << 20, PUT_MOST = 1 << 16 };

static bool any_sum;
static char path[100], url[200];

/* Takes the place of ncz_hdf5_open() in the program. */
int
__wrap_ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out)
{
    int rc = __real_ncz_hdf5_open(source, limits, out);

    if (*out != NULL)
        (*out)->any_sum = any_sum;
    return rc;
}

static void
write_file(const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

/* All of the file; NULL: it is too large. */
static uint8_t *
read_file(size_t most, size_t *size)
{
    FILE    *f = fopen(path, "rb");
    uint8_t *bytes = malloc(most + 1);

    if (f == NULL || bytes == NULL)
        abort();
    *size = fread(bytes, 1, most + 1, f);
    (void)fclose(f);
    if (*size <= most)
        return bytes;
    free(bytes);
    return NULL;
}

/* Puts the first element of a variable again, as it is. */
static void
put_var(int ncid, int varid)
{
    static char bytes[PUT_MOST];
    size_t      zero[NC_MAX_VAR_DIMS] = {0}, n = 0, item = 0;
    int         ndims = 0;
    nc_type     type;

    if (nc_inq_varndims(ncid, varid, &ndims) != NC_NOERR || nc_inq_vartype(ncid, varid, &type) != NC_NOERR ||
        type > NC_UINT64 || nc_inq_type(ncid, type, NULL, &item) != NC_NOERR || item > sizeof bytes ||
        fuzz_count_elems(ncid, varid, FUZZ_MOST_ELEMS, &n) != NC_NOERR)
        return;
    if (fuzz_said(nc_get_var1(ncid, varid, zero, bytes)) == NC_NOERR || n == 0)
        (void)fuzz_said(nc_put_var1(ncid, varid, zero, bytes));
}

/* Whether all is put. */
static bool
change(int ncid)
{
    int nvars = 0, dim, v;

    if (nc_inq_nvars(ncid, &nvars) != NC_NOERR)
        return false;
    for (v = 0; v < nvars && v < 8; v++)
        put_var(ncid, v);
    (void)nc_redef(ncid);
    if (fuzz_said(nc_put_att_text(ncid, NC_GLOBAL, "fuzz_text", 5, "hello")) != NC_NOERR)
        return false;
    if (nc_inq_varid(ncid, "fuzz_var", &v) == NC_NOERR ||
        fuzz_said(nc_def_dim(ncid, "fuzz_dim", 3, &dim)) != NC_NOERR ||
        fuzz_said(nc_def_var(ncid, "fuzz_var", NC_INT, 1, &dim, &v)) != NC_NOERR)
        return false;
    (void)nc_enddef(ncid);
    return fuzz_said(nc_put_var_int(ncid, v, (int[]){1, 2, 3})) == NC_NOERR;
}

/* What was put is in the file. */
static void
check_changed(void)
{
    int  ncid, v, got[3] = {0};
    char text[6] = "";

    if (fuzz_said(nc_open(path, NC_NOWRITE, &ncid)) != NC_NOERR)
        abort();
    if (fuzz_said(nc_get_att_text(ncid, NC_GLOBAL, "fuzz_text", text)) != NC_NOERR || strcmp(text, "hello") != 0 ||
        fuzz_said(nc_inq_varid(ncid, "fuzz_var", &v)) != NC_NOERR ||
        fuzz_said(nc_get_var_int(ncid, v, got)) != NC_NOERR || got[0] != 1 || got[1] != 2 || got[2] != 3)
        abort();
    fuzz_walk(ncid);
    if (nc_close(ncid) != NC_NOERR)
        abort();
}

static int
count_fault(const nczarr_structure_item *item, void *arg)
{
    if (item->kind == NCZARR_STRUCTURE_FAULT || item->kind == NCZARR_STRUCTURE_UNKNOWN) {
        if (getenv("NCZ_FUZZ_SAY") != NULL)
            (void)fprintf(stderr, "%llu: %s: %s\n", item->address, item->path, item->what);
        ++*(size_t *)arg;
    }
    return 0;
}

/* Whether every structure is sound, and no byte is in use twice. */
static bool
is_sound(void)
{
    size_t faults = 0;

    return fuzz_said(nczarr_check_structure(path, count_fault, &faults)) == NC_NOERR && faults == 0;
}

/* The file has the bytes that it had. */
static void
check_kept(const uint8_t *data, size_t size)
{
    size_t   n;
    uint8_t *now = read_file(size, &n);

    if (now == NULL || n != size || memcmp(now, data, size) != 0)
        abort();
    free(now);
}

/* Nothing was committed: what was there opens. */
static void
check_opens(void)
{
    int ncid;

    if (fuzz_said(nc_open(path, NC_NOWRITE, &ncid)) != NC_NOERR || !fuzz_loads(ncid))
        abort();
    if (nc_close(ncid) != NC_NOERR)
        abort();
}

static void
change_file(const uint8_t *data, size_t size)
{
    int      ncid;
    size_t   n;
    uint8_t *now;
    bool     all, sound;

    write_file(data, size);
    sound = is_sound();
    if (fuzz_said(nc_open(url, NC_WRITE, &ncid)) != NC_NOERR) {
        check_kept(data, size);
        return;
    }
    all = fuzz_loads(ncid);
    if (!all || !change(ncid)) {
        (void)nc_abort(ncid);
        if (all)
            check_opens();
        return;
    }
    if (fuzz_said(nc_close(ncid)) != NC_NOERR) {
        check_opens();
        return;
    }
    if ((now = read_file(size + GROWS_MOST, &n)) == NULL)
        abort();
    free(now);
    check_changed();
    if (sound && !is_sound())
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (path[0] == '\0') {
        (void)snprintf(path, sizeof path, "%s/nczarr-fuzz-%d.nc", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
                       (int)getpid());
        (void)snprintf(url, sizeof url, "file://%s#durability=none", path);
    }
    any_sum = false;
    change_file(data, size);
    any_sum = true;
    change_file(data, size);
    (void)unlink(path);
    return 0;
}
