/* The tutorial's datasets in C, as programs for netCDF-C make them: simple_xy, sfc_pres_temp and pres_temp_4D.
 *
 * usage: tutorial (create|open|change DATASET FORMAT PATH)...    prints `ok` or what failed for each four arguments
 * FORMAT: netcdf4, classic (netCDF-4 with the classic model), or clobber (NC_CLOBBER alone); for open and change the
 * number that nc_inq_format() has to return. What the datasets hold is in run: the programs of all languages make the
 * same. */
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 6, NY = 12, NLAT = 6, NLON = 12, NLEVEL = 2, NRECORD = 2, RECORD = NLEVEL * NLAT * NLON };

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        int status_ = (call);                                                                                        \
        if (status_ != NC_NOERR)                                                                                     \
            return report(#call, nc_strerror(status_));                                                              \
    } while (0)
#define EXPECT(condition)                                                                                            \
    do {                                                                                                             \
        if (!(condition))                                                                                            \
            return report(#condition, "is not true");                                                                \
    } while (0)

static int
report(const char *what, const char *why)
{
    printf("failed: %s: %s\n", what, why);
    return 1;
}

static int
mode_of(const char *format)
{
    if (strcmp(format, "netcdf4") == 0)
        return NC_NETCDF4 | NC_CLOBBER;
    return strcmp(format, "classic") == 0 ? NC_NETCDF4 | NC_CLASSIC_MODEL | NC_CLOBBER : NC_CLOBBER;
}

static int
put_units(int ncid, int varid, const char *units)
{
    return nc_put_att_text(ncid, varid, "units", strlen(units), units);
}

/* ---- simple_xy ---- */

static int
create_simple_xy(int ncid, const char *format)
{
    int       dims[2], var, group, sum;
    int       data[NX][NY];
    long long sums[NX];

    TRY(nc_def_dim(ncid, "x", NX, &dims[0]));
    TRY(nc_def_dim(ncid, "y", NY, &dims[1]));
    TRY(nc_def_var(ncid, "data", NC_INT, 2, dims, &var));
    if (strcmp(format, "netcdf4") == 0) {
        TRY(nc_def_grp(ncid, "more", &group));
        TRY(nc_def_var(group, "sum", NC_INT64, 1, dims, &sum));
    }
    TRY(nc_enddef(ncid));
    for (int x = 0; x < NX; x++) {
        for (int y = 0; y < NY; y++)
            data[x][y] = x * NY + y;
        sums[x] = (144LL * x + 66) * 1000000000;
    }
    TRY(nc_put_var_int(ncid, var, &data[0][0]));
    if (strcmp(format, "netcdf4") == 0)
        TRY(nc_put_var_longlong(group, sum, sums));
    return 0;
}

static int
open_simple_xy(int ncid)
{
    int data[NX][NY], part[3][4], var, ngroups, group, sum;

    TRY(nc_inq_varid(ncid, "data", &var));
    TRY(nc_get_var_int(ncid, var, &data[0][0]));
    for (int i = 0; i < NX * NY; i++)
        EXPECT(data[i / NY][i % NY] == i);
    TRY(nc_get_vars_int(ncid, var, (size_t[]){0, 1}, (size_t[]){3, 4}, (ptrdiff_t[]){2, 3}, &part[0][0]));
    for (int i = 0; i < 12; i++)
        EXPECT(part[i / 4][i % 4] == i / 4 * 2 * NY + 1 + i % 4 * 3);
    TRY(nc_inq_grps(ncid, &ngroups, NULL));
    if (ngroups == 1) {
        long long last;

        TRY(nc_inq_grp_ncid(ncid, "more", &group));
        TRY(nc_inq_varid(group, "sum", &sum));
        TRY(nc_get_var1_longlong(group, sum, (size_t[]){5}, &last));
        EXPECT(last == 786000000000);
    }
    return 0;
}

static int
change_simple_xy(int ncid)
{
    int row[NY], var;

    TRY(nc_redef(ncid));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "changed", 3, "yes"));
    TRY(nc_enddef(ncid));
    TRY(nc_inq_varid(ncid, "data", &var));
    for (int y = 0; y < NY; y++)
        row[y] = 1000 + y;
    TRY(nc_put_vara_int(ncid, var, (size_t[]){2, 0}, (size_t[]){1, NY}, row));
    return 0;
}

/* ---- sfc_pres_temp ---- */

static int
def_coordinates(int ncid, int dims[2], int vars[2])
{
    TRY(nc_def_dim(ncid, "latitude", NLAT, &dims[0]));
    TRY(nc_def_dim(ncid, "longitude", NLON, &dims[1]));
    TRY(nc_def_var(ncid, "latitude", NC_FLOAT, 1, &dims[0], &vars[0]));
    TRY(nc_def_var(ncid, "longitude", NC_FLOAT, 1, &dims[1], &vars[1]));
    TRY(put_units(ncid, vars[0], "degrees_north"));
    TRY(put_units(ncid, vars[1], "degrees_east"));
    return 0;
}

static int
put_coordinates(int ncid, const int vars[2])
{
    float lat[NLAT], lon[NLON];

    for (int i = 0; i < NLAT; i++)
        lat[i] = 25.f + 5.f * (float)i;
    for (int i = 0; i < NLON; i++)
        lon[i] = -125.f + 5.f * (float)i;
    TRY(nc_put_var_float(ncid, vars[0], lat));
    TRY(nc_put_var_float(ncid, vars[1], lon));
    return 0;
}

static int
create_sfc_pres_temp(int ncid, const char *format)
{
    int   dims[2], at[2], vars[2];
    float values[NLAT][NLON];

    if (def_coordinates(ncid, dims, at) != 0)
        return 1;
    TRY(nc_def_var(ncid, "pressure", NC_FLOAT, 2, dims, &vars[0]));
    TRY(nc_def_var(ncid, "temperature", NC_FLOAT, 2, dims, &vars[1]));
    TRY(put_units(ncid, vars[0], "hPa"));
    TRY(put_units(ncid, vars[1], "celsius"));
    for (int i = 0; i < 2 && strcmp(format, "clobber") != 0; i++)
        TRY(nc_def_var_deflate(ncid, vars[i], NC_SHUFFLE, 1, 4));
    TRY(nc_enddef(ncid));
    if (put_coordinates(ncid, at) != 0)
        return 1;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < NLAT * NLON; k++)
            values[k / NLON][k % NLON] =
                (i == 0 ? 900.f : 9.f) + (i == 0 ? 1.f : .25f) * (float)(k % NLON * NLAT + k / NLON);
        TRY(nc_put_var_float(ncid, vars[i], &values[0][0]));
    }
    return 0;
}

static int
open_sfc_pres_temp(int ncid)
{
    float lat[NLAT], values[NLAT][NLON];
    char  units[8] = "";
    int   var;

    TRY(nc_inq_varid(ncid, "latitude", &var));
    TRY(nc_get_var_float(ncid, var, lat));
    for (int i = 0; i < NLAT; i++)
        EXPECT(lat[i] == 25.f + 5.f * (float)i);
    TRY(nc_inq_varid(ncid, "temperature", &var));
    TRY(nc_get_att_text(ncid, var, "units", units));
    EXPECT(strcmp(units, "celsius") == 0);
    TRY(nc_get_var_float(ncid, var, &values[0][0]));
    for (int k = 0; k < NLAT * NLON; k++)
        EXPECT(values[k / NLON][k % NLON] == 9.f + .25f * (float)(k % NLON * NLAT + k / NLON));
    return 0;
}

static int
change_sfc_pres_temp(int ncid)
{
    int    dims[2], var, temperature;
    short  humidity[NLAT][NLON];
    float  row[NLON];
    double scale = 0.01;

    TRY(nc_inq_varid(ncid, "temperature", &temperature));
    TRY(nc_inq_vardimid(ncid, temperature, dims));
    TRY(nc_redef(ncid));
    TRY(nc_def_var(ncid, "humidity", NC_SHORT, 2, dims, &var));
    TRY(nc_put_att_double(ncid, var, "scale_factor", NC_DOUBLE, 1, &scale));
    TRY(nc_enddef(ncid));
    for (int k = 0; k < NLAT * NLON; k++)
        humidity[k / NLON][k % NLON] = (short)(k * 10);
    for (int i = 0; i < NLON; i++)
        row[i] = -1.5f;
    TRY(nc_put_var_short(ncid, var, &humidity[0][0]));
    TRY(nc_put_vara_float(ncid, temperature, (size_t[]){NLAT - 1, 0}, (size_t[]){1, NLON}, row));
    return 0;
}

/* ---- pres_temp_4D ---- */

static int
put_record(int ncid, const char *name, float first, size_t record)
{
    static float values[RECORD];
    int          var;

    for (int i = 0; i < RECORD; i++)
        values[i] = first + (float)i + 1000.f * (float)record;
    TRY(nc_inq_varid(ncid, name, &var));
    TRY(nc_put_vara_float(ncid, var, (size_t[]){record, 0, 0, 0}, (size_t[]){1, NLEVEL, NLAT, NLON}, values));
    return 0;
}

static int
create_pres_temp_4D(int ncid, const char *format)
{
    int dims[4], at[2], vars[2];

    (void)format;
    TRY(nc_def_dim(ncid, "level", NLEVEL, &dims[1]));
    if (def_coordinates(ncid, dims + 2, at) != 0)
        return 1;
    TRY(nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_var(ncid, "pressure", NC_FLOAT, 4, dims, &vars[0]));
    TRY(nc_def_var(ncid, "temperature", NC_FLOAT, 4, dims, &vars[1]));
    TRY(put_units(ncid, vars[0], "hPa"));
    TRY(put_units(ncid, vars[1], "celsius"));
    TRY(nc_enddef(ncid));
    if (put_coordinates(ncid, at) != 0)
        return 1;
    for (size_t record = 0; record < NRECORD; record++) {
        if (put_record(ncid, "pressure", 900, record) != 0 || put_record(ncid, "temperature", 9, record) != 0)
            return 1;
    }
    return 0;
}

static int
open_pres_temp_4D(int ncid)
{
    static float values[NRECORD * RECORD];
    int          var, dim, unlimited;
    size_t       n;

    TRY(nc_inq_dimid(ncid, "time", &dim));
    TRY(nc_inq_unlimdim(ncid, &unlimited));
    TRY(nc_inq_dimlen(ncid, dim, &n));
    EXPECT(unlimited == dim && n == NRECORD);
    TRY(nc_inq_varid(ncid, "temperature", &var));
    TRY(nc_get_var_float(ncid, var, values));
    for (int i = 0; i < NRECORD * RECORD; i++)
        EXPECT(values[i] == 9.f + (float)(i % RECORD) + 1000.f * (float)(i / RECORD));
    return 0;
}

static int
change_pres_temp_4D(int ncid)
{
    return put_record(ncid, "pressure", 900, NRECORD) != 0 || put_record(ncid, "temperature", 9, NRECORD) != 0;
}

/* ---- what the formats allow ---- */

/* The classic model and its rules hold after reopening, too. */
static int
check_rules(int ncid, int format)
{
    int group, kind;

    TRY(nc_inq_format(ncid, &kind));
    EXPECT(kind == format);
    if (format == NC_FORMAT_NETCDF4_CLASSIC)
        EXPECT(nc_def_grp(ncid, "forbidden", &group) == NC_ESTRICTNC3);
    if (format == NC_FORMAT_CLASSIC)
        EXPECT(nc_def_grp(ncid, "forbidden", &group) != NC_NOERR);
    return 0;
}

static const struct {
    const char *name;
    int (*create)(int ncid, const char *format);
    int (*open)(int ncid);
    int (*change)(int ncid);
} datasets[] = {
    {"simple_xy", create_simple_xy, open_simple_xy, change_simple_xy},
    {"sfc_pres_temp", create_sfc_pres_temp, open_sfc_pres_temp, change_sfc_pres_temp},
    {"pres_temp_4D", create_pres_temp_4D, open_pres_temp_4D, change_pres_temp_4D},
};

static int
run_job(const char *action, const char *dataset, const char *format, const char *path)
{
    size_t d = 0;
    int    ncid, failed;

    while (strcmp(datasets[d].name, dataset) != 0) {
        if (++d == sizeof datasets / sizeof datasets[0])
            return report(dataset, "is no dataset of the tutorial");
    }
    if (strcmp(action, "create") == 0) {
        TRY(nc_create(path, mode_of(format), &ncid));
        failed = datasets[d].create(ncid, format);
    } else {
        int writable = strcmp(action, "change") == 0;

        TRY(nc_open(path, writable ? NC_WRITE : NC_NOWRITE, &ncid));
        failed = writable ? check_rules(ncid, atoi(format)) || datasets[d].change(ncid) : datasets[d].open(ncid);
    }
    if (failed)
        nc_close(ncid);
    else
        TRY(nc_close(ncid));
    return failed;
}

int
main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i + 3 < argc; i += 4) {
        if (run_job(argv[i], argv[i + 1], argv[i + 2], argv[i + 3]) == 0)
            puts("ok");
        else
            failed = 1;
    }
    return failed;
}
