/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of places share.
 *
 *   places_rule.c   a place as text: parts, normal form, whether it is within another one
 *   places_allow.c  the prefixes that are allowed
 *   places.c        a set's places, their stores
 */
#ifndef NCZ_PLACES_INT_H
#define NCZ_PLACES_INT_H

#include "places/places.h"
#include "uri/uri_rc_file.h"

/* ---- places_rule.c ---- */

/* In its normal form: two texts name one place if all of this is equal. */
typedef struct ncz_place {
    char    *scheme; /* file, http, https, s3 or gs */
    char    *host;  /* lower case, without a dot at the end; IPv6 without brackets; a bucket as it is written. Of file
                      * "" */
    unsigned port;  /* 0: the scheme's own */
    char    *path;  /* decoded; "/", or segments with '/' before each, none of them empty, "." or ".." */
    char    *query; /* as given; NULL: none */
} ncz_place;

/*
 * What a text names; without a scheme it is relative to `folder` (NULL: NC_EURL). Local texts without a scheme are not
 * decoded. NC_EURL: malformed, or a user's name; a backslash, a control character, or an encoded '/' in it, none of
 * which has one meaning everywhere. NC_EINVAL: another scheme.
 */
int  ncz_place_parse(const char *text, const ncz_place *folder, ncz_place *out);
int  ncz_place_copy(const ncz_place *p, ncz_place *out);
void ncz_place_clear(ncz_place *p);
bool ncz_place_is_local(const ncz_place *p);
bool ncz_place_is_on(const ncz_place *p, const ncz_place *server); /* the same scheme, host and port */
bool ncz_place_is_within(const ncz_place *p, const ncz_place *prefix);
/* Puts another path into normal form: segments of `path`, which is not encoded, behind `base`. */
int ncz_place_set_path(ncz_place *p, const char *base, const char *path, size_t len);
/* The length of the first segment of its path with the '/' before it; 0: there is none. */
size_t ncz_place_first(const ncz_place *p);
/* Its URL, of its path `len` bytes; without the query. A local one is a plain path. */
int ncz_place_show(const ncz_place *p, size_t len, ncz_buf *out);
/* The same, encoded. */
int ncz_place_url(const ncz_place *p, size_t len, ncz_buf *out);

/* ---- places_allow.c ---- */

typedef struct ncz_place_list {
    ncz_place *v;
    size_t     n, cap;
} ncz_place_list;

#define NCZ_PLACE_LIST_INIT ((ncz_place_list){NULL, 0, 0})

/* The prefixes of a text; local ones may be relative to the working directory, and have their links resolved. */
int  ncz_place_list_add(ncz_place_list *list, const char *prefixes);
int  ncz_place_list_add_process(ncz_place_list *list); /* those of ncz_places_allow() */
void ncz_place_list_clear(ncz_place_list *list);

#endif /* NCZ_PLACES_INT_H */
