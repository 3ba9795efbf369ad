/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mode_words.h"

#include "common/message.h"
#include "common/near_name.h"
#include "common/text_buf.h"

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
report_unknown(const char *word)
{
    text_buf    modes = TEXT_BUF_INIT;
    const char *mode, *near = NULL;

    for (size_t i = 0; (mode = mode_at(&i)) != NULL;) {
        near = near_name_better(word, near, mode);
        text_addf(&modes, " %s", mode);
    }
    if (word[0] == '\0')
        message_print("--mode: an empty mode (modes:%s)", modes.s);
    else
        message_print("--mode: unknown mode \"%s\"%s%s%s (modes:%s)", word, near != NULL ? ": did you mean " : "",
                      near != NULL ? near : "", near != NULL ? "?" : "", modes.s);
    text_clear(&modes);
}

bool
mode_words_check(const char *words)
{
    char word[64]; /* longer ones are not modes */

    for (const char *p = words;; p++) {
        size_t len = strcspn(p, ",&"); /* "nczarr&compat=4.9.2" is allowed */

        snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1), p);
        if (strchr(word, '=') == NULL && !is_mode(word)) {
            report_unknown(word);
            return false;
        }
        p += len;
        if (*p == '\0')
            return true;
    }
}
