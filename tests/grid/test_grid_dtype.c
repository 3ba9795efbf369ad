/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid_test.h"

static const nc_type all[] = {NC_BYTE,  NC_CHAR,   NC_SHORT, NC_INT,   NC_FLOAT,  NC_DOUBLE,
                              NC_UBYTE, NC_USHORT, NC_UINT,  NC_INT64, NC_UINT64, NC_STRING};

TEST(types_there_and_back)
{
    for (size_t i = 0; i < NCZ_LEN(all); i++) {
        ncz_dtype t = ncz_dtype_of(ncz_type_of(all[i]), i % 2 == 0, 17);

        assert_int_equal(ncz_dtype_type(&t)->id, all[i]);
        assert_int_equal(t.big, i % 2 == 0);
        assert_int_equal(t.size, all[i] == NC_STRING ? 17 : ncz_type_of(all[i])->size);
        assert_int_equal(ncz_type_is_number(ncz_type_of(all[i])), all[i] != NC_CHAR && all[i] != NC_STRING);
    }
}

TEST(types_have_their_sizes)
{
    static const size_t want[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8, sizeof(char *), 0, 0};

    for (nc_type t = 0; t < (nc_type)NCZ_LEN(want); t++)
        assert_int_equal(ncz_type_of(t)->size, want[t]);
    assert_int_equal(ncz_type_of(-1)->size, 0);
    assert_int_equal(ncz_type_of(NC_FIRSTUSERTYPEID)->size, 0);
    assert_false(ncz_type_is_number(ncz_type_of(NC_NAT)));
    assert_null(ncz_type_of(NC_NAT)->fill);
}

TEST(odd_stored_types)
{
    static const struct {
        ncz_dtype t;
        nc_type   want;
    } rows[] = {
        {{NCZ_KIND_FLOAT, false, 2}, NC_FLOAT},  {{NCZ_KIND_FLOAT, false, 16}, NC_NAT},
        {{NCZ_KIND_BOOL, false, 1}, NC_UBYTE},   {{NCZ_KIND_BOOL, false, 4}, NC_NAT},
        {{NCZ_KIND_INT, false, 3}, NC_NAT},      {{NCZ_KIND_UINT, true, 16}, NC_NAT},
        {{NCZ_KIND_CHAR, false, 1}, NC_CHAR},    {{NCZ_KIND_CHAR, false, 2}, NC_NAT},
        {{NCZ_KIND_BYTES, false, 0}, NC_STRING}, {{NCZ_KIND_UCS4, true, 12}, NC_STRING},
        {{NCZ_KIND_OTHER, false, 8}, NC_NAT},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        assert_int_equal(ncz_dtype_type(&rows[i].t)->id, rows[i].want);
}

TEST(types_have_netcdfs_fill_values)
{
    assert_int_equal(*(const int8_t *)ncz_type_of(NC_BYTE)->fill, -127);
    assert_int_equal(*(const char *)ncz_type_of(NC_CHAR)->fill, 0);
    assert_int_equal(*(const int16_t *)ncz_type_of(NC_SHORT)->fill, -32767);
    assert_int_equal(*(const int32_t *)ncz_type_of(NC_INT)->fill, -2147483647);
    assert_true(*(const float *)ncz_type_of(NC_FLOAT)->fill == (float)9.9692099683868690e+36);
    assert_true(*(const double *)ncz_type_of(NC_DOUBLE)->fill == (double)9.9692099683868690e+36);
    assert_int_equal(*(const uint8_t *)ncz_type_of(NC_UBYTE)->fill, 255);
    assert_int_equal(*(const uint16_t *)ncz_type_of(NC_USHORT)->fill, 65535);
    assert_int_equal(*(const uint32_t *)ncz_type_of(NC_UINT)->fill, 4294967295u);
    assert_true(*(const int64_t *)ncz_type_of(NC_INT64)->fill == -9223372036854775806LL);
    assert_true(*(const uint64_t *)ncz_type_of(NC_UINT64)->fill == 18446744073709551614ULL);
    assert_string_equal(*(const char *const *)ncz_type_of(NC_STRING)->fill, "");
}
