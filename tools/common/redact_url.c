/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/redact_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *
redact_url(const char *path)
{
    const char *host = strstr(path, "://"), *at, *end = path + strcspn(path, "?#");
    char       *text = NULL;

    if (host == NULL || host > end || strncmp(path, "file:", 5) == 0)
        return strdup(path);
    host += 3;
    for (at = host + strcspn(host, "/?#"); at > host && at[-1] != '@'; at--)
        ; /* what follows the last '@' of the authority */
    return asprintf(&text, "%.*s%.*s", (int)(host - path), path, (int)(end - at), at) < 0 ? NULL : text;
}
