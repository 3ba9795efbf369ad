/* SPDX-License-Identifier: BSD-3-Clause */
/* Which known word a misspelt one means, and that strange words mean none. */
#include "support/test.h"
#include "util/util.h"

static const char *const words[] = {"mode", "level", "dimension_separator", "elementsize", "_ChunkSizes"};

static const char *
nearest(const char *word)
{
    const char *found = ncz_nearest(word, words, NCZ_LEN(words));

    return found != NULL ? found : "none";
}

TEST(near_names_are_found)
{
    assert_string_equal(nearest("level"), "level");
    assert_string_equal(nearest("LEVEL"), "level");
    assert_string_equal(nearest("levle"), "level"); /* neighbours exchanged are one edit */
    assert_string_equal(nearest("mod"), "mode");
    assert_string_equal(nearest("dimension_seperator"), "dimension_separator");
    assert_string_equal(nearest("elment_size"), "elementsize");
    assert_string_equal(nearest("_Chunksize"), "_ChunkSizes");
}

TEST(far_names_are_not_suggested)
{
    char huge[300];

    memset(huge, 'l', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_string_equal(nearest(""), "none");
    assert_string_equal(nearest("colour"), "none");
    assert_string_equal(nearest("lvl"), "none"); /* two edits are too many for three letters */
    assert_string_equal(nearest(huge), "none");
    assert_null(ncz_nearest("level", words, 0));
}
