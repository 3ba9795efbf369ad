/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The most memory that a piece of work takes: a program runs itself again for each piece, in a process of its own,
 * which looks at its resident set and prints what it finds.
 */
#ifndef NCZ_TESTS_PEAK_H
#define NCZ_TESTS_PEAK_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define PEAK_SANITIZED true
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define PEAK_SANITIZED true
#endif
#ifndef PEAK_SANITIZED
#define PEAK_SANITIZED                                                                                               \
    false /* true: a sanitizer's own memory cannot be told from ours, and nothing can be measured */
#endif

#define MIB ((size_t)1 << 20)

/* In the child, bytes: resident now, and the highest so far. */
size_t peak_resident(void);
size_t peak_highest(void);

/* In the parent. A fresh directory below $TMPDIR; NULL, with a message, when it cannot be made. peak_dir_end()
 * removes it. */
char *peak_dir(const char *test);
bool  peak_dir_end(char *dir);

/* Runs this program with NCZARR_THREADS and these arguments, for a shell. True: it succeeded and printed n numbers. */
bool peak_run(int threads, const char *args, size_t *numbers, size_t n);

#endif /* NCZ_TESTS_PEAK_H */
