/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of forward share: a folder of their own, names in it, and whether libnetcdf is here. */
#ifndef NCZ_FORWARD_TEST_H
#define NCZ_FORWARD_TEST_H

#include "api/api_test.h"

#include "compat/netcdf.h"
#include "compat/netcdf_aux.h"
#include "forward/forward_int.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#define OURS(ncid)   assert_true((ncid) >= NCZ_FORWARD_FIRST_ID)
#define THEIRS(ncid) assert_true((ncid) < NCZ_FORWARD_FIRST_ID && (ncid) > 0)

/* Ends the test where there is no libnetcdf. */
#define NEED_NETCDF()                                                                                                \
    do {                                                                                                             \
        if (ncz_forward_try(NCZ_FORWARD_nc_open) == NULL)                                                            \
            skip();                                                                                                  \
    } while (0)

/* "file://DIR/NAME#mode=nczarr", or with `mode` another; one of four buffers in turn. */
static inline const char *
url_of(const char *dir, const char *name, const char *mode)
{
    static char     text[4][500];
    static unsigned turn;
    char           *out = text[turn++ % 4];

    snprintf(out, sizeof text[0], "file://%s/%s#mode=%s", dir, name, mode);
    return out;
}

/* Whose a path is. */
static inline bool
creates(const char *path)
{
    bool theirs = false;

    OK(ncz_forward_create_path(path, &theirs));
    return theirs;
}

static inline bool
opens(const char *path)
{
    bool theirs = false;

    OK(ncz_forward_open_path(path, &theirs));
    return theirs;
}

/* Is it a regular file that begins so? */
static inline bool
begins(const char *path, const char *with)
{
    size_t len = 0;
    char  *s = scratch_read(path, &len);
    bool   yes = s != NULL && len >= strlen(with) && memcmp(s, with, strlen(with)) == 0;

    free(s);
    return yes;
}

#endif /* NCZ_FORWARD_TEST_H */
