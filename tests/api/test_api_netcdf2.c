/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of netCDF 2, records, and what netCDF-C exports for its Fortran layer. */
#include "api_test.h"
#include "contract/host.h"

#include "compat/netcdf_filter.h"

#include <sys/wait.h>

int nc_create_par(const char *path, int cmode, void *comm, void *info, int *ncidp);
int nc_open_par(const char *path, int mode, void *comm, void *info, int *ncidp);
int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);
int nc_var_par_access(int ncid, int varid, int par_access);

static int
silence(void **state)
{
    (void)state;
    ncopts = 0;
    return 0;
}

TEST_IN_EACH_PLACE(datasets_are_made_by_netcdf_2_calls)
{
    char path[600], name[NC_MAX_NAME + 1];
    long len;
    int  ncid, x, t, v, rank, dims[2], natts, ndims, nvars, unlimited, n;

    if (p->memory)
        return;
    place_text(p, NULL, path, sizeof path);
    assert_true((ncid = nccreate(path, NC_CLOBBER)) >= 0);
    assert_true((t = ncdimdef(ncid, "t", NC_UNLIMITED)) >= 0);
    assert_true((x = ncdimdef(ncid, "x", 3)) >= 0);
    FAILS2(NC_EDIMSIZE, ncdimdef(ncid, "y", -1));
    FAILS2(NC_ENAMEINUSE, ncdimdef(ncid, "x", 3));
    assert_int_equal(ncdimid(ncid, "x"), x);
    FAILS2(NC_EBADDIM, ncdimid(ncid, "none"));
    assert_true((v = ncvardef(ncid, "v", NC_LONG, 2, (int[]){t, x})) >= 0);
    FAILS2(NC_EBADTYPE, ncvardef(ncid, "w", 99, 0, NULL));
    assert_int_equal(ncattput(ncid, v, "units", NC_CHAR, 1, "m"), 0);
    FAILS2(NC_EINVAL, ncattput(ncid, v, "units", NC_CHAR, -1, "m"));
    assert_int_equal(ncsetfill(ncid, NC_NOFILL), NC_FILL);
    assert_int_equal(ncsetfill(ncid, NC_FILL), NC_NOFILL);
    assert_int_equal(ncendef(ncid), 0);
    FAILS2(NC_ENOTINDEFINE, ncendef(ncid));
    assert_int_equal(ncredef(ncid), 0);
    FAILS2(NC_EINDEFINE, ncredef(ncid));
    assert_int_equal(ncdimrename(ncid, x, "lon"), x);
    assert_int_equal(ncvarrename(ncid, v, "w"), v);
    assert_int_equal(ncsync(ncid), 0);
    assert_int_equal(ncclose(ncid), 0);
    FAILS2(NC_EBADID, ncclose(ncid));

    assert_true((ncid = ncopen(path, NC_NOWRITE)) >= 0);
    assert_int_equal(ncinquire(ncid, &ndims, &nvars, &natts, &unlimited), ncid);
    assert_int_equal(ndims, 2);
    assert_int_equal(nvars, 1);
    assert_int_equal(unlimited, t);
    assert_int_equal(ncdiminq(ncid, x, name, &len), x);
    assert_string_equal(name, "lon");
    assert_int_equal(len, 3);
    assert_int_equal(ncvarid(ncid, "w"), v);
    FAILS2(NC_ENOTVAR, ncvarid(ncid, "v"));
    assert_int_equal(ncvarinq(ncid, v, name, &n, &rank, dims, &natts), v);
    assert_int_equal(n, NC_INT);
    assert_int_equal(rank, 2);
    assert_int_equal(dims[0], t);
    assert_int_equal(natts, 1);
    FAILS2(NC_EPERM, ncvarrename(ncid, v, "q"));
    assert_int_equal(ncabort(ncid), 0);
    FAILS2(NC_EBADID, ncinquire(ncid, NULL, NULL, NULL, NULL));
    FAILS2(NC_ENOOBJECT, ncopen("/no such place/at all", NC_NOWRITE));
    FAILS2(NC_EINVAL, nccreate(NULL, NC_CLOBBER));
}

TEST_IN_EACH_PLACE(attributes_are_put_by_netcdf_2_calls)
{
    nc_type type;
    char    name[NC_MAX_NAME + 1];
    short   two[2] = {7, 8}, got[2];
    int     ncid, v, len;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    assert_true((v = ncvardef(ncid, "v", NC_INT, 0, NULL)) >= 0);
    assert_int_equal(ncattput(ncid, NC_GLOBAL, "a", NC_SHORT, 2, two), 0);
    assert_int_equal(ncattinq(ncid, NC_GLOBAL, "a", &type, &len), 1);
    assert_int_equal(type, NC_SHORT);
    assert_int_equal(len, 2);
    assert_int_equal(ncattget(ncid, NC_GLOBAL, "a", got), 1);
    assert_memory_equal(got, two, sizeof two);
    assert_int_equal(ncattcopy(ncid, NC_GLOBAL, "a", ncid, v), 0);
    assert_int_equal(ncattname(ncid, v, 0, name), 0);
    assert_string_equal(name, "a");
    assert_int_equal(ncattrename(ncid, v, "a", "b"), 1);
    assert_int_equal(ncattdel(ncid, v, "b"), 1);
    FAILS2(NC_ENOTATT, ncattdel(ncid, v, "b"));
    FAILS2(NC_ENOTATT, ncattinq(ncid, v, "b", &type, &len));
    FAILS2(NC_ENOTATT, ncattget(ncid, v, "b", got));
    FAILS2(NC_ENOTATT, ncattcopy(ncid, v, "b", ncid, NC_GLOBAL));
    FAILS2(NC_ENOTATT, ncattname(ncid, v, 0, name));
    FAILS2(NC_ENOTATT, ncattrename(ncid, v, "b", "c"));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(data_are_mapped_by_distances_in_bytes)
{
    const long start[2] = {0, 0}, count[2] = {2, 3}, stride[2] = {1, 2}, some[2] = {2, 2};
    /* A matrix with its dimensions exchanged, distances in bytes. */
    const long imap[2] = {sizeof(int), 2 * sizeof(int)}, odd[2] = {2, 8};
    int        all[6] = {1, 2, 3, 4, 5, 6}, got[6], one = 50, ncid, dims[2], v;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    dims[0] = ncdimdef(ncid, "y", 2);
    dims[1] = ncdimdef(ncid, "x", 3);
    assert_true((v = ncvardef(ncid, "v", NC_INT, 2, dims)) >= 0);
    assert_int_equal(ncendef(ncid), 0);
    assert_int_equal(ncvarput(ncid, v, start, count, all), 0);
    assert_int_equal(ncvarget(ncid, v, start, count, got), 0);
    assert_memory_equal(got, all, sizeof all);
    assert_int_equal(ncvarput1(ncid, v, (long[]){1, 1}, &one), 0);
    assert_int_equal(ncvarget1(ncid, v, (long[]){1, 1}, got), 0);
    assert_int_equal(got[0], 50);
    assert_int_equal(ncvargets(ncid, v, start, some, stride, got), 0);
    assert_memory_equal(got, ((int[]){1, 3, 4, 6}), 4 * sizeof(int));
    assert_int_equal(ncvarputs(ncid, v, start, some, stride, (int[]){10, 30, 40, 60}), 0);
    assert_int_equal(ncvargetg(ncid, v, start, count, NULL, imap, got), 0);
    assert_memory_equal(got, ((int[]){10, 40, 2, 50, 30, 60}), sizeof got);
    assert_int_equal(ncvarputg(ncid, v, start, count, NULL, imap, all), 0);
    assert_int_equal(ncvarget(ncid, v, start, count, got), 0);
    assert_memory_equal(got, ((int[]){1, 3, 5, 2, 4, 6}), sizeof got);
    FAILS2(NC_EINVAL, ncvargetg(ncid, v, start, count, NULL, odd, got));
    FAILS2(NC_EINVALCOORDS, ncvarget1(ncid, v, (long[]){2, 0}, got));
    FAILS2(NC_EINVALCOORDS, ncvarput1(ncid, v, (long[]){0, -1}, &one));
    FAILS2(NC_EEDGE, ncvarput(ncid, v, start, (long[]){3, 3}, all));
    FAILS2(NC_ESTRIDE, ncvarputs(ncid, v, start, some, (long[]){0, 1}, all));
    FAILS2(NC_ENOTVAR, ncvarget(ncid, 9, start, count, got));
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(records_are_put_and_got_whole)
{
    double d[2] = {1.5, 2.5}, dg[2] = {0, 0};
    short  s = 9, sg = 0;
    size_t n = 77, sizes[2];
    long   longs[2];
    int    ncid, t, x, a, b, c, ids[2], many = 77;
    void  *in[2], *out[2];

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_inq_rec(ncid, &n, ids, sizes));
    assert_int_equal(n, 0);
    OK(nc_def_dim(ncid, "x", 2, &x));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    OK(nc_def_var(ncid, "a", NC_DOUBLE, 2, (int[]){t, x}, &a));
    OK(nc_def_var(ncid, "b", NC_INT, 2, (int[]){x, t}, &b));
    OK(nc_def_var(ncid, "c", NC_SHORT, 1, &t, &c));
    OK(nc_inq_rec(ncid, &n, ids, sizes));
    assert_int_equal(n, 2);
    assert_true(ids[0] == a && ids[1] == c && sizes[0] == 16 && sizes[1] == 2);
    assert_int_equal(ncrecinq(ncid, &many, ids, longs), 2);
    assert_true(many == 2 && longs[0] == 16 && longs[1] == 2);
    in[0] = d, in[1] = &s;
    OK(nc_put_rec(ncid, 4, in));
    in[0] = NULL, s = 3;
    assert_int_equal(ncrecput(ncid, 1, in), 0);
    out[0] = dg, out[1] = &sg;
    OK(nc_get_rec(ncid, 4, out));
    assert_true(dg[1] == 2.5 && sg == 9);
    assert_int_equal(ncrecget(ncid, 1, out), 0);
    assert_true(dg[0] == (double)NC_FILL_DOUBLE && sg == 3); /* the constant may have more bits on i386 */
    FAILS(NC_EINVALCOORDS, nc_get_rec(ncid, 9, out));
    FAILS2(NC_EINVALCOORDS, ncrecget(ncid, -1, out));
    FAILS2(NC_EINVALCOORDS, ncrecput(ncid, -1, in));
    OK(nc_close(ncid));
    FAILS(NC_EBADID, nc_inq_rec(ncid, &n, NULL, NULL));
    FAILS2(NC_EBADID, ncrecinq(ncid, &many, NULL, NULL));
}

/* What a program writes on stderr while it fails with these options, and its exit code. The program is this one, run
 * afresh: a copy of a running test would report the test's memory as lost. */
static int
fail_in_child(int options, int err, char *text, size_t size)
{
    char  words[2][20];
    int   ends[2], status;
    pid_t child;

    snprintf(words[0], sizeof words[0], "%d", options);
    snprintf(words[1], sizeof words[1], "%d", err);
    assert_int_equal(pipe(ends), 0);
    if ((child = fork()) == 0) {
        dup2(ends[1], STDERR_FILENO);
        execl("/proc/self/exe", "advise", "api_netcdf2", words[0], words[1], (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    memset(text, 0, size);
    for (size_t n = 0; n < size - 1;) {
        ssize_t got = read(ends[0], text + n, size - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(advice_ends_the_program_where_fatal)
{
    char text[300];

    if (host_emulated())
        skip(); /* the program cannot start itself */
    assert_int_equal(fail_in_child(NC_FATAL | NC_VERBOSE, NC_EBADID, text, sizeof text), NC_FATAL | NC_VERBOSE);
    assert_string_equal(text, "ncfoo: file 7: NetCDF: Not a valid ID\n");
    assert_int_equal(fail_in_child(NC_VERBOSE, NC_NOERR, text, sizeof text), 55);
    assert_string_equal(text, "ncfoo: file 7\n");
    assert_int_equal(fail_in_child(NC_FATAL, NC_EBADID, text, sizeof text), NC_FATAL);
    assert_string_equal(text, "");
    nc_advise("ncfoo", ENOENT, "a system's error");
    assert_int_equal(ncerr, NC_SYSERR);
}

TEST_IN_EACH_PLACE(chunk_sizes_pass_as_integers)
{
    int ncid, dims[2], v, scalar, storage, sizes[2], size, n, share;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "y", 10, &dims[0]));
    OK(nc_def_dim(ncid, "x", 20, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var(ncid, "s", NC_INT, 0, NULL, &scalar));
    OK(nc_def_var_chunking_ints(ncid, v, NC_CHUNKED, (int[]){5, 4}));
    OK(nc_inq_var_chunking_ints(ncid, v, &storage, sizes));
    assert_true(storage == NC_CHUNKED && sizes[0] == 5 && sizes[1] == 4);
    FAILS(NC_EBADCHUNK, nc_def_var_chunking_ints(ncid, v, NC_CHUNKED, (int[]){5, -4}));
    FAILS(NC_EBADCHUNK, nc_def_var_chunking_ints(ncid, v, NC_CHUNKED, (int[]){5, 21}));
    OK(nc_inq_var_chunking_ints(ncid, scalar, &storage, sizes));
    assert_int_equal(storage, NC_CONTIGUOUS);
    FAILS(NC_ENOTVAR, nc_inq_var_chunking_ints(ncid, 7, &storage, sizes));
    FAILS(NC_ENOTVAR, nc_def_var_chunking_ints(ncid, 7, NC_CHUNKED, sizes));
    OK(nc_set_var_chunk_cache_ints(ncid, v, 3, 100, 25));
    OK(nc_get_var_chunk_cache_ints(ncid, v, &size, &n, &share));
    assert_true(size == 3 && n == 100 && share == 25);
    OK(nc_set_var_chunk_cache_ints(ncid, v, -1, -1, -1));
    OK(nc_get_var_chunk_cache_ints(ncid, v, &size, NULL, NULL));
    assert_int_equal(size, 3);
    FAILS(NC_EINVAL, nc_set_var_chunk_cache_ints(ncid, v, 3, 100, 101));
    FAILS(NC_ENOTVAR, nc_get_var_chunk_cache_ints(ncid, 7, &size, &n, &share));
    OK(nc_close(ncid));
}

TEST(process_wide_integers)
{
    int size, n, share, was, was_n, was_share;

    OK(nc_get_chunk_cache_ints(&was, &was_n, &was_share));
    OK(nc_set_chunk_cache_ints(1 << 20, 99, 50));
    OK(nc_get_chunk_cache_ints(&size, &n, &share));
    assert_true(size == 1 << 20 && n == 99 && share == 50);
    FAILS(NC_EINVAL, nc_set_chunk_cache_ints(0, 99, 50));
    FAILS(NC_EINVAL, nc_set_chunk_cache_ints(1, 0, 50));
    FAILS(NC_EINVAL, nc_set_chunk_cache_ints(1, 1, 101));
    OK(nc_set_chunk_cache_ints(was, was_n, was_share));
}

TEST(utf8_is_checked_and_normalized)
{
    unsigned char *text = NULL;

    OK(nc_utf8_validate((const unsigned char *)"\xC3\xA9"));
    FAILS(NC_EBADNAME, nc_utf8_validate((const unsigned char *)"\xC3"));
    FAILS(NC_EBADNAME, nc_utf8_validate(NULL));
    OK(nc_utf8_normalize((const unsigned char *)"x", &text));
    assert_string_equal((char *)text, "x");
    free(text);
    OK(nc_utf8_normalize((const unsigned char *)"x", NULL));
    FAILS(NC_EBADNAME, nc_utf8_normalize((const unsigned char *)"\xFF", &text));
}

TEST_IN_EACH_PLACE(not_built)
{
    NC_Dispatch *table = NULL;
    int          ncid, other = 5;

    OK(place_create(p, NULL, NC_CLOBBER, &ncid));
    FAILS(NC_ENOPAR, nc_create_par("x", NC_CLOBBER, NULL, NULL, &other));
    FAILS(NC_ENOPAR, nc_open_par("x", NC_NOWRITE, NULL, NULL, &other));
    FAILS(NC_ENOPAR, nc_create_par_fortran("x", NC_CLOBBER, 0, 0, &other));
    FAILS(NC_ENOPAR, nc_open_par_fortran("x", NC_NOWRITE, 0, 0, &other));
    FAILS(NC_ENOPAR, nc_var_par_access(ncid, 0, 1));
    FAILS(NC_ENOTBUILT, nc_def_user_format(NC_UDF0, NULL, NULL));
    FAILS(NC_ENOTBUILT, nc_inq_user_format(NC_UDF0, &table, NULL));
    FAILS(NC_ENOFILTER, nc_filter_path_query(307));
    FAILS(NC_EINVAL, nc_dump_data(ncid, NC_INT, &other, 1, NULL));
    assert_int_equal(other, 5);
    OK(nc_close(ncid));
    FAILS(NC_EBADID, nc_var_par_access(ncid, 0, 1));
}

int
main(int argc, char **argv)
{
    if (argc == 3) { /* as fail_in_child() runs it */
        ncopts = atoi(argv[1]);
        nc_advise("ncfoo", atoi(argv[2]), "file %d", 7);
        return 55;
    }
    return run_file_tests(silence, NULL);
}
