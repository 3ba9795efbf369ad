/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes HDF5 files by libhdf5, one that has its assertions on, in each way that touches what stands in them: it reads all,
 * adds attributes to each object until they are dense and deletes some, makes datasets longer and shorter, adds, moves and
 * deletes links, and does that in two sessions. The values that were there are the same afterwards.
 *
 * usage: hdf5_change NAME FILE      0: all of it was done; NAME is part of what it adds
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 4096, ATTRIBUTES = 12, LINKS = 40, MOST_BYTES = 1 << 24 };

typedef struct objects {
    char    *path[MOST_OBJECTS];
    unsigned sum[MOST_OBJECTS]; /* of its values, a dataset's */
    size_t   n;
} objects;

static const char *by = "";

static void
check(int good, const char *what, const char *object)
{
    if (!good) {
        fprintf(stderr, "%s: %s\n", object, what);
        exit(1);
    }
}

static herr_t
note_object(hid_t root, const char *name, const H5O_info2_t *info, void *arg)
{
    objects *o = arg;
    (void)root;
    if (info->type != H5O_TYPE_NAMED_DATATYPE && o->n < MOST_OBJECTS)
        o->path[o->n++] = strdup(name);
    return 0;
}

/* Whether elements have bytes elsewhere, whose addresses say nothing. */
static int
is_in_heap(hid_t type)
{
    return H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
           H5Tdetect_class(type, H5T_REFERENCE) > 0 || H5Tdetect_class(type, H5T_STRING) > 0;
}

/* A sum of the first `extent` values, as they are in memory. */
static unsigned
sum_values(hid_t dataset, const char *path, const hsize_t *extent)
{
    hid_t          space = H5Dget_space(dataset), type = H5Dget_type(dataset), room;
    hssize_t       n = 1;
    size_t         size = H5Tget_size(type);
    int            rank = H5Sget_simple_extent_ndims(space);
    hsize_t        start[H5S_MAX_RANK] = {0};
    unsigned       sum = 2166136261u;
    unsigned char *values;
    for (int d = 0; d < rank; d++)
        n *= (hssize_t)extent[d];
    if (n > 0 && (size_t)n <= MOST_BYTES / size) {
        values = calloc((size_t)n, size);
        check(values != NULL, "memory", path);
        room = rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
        if (rank > 0)
            check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0, "select", path);
        check(H5Dread(dataset, type, room, space, H5P_DEFAULT, values) >= 0, "read", path);
        for (size_t i = 0; !is_in_heap(type) && i < (size_t)n * size; i++)
            sum = (sum ^ values[i]) * 16777619u;
        if (is_in_heap(type))
            H5Treclaim(type, room, H5P_DEFAULT, values);
        H5Sclose(room);
        free(values);
    }
    H5Sclose(space);
    H5Tclose(type);
    return sum;
}

static void
change_attributes(hid_t object, const char *path, int session)
{
    char    name[64];
    hsize_t n = 3;
    hid_t   space = H5Screate_simple(1, &n, NULL), a;
    int     values[3] = {1, 2, 3};
    for (int i = 0; i < ATTRIBUTES; i++) {
        snprintf(name, sizeof name, "%s %d.%d", by, session, i);
        a = H5Acreate2(object, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        check(a >= 0 && H5Awrite(a, H5T_NATIVE_INT, values) >= 0 && H5Aclose(a) >= 0, "add an attribute", path);
    }
    for (int i = 0; i < ATTRIBUTES; i += 2) {
        snprintf(name, sizeof name, "%s %d.%d", by, session, i);
        check(H5Adelete(object, name) >= 0, "delete an attribute", path);
    }
    H5Sclose(space);
}

/* Longer in each unlimited dimension, then as before; values that were there stay. */
static void
change_extent(hid_t dataset, const char *path)
{
    hid_t    space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    hsize_t  extent[H5S_MAX_RANK] = {0}, most[H5S_MAX_RANK] = {0}, longer[H5S_MAX_RANK] = {0};
    int      rank = H5Sget_simple_extent_dims(space, extent, most), changes = 0;
    unsigned sum = sum_values(dataset, path, extent);
    for (int d = 0; d < rank; d++) {
        longer[d] = extent[d] + (most[d] == H5S_UNLIMITED ? 3 : 0);
        changes += most[d] == H5S_UNLIMITED;
    }
    if (changes > 0) {
        check(H5Dset_extent(dataset, longer) >= 0, "make longer", path);
        /* libhdf5 cannot fill chunks of texts of any length that are not there: it reads what was there. */
        check(sum_values(dataset, path, extent) == sum, "values after it was made longer", path);
        check(H5Dset_extent(dataset, extent) >= 0, "make shorter", path);
        check(sum_values(dataset, path, extent) == sum, "values after it was made shorter", path);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* All values of numbers are put again. */
static void
put_again(hid_t dataset, const char *path)
{
    hid_t    type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    size_t   size = H5Tget_size(type);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    void    *values;
    if (!is_in_heap(type) && n > 0 && (size_t)n <= MOST_BYTES / size) {
        values = calloc((size_t)n, size);
        check(values != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "read", path);
        check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "write", path);
        free(values);
    }
    H5Sclose(space);
    H5Tclose(type);
}

static void
change_links(hid_t group, const char *path, int session)
{
    char name[64], other[64];
    for (int i = 0; i < LINKS; i++) {
        snprintf(name, sizeof name, "made %s %d.%d", by, session, i);
        hid_t made = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        check(made >= 0 && H5Gclose(made) >= 0, "add a group", path);
    }
    for (int i = 0; i < LINKS; i++) {
        snprintf(name, sizeof name, "made %s %d.%d", by, session, i);
        snprintf(other, sizeof other, "moved %s %d.%d", by, session, i);
        if (i % 3 == 0)
            check(H5Lmove(group, name, group, other, H5P_DEFAULT, H5P_DEFAULT) >= 0, "move a link", path);
        else
            check(H5Ldelete(group, name, H5P_DEFAULT) >= 0, "delete a link", path);
    }
}

/* Whether it stands for a dimension alone: netCDF has no place for attributes of such a one, so that a netCDF library would
 * not go on. */
static int
is_dimension(hid_t object)
{
    static const char words[] = "This is a netCDF dimension";
    char              name[256] = "";
    if (H5Aexists(object, "NAME") > 0) {
        hid_t a = H5Aopen(object, "NAME", H5P_DEFAULT), type = H5Aget_type(a);
        if (H5Tget_size(type) < sizeof name)
            H5Aread(a, type, name);
        H5Tclose(type);
        H5Aclose(a);
    }
    return strncmp(name, words, sizeof words - 1) == 0;
}

static void
change_object(hid_t file, objects *o, size_t i, int session)
{
    const char *path = o->path[i];
    hid_t       object = H5Oopen(file, path, H5P_DEFAULT);
    hsize_t     extent[H5S_MAX_RANK] = {0};
    check(object >= 0, "open", path);
    if (H5Iget_type(object) == H5I_DATASET) {
        hid_t space = H5Dget_space(object);
        H5Sget_simple_extent_dims(space, extent, NULL);
        H5Sclose(space);
        unsigned sum = sum_values(object, path, extent);
        check(session == 0 || sum == o->sum[i], "other values in the second session", path);
        o->sum[i] = sum;
        change_extent(object, path);
        put_again(object, path);
        check(sum_values(object, path, extent) == sum, "other values after they were put", path);
    } else {
        change_links(object, path, session);
    }
    if (!is_dimension(object) || strcmp(by, "last") == 0)
        change_attributes(object, path, session);
    check(H5Oclose(object) >= 0, "close", path);
}

static void
add_dataset(hid_t file, int session)
{
    char    name[64];
    hsize_t n = 1000, chunk = 10, unlimited = H5S_UNLIMITED;
    hid_t   space = H5Screate_simple(1, &n, &unlimited), create = H5Pcreate(H5P_DATASET_CREATE), dataset;
    double *values = calloc(1000, sizeof *values);
    snprintf(name, sizeof name, "added %s %d", by, session);
    H5Pset_chunk(create, 1, &chunk);
    H5Pset_deflate(create, 1);
    dataset = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
    check(dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0,
          "add a dataset", name);
    H5Dclose(dataset);
    H5Pclose(create);
    H5Sclose(space);
    free(values);
}

int
main(int argc, char **argv)
{
    static objects o;
    check(argc == 3, "NAME FILE", "usage");
    by = argv[1];
    for (int session = 0; session < 2; session++) {
        hid_t file = H5Fopen(argv[2], H5F_ACC_RDWR, H5P_DEFAULT);
        check(file >= 0, "open the file", "");
        if (session == 0)
            check(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_object, &o, H5O_INFO_BASIC) >= 0, "visit", "");
        for (size_t i = 0; i < o.n; i++)
            change_object(file, &o, i, session);
        check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "flush", "");
        add_dataset(file, session);
        check(H5Fclose(file) >= 0, "close the file", "");
    }
    for (size_t i = 0; i < o.n; i++)
        free(o.path[i]);
    return 0;
}
