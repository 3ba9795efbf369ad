/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A home, a working directory and an environment of the test's own: nothing of the real ones is seen, and EC2 is not
 * asked. sandbox_end() removes the files; the variables stay as they are, every test begins with a sandbox.
 */
#ifndef NCZ_TEST_S3_SANDBOX_H
#define NCZ_TEST_S3_SANDBOX_H

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "s3_help.h"

extern char **environ;

static char sandbox[64];

static inline bool
is_ours(const char *variable)
{
    static const char *const begins[] = {"AWS_", "GDAL_", "NCRCENV_", "NC_TEST_", "NCZARR_", "CURL_CA", "SSL_CERT"};

    for (size_t i = 0; i < NCZ_LEN(begins); i++)
        if (strncmp(variable, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* As it was before anybody set anything. */
static inline void
clean_environment(void)
{
    for (size_t i = 0; environ[i] != NULL;) {
        char *name = strndup(environ[i], strcspn(environ[i], "="));

        assert_non_null(name);
        if (!is_ours(name))
            i++;
        else
            unsetenv(name);
        free(name);
    }
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("HOME", sandbox, 1);
}

static inline int
sandbox_begin(void **state)
{
    (void)state;
    strcpy(sandbox, "/tmp/ncz-s3-XXXXXX");
    if (mkdtemp(sandbox) == NULL || chdir(sandbox) != 0)
        return -1;
    clean_environment();
    return 0;
}

static inline int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline int
sandbox_end(void **state)
{
    (void)state;
    if (chdir("/") != 0)
        return -1;
    return nftw(sandbox, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A test in a sandbox. */
#define TEST_IN_SANDBOX(name) TEST_WITH(name, sandbox_begin, sandbox_end)

/* Writes a file below the home, with the directories above it. */
static inline void
put_file(const char *name, const char *text)
{
    char  path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", sandbox, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) < 0, 0);
    assert_int_equal(fclose(f), 0);
}

/* "A=b C=d": sets all of them. */
static inline void
set_all(const char *pairs)
{
    char *text = strdup(pairs != NULL ? pairs : ""), *save = NULL;

    assert_non_null(text);
    for (char *p = strtok_r(text, " ", &save); p != NULL; p = strtok_r(NULL, " ", &save)) {
        char *eq = strchr(p, '=');

        assert_non_null(eq);
        *eq = '\0';
        setenv(p, eq + 1, 1);
    }
    free(text);
}

#endif /* NCZ_TEST_S3_SANDBOX_H */
