/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest: the known word that a misspelt one probably means. The commands are built with it, too: it needs nothing
 * else. No state.
 */
#include "util/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST 64 /* longer words are not compared */

static char
to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t
least_of(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* The edit distance of two words: inserted, deleted and replaced letters, swapped neighbours. Ignores case. */
static size_t
count_edits(const char *a, const char *b)
{
    size_t  rows[3][LONGEST + 1], m = strlen(a), n = strlen(b);
    size_t *before = rows[0], *above = rows[1], *row = rows[2];

    if (m > LONGEST || n > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        above[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *spare = before;

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            bool same = to_lower(a[i - 1]) == to_lower(b[j - 1]);

            row[j] = least_of(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) &&
                to_lower(a[i - 2]) == to_lower(b[j - 1]) && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        before = above;
        above = row;
        row = spare;
    }
    return above[n];
}

const char *
ncz_nearest(const char *word, const char *const *known, size_t n)
{
    size_t      len = strlen(word), most = len <= 1 ? 0 : len <= 4 ? 1 : len <= 8 ? 2 : 3, best = most + 1;
    const char *found = NULL;

    for (size_t i = 0; i < n; i++) {
        size_t edits = count_edits(word, known[i]);

        if (edits < best) {
            best = edits;
            found = known[i];
        }
    }
    return found;
}
