/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/near_name.h"

#include <string.h>

#define NAME_MOST 63

static char
to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool
near_name(const char *a, const char *b, size_t most)
{
    size_t above[NAME_MOST + 1], row[NAME_MOST + 1], m = strlen(a), n = strlen(b);

    if (m > NAME_MOST || n > NAME_MOST)
        return false;
    for (size_t j = 0; j <= n; j++)
        above[j] = j;
    for (size_t i = 1; i <= m; i++) {
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = above[j - 1] + (to_lower(a[i - 1]) != to_lower(b[j - 1]));
            size_t shift = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;

            row[j] = change < shift ? change : shift;
        }
        memcpy(above, row, (n + 1) * sizeof *row);
    }
    return above[n] <= most;
}
