/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_rc: settings by key, as netCDF-C has them beside its rc files. They are remembered for nc_rc_get() and have no
 * other effect. Kept until the process ends.
 */
#include "api/api_int.h"

#include <pthread.h>
#include <string.h>

typedef struct setting {
    struct setting *next;
    char           *key, *value;
} setting;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static setting        *settings;

static setting *
find_setting(const char *key)
{
    setting *s = settings;

    while (s != NULL && strcmp(s->key, key) != 0)
        s = s->next;
    return s;
}

/* Takes *value on success. */
static int
add_setting(const char *key, char **value)
{
    setting *s = ncz_alloc(sizeof *s);
    char    *own = ncz_strdup(key);

    if (s == NULL || own == NULL) {
        ncz_free(s);
        ncz_free(own);
        return ncz_fail_nomem(sizeof *s + strlen(key));
    }
    *s = (setting){settings, own, *value};
    settings = s;
    *value = NULL;
    return NC_NOERR;
}

char *
nc_rc_get(const char *key)
{
    const setting *s;
    char          *copy = NULL;

    ncz_err_clear();
    if (key == NULL)
        return NULL;
    (void)pthread_mutex_lock(&lock);
    if ((s = find_setting(key)) != NULL)
        copy = ncz_strdup(s->value);
    (void)pthread_mutex_unlock(&lock);
    return copy;
}

int
nc_rc_set(const char *key, const char *value)
{
    setting *s;
    char    *own;
    int      rc = NC_NOERR;

    ncz_err_clear();
    if (key == NULL || value == NULL || key[0] == '\0')
        return ncz_call_done(ncz_fail(NC_EINVAL, "nc_rc_set: no %s is given", value == NULL ? "value" : "key"));
    if ((own = ncz_strdup(value)) == NULL)
        return ncz_call_done(ncz_fail_nomem(strlen(value) + 1));
    (void)pthread_mutex_lock(&lock);
    if ((s = find_setting(key)) != NULL) {
        char *old = s->value;

        s->value = own;
        own = old;
    } else {
        rc = add_setting(key, &own);
    }
    (void)pthread_mutex_unlock(&lock);
    ncz_free(own);
    return rc;
}
