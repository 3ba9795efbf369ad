/* SPDX-License-Identifier: BSD-3-Clause */
/* mode_words: the value of --mode, for all commands that have it. */
#ifndef MODE_WORDS_H
#define MODE_WORDS_H

#include <stdbool.h>

/* Whether each word of a comma-separated list is a mode of the library, or has a '=' as other keys have; else a message
 * names the one that is not or is empty, the word that may be meant, and all that there are. */
bool mode_words_check(const char *words);

#endif /* MODE_WORDS_H */
