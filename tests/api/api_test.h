/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the api module share: calls that must succeed or fail with a code, and places to put a dataset, on
 * disk and in memory, so that a test says things once and runs on both.
 */
#ifndef NCZ_API_TEST_H
#define NCZ_API_TEST_H

#include "support/test.h"
#include <sys/stat.h>
#include <unistd.h>

#include "nczarr.h"
#include "nczarr_zmap.h"
#include "record_call.h"
#include "util/util.h"

/* The call must give `want`; a surprise shows its text. */
#define RC(want, call)                                                                                               \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        record_call(#call, rc_);                                                                                     \
        if (rc_ != (want))                                                                                           \
            print_error("%s:%d: %s gave %d (%s)\n", __FILE__, __LINE__, #call, rc_, nczarr_errmsg());                \
        assert_int_equal(rc_, (want));                                                                               \
    } while (0)

#define OK(call) RC(NC_NOERR, call)

/* Fails with this code, and says something. */
#define FAILS(want, call)                                                                                            \
    do {                                                                                                             \
        RC(want, call);                                                                                              \
        assert_true(nczarr_errmsg()[0] != '\0');                                                                     \
    } while (0)

/* Fails as functions of netCDF 2 do: -1, and the code in ncerr. */
#define FAILS2(want, call)                                                                                           \
    do {                                                                                                             \
        ncerr = NC_NOERR;                                                                                            \
        assert_int_equal((call), -1);                                                                                \
        record_call(#call, ncerr);                                                                                   \
        assert_int_equal(ncerr, (want));                                                                             \
    } while (0)

/* A place for one dataset: a directory or an archive of its own, or a map in memory. */
typedef struct place {
    bool        memory;
    char        dir[256];  /* a fresh directory, removed with the place */
    char        path[300]; /* dir/data.zarr, dir/data.zip */
    nczarr_map *map;
} place;

static inline void
place_make(place *p, bool memory)
{
    const char *tmp = getenv("TMPDIR");

    memset(p, 0, sizeof *p);
    p->memory = memory;
    snprintf(p->dir, sizeof p->dir, "%s/nczarr-api-XXXXXX", tmp != NULL ? tmp : "/tmp");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->path, sizeof p->path, "%s/data.zarr", p->dir);
    if (memory)
        OK(nczarr_map_memory(&p->map));
}

static inline void
place_drop(place *p)
{
    char cmd[400];

    OK(nczarr_map_close(p->map));
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", p->dir);
    assert_int_equal(system(cmd), 0);
}

/* The path, or with a mode the URL of the dataset. */
static inline void
place_text(const place *p, const char *mode, char *text, size_t size)
{
    if (mode == NULL)
        snprintf(text, size, "%s", p->path);
    else
        snprintf(text, size, "file://%s#%s", p->path, mode);
}

static inline int
place_create(place *p, const char *mode, int cmode, int *ncid)
{
    char text[600];

    if (p->memory)
        return nczarr_create_map(p->map, mode, cmode, ncid);
    place_text(p, mode, text, sizeof text);
    return nc_create(text, cmode, ncid);
}

static inline int
place_open(place *p, const char *mode, int omode, int *ncid)
{
    char text[600];

    if (p->memory)
        return nczarr_open_map(p->map, mode, omode, ncid);
    place_text(p, mode, text, sizeof text);
    return nc_open(text, omode, ncid);
}

/* Runs `body` with a fresh place of each kind. */
static inline void
in_each_place(void (*body)(place *))
{
    for (int kind = 0; kind < 3; kind++) {
        place p;

        place_make(&p, kind == 1);
        if (kind == 2)
            snprintf(p.path, sizeof p.path, "%s/data.zip", p.dir);
        body(&p);
        place_drop(&p);
    }
}

/* A test whose body runs with a fresh place of each kind, p. */
#define TEST_IN_EACH_PLACE(name)                                                                                     \
    static void name##_in(place *p);                                                                                 \
    TEST(name)                                                                                                       \
    {                                                                                                                \
        in_each_place(name##_in);                                                                                    \
    }                                                                                                                \
    static void name##_in(place *p)

static inline bool
exists(const char *dir, const char *name)
{
    char        path[700];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return stat(path, &st) == 0;
}

static inline void
write_file(const char *dir, const char *name, const char *text)
{
    char  path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_non_null(f = fopen(path, "w"));
    fputs(text, f);
    fclose(f);
}

#endif /* NCZ_API_TEST_H */
