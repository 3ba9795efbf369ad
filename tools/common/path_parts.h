/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path_parts.h: what the commands do with the parts of a path that nczarr_path_split() gives. Where a fragment begins
 * and what it means is the library's alone to know.
 */
#ifndef PATH_PARTS_H
#define PATH_PARTS_H

#include <nczarr.h>
#include <stdbool.h>

/* False: the library does not take the path or URL, whatever is there: a mode that is unknown, two that exclude each
 * other, a malformed URL. It is reported. That is a mistake of the command line. */
bool path_check(const char *path);

bool path_is_local(const char *path); /* a file or folder here */

/* PATH#FRAGMENT with the keys after those that it has; "": none. malloc()ed, like all texts here; NULL: out of
 * memory. */
char *path_with_keys(const nczarr_path_parts *parts, const char *keys);

/* The keys of options: modes (NULL: none; "zarr", "nczarr&compat=4.9.2") and a version of Zarr (0: none). */
char *path_mode_keys(const char *modes, int zarr_format);

/* What the name alone of a dataset promises. */
typedef enum path_name {
    PATH_NAME_ANY,     /* nothing but a dataset, or a mode says that it is Zarr */
    PATH_NAME_FILE,    /* a netCDF file: .nc */
    PATH_NAME_CLASSIC, /* a netCDF-3 file: .nc3, .cdf */
    PATH_NAME_NETCDF4, /* an HDF5 file: .nc4, .h5, .hdf5, .he5 */
} path_name;

path_name path_name_of(const nczarr_path_parts *parts);

/* Whatever else is asked for, this is Zarr: a mode says so, the name (.zarr, .zip), or it is a URL, without a mode of
 * files. */
bool path_is_zarr(const nczarr_path_parts *parts);
/* Of a URL, where Zarr is written unless something else is said: the file or archive that its name promises, without a
 * mode that says Zarr. NULL: none. */
const char *path_promises_object(const nczarr_path_parts *parts);
#define PATH_REMOTE_NAME                                                                                             \
    "%s: this is the name of %s, and at a URL Zarr is written, as many objects below that name, or a netCDF-4 file " \
    "with -k nc4. Write another file to a disk and upload it; or use another name; or add --mode nczarr or "         \
    "--mode zarr for Zarr under this name"

/* The file of a format that no command writes which the name of a target promises, without a mode that says what it is.
 * NULL: none. */
const char *path_other_format(const nczarr_path_parts *parts);
#define PATH_OTHER_FORMAT                                                                                            \
    "%s: this is the name of %s, which is not written: use a name that ends in .zarr or .nc; or add "                \
    "#mode=nczarr (or zarr) for a dataset of Zarr under this name"

/* The message when a mode's text made the fragment none, so that it would be part of a file's name. For the mode. */
#define PATH_BAD_MODE "--mode: %s: a key that is unknown; nczarr_url(7) lists the keys"

#endif /* PATH_PARTS_H */
