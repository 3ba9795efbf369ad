/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/error_text.h"

#include <stdio.h>
#include <string.h>

#include "nczarr.h"

/* The text behind "ABOUT: " or "ABOUT ", or NULL. */
static const char *
skip_about(const char *text, const char *about, size_t len)
{
    if (len == 0 || strncmp(text, about, len) != 0)
        return NULL;
    if (text[len] == ':' && text[len + 1] == ' ')
        return text + len + 2;
    return text[len] == ' ' ? text + len + 1 : NULL;
}

/* The text behind "/GROUP/ABOUT: ", the path of ABOUT, or NULL. */
static const char *
skip_path(const char *text, const char *about)
{
    size_t      len = strlen(about);
    const char *at = text[0] == '/' && len > 0 ? strstr(text, about) : NULL;

    return at != NULL && at > text && at[-1] == '/' && at[len] == ':' && at[len + 1] == ' ' ? at + len + 2 : NULL;
}

/* netCDF's phrase for a code is for the many things that end with it, and may mislead beside a text for this one. */
void
error_text(int rc, const char *about, char text[ERROR_TEXT_SIZE])
{
    const char *detail = nczarr_errmsg(), *rest;

    if (detail[0] == '\0')
        detail = nc_strerror(rc);
    else if (about != NULL && ((rest = skip_about(detail, about, strlen(about))) != NULL ||
                               (rest = skip_path(detail, about)) != NULL ||
                               (rest = skip_about(detail, about, strcspn(about, "#"))) != NULL))
        detail = rest;
    snprintf(text, ERROR_TEXT_SIZE, "%s", detail);
}
