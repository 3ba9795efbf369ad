/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every public function that takes an ncid goes to the library whose id it is: called with ids of datasets that are
 * closed, this library's and libnetcdf's, it is refused by the one and by the other. Only this library records a text;
 * functions that only it has refuse both.
 */
#include "forward_test.h"

#include "errors_arguments.h"

/* With these arguments they do not look at the id: of built-in types all is known, and libnetcdf's functions for codecs
 * refuse something else first, or do nothing. */
static const char *const any_id[] = {
    "nc_copy_data",     "nc_reclaim_data",    "nc_inq_type",          "nc_inq_type_equal",    "nc_var_par_access",
    "nc_def_var_blosc", "nc_inq_var_blosc",   "nc_def_var_zstandard", "nc_inq_var_zstandard", "nc_def_var_bzip2",
    "nc_inq_var_bzip2", "ncaux_inq_any_type", "ncaux_reclaim_data",   "ncaux_copy_data",      "ncaux_type_alignment"};

static char refused[1000];

/* "": as it should be. */
static const char *
check_call(const function *f, int ncid, bool ours)
{
    const opened o = {.base = BASE_READ, .ncid = ncid, .group = -1};
    value        v[ERRORS_PARAMS] = {{0}};
    int          rc;
    bool         text;

    for (int i = 0; i < ERRORS_PARAMS && f->kinds[i] != ARG_NONE; i++)
        v[i] = errors_right(f, i, &o);
    ncz_err_clear();
    ncerr = NC_NOERR;
    rc = f->call(v);
    text = nczarr_errmsg()[0] != '\0';
    rc = rc == -1 ? ncerr : rc; /* an interface of netCDF 2 */
    if (rc == NC_ENOTBUILT && !ours && strstr(nczarr_errmsg(), "lacks it") != NULL)
        return ""; /* an older libnetcdf */
    if (rc == NC_EBADID && text == (ours || strncmp(f->name, "nczarr_", 7) == 0))
        return "";
    snprintf(refused, sizeof refused, "%s of %s ncid: %d, \"%s\"", f->name, ours ? "our" : "libnetcdf's", rc,
             nczarr_errmsg());
    return refused;
}

static bool
takes_ncid(const function *f)
{
    for (size_t i = 0; i < NCZ_LEN(any_id); i++)
        if (strcmp(f->name, any_id[i]) == 0)
            return false;
    for (int i = 0; i < ERRORS_PARAMS && f->kinds[i] != ARG_NONE; i++)
        if (f->kinds[i] == ARG_NCID)
            return true;
    return false;
}

TEST(each_function)
{
    char *dir = scratch_new();
    int   ours, theirs, n = 0, wrong = 0;

    NEED_NETCDF();
    ncopts = 0;
    errors_fill_arrays();
    OK(nc_create(url_of(dir, "a", "nczarr"), NC_CLOBBER, &ours));
    OK(nc_create(scratch_path(dir, "a.nc"), NC_CLOBBER, &theirs));
    OURS(ours);
    THEIRS(theirs);
    OK(nc_close(ours));
    OK(nc_close(theirs));
    for (const function *f = errors_functions; f->name != NULL; f++) {
        if (!takes_ncid(f))
            continue;
        for (int own = 0; own < 2; own++) {
            const char *bad = check_call(f, own ? ours : theirs, own == 1);

            if (bad[0] != '\0')
                print_error("%s\n", bad);
            wrong += bad[0] != '\0';
        }
        n++;
    }
    assert_true(n > 300);
    assert_int_equal(wrong, 0);
    scratch_free(dir);
}
