/* SPDX-License-Identifier: BSD-3-Clause */
#include "error_text.h"

#include <stdio.h>
#include <string.h>

#include "nczarr.h"

void
error_text(int rc, const char *about, char text[ERROR_TEXT_SIZE])
{
    const char *detail = nczarr_errmsg(), *phrase = nc_strerror(rc);
    size_t      len = about != NULL ? strlen(about) : 0, m = strlen(phrase), n;

    if (detail[0] == '\0' || strcmp(detail, phrase) == 0) {
        snprintf(text, ERROR_TEXT_SIZE, "%s", phrase);
        return;
    }
    if (len > 0 && strncmp(detail, about, len) == 0 && detail[len] == ':' && detail[len + 1] == ' ')
        detail += len + 2;
    else if (len > 0 && strncmp(detail, about, len) == 0 && detail[len] == ' ')
        detail += len + 1;
    n = strlen(detail);
    if (n >= m && strcmp(detail + n - m, phrase) == 0) /* a system error says it already */
        snprintf(text, ERROR_TEXT_SIZE, "%s", detail);
    else
        snprintf(text, ERROR_TEXT_SIZE, "%s (%s)", detail, phrase);
}
