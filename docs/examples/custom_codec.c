/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A codec of the program's own: runs of equal elements are stored once, with their count. Registers it, writes a
 * variable with it, opens the dataset again and checks what it reads.
 *
 *     cc custom_codec.c $(pkg-config --cflags --libs nczarr) -o custom_codec
 *     ./custom_codec example.zarr
 *
 * In the dataset the codec stands as {"id": "org.example.rle", "width": 4}. Programs that do not register it see the
 * variable, and are told by name what they lack when they read it.
 */
#include <nczarr.h>
#include <nczarr_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RLE_ID    "org.example.rle"
#define RLE_HDF5  32768 /* HDF5 reserves the numbers from here on for private use; 0: no HDF5 filter */
#define RUN_MOST  255
#define WIDTH_MAX 16

/* ---- the codec: each run is its length in one byte, and the element ------------------------------------------ */

/* The configuration, understood once: bytes of an element. */
static int
rle_open(void *user, const char *json, const nczarr_codec_array *array, void **statep)
{
    long long width = (long long)array->element_size; /* unless the configuration says */
    size_t   *state;
    int       rc;

    (void)user;
    if ((rc = nczarr_codec_get_int(json, "width", &width)) != NC_NOERR)
        return rc;
    if (width < 1 || width > WIDTH_MAX)
        return nczarr_codec_fail(NC_EFILTER, "\"width\" is %lld, not 1 to %d", width, WIDTH_MAX);
    if ((state = malloc(sizeof *state)) == NULL)
        return NC_ENOMEM;
    *state = (size_t)width;
    *statep = state;
    return NC_NOERR;
}

static void
rle_close(void *user, void *state)
{
    (void)user;
    free(state);
}

/* nc_def_var_filter(..., RLE_HDF5, 1, &width): one parameter word, and how it stands in the dataset. */
static int
rle_from_words(void *user, size_t nwords, const unsigned *words, char *json, size_t cap)
{
    (void)user;
    if (nwords != 1)
        return nczarr_codec_fail(NC_EFILTER, "%zu parameters, it has 1", nwords);
    snprintf(json, cap, "{\"width\": %u}", words[0]);
    return NC_NOERR;
}

static int
rle_to_words(void *user, const char *json, size_t *nwordsp, unsigned *words)
{
    long long width = 1;
    int       rc = nczarr_codec_get_int(json, "width", &width);

    (void)user;
    if (rc != NC_NOERR)
        return rc;
    words[0] = (unsigned)width;
    *nwordsp = 1;
    return NC_NOERR;
}

/* At worst every run is of one element. */
static int
rle_bound(void *user, void *state, size_t n, size_t *mostp)
{
    size_t width = *(size_t *)state;

    (void)user;
    if (n / width > (size_t)-1 - n)
        return NC_EFILTER;
    *mostp = n + n / width;
    return NC_NOERR;
}

static int
rle_encode(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *usedp)
{
    const unsigned char *from = in, *end = from + n;
    unsigned char       *to = out;
    size_t               width = *(size_t *)state;

    (void)user, (void)array, (void)cap; /* room for bound() there is */
    if (n % width != 0)
        return nczarr_codec_fail(NC_EFILTER, "%zu bytes are no whole elements of %zu", n, width);
    while (from < end) {
        size_t run = 1;

        while (run < RUN_MOST && from + run * width < end && memcmp(from, from + run * width, width) == 0)
            run++;
        *to++ = (unsigned char)run;
        memcpy(to, from, width);
        to += width;
        from += run * width;
    }
    *usedp = (size_t)(to - (unsigned char *)out);
    return NC_NOERR;
}

/* The bytes come from a file, and may be anything: every step is checked against both ends. */
static int
rle_decode(void *user, void *state, const nczarr_codec_array *array, const void *in, size_t n, void *out, size_t cap,
           size_t *usedp)
{
    const unsigned char *from = in;
    unsigned char       *to = out;
    size_t               width = *(size_t *)state, used = 0;

    (void)user, (void)array;
    if (n % (width + 1) != 0)
        return nczarr_codec_fail(NC_EFILTER, "%zu bytes are no whole runs", n);
    for (; n > 0; n -= width + 1, from += width + 1) {
        size_t run = from[0];

        if (run > (cap - used) / width)
            return nczarr_codec_fail(NC_EFILTER, "more than the %zu bytes of a chunk", cap);
        for (; run > 0; run--, used += width)
            memcpy(to + used, from + 1, width);
    }
    *usedp = used;
    return NC_NOERR;
}

static int
register_rle(void)
{
    nczarr_codec rle;

    memset(&rle, 0, sizeof rle); /* what this program does not know of stays 0 */
    rle.size = sizeof rle;
    rle.id = RLE_ID;
    rle.hdf5_id = RLE_HDF5;
    rle.flags = NCZARR_CODEC_THREADS; /* it changes nothing but what it is handed */
    rle.open = rle_open;
    rle.close = rle_close;
    rle.from_words = rle_from_words;
    rle.to_words = rle_to_words;
    rle.bound = rle_bound;
    rle.encode = rle_encode;
    rle.decode = rle_decode;
    return nczarr_filter_register(&rle);
}

/* ---- its use ------------------------------------------------------------------------------------------------- */

#define NROWS 200
#define NCOLS 300

static int
failed(int rc, const char *what)
{
    if (rc != NC_NOERR)
        fprintf(stderr, "%s: %s: %s\n", what, nc_strerror(rc), nczarr_errmsg());
    return rc != NC_NOERR;
}

/* A map of classes, as land cover is: long runs. */
static int
class_at(size_t row, size_t col)
{
    return (int)(row / 40 + 10 * (col / 70));
}

/* By name, with zlib over what the runs leave; nc_def_var_filter(ncid, var, RLE_HDF5, 1, &width) does the same. */
static int
define(int ncid, int *var)
{
    static const size_t chunks[2] = {50, NCOLS};
    int                 dimids[2], rc;

    if ((rc = nc_def_dim(ncid, "row", NROWS, &dimids[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "col", NCOLS, &dimids[1])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "class", NC_INT, 2, dimids, var)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, *var, NC_CHUNKED, chunks)) != NC_NOERR ||
        (rc = nczarr_def_var_codec(ncid, *var, "{\"id\": \"" RLE_ID "\", \"width\": 4}")) != NC_NOERR ||
        (rc = nczarr_def_var_codec(ncid, *var, "{\"id\": \"zlib\", \"level\": 6}")) != NC_NOERR)
        return rc;
    return nc_enddef(ncid);
}

static int
write_classes(int ncid, int var)
{
    static int values[NROWS][NCOLS];

    for (size_t row = 0; row < NROWS; row++)
        for (size_t col = 0; col < NCOLS; col++)
            values[row][col] = class_at(row, col);
    return nc_put_var_int(ncid, var, &values[0][0]);
}

static int
check(int ncid)
{
    static int values[NROWS][NCOLS];
    char       codecs[200] = "";
    unsigned   width;
    size_t     nwords;
    int        var, rc;

    if ((rc = nc_inq_varid(ncid, "class", &var)) != NC_NOERR ||
        (rc = nc_inq_var_filter_info(ncid, var, RLE_HDF5, &nwords, &width)) != NC_NOERR ||
        (rc = nc_get_att_text(ncid, var, "_Codecs", codecs)) != NC_NOERR ||
        (rc = nc_get_var_int(ncid, var, &values[0][0])) != NC_NOERR)
        return rc;
    for (size_t row = 0; row < NROWS; row++)
        for (size_t col = 0; col < NCOLS; col++)
            if (values[row][col] != class_at(row, col)) {
                fprintf(stderr, "class(%zu,%zu) is %d, not %d\n", row, col, values[row][col], class_at(row, col));
                return NC_EINVAL;
            }
    printf("%d by %d values written and read back through %s\n", NROWS, NCOLS, codecs);
    return nwords == 1 && width == 4 ? NC_NOERR : NC_EFILTER;
}

int
main(int argc, char **argv)
{
    int ncid, var, bad;

    if (argc != 2) {
        fprintf(stderr, "usage: custom_codec DATASET\n");
        return 2;
    }
    if (failed(register_rle(), RLE_ID)) /* before the first dataset that may need it is opened */
        return 1;

    if (failed(nc_create(argv[1], NC_CLOBBER | NC_NETCDF4, &ncid), argv[1]))
        return 1;
    if (failed(define(ncid, &var), "definitions") || failed(write_classes(ncid, var), "classes")) {
        nc_abort(ncid);
        return 1;
    }
    if (failed(nc_close(ncid), argv[1]))
        return 1;

    if (failed(nc_open(argv[1], NC_NOWRITE, &ncid), argv[1]))
        return 1;
    bad = failed(check(ncid), "check");
    bad = failed(nc_close(ncid), argv[1]) || bad;
    bad = failed(nczarr_filter_unregister(RLE_ID), RLE_ID) || bad;
    return bad;
}
