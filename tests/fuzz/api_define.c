/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls of fuzz_api that define, change and inquire. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/api_program.h"
#include "fuzz/walk.h"

/* ---- attributes ---- */

void
call_put_att(program *p)
{
    int         ncid = take_group(p), varid = take_var(p, ncid);
    nc_type     type = take_type(p, ncid);
    size_t      len = take(p) % 16;
    void       *values = take_values(p, ncid, type, len);
    const char *name = take_name(p);

    if (values != NULL)
        (void)fuzz_said(nc_put_att(ncid, varid, name, type, len, values));
    free(values);
}

/* The name of an attribute that is there, as a rule. */
static const char *
take_att(program *p, int ncid, int varid)
{
    static char name[NC_MAX_NAME + 1];
    int         natts = 0;
    unsigned    byte = take(p);

    (void)(varid == NC_GLOBAL ? nc_inq_natts(ncid, &natts) : nc_inq_varnatts(ncid, varid, &natts));
    if (natts == 0 || byte >= 240 || nc_inq_attname(ncid, varid, (int)(byte % (unsigned)natts), name) != NC_NOERR)
        return take_name(p);
    return name;
}

void
call_change_att(program *p)
{
    int         ncid = take_group(p), varid = take_var(p, ncid), to;
    unsigned    how = take(p);
    const char *name = take_att(p, ncid, varid);

    switch (how % 3) {
    case 0: (void)fuzz_said(nc_del_att(ncid, varid, name)); break;
    case 1: (void)fuzz_said(nc_rename_att(ncid, varid, name, take_name(p))); break;
    default: to = take_group(p); (void)fuzz_said(nc_copy_att(ncid, varid, name, to, take_var(p, to)));
    }
}

/* ---- groups, dimensions, variables ---- */

void
call_def_grp(program *p)
{
    int ncid = take_group(p);

    (void)fuzz_said(nc_def_grp(ncid, take_name(p), NULL));
}

void
call_def_dim(program *p)
{
    int         ncid = take_group(p);
    const char *name = take_name(p);

    (void)fuzz_said(nc_def_dim(ncid, name, take_number(p), NULL));
}

void
call_def_var(program *p)
{
    int         ncid = take_group(p), dimids[4], ndims = (int)(take(p) % 5);
    const char *name = take_name(p);

    for (int d = 0; d < ndims; d++)
        dimids[d] = take_dim(p, ncid);
    (void)fuzz_said(nc_def_var(ncid, name, take_type(p, ncid), ndims, dimids, NULL));
}

void
call_rename(program *p)
{
    int         ncid = take_group(p);
    unsigned    what = take(p);
    const char *name = take_name(p);

    switch (what % 3) {
    case 0: (void)fuzz_said(nc_rename_grp(ncid, name)); break;
    case 1: (void)fuzz_said(nc_rename_dim(ncid, take_dim(p, ncid), name)); break;
    default: (void)fuzz_said(nc_rename_var(ncid, take_var(p, ncid), name));
    }
}

/* ---- how a variable is stored ---- */

static void
def_fill(program *p, int ncid, int varid)
{
    nc_type  type = NC_NAT;
    void    *fill;
    unsigned how = take(p);

    if (nc_inq_vartype(ncid, varid, &type) != NC_NOERR || (fill = take_values(p, ncid, type, 1)) == NULL)
        return;
    if (how % 3 == 0)
        (void)fuzz_said(nczarr_def_var_fill(ncid, varid, fill));
    else
        (void)fuzz_said(nc_def_var_fill(ncid, varid, how % 2 ? NC_NOFILL : NC_FILL, fill));
    free(fill);
}

void
call_storage(program *p)
{
    static const char *const dtypes[] = {"|b1",     "<f2",       ">f2", "<U3", ">U2", "|S4",
                                         "<M8[ns]", "<m8[10us]", ">i4", "<f8", "|O",  "<V"};
    int                      ncid = take_group(p), varid = take_var(p, ncid);
    size_t                   lengths[NC_MAX_VAR_DIMS];
    unsigned                 what = take(p), how = take(p);

    for (int d = 0; d < NC_MAX_VAR_DIMS; d++)
        lengths[d] = d < 4 ? take_number(p) : 1;
    switch (what % 9) {
    case 0: (void)fuzz_said(nc_def_var_chunking(ncid, varid, (int)(how % 4), lengths)); break;
    case 1: (void)fuzz_said(nczarr_def_var_chunks(ncid, varid, lengths)); break;
    case 2: (void)fuzz_said(nczarr_def_var_shards(ncid, varid, lengths)); break;
    case 3: (void)fuzz_said(nc_def_var_endian(ncid, varid, (int)(how % 4))); break;
    case 4: (void)fuzz_said(nczarr_def_var_strlen(ncid, varid, lengths[0])); break;
    case 5: (void)fuzz_said(nczarr_def_var_dtype(ncid, varid, dtypes[how % (sizeof dtypes / sizeof *dtypes)])); break;
    case 6: (void)fuzz_said(nc_def_var_quantize(ncid, varid, (int)(how % 4), (int)(lengths[0] % 64))); break;
    case 7: (void)fuzz_said(nc_set_var_chunk_cache(ncid, varid, lengths[0], lengths[1], 0.5F)); break;
    default: def_fill(p, ncid, varid);
    }
}

/* In the spelling of either version. */
static const char *const codecs[] = {
    "[]",
    "[{\"id\":\"zlib\",\"level\":1}]",
    "[{\"id\":\"shuffle\",\"elementsize\":4},{\"id\":\"gzip\",\"level\":1}]",
    "[{\"id\":\"delta\",\"dtype\":\"<i4\"},{\"id\":\"crc32\"}]",
    "[{\"id\":\"fixedscaleoffset\",\"offset\":1,\"scale\":10,\"dtype\":\"<f8\",\"astype\":\"<i2\"}]",
    "[{\"id\":\"quantize\",\"digits\":2,\"dtype\":\"<f4\"},{\"id\":\"zlib\",\"level\":2}]",
    "[{\"id\":\"packbits\"}]",
    "[{\"id\":\"vlen-utf8\"},{\"id\":\"zlib\",\"level\":1}]",
    "[{\"id\":\"astype\",\"encode_dtype\":\"<f4\",\"decode_dtype\":\"<f8\"}]",
    "[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\",\"configuration\":{\"endian\":"
    "\"big\"}}]",
    "[{\"name\":\"bytes\"},{\"name\":\"gzip\",\"configuration\":{\"level\":1}},{\"name\":\"crc32c\"}]",
    "[{\"name\":\"cast_value\",\"configuration\":{\"data_type\":\"int8\"}},{\"name\":\"bytes\"}]",
    "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\",\"configuration\":{\"level\":"
    "1,\"checksum\":true}}]",
    "{\"id\":\"fletcher32\"}",
    "[{\"id\":\"bz2\",\"level\":1},{\"id\":\"adler32\"}]",
    "[{\"name\":\"vlen-bytes\"}]",
};

void
call_filter(program *p)
{
    int         ncid = take_group(p), varid = take_var(p, ncid);
    unsigned    what = take(p), a = take(p), b = take(p), words[4] = {a, b, take(p), take(p)};
    const char *json = codecs[a % (sizeof codecs / sizeof *codecs)];

    switch (what % 8) {
    case 0: (void)fuzz_said(nc_def_var_deflate(ncid, varid, a % 2, b % 2, (int)(b % 11))); break;
    case 1: (void)fuzz_said(nc_def_var_fletcher32(ncid, varid, a % 2)); break;
    case 2: (void)fuzz_said(nc_def_var_szip(ncid, varid, (int)a, (int)b)); break;
    case 3: (void)fuzz_said(nc_def_var_blosc(ncid, varid, a % 7, b % 10, words[2], words[3] % 4)); break;
    case 4: (void)fuzz_said(nc_def_var_filter(ncid, varid, b < 128 ? b % 8 : b + 180, a % 5, words)); break;
    case 5: (void)fuzz_said(nczarr_def_var_codec(ncid, varid, json)); break;
    case 6: (void)fuzz_said(nczarr_def_var_codecs(ncid, varid, json)); break;
    default: (void)fuzz_said(nc_def_var_zstandard(ncid, varid, (int)(a % 4)));
    }
}

void
call_inq_var(program *p)
{
    int                ncid = take_group(p), varid = take_var(p, ncid), sharded, storage;
    size_t             lengths[NC_MAX_VAR_DIMS], len = 0, n = 0;
    unsigned           ids[64];
    char              *text;
    const char *const *warnings;

    (void)fuzz_said(nc_inq_var_chunking(ncid, varid, &storage, lengths));
    (void)fuzz_said(nczarr_inq_var_shards(ncid, varid, &sharded, lengths));
    if (fuzz_said(nc_inq_var_filter_ids(ncid, varid, &n, NULL)) == NC_NOERR && n <= 64)
        (void)fuzz_said(nc_inq_var_filter_ids(ncid, varid, &n, ids));
    for (int format = 2; format <= 3; format++) {
        if (fuzz_said(nczarr_inq_var_codecs(ncid, varid, format, &len, NULL)) != NC_NOERR)
            continue;
        text = malloc(len + 1);
        if (nczarr_inq_var_codecs(ncid, varid, format, &len, text) != NC_NOERR || strlen(text) != len)
            abort();
        free(text);
    }
    if (fuzz_said(nczarr_inq_var_typename(ncid, varid, &len, NULL)) == NC_NOERR) {
        text = malloc(len + 1);
        if (nczarr_inq_var_typename(ncid, varid, &len, text) != NC_NOERR || strlen(text) != len)
            abort();
        free(text);
    }
    if (fuzz_said(nczarr_inq_warnings(ncid, &n, &warnings)) == NC_NOERR)
        for (size_t i = 0; i < n; i++)
            if (warnings[i][0] == '\0')
                abort();
}

/* ---- types ---- */

static void
def_compound(program *p, int ncid)
{
    nc_type type;
    size_t  offset = 0;

    if (fuzz_said(nc_def_compound(ncid, take(p), take_name(p), &type)) != NC_NOERR)
        return;
    for (unsigned n = take(p) % 4; n > 0; n--) {
        nc_type     field = take_type(p, ncid);
        int         lengths[2] = {(int)(take(p) % 4), 2};
        unsigned    ndims = take(p) % 3;
        const char *name = take_name(p);
        size_t      elem = 0;

        (void)nc_inq_type(ncid, field, NULL, &elem);
        if (elem > 0)
            offset = (offset + elem - 1) / elem * elem;
        (void)fuzz_said(ndims == 0 ? nc_insert_compound(ncid, type, name, offset, field)
                                   : nc_insert_array_compound(ncid, type, name, offset, field, (int)ndims, lengths));
        offset += ndims == 0 ? elem : elem * (size_t)lengths[0] * (ndims == 2 ? 2 : 1);
    }
}

void
call_def_type(program *p)
{
    int       ncid = take_group(p);
    nc_type   type = NC_NAT;
    unsigned  what = take(p);
    long long value;

    switch (what % 4) {
    case 0: def_compound(p, ncid); break;
    case 1:
        type = take_type(p, ncid);
        (void)fuzz_said(nc_def_vlen(ncid, take_name(p), type, NULL));
        break;
    case 2: (void)fuzz_said(nc_def_opaque(ncid, take_number(p), take_name(p), NULL)); break;
    default:
        type = take_type(p, ncid);
        if (fuzz_said(nc_def_enum(ncid, type, take_name(p), &type)) != NC_NOERR)
            return;
        for (unsigned n = take(p) % 4; n > 0; n--) {
            value = take(p);
            (void)fuzz_said(nc_insert_enum(ncid, type, take_name(p), &value));
        }
    }
}

void
call_inq_type(program *p)
{
    int     ncid = take_group(p), class, equal, other = take_group(p);
    nc_type type = take_type(p, ncid), base = NC_NAT, found;
    char    name[NC_MAX_NAME + 1];
    size_t  size = 0, n = 0;
    void   *values, *copy;
    char   *text = NULL;

    if (fuzz_said(nc_inq_user_type(ncid, type, name, &size, &base, &n, &class)) == NC_NOERR)
        (void)fuzz_said(nc_inq_typeid(ncid, name, &found));
    (void)fuzz_said(nc_inq_type_equal(ncid, type, other, take_type(p, other), &equal));
    if (size == 0 || (values = take_values(p, ncid, type, 2)) == NULL)
        return;
    if (fuzz_said(nc_copy_data_all(ncid, type, values, 2, &copy)) == NC_NOERR)
        (void)nc_reclaim_data_all(ncid, type, copy, 2);
    if (fuzz_said(nc_dump_data(ncid, type, values, 2, &text)) == NC_NOERR)
        free(text);
    free(values);
}
