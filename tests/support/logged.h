/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls of this process write on stderr. */
#ifndef NCZ_TEST_LOGGED_H
#define NCZ_TEST_LOGGED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct logged {
    FILE *file;
    int   saved;
} logged;

static inline void
logged_begin(logged *l)
{
    fflush(stderr);
    l->file = tmpfile();
    l->saved = dup(STDERR_FILENO);
    assert_true(l->file != NULL && l->saved >= 0);
    assert_true(dup2(fileno(l->file), STDERR_FILENO) >= 0);
}

/* The text, in fresh memory. */
static inline char *
logged_end(logged *l)
{
    char *text;
    long  len;

    fflush(stderr);
    (void)dup2(l->saved, STDERR_FILENO);
    close(l->saved);
    (void)fseek(l->file, 0, SEEK_END);
    len = ftell(l->file);
    rewind(l->file);
    text = malloc((size_t)len + 1);
    assert_non_null(text);
    text[fread(text, 1, (size_t)len, l->file)] = '\0';
    fclose(l->file);
    return text;
}

#endif /* NCZ_TEST_LOGGED_H */
