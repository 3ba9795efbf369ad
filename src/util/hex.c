/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hexadecimal digits, whatever the locale. No state.
 */
#include "util/util.h"

int
ncz_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}
