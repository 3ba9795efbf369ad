/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netrc files as curl reads them: which words count, which entry, and what is malformed.
 */
#include "s3/config/s3_netrc.h"
#include "support/test.h"

static void
check(const char *text, const char *login, const char *password)
{
    ncz_s3_netrc n = {.login = NULL};

    assert_int_equal(ncz_s3_netrc_parse(text, strlen(text), "h.example", &n), NC_NOERR);
    if ((n.login == NULL) != (login == NULL) ||
        (login != NULL && (strcmp(n.login, login) != 0 || strcmp(n.password, password) != 0)))
        fail_msg("%s: %s, %s", text, n.login != NULL ? n.login : "none", n.password != NULL ? n.password : "none");
    ncz_s3_netrc_clear(&n);
    ncz_s3_netrc_clear(&n);
}

TEST(entries_are_found)
{
    check("", NULL, NULL);
    check("machine h.example login a password b", "a", "b");
    check("machine H.Example\n\tlogin a\n\tpassword b\n", "a", "b");
    check("machine x login c password d machine h.example password b login a", "a", "b");
    check("# machine h.example login x password y\nmachine h.example login a password #b\n", "a", "#b");
    check("machine h.example login a account z password \"b c\\\"\\\\\"\n", "a", "b c\"\\");
    check("macdef init\nmachine h.example login x password y\n\nmachine h.example login a password b\n", "a", "b");
    check("machine h.example login a password b\nmachine h.example login c password d\n", "a", "b");
    check("machine h.example login a password", NULL, NULL);
    check("default login a password b", NULL, NULL);
    check("machine h.example.evil login a password b", NULL, NULL);
    check("machine h.example login a default password b", NULL, NULL);
}

TEST(a_word_that_does_not_end_is_an_error)
{
    static const char text[] = "machine h.example login a password \"b\n";
    ncz_s3_netrc      n = {.login = NULL};

    assert_int_equal(ncz_s3_netrc_parse(text, strlen(text), "h.example", &n), NC_EAUTH);
    assert_null(n.login);
}
