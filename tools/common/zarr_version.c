/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/zarr_version.h"

#include <string.h>

static const struct {
    int         version;
    const char *text, *mode;
} versions[] = {{2, "2", "mode=v2"}, {3, "3", "mode=v3"}};

enum { NVERSIONS = sizeof versions / sizeof *versions };

int
zarr_version_at(size_t i)
{
    return i < NVERSIONS ? versions[i].version : 0;
}

int
zarr_version_other(int version)
{
    return version == 2 ? 3 : 2;
}

bool
zarr_version_parse(const char *text, int *out)
{
    for (size_t i = 0; i < NVERSIONS; i++)
        if (strcmp(text, versions[i].text) == 0) {
            *out = versions[i].version;
            return true;
        }
    return false;
}

bool
zarr_version_is_said(int version)
{
    return version != 0 && version != ZARR_VERSION_DEFAULT;
}

bool
zarr_version_has_shards(int version)
{
    return version == 3;
}

bool
zarr_version_has_characters(int version)
{
    return version != 3;
}

bool
zarr_version_fill_is_optional(int version)
{
    return version == 2;
}

const char *
zarr_version_mode(int version)
{
    for (size_t i = 0; i < NVERSIONS; i++)
        if (versions[i].version == version)
            return versions[i].mode;
    return "";
}
