/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sources of credentials share. Each source is a function that looks whether it has keys: it sets *found,
 * and says in f->why what it lacked. A source that is meant to have keys and has none that work is an error.
 */
#ifndef NCZ_S3_CREDS_INT_H
#define NCZ_S3_CREDS_INT_H

#include "s3/settings_int.h"

/* One walk along the sources. */
typedef struct ncz_s3_fetch {
    const ncz_s3_files *files;
    const char         *profile;   /* or NULL */
    bool                profile_first; /* it was named with the URL: keys in the environment do not come before it */
    const ncz_s3_keys  *given;     /* with the URL */
    const char         *region, *ca_file, *ca_dir;
    bool                amazon;    /* the endpoint is Amazon's: the machine itself may have keys for it */
    /* out */
    ncz_s3_keys keys;
    char       *source;            /* where they are from, for people */
    bool        keep;              /* use them beyond their end when others cannot be had */
    ncz_buf     why;               /* what each source lacked */
} ncz_s3_fetch;

/* Takes the keys as the result of this walk, with the text of their source. NC_EAUTH: keys that cannot be any. */
int ncz_s3_found(ncz_s3_fetch *f, ncz_s3_keys *keys, bool *found, const char *source, ...) NCZ_PRINTF(4, 5);
int ncz_s3_lacks(ncz_s3_fetch *f, const char *fmt, ...) NCZ_PRINTF(2, 3); /* one more reason in f->why */

/* ---- sources, in files of their own ---- */

int ncz_s3_from_given(ncz_s3_fetch *f, bool *found);
int ncz_s3_from_env(ncz_s3_fetch *f, bool *found);
/* Keys that stand in a profile of one of the two files. */
int ncz_s3_from_file(ncz_s3_fetch *f, const char *profile, const ncz_ini *file, bool *found);

/* The whole chain. *found false: there is nothing, and that is no error here. */
int ncz_s3_walk(ncz_s3_fetch *f, bool *found);

int64_t ncz_s3_now(void); /* seconds since 1970 */

#endif /* NCZ_S3_CREDS_INT_H */
