/* SPDX-License-Identifier: BSD-3-Clause */
/* shell_word: a text as one word of a shell command, for the commands that messages advise. */
#ifndef SHELL_WORD_H
#define SHELL_WORD_H

/* In apostrophes; one inside is '\'' there. malloc()ed; NULL: out of memory. */
char *shell_word(const char *text);

#endif /* SHELL_WORD_H */
