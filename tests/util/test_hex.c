/* SPDX-License-Identifier: BSD-3-Clause */
/* Hexadecimal digits: all bytes, compared with a list of the digits. */
#include "support/test.h"
#include "util/util.h"

#include <string.h>

TEST(every_byte_is_a_digit_or_not)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

    for (int c = 1; c < 256; c++) {
        const char *at = strchr(lower, c) != NULL ? strchr(lower, c) : strchr(upper, c);
        int         digit = at == NULL ? -1 : (int)(at - (strchr(lower, c) != NULL ? lower : upper));

        assert_int_equal(ncz_hex_digit((char)c), digit);
    }
    assert_int_equal(ncz_hex_digit('\0'), -1);
}
