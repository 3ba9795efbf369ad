/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of stores do all the time: put a text, and say what is expected to be there. */
#ifndef NCZ_TESTS_STORE_HELP_H
#define NCZ_TESTS_STORE_HELP_H

#include "support/test.h"
#include "zmap/zmap.h"

/* A call that must return this; otherwise the test fails, with the text of the error. */
#define assert_rc(call, want)                                                                                        \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        if (rc_ != (want))                                                                                           \
            fail_msg("%s: %d (%s), wanted %d", #call, rc_, ncz_err_text(), (want));                                  \
    } while (0)

void put_text(zmap *m, const char *key, const char *text);

/* An object: all of it is this; it is not there; reading it gives this code and this text ("" of a failure). */
void expect_bytes(zmap *m, const char *key, const void *data, size_t len);
void expect_text(zmap *m, const char *key, const char *text);
void expect_absent(zmap *m, const char *key);
void expect_get(zmap *m, const char *key, int want_rc, const char *want);

/* The children of a prefix, in order: each name, a slash after a prefix, and a space. */
void expect_list(zmap *m, const char *prefix, const char *want);
/* For zmap_list(): appends a child in that form to the ncz_buf `arg`; NULL: does nothing. */
int note_child(const char *name, bool leaf, void *arg);

#endif /* NCZ_TESTS_STORE_HELP_H */
