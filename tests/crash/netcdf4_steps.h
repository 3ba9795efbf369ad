/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A netCDF-4 file that is made and changed in numbered steps. Each ends with a call that commits: nc_sync(),
 * nc_enddef() or nc_close(). The attribute "step" of the file says how far it is, and so all that is in it: -1, if
 * it has definitions alone.
 */
#ifndef NCZ_TESTS_NETCDF4_STEPS_H
#define NCZ_TESTS_NETCDF4_STEPS_H

#include <stdbool.h>

enum { STEPS_CREATED = 6, STEPS_ALL = 12 }; /* done by steps_create(); and by steps_append() after it */

/* How far the program came: it lies in memory that is shared with a child, or in the caller's. */
typedef struct steps_log {
    int  begun, done; /* numbers of steps; -1: none */
    char why[400];    /* the first failure, */
    char last[400];   /* and the last one, if there is another */
} steps_log;

typedef struct steps_file {
    const char *url;   /* with #mode=netcdf4 */
    int         width; /* elements of a record */
    bool        texts; /* a variable of strings, too */
    bool        abort; /* after a failure: nc_abort() in place of nc_close() */
    int         tries; /* a step that fails is done again, so often */
} steps_file;

/* Both return the first failure, also if what failed was done again. */
int steps_create(const steps_file *f, int version, steps_log *log);
int steps_append(const steps_file *f, steps_log *log); /* opens the file, and goes on behind its step */

/* Opens the file at this path, and looks at all that is in it. False, with a text in `why`: it does not open, is
 * damaged, or has something else than its step says. */
bool steps_look(const steps_file *f, const char *path, int *version, int *step, char why[400]);

/* The structures of the file are sound, and each byte is in use once at most. */
bool steps_sound(const char *path, char why[400]);

#endif /* NCZ_TESTS_NETCDF4_STEPS_H */
