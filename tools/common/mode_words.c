/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mode_words.h"

#include "common/near_name.h"

#include <nczarr.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *
mode_at(size_t *i)
{
    const char *name, *kind;

    while ((name = nczarr_feature((*i)++, &kind)) != NULL)
        if (strcmp(kind, "mode") == 0)
            return name;
    return NULL;
}

static bool
is_mode(const char *word)
{
    const char *mode;

    for (size_t i = 0; (mode = mode_at(&i)) != NULL;)
        if (strcasecmp(mode, word) == 0)
            return true;
    return false;
}

static void
report_unknown(const char *command, const char *word)
{
    const char *mode, *near = NULL;

    for (size_t i = 0; near == NULL && (mode = mode_at(&i)) != NULL;)
        if (near_name(word, mode, 1))
            near = mode;
    fprintf(stderr, "%s: --mode: unknown mode \"%s\"", command, word);
    if (near != NULL)
        fprintf(stderr, ": did you mean %s?", near);
    fprintf(stderr, " (modes:");
    for (size_t i = 0; (mode = mode_at(&i)) != NULL;)
        fprintf(stderr, " %s", mode);
    fprintf(stderr, ")\n");
}

bool
mode_words_check(const char *command, const char *words)
{
    char word[64]; /* longer ones are not modes */

    for (const char *p = words;; p++) {
        size_t len = strcspn(p, ",&"); /* "nczarr&compat=4.9.2" is allowed */

        snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1), p);
        if (len > 0 && strchr(word, '=') == NULL && !is_mode(word)) {
            report_unknown(command, word);
            return false;
        }
        p += len;
        if (*p == '\0')
            return true;
    }
}
