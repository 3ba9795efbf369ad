/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A directory for one test, and what tests do in it past the store.
 */
#ifndef NCZ_TESTS_SCRATCH_H
#define NCZ_TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

char *scratch_new(void);                /* a fresh directory, below $TMPDIR if set; free with scratch_free */
void  scratch_free(char *dir);          /* removes all of it, links as links */
void  scratch_remove(const char *path); /* a file, or a directory with all that is in it; fine if it is not there */
void  scratch_empty(const char *dir);   /* all that is in it */
char *scratch_path(const char *dir, const char *name); /* "dir/name"; one of eight buffers taken in turn */

/* Set-up and tear-down of cmocka for tests that need a directory and nothing else. */
extern char *scratch_dir;
int          scratch_set_up(void **state);
int          scratch_tear_down(void **state);

void   scratch_write(const char *path, const void *data, size_t len);
char  *scratch_read(const char *path, size_t *len);       /* malloc, with a NUL behind it; NULL when absent */
char  *test_data(const char *name, size_t *len);          /* the same for a file of tests/data, which must be there */
bool   scratch_exists(const char *path);                  /* a link that leads nowhere does */
size_t scratch_count(const char *dir);                    /* entries, hidden ones too */
size_t scratch_find(const char *dir, const char *prefix); /* files below it, at any depth, whose names begin so */
size_t scratch_open_files(void);                          /* descriptors of this process */

unsigned long test_seed(void); /* NCZARR_TEST_SEED, below 1,000,000: what a short run draws with; 0 without it */
/* Whether a short run has case i: every `parts`-th, by the seed, so that as many runs have all. Other runs have each.
 */
bool test_drawn(size_t i, unsigned long parts);
/* The same where a sanitizer makes the cases slow; without one all are there. */
bool test_drawn_sanitized(size_t i, unsigned long parts);

#endif /* NCZ_TESTS_SCRATCH_H */
