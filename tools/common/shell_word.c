/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/shell_word.h"

#include <stdlib.h>
#include <string.h>

char *
shell_word(const char *text)
{
    static const char inside[] = "'\\''";
    size_t            len = strlen(text), extra = 0;
    char             *word, *at;

    for (const char *s = text; *s != '\0'; s++)
        extra += *s == '\'' ? sizeof inside - 2 : 0;
    if ((word = malloc(len + extra + 3)) == NULL)
        return NULL;
    at = word;
    *at++ = '\'';
    for (const char *s = text; *s != '\0'; s++)
        if (*s == '\'') {
            memcpy(at, inside, sizeof inside - 1);
            at += sizeof inside - 1;
        } else {
            *at++ = *s;
        }
    *at++ = '\'';
    *at = '\0';
    return word;
}
