/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The prefixes that are allowed, as lists of places; and those of the process, which are this file's only state.
 */
#include "places/places_int.h"
#include "platform/platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char           *process; /* NULL: none */

void
ncz_place_list_clear(ncz_place_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        ncz_place_clear(&list->v[i]);
    ncz_free(list->v);
    *list = NCZ_PLACE_LIST_INIT;
}

/* Links on the way to a folder are followed; of what is not there yet the name stands. */
static int
resolve_local(ncz_place *p)
{
    char *real = ncz_sys_realpath(p->path);
    int   rc = real != NULL ? ncz_place_set_path(p, "", real, strlen(real)) : NC_NOERR;

    free(real);
    return rc;
}

/* The folder that relative prefixes are relative to. */
static int
working_directory(ncz_place *out)
{
    char *real = ncz_sys_realpath(".");
    int   rc = ncz_place_parse("file:///", NULL, out);

    if (rc == NC_NOERR && real != NULL)
        rc = ncz_place_set_path(out, "", real, strlen(real));
    if (rc != NC_NOERR)
        ncz_place_clear(out);
    free(real);
    return rc;
}

static int
add_prefix(ncz_place_list *list, const char *text)
{
    ncz_place here, place;
    int       rc;

    if ((rc = working_directory(&here)) != NC_NOERR)
        return rc;
    rc = ncz_place_parse(text, &here, &place);
    ncz_place_clear(&here);
    if (rc == NC_NOERR && ncz_place_is_local(&place))
        rc = resolve_local(&place);
    if (rc == NC_NOERR && (rc = ncz_make_room(&list->v, list->n, &list->cap, sizeof *list->v)) == NC_NOERR) {
        list->v[list->n++] = place;
        return NC_NOERR;
    }
    ncz_place_clear(&place);
    return rc;
}

/* One of them, in the form that messages have: no query, which may be a secret. */
static int
fail_prefix(const char *text, int rc)
{
    ncz_err err;

    if (rc == NC_ENOMEM)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(rc, "allow=%.*s: %s", (int)(strcspn(text, "?#@") < 200 ? strcspn(text, "?#@") : 200), text,
                    err.text);
}

int
ncz_place_list_add(ncz_place_list *list, const char *prefixes)
{
    int rc = NC_NOERR;

    for (const char *s = prefixes; rc == NC_NOERR && *s != '\0';) {
        size_t   len = strcspn(s, ",");
        ncz_line word = ncz_line_trim((ncz_line){s, len});
        char    *own = ncz_strndup(word.s, word.len);

        if (own == NULL)
            rc = ncz_fail_nomem(word.len + 1);
        else if (word.len > 0 && (rc = add_prefix(list, own)) != NC_NOERR)
            rc = fail_prefix(own, rc);
        ncz_free(own);
        s += len + (s[len] == ',');
    }
    return rc;
}

int
ncz_place_list_add_process(ncz_place_list *list)
{
    char *own = NULL;
    int   rc = NC_NOERR;

    (void)pthread_mutex_lock(&lock);
    if (process != NULL && (own = ncz_strdup(process)) == NULL)
        rc = ncz_fail_nomem(strlen(process) + 1);
    (void)pthread_mutex_unlock(&lock);
    if (own != NULL)
        rc = ncz_place_list_add(list, own);
    ncz_free(own);
    return rc;
}

int
ncz_places_allow(const char *prefixes)
{
    ncz_place_list list = NCZ_PLACE_LIST_INIT;
    char          *own = NULL, *old;
    int            rc = prefixes != NULL ? ncz_place_list_add(&list, prefixes) : NC_NOERR;

    if (rc == NC_NOERR && list.n > 0 && (own = ncz_strdup(prefixes)) == NULL)
        rc = ncz_fail_nomem(strlen(prefixes) + 1);
    ncz_place_list_clear(&list);
    if (rc != NC_NOERR)
        return rc;
    (void)pthread_mutex_lock(&lock);
    old = process;
    process = own;
    (void)pthread_mutex_unlock(&lock);
    ncz_free(old);
    return NC_NOERR;
}
