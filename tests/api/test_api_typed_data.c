/* SPDX-License-Identifier: BSD-3-Clause */
/* Variables and attributes of user-defined types: put, stored, read back, in either version of Zarr. */
#include "no_memory.h"

typedef struct inner {
    short  x;
    double y;
} inner;

typedef struct obs {
    char        tag[3];
    int         n;
    float       grid[2][2];
    inner       in;
    signed char level;
} obs;

static const char *const modes[] = {NULL, "mode=nczarr,v3"};

static nc_type
def_level(int ncid)
{
    const signed char low = -1, high = 7;
    nc_type           t;

    OK(nc_def_enum(ncid, NC_BYTE, "level", &t));
    OK(nc_insert_enum(ncid, t, "low", &low));
    OK(nc_insert_enum(ncid, t, "high", &high));
    return t;
}

static nc_type
def_obs(int ncid, nc_type level)
{
    const int three = 3, two[2] = {2, 2};
    nc_type   t, in;

    OK(nc_def_compound(ncid, sizeof(inner), "inner", &in));
    OK(nc_insert_compound(ncid, in, "x", offsetof(inner, x), NC_SHORT));
    OK(nc_insert_compound(ncid, in, "y", offsetof(inner, y), NC_DOUBLE));
    OK(nc_def_compound(ncid, sizeof(obs), "obs", &t));
    OK(nc_insert_array_compound(ncid, t, "tag", offsetof(obs, tag), NC_CHAR, 1, &three));
    OK(nc_insert_compound(ncid, t, "n", offsetof(obs, n), NC_INT));
    OK(nc_insert_array_compound(ncid, t, "grid", offsetof(obs, grid), NC_FLOAT, 2, two));
    OK(nc_insert_compound(ncid, t, "in", offsetof(obs, in), in));
    OK(nc_insert_compound(ncid, t, "level", offsetof(obs, level), level));
    return t;
}

static obs
make_obs(int i)
{
    obs o;

    memset(&o, 0, sizeof o);
    memcpy(o.tag, "ab", 2);
    o.tag[2] = (char)('0' + i);
    o.n = 1000 * i;
    for (int k = 0; k < 4; k++)
        o.grid[k / 2][k % 2] = (float)i + (float)k / 4;
    o.in = (inner){.x = (short)-i, .y = i / 8.0};
    o.level = i % 2 == 0 ? -1 : 7;
    return o;
}

static void
assert_obs(const obs *o, int i)
{
    obs want = make_obs(i);

    assert_memory_equal(o->tag, want.tag, 3);
    assert_int_equal(o->n, want.n);
    assert_memory_equal(o->grid, want.grid, sizeof want.grid);
    assert_true(o->in.x == want.in.x && o->in.y == want.in.y && o->level == want.level);
}

static void
write_all(place *p, const char *mode)
{
    const unsigned char raw[2][5] = {{1, 2, 3, 4, 255}, {0}}, none[5] = {9, 9, 9, 9, 9};
    const signed char   levels[4] = {-1, 7, 0, 7};
    const size_t        start = 1, count = 3;
    int                 ncid, g, d, v;
    nc_type             level, t, o;
    obs                 data[4], fill = make_obs(9);

    for (int i = 0; i < 4; i++)
        data[i] = make_obs(i);
    OK(place_create(p, mode, NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "d", 4, &d));
    level = def_level(ncid);
    OK(nc_def_grp(ncid, "g", &g));
    t = def_obs(g, level);
    OK(nc_def_opaque(ncid, 5, "raw", &o));
    OK(nc_def_var(ncid, "obs", t, 1, &d, &v));
    OK(nc_put_att(ncid, v, "two", t, 2, data));
    OK(nc_put_att(ncid, v, "state", level, 1, &levels[1]));
    OK(nc_def_var_fill(ncid, v, 0, &fill));
    OK(nc_put_vara(ncid, v, &start, &count, &data[1]));
    OK(nc_def_var(ncid, "levels", level, 1, &d, &v));
    OK(nc_put_var(ncid, v, levels));
    OK(nc_def_var(g, "raw_data", o, 1, &d, &v));
    OK(nc_def_var_fill(g, v, 0, none));
    OK(nc_put_vara(g, v, (size_t[]){0}, (size_t[]){2}, raw));
    OK(nc_def_var(g, "scalar", t, 0, NULL, &v));
    OK(nc_put_var(g, v, &data[2]));
    OK(nc_put_att(g, NC_GLOBAL, "raw", o, 2, raw));
    OK(nc_def_var(ncid, "untouched", level, 1, &d, &v));
    OK(nc_close(ncid));
}

static void
read_obs(int ncid, int g)
{
    char    name[NC_MAX_NAME + 1];
    int     v, no_fill, out[4];
    obs     data[4], fill;
    nc_type t, got;
    size_t  len;

    OK(nc_inq_typeid(g, "obs", &t));
    OK(nc_inq_varid(ncid, "obs", &v));
    OK(nc_inq_vartype(ncid, v, &got));
    assert_int_equal(got, t);
    OK(nc_inq_compound(ncid, t, name, &len, NULL));
    assert_true(strcmp(name, "obs") == 0 && len == sizeof(obs));
    memset(data, 0x55, sizeof data);
    OK(nc_get_var(ncid, v, data));
    assert_obs(&data[0], 9); /* the fill value */
    for (int i = 1; i < 4; i++)
        assert_obs(&data[i], i);
    OK(nc_inq_var_fill(ncid, v, &no_fill, &fill));
    assert_int_equal(no_fill, 0);
    assert_obs(&fill, 9);
    OK(nc_get_att(ncid, v, "_FillValue", &fill));
    assert_obs(&fill, 9);
    FAILS(NC_EBADTYPE, nc_get_var_int(ncid, v, out));
    OK(nc_inq_att(ncid, v, "two", &got, &len));
    assert_true(got == t && len == 2);
    OK(nc_get_att(ncid, v, "two", data));
    assert_obs(&data[0], 0);
    assert_obs(&data[1], 1);
    OK(nc_inq_varid(g, "scalar", &v));
    OK(nc_get_var(g, v, data));
    assert_obs(&data[0], 2);
}

static void
read_levels(int ncid)
{
    signed char back[4], one;
    double      wide[4];
    char        name[NC_MAX_NAME + 1];
    nc_type     level, got;
    int         v;

    OK(nc_inq_typeid(ncid, "level", &level));
    OK(nc_inq_enum_ident(ncid, level, 7, name));
    assert_string_equal(name, "high");
    OK(nc_inq_varid(ncid, "levels", &v));
    OK(nc_inq_vartype(ncid, v, &got));
    assert_int_equal(got, level);
    OK(nc_get_var(ncid, v, back));
    assert_memory_equal(back, ((const signed char[]){-1, 7, 0, 7}), 4);
    OK(nc_get_var_double(ncid, v, wide)); /* as its integers */
    assert_true(wide[0] == -1 && wide[1] == 7);
    OK(nc_inq_varid(ncid, "untouched", &v));
    OK(nc_get_var(ncid, v, back));
    assert_memory_equal(back, "\x81\x81\x81\x81", 4); /* the default of its base, as in netCDF-C: -127 */
    OK(nc_inq_varid(ncid, "obs", &v));
    OK(nc_inq_att(ncid, v, "state", &got, NULL));
    assert_int_equal(got, level);
    OK(nc_get_att(ncid, v, "state", &one));
    assert_int_equal(one, 7);
}

static void
read_raw(int ncid, int g)
{
    unsigned char raw[4][5];
    nc_type       o, got;
    size_t        len;
    int           v;

    OK(nc_inq_typeid(g, "raw", &o));
    OK(nc_inq_varid(g, "raw_data", &v));
    OK(nc_inq_vartype(g, v, &got));
    assert_int_equal(got, o);
    OK(nc_get_var(g, v, raw));
    assert_memory_equal(raw[0], ((const unsigned char[]){1, 2, 3, 4, 255}), 5);
    assert_memory_equal(raw[1], "\0\0\0\0\0", 5);
    assert_memory_equal(raw[3], "\t\t\t\t\t", 5);
    OK(nc_inq_att(g, NC_GLOBAL, "raw", &got, &len));
    assert_true(got == o && len == 2);
    OK(nc_get_att(g, NC_GLOBAL, "raw", raw));
    assert_int_equal(raw[0][4], 255);
    (void)ncid;
}

TEST_IN_EACH_PLACE(round_trips)
{
    for (size_t i = 0; i < 2; i++) {
        int ncid, g, n, ids[8];

        write_all(p, modes[i]);
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_ncid(ncid, "g", &g));
        OK(nc_inq_typeids(ncid, &n, ids));
        assert_int_equal(n, 2);
        OK(nc_inq_typeids(g, &n, ids));
        assert_int_equal(n, 2);
        read_obs(ncid, g);
        read_levels(ncid);
        read_raw(ncid, g);
        OK(nc_close(ncid));
    }
}

/* A dataset that is changed keeps types and data of what is not touched. */
TEST_IN_EACH_PLACE(a_changed_dataset_keeps_what_is_not_touched)
{
    for (size_t i = 0; i < 2; i++) {
        int          ncid, g, v, more;
        nc_type      t;
        const size_t at = 0;
        obs          zero = make_obs(0), nine;

        write_all(p, modes[i]);
        OK(place_open(p, NULL, NC_WRITE, &ncid));
        OK(nc_inq_ncid(ncid, "g", &g));
        OK(nc_inq_varid(ncid, "obs", &v));
        OK(nc_put_var1(ncid, v, &at, &zero));
        OK(nc_get_var1(ncid, v, &at, &nine));
        assert_obs(&nine, 0);
        nine = make_obs(9);
        OK(nc_put_var1(ncid, v, &at, &nine));
        OK(nc_inq_typeid(ncid, "/g/obs", &t));
        FAILS(NC_ETYPDEFINED, nc_insert_compound(ncid, t, "more", 0, NC_INT));
        OK(nc_def_var(ncid, "more", t, 0, NULL, &more));
        OK(nc_put_var(ncid, more, &nine));
        OK(nc_rename_grp(g, "h"));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_ncid(ncid, "h", &g));
        read_obs(ncid, g);
        read_raw(ncid, g);
        OK(nc_inq_varid(ncid, "more", &more));
        OK(nc_get_var(ncid, more, &zero));
        assert_obs(&zero, 9);
        OK(nc_close(ncid));
    }
}

/* Strided and mapped access move elements whole. */
TEST_IN_EACH_PLACE(strided_and_mapped_access_moves_elements_whole)
{
    int             ncid, dims[2], v;
    nc_type         t;
    const size_t    start[2] = {0, 1}, count[2] = {2, 2}, chunk[2] = {2, 2};
    const ptrdiff_t stride[2] = {2, 2}, imap[2] = {1, 2};
    inner           all[20], got[4];

    for (int i = 0; i < 20; i++)
        all[i] = (inner){.x = (short)i, .y = i / 2.0};
    OK(place_create(p, NULL, NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "y", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", 5, &dims[1]));
    OK(nc_def_compound(ncid, sizeof(inner), "inner", &t));
    OK(nc_insert_compound(ncid, t, "x", offsetof(inner, x), NC_SHORT));
    OK(nc_insert_compound(ncid, t, "y", offsetof(inner, y), NC_DOUBLE));
    OK(nc_def_var(ncid, "v", t, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunk));
    OK(nc_def_var_deflate(ncid, v, 1, 1, 5));
    FAILS(NC_EINVAL, nc_def_var_endian(ncid, v, NC_ENDIAN_BIG));
    FAILS(NC_EINVAL, nc_def_var_quantize(ncid, v, NC_QUANTIZE_BITGROOM, 3));
    OK(nc_put_vara(ncid, v, (size_t[]){0, 0}, (size_t[]){4, 5}, all));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    OK(nc_get_vars(ncid, v, start, count, stride, got));
    assert_true(got[0].x == 1 && got[1].x == 3 && got[2].x == 11 && got[3].x == 13 && got[3].y == 6.5);
    OK(nc_get_varm(ncid, v, start, count, stride, imap, got));
    assert_true(got[0].x == 1 && got[1].x == 11 && got[2].x == 3 && got[3].x == 13);
    OK(nc_close(ncid));
}

/* Likewise opaque ones, whose size is no power of two or larger than any number's. */
static void
move_opaque(place *p, size_t size)
{
    int             ncid, dims[2], v;
    nc_type         t;
    const size_t    start[2] = {0, 1}, count[2] = {2, 2}, strided[] = {1, 3, 11, 13}, mapped[] = {1, 11, 3, 13};
    const ptrdiff_t stride[2] = {2, 2}, imap[2] = {1, 2};
    char            all[4 * 5 * 17], got[4 * 17], none[17] = {0};

    for (size_t i = 0; i < 4 * 5 * size; i++)
        all[i] = (char)('a' + i / size);
    OK(place_create(p, NULL, NC_NETCDF4, &ncid));
    OK(nc_def_dim(ncid, "y", 4, &dims[0]));
    OK(nc_def_dim(ncid, "x", 5, &dims[1]));
    OK(nc_def_opaque(ncid, size, "raw", &t));
    OK(nc_def_var(ncid, "v", t, 2, dims, &v));
    for (size_t i = 0; i < 20; i += 3) /* the others stay fill */
        OK(nc_put_var1(ncid, v, (size_t[]){i / 5, i % 5}, all + i * size));
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_WRITE, &ncid));
    for (size_t i = 0; i < 20; i++) {
        OK(nc_get_var1(ncid, v, (size_t[]){i / 5, i % 5}, got));
        assert_memory_equal(got, i % 3 == 0 ? all + i * size : none, size);
    }
    OK(nc_put_var(ncid, v, all));
    OK(nc_get_vars(ncid, v, start, count, stride, got));
    for (int i = 0; i < 4; i++)
        assert_memory_equal(got + (size_t)i * size, all + strided[i] * size, size);
    OK(nc_put_varm(ncid, v, (size_t[]){0, 0}, count, NULL, imap, got));
    OK(nc_get_vara(ncid, v, (size_t[]){0, 0}, count, got));
    for (int i = 0; i < 4; i++)
        assert_memory_equal(got + (size_t)i * size, all + mapped[i] * size, size);
    OK(nc_close(ncid));
}

TEST_IN_EACH_PLACE(opaque_shapes)
{
    const size_t sizes[] = {3, 8, 9, 16, 17};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        move_opaque(p, sizes[i]);
}

/* Attributes may own memory. */
TEST_IN_EACH_PLACE(attributes_may_own_memory)
{
    for (size_t i = 0; i < 2; i++) {
        int     ncid;
        nc_type row, t, got;
        size_t  len;
        struct {
            char     *s;
            nc_vlen_t v;
        } in = {(char *)"text", {2, (int[]){7, 8}}}, out;
        nc_vlen_t rows[2] = {{0, NULL}, {1, (int[]){5}}}, back[2];

        OK(place_create(p, modes[i], NC_NETCDF4, &ncid));
        OK(nc_def_vlen(ncid, "row", NC_INT, &row));
        OK(nc_def_compound(ncid, sizeof in, "both", &t));
        OK(nc_insert_compound(ncid, t, "s", 0, NC_STRING));
        OK(nc_insert_compound(ncid, t, "v", sizeof(char *), row));
        OK(nc_put_att(ncid, NC_GLOBAL, "both", t, 1, &in));
        OK(nc_put_att(ncid, NC_GLOBAL, "rows", row, 2, rows));
        FAILS(NC_EBADTYPE, nc_put_att_int(ncid, NC_GLOBAL, "no", t, 1, (int[]){1}));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_att(ncid, NC_GLOBAL, "both", &got, &len));
        assert_true(got == t && len == 1);
        OK(nc_get_att(ncid, NC_GLOBAL, "both", &out));
        assert_true(strcmp(out.s, "text") == 0 && out.v.len == 2 && ((int *)out.v.p)[1] == 8);
        OK(nc_reclaim_data(ncid, t, &out, 1));
        FAILS(NC_EBADTYPE, nc_get_att_int(ncid, NC_GLOBAL, "both", (int[]){0}));
        OK(nc_get_att(ncid, NC_GLOBAL, "rows", back));
        assert_true(back[0].len == 0 && back[1].len == 1 && ((int *)back[1].p)[0] == 5);
        OK(nc_free_vlens(2, back));
        OK(nc_close(ncid));
    }
}

/* compat= promises that an older netCDF-C opens the dataset: that allows enumerations only. */
TEST_IN_EACH_PLACE(compat_allows_enumerations_only)
{
    static const char *const styles[] = {"mode=nczarr&compat=4.9.2", "mode=nczarr&compat=4.9.0"};

    for (size_t i = 0; i < 2; i++) {
        signed char value = 7;
        nc_type     level, o, got;
        int         ncid, v;

        OK(place_create(p, styles[i], NC_NETCDF4, &ncid));
        level = def_level(ncid);
        OK(nc_def_opaque(ncid, 5, "raw", &o));
        FAILS(NC_EBADTYPE, nc_def_var(ncid, "v", o, 0, NULL, &v));
        OK(nc_def_var(ncid, "v", level, 0, NULL, &v));
        OK(nc_put_var(ncid, v, &value));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_vartype(ncid, v, &got));
        assert_int_equal(got, level);
        OK(nc_close(ncid));
    }
}

/* Plain Zarr has no names of types: data come back, in types named after their variables. */
TEST_IN_EACH_PLACE(types_in_plain_zarr_are_named_after_variables)
{
    static const char *const pure[] = {"mode=zarr", "mode=zarr,v3"};

    for (size_t i = 0; i < 2; i++) {
        char    name[NC_MAX_NAME + 1];
        obs     back;
        int     ncid, v;
        nc_type level, t, o;
        obs     data = make_obs(3);

        OK(place_create(p, pure[i], NC_NETCDF4, &ncid));
        level = def_level(ncid);
        t = def_obs(ncid, level);
        OK(nc_def_opaque(ncid, 4, "raw", &o));
        OK(nc_def_var(ncid, "v", t, 0, NULL, &v));
        OK(nc_put_var(ncid, v, &data));
        OK(nc_def_var(ncid, "w", o, 0, NULL, &v));
        OK(nc_put_var(ncid, v, "abcd"));
        OK(nc_close(ncid));
        OK(place_open(p, NULL, NC_NOWRITE, &ncid));
        OK(nc_inq_varid(ncid, "v", &v));
        OK(nc_inq_vartype(ncid, v, &t));
        OK(nc_inq_compound_name(ncid, t, name));
        assert_string_equal(name, "v_t");
        OK(nc_get_var(ncid, v, &back)); /* C's layout is the same */
        assert_true(back.n == 3000 && back.in.y == 3 / 8.0 && back.grid[1][1] == 3.75f);
        OK(nc_inq_varid(ncid, "w", &v));
        OK(nc_get_var(ncid, v, name));
        assert_memory_equal(name, "abcd", 4);
        OK(nc_close(ncid));
    }
}

/* Copies need the type in the target: one of the same structure, whatever its name. */
TEST_IN_EACH_PLACE(copies_need_a_type_of_the_same_structure)
{
    place   q;
    int     from, to, g, v, w, id;
    nc_type level, t, got;
    obs     back[4];

    write_all(p, NULL);
    place_make(&q, true);
    OK(place_open(p, NULL, NC_NOWRITE, &from));
    OK(place_create(&q, "mode=nczarr,v3", NC_NETCDF4, &to));
    OK(nc_inq_varid(from, "obs", &v));
    FAILS(NC_EBADTYPE, nc_copy_var(from, v, to));
    FAILS(NC_EBADTYPE, nc_copy_att(from, v, "two", to, NC_GLOBAL));
    level = def_level(to);
    OK(nc_def_grp(to, "types", &g));
    t = def_obs(g, level);
    OK(nc_copy_var(from, v, to));
    OK(nc_copy_att(from, v, "two", to, NC_GLOBAL));
    OK(nc_inq_att(to, NC_GLOBAL, "two", &got, NULL));
    assert_int_equal(got, t);
    OK(nc_inq_varid(to, "obs", &w));
    OK(nc_inq_vartype(to, w, &got));
    assert_int_equal(got, t);
    OK(nc_get_var(to, w, back));
    assert_obs(&back[0], 9);
    assert_obs(&back[3], 3);
    OK(nc_inq_attid(to, w, "state", &id));
    OK(nc_close(to));
    OK(nc_close(from));
    place_drop(&q);
}

/* ---- memory that runs out at every allocation in turn ---- */

static int
define_some(int ncid)
{
    const signed char low = -1;
    const int         three = 3;
    int               rc, v, d;
    nc_type           e, t, o, row;
    nc_vlen_t         rows[2] = {{2, (int[]){1, 2}}, {0, NULL}};
    obs               x = make_obs(1);

    TRY(nc_def_dim(ncid, "d", 3, &d));
    TRY(nc_def_enum(ncid, NC_BYTE, "e", &e));
    TRY(nc_insert_enum(ncid, e, "low", &low));
    TRY(nc_def_compound(ncid, sizeof(obs), "c", &t));
    TRY(nc_insert_array_compound(ncid, t, "tag", 0, NC_CHAR, 1, &three));
    TRY(nc_insert_compound(ncid, t, "n", offsetof(obs, n), NC_INT));
    TRY(nc_def_opaque(ncid, 5, "o", &o));
    TRY(nc_def_vlen(ncid, "row", NC_INT, &row));
    TRY(nc_put_att(ncid, NC_GLOBAL, "rows", row, 2, rows));
    TRY(nc_def_var(ncid, "v", t, 1, &d, &v));
    TRY(nc_def_var_fill(ncid, v, 0, &x));
    TRY(nc_put_att(ncid, v, "a", t, 1, &x));
    TRY(nc_put_var1(ncid, v, (size_t[]){1}, &x));
    TRY(nc_def_var(ncid, "w", e, 1, &d, &v));
    TRY(nc_def_var(ncid, "r", o, 1, &d, &v));
done:
    return rc;
}

static int
use_all(place *p, const char *mode)
{
    nc_vlen_t rows[2];
    obs       x[3];
    int       ncid, v, equal, rc, closed;
    nc_type   t;

    if ((rc = place_create(p, mode, NC_CLOBBER, &ncid)) != NC_NOERR)
        return rc;
    rc = define_some(ncid);
    closed = nc_close(ncid);
    if (rc != NC_NOERR || (rc = closed) != NC_NOERR || (rc = place_open(p, NULL, NC_NOWRITE, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_inq_typeid(ncid, "c", &t));
    TRY(nc_inq_type_equal(ncid, t, ncid, t + 1, &equal));
    TRY(nc_inq_varid(ncid, "v", &v));
    TRY(nc_get_var(ncid, v, x));
    assert_int_equal(x[1].n, 1000);
    TRY(nc_get_att(ncid, v, "a", x));
    TRY(nc_get_att(ncid, NC_GLOBAL, "rows", rows));
    OK(nc_free_vlens(2, rows));
done:
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

TEST(no_memory)
{
    use_without_memory(use_all, modes, 2);
}
