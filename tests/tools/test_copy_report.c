/* SPDX-License-Identifier: BSD-3-Clause */
/* What nczcopy says after a failure: --resume is advised only where it can succeed. */
#include "support/test.h"

#include "copy/copy_int.h"

#include <errno.h>
#include <unistd.h>

/* What is written to standard error for a failure with `rc`. */
static void
record_words(int rc, char *text, size_t size)
{
    FILE  *f = tmpfile();
    int    kept = dup(STDERR_FILENO);
    size_t n;

    assert_non_null(f);
    assert_true(kept >= 0 && dup2(fileno(f), STDERR_FILENO) >= 0);
    copy_say_continuable(rc);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(f);
    n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
}

TEST(advice_fits_the_failure)
{
    static const struct {
        int  rc;
        bool again; /* the same command may succeed later */
    } rows[] = {{ENOSPC, true},       {EIO, true},          {NC_ECURL, true},    {NC_EACCESS, true},
                {NC_ENOMEM, true},    {COPY_STOPPED, true}, {NC_ERANGE, false},  {NC_ECHAR, false},
                {NC_EBADTYPE, false}, {NC_EEXIST, false},   {NC_EFILTER, false}, {NC_ENOTBUILT, false}};
    char text[1000];

    copy_report_begin();
    record_words(ENOSPC, text, sizeof text);
    assert_string_equal(text, ""); /* there is nothing to continue */
    copy_set_unfinished("t.nczcopy");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        record_words(rows[i].rc, text, sizeof text);
        assert_non_null(strstr(text, "t.nczcopy is not complete"));
        if ((strstr(text, "with --resume continues it") != NULL) != rows[i].again)
            fail_msg("%d: %s", rows[i].rc, text);
    }
    copy_set_damage_met();
    record_words(NC_EFILTER, text, sizeof text);
    assert_non_null(strstr(text, "--resume --damaged=fill continues it"));
    copy_set_unfinished(NULL);
}
