/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls on classic netCDF files that are open for reading: what the files lack, and the codes of netCDF-C. */
#include "api_test.h"

#include "nczarr_filter.h"

typedef struct file {
    unsigned char b[512];
    size_t        n;
} file;

/* A number of nbytes, most significant first. */
static void
put(file *f, uint64_t value, size_t nbytes)
{
    for (size_t i = nbytes; i-- > 0;)
        f->b[f->n++] = (unsigned char)(value >> (8 * i));
}

/* x = 2; short v(x) = 1, 2, with the attribute n = 7s; in each version. */
static void
make_file(unsigned version, file *f)
{
    size_t count = version == 5 ? 8 : 4, offset = version == 1 ? 4 : 8;
    /* Of each number its bytes, and the number. 0: as many as a count. */
    const uint64_t header[][2] = {
        {4, 0x43444600 + version},
        {0, 0},
        {4, 10},
        {0, 1},
        {0, 1},
        {4, 'x' << 24},
        {0, 2},
        {4, 0},
        {0, 0},
        {4, 11},
        {0, 1},
        {0, 1},
        {4, 'v' << 24},
        {0, 1},
        {0, 0},
        {4, 12},
        {0, 1},
        {0, 1},
        {4, 'n' << 24},
        {4, NC_SHORT},
        {0, 1},
        {4, 7 << 16},
        {4, NC_SHORT},
        {0, 4},
    };

    f->n = 0;
    for (size_t i = 0; i < NCZ_LEN(header); i++)
        put(f, header[i][1], header[i][0] != 0 ? (size_t)header[i][0] : count);
    put(f, f->n + offset, offset);
    put(f, 0x00010002, 4);
}

static int
open_file(unsigned version, file *f)
{
    int ncid;

    make_file(version, f);
    OK(nc_open_mem("x.nc", NC_NOWRITE, f->n, f->b, &ncid));
    return ncid;
}

static const unsigned versions[] = {1, 2, 5};

/* What only netCDF-4 has is refused as such, before the mode and the arguments are looked at. */
TEST(what_files_lack)
{
    for (size_t i = 0; i < NCZ_LEN(versions); i++) {
        file    f;
        int     ncid = open_file(versions[i], &f), n;
        nc_type t;
        size_t  size, one = 1;
        float   cached;

        FAILS(NC_ENOTNC4, nc_def_grp(ncid, "g", &n));
        FAILS(NC_ENOTNC4, nc_rename_grp(ncid, "g"));
        FAILS(NC_ENOTNC4, nc_def_compound(ncid, 8, "c", &t));
        FAILS(NC_ENOTNC4, nc_insert_compound(ncid, 99, "a", 0, NC_INT));
        FAILS(NC_ENOTNC4, nc_def_enum(ncid, NC_INT, "e", &t));
        FAILS(NC_ENOTNC4, nc_insert_enum(ncid, 99, "a", &n));
        FAILS(NC_ENOTNC4, nc_def_vlen(ncid, "l", NC_INT, &t));
        FAILS(NC_ENOTNC4, nc_def_opaque(ncid, 4, "o", &t));
        FAILS(NC_ENOTNC4, nc_inq_user_type(ncid, 99, NULL, &size, &t, NULL, NULL));
        FAILS(NC_ENOTNC4, nc_inq_compound(ncid, 99, NULL, NULL, NULL));
        FAILS(NC_ENOTNC4, nc_inq_enum_member(ncid, 99, 0, NULL, NULL));
        FAILS(NC_ENOTNC4, nc_inq_typeid(ncid, "none", &t));
        FAILS(NC_ENOTNC4, nc_def_var_deflate(ncid, 0, 1, 1, 99));
        FAILS(NC_ENOTNC4, nc_def_var_fletcher32(ncid, 99, 1));
        FAILS(NC_ENOTNC4, nc_def_var_chunking(ncid, 0, NC_CHUNKED, &one));
        FAILS(NC_ENOTNC4, nc_def_var_endian(ncid, 0, NC_ENDIAN_LITTLE));
        FAILS(NC_ENOTNC4, nc_def_var_quantize(ncid, 0, NC_QUANTIZE_BITGROOM, 3));
        FAILS(NC_ENOTNC4, nc_def_var_szip(ncid, 0, 32, 8));
        FAILS(NC_ENOTNC4, nc_def_var_filter(ncid, 0, 1, 0, NULL));
        FAILS(NC_ENOTNC4, nc_inq_var_endian(ncid, 0, &n));
        OK(nc_inq_var_endian(ncid, 0, NULL));
        FAILS(NC_ENOTVAR, nc_inq_var_endian(ncid, 9, &n));
        FAILS(NC_ENOTNC4, nc_inq_var_quantize(ncid, 0, &n, &n));
        FAILS(NC_ENOTNC4, nc_set_var_chunk_cache(ncid, 0, 1, 1, .5f));
        FAILS(NC_ENOTNC4, nc_get_var_chunk_cache(ncid, 0, &size, &size, &cached));
        FAILS(NC_ENOTNC4, nczarr_def_var_chunks(ncid, 0, &one));
        FAILS(NC_ENOTNC4, nczarr_def_var_shards(ncid, 0, &one));
        FAILS(NC_ENOTNC4, nczarr_def_var_codec(ncid, 0, "{}"));
        FAILS(NC_ENOTNC4, nczarr_def_var_codecs(ncid, 0, "[]"));
        FAILS(NC_ENOTNC4, nczarr_def_var_strlen(ncid, 0, 1));
        FAILS(NC_ENOTNC4, nczarr_def_var_dtype(ncid, 0, "<i2"));
        FAILS(NC_ENOTNC4, nczarr_def_var_fill(ncid, 0, &n));
        OK(nc_close(ncid));
    }
}

/* A file that is read is never in define mode; what changes data or names wants permission. */
TEST(read_only)
{
    for (size_t i = 0; i < NCZ_LEN(versions); i++) {
        file  f;
        int   ncid = open_file(versions[i], &f), n;
        short two[2] = {0, 0};

        FAILS(NC_ENOTINDEFINE,
              nc_def_dim(ncid, "y", 3, &n)); /* the first call of all, before the file is looked at */
        FAILS(NC_ENOTINDEFINE, nc_def_var(ncid, "w", NC_INT, 0, NULL, &n));
        FAILS(NC_ENOTINDEFINE, nc_del_att(ncid, 0, "n"));
        FAILS(NC_ENOTINDEFINE, nc_del_att(ncid, 9, "none"));
        FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
        FAILS(NC_EPERM, nc_redef(ncid));
        FAILS(NC_EPERM, nc_rename_dim(ncid, 0, "z"));
        FAILS(NC_EPERM, nc_rename_var(ncid, 0, "z"));
        FAILS(NC_EPERM, nc_rename_att(ncid, 0, "n", "m"));
        FAILS(NC_EPERM, nc_put_att_short(ncid, 0, "n", NC_SHORT, 1, two));
        FAILS(NC_EPERM, nc_put_var_short(ncid, 0, two));
        FAILS(NC_EPERM, nc_set_fill(ncid, NC_NOFILL, &n));
        OK(nc_get_var_short(ncid, 0, two));
        assert_int_equal(two[1], 2);
        OK(nc_sync(ncid));
        OK(nc_close(ncid));
    }
}

/* Before the file is looked at, too. */
TEST(a_file_that_is_read_has_no_definitions_to_end)
{
    for (size_t i = 0; i < NCZ_LEN(versions); i++) {
        file f;
        int  ncid = open_file(versions[i], &f);

        FAILS(NC_ENOTINDEFINE, nc_enddef(ncid));
        OK(nc_close(ncid));
    }
}

TEST(inquiries_answer_as_for_netcdf_3)
{
    static const int formats[] = {NC_FORMAT_CLASSIC, NC_FORMAT_64BIT_OFFSET, NC_FORMAT_64BIT_DATA};

    for (size_t i = 0; i < NCZ_LEN(versions); i++) {
        file   f;
        int    ncid = open_file(versions[i], &f), n, shuffle, deflate, level;
        size_t chunk = 0, len;
        short  fill;

        OK(nc_inq_format(ncid, &n));
        assert_int_equal(n, formats[i]);
        OK(nc_inq_format_extended(ncid, &n, NULL));
        assert_int_equal(n, NC_FORMATX_NC3);
        OK(nc_inq_grps(ncid, &n, NULL));
        assert_int_equal(n, 0);
        OK(nc_inq_typeids(ncid, &n, NULL));
        assert_int_equal(n, 0);
        OK(nc_inq_unlimdim(ncid, &n));
        assert_int_equal(n, -1);
        OK(nc_inq_var_chunking(ncid, 0, &n, &chunk));
        assert_int_equal(n, NC_CONTIGUOUS);
        OK(nc_inq_var_deflate(ncid, 0, &shuffle, &deflate, &level));
        assert_int_equal(shuffle + deflate, 0);
        OK(nc_inq_var_fill(ncid, 0, &n, &fill));
        assert_true(n == 0 && fill == NC_FILL_SHORT);
        FAILS(NC_ENOTATT, nc_inq_attlen(ncid, NC_GLOBAL, "_IsNetcdf4", &len));
        OK(nc_close(ncid));
    }
}

/* Flags, modes and names ask for a classic file. */
TEST(flags_modes_and_names_ask_for_classic_files)
{
    static const struct {
        const char *name;
        int         cmode, format;
    } rows[] = {
        {"a.nc", 0, NC_FORMAT_CLASSIC},
        {"b.nc", NC_64BIT_OFFSET, NC_FORMAT_64BIT_OFFSET},
        {"c", NC_64BIT_DATA, NC_FORMAT_64BIT_DATA},
        {"i.h5", NC_64BIT_DATA, NC_FORMAT_64BIT_DATA},
        {"d#mode=cdf1", 0, NC_FORMAT_CLASSIC},
        {"h.nc#commit=close", 0, NC_FORMAT_CLASSIC}, /* it has no documents to publish then */
        {"e", NC_NETCDF4, NC_FORMAT_NETCDF4},
        {"f.nc#mode=nczarr", 0, NC_FORMAT_NETCDF4},
        {"g", 0, NC_FORMAT_NETCDF4},
    };
    place p;
    char  path[600];
    int   ncid, format;

    place_make(&p, false);
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        snprintf(path, sizeof path, "%s/%s", p.dir, rows[i].name);
        OK(nc_create(path, rows[i].cmode, &ncid));
        OK(nc_inq_format(ncid, &format));
        assert_int_equal(format, rows[i].format);
        OK(nc_close(ncid));
    }
    OK(nc_create_mem("x", NC_64BIT_DATA, 0, &ncid));
    OK(nc_inq_format(ncid, &format));
    assert_int_equal(format, NC_FORMAT_64BIT_DATA);
    OK(nc_close(ncid));
    snprintf(path, sizeof path, "%s/x.zarr", p.dir);
    FAILS(NC_EINVAL, nc_create(path, NC_64BIT_DATA, &ncid));
    snprintf(path, sizeof path, "%s/x.nc#mode=nczarr", p.dir);
    FAILS(NC_EINVAL, nc_create(path, NC_64BIT_DATA, &ncid));
    place_drop(&p);
}
