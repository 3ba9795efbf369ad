/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uri: parses a path, or a URL with a fragment, and decides which store it names, where, and by which conventions. Only
 * text: nothing here accesses a disk or a server.
 */
#ifndef NCZ_URI_H
#define NCZ_URI_H

#include "util/util.h"

/* ---- URLs ---- */

typedef struct ncz_uri_pair {
    char *key, *value;
} ncz_uri_pair; /* decoded; value "" if it is absent */

typedef struct ncz_uri {
    char         *scheme; /* lower case; NULL for a plain path */
    char         *user;   /* "user" or "user:password" as given, or NULL */
    char         *host;   /* lower case (but s3://Bucket unchanged), no port, no brackets; NULL when none */
    unsigned      port;   /* 0 when none */
    char         *path;   /* file: percent-decoded once; others unchanged */
    char         *query;  /* as given, or NULL */
    ncz_uri_pair *frag;   /* fragment pairs, keys lower case, in order; all modes in one pair, joined by "," */
    size_t        nfrag;
    char         *body; /* the text as given, without [key=value] prefixes and fragment */
} ncz_uri;

/*
 * Parses a URL or a plain path, with or without a `#key=value&...` fragment, and netCDF's old `[key=value]` prefixes
 * before a URL. Errors: NC_EURL with cause; NC_EINVAL for an empty text. A text without `scheme://` is a plain path.
 * Its '#' begins a fragment only if nothing but known keys and modes follow (a slightly misspelt key counts, so that it
 * is reported); otherwise it is a character of the path.
 */
int ncz_uri_parse(const char *text, ncz_uri **out);
/* The length of the scheme if the text begins with `scheme://`, else 0. */
size_t ncz_uri_scheme_length(const char *s);
void   ncz_uri_free(ncz_uri *u);

/* Schemes of object stores. After s3:// netCDF expects a host, others a bucket. */
typedef enum ncz_uri_s3_kind {
    NCZ_URI_NO_S3,
    NCZ_URI_S3,        /* s3 */
    NCZ_URI_S3_BUCKET, /* s3a, s3n: Hadoop's; always a bucket */
    NCZ_URI_GOOGLE,    /* gs, gs3 */
} ncz_uri_s3_kind;

ncz_uri_s3_kind ncz_uri_scheme_s3(const char *scheme);

/* The format that the modes of a URL name. */
typedef enum ncz_uri_format {
    NCZ_URI_FORMAT_NONE, /* no mode that says it: `file` and `s3` are stores of several formats */
    NCZ_URI_FORMAT_ZARR,
    NCZ_URI_FORMAT_FILE,  /* `cdf1`, `netcdf4` ...: files, by words that netCDF-C lacks */
    NCZ_URI_FORMAT_OTHER, /* `bytes`, `classic`, `dap2` ..., or an unknown mode */
} ncz_uri_format;

ncz_uri_format ncz_uri_mode_format(const ncz_uri *u);
const char *
ncz_uri_mode_at(size_t i); /* iterates over the modes of datasets that can be created; NULL after the last */

/*
 * The pairs as one text that means the same behind `body` and a '#': all modes and bare words first, as `mode=a,b`,
 * then our own keys. Of a path or file URL the others have an effect only beside those, and do not show that a fragment
 * begins. "": none.
 */
int ncz_uri_frag_text(const ncz_uri *u, ncz_buf *out);
/* The pairs of buckets and web servers, in the same form, without the next ones. `endpoint` false: without those for
 * URLs without a host. */
int ncz_uri_frag_stores(const ncz_uri *u, bool endpoint, ncz_buf *out);
/* `header` and `token`, which are secrets of the servers that the path names. */
int ncz_uri_frag_secrets(const ncz_uri *u, ncz_buf *out);
/* Is one of the pairs a secret: those, or keys of a bucket? */
bool ncz_uri_frag_is_secret(const ncz_uri *u);

const char *ncz_uri_frag(const ncz_uri *u, const char *key); /* NULL when absent; the last of equal keys */
/* The key of a fragment that a misspelt one probably means, for error texts. NULL: none is near. */
const char *ncz_uri_key_nearest(const char *key);
int ncz_uri_encode(ncz_buf *out, const char *s, size_t len, bool keep_slash); /* all but RFC 3986 unreserved */
int ncz_uri_decode(const char *s, size_t len, char **out);                    /* NC_EURL on bad %XX or %00 */

/* ---- targets: what a URL and its modes mean ---- */

typedef enum ncz_store {
    NCZ_STORE_AUTO, /* open: detect it */
    NCZ_STORE_FILE,
    NCZ_STORE_ZIP,
    NCZ_STORE_S3,
    NCZ_STORE_HTTP,
} ncz_store;

/* Whose metadata a dataset has, or gets. */
typedef enum ncz_conventions {
    NCZ_CONVENTIONS_AUTO,       /* open: detect it; create: NCZarr */
    NCZ_CONVENTIONS_NCZARR,     /* metadata in both places (G3's and G4's) */
    NCZ_CONVENTIONS_NCZARR_492, /* compat=4.9.2: in the specification's places only (G3) */
    NCZ_CONVENTIONS_NCZARR_490, /* compat=4.9.0: upper-case keys (G2) */
    NCZ_CONVENTIONS_ZARR,       /* pure Zarr */
} ncz_conventions;

typedef enum ncz_tri { NCZ_UNSET, NCZ_NO, NCZ_YES } ncz_tri;

/* A file that is a dataset: a classic one and its version, or netCDF-4. */
typedef enum ncz_file_form {
    NCZ_FILE_NONE = 0,
    NCZ_FILE_CDF1 = 1,
    NCZ_FILE_CDF2 = 2,
    NCZ_FILE_NETCDF4 = 4,
    NCZ_FILE_CDF5 = 5,
    NCZ_FILE_CLASSIC = 9, /* a classic one, and the version is said elsewhere */
} ncz_file_form;

typedef struct ncz_target {
    ncz_store       store;
    ncz_conventions conventions;
    int             zarr_format;  /* mode v2 or v3: 2 or 3; 0 when not given */
    bool            xarray;       /* write _ARRAY_DIMENSIONS (default); `noxarray` clears it */
    ncz_tri         consolidated; /* mode=consolidated, or consolidated=yes|no */
    ncz_tri         write_empty;  /* write_empty_chunks=yes|no: store chunks that hold only fill, too */
    ncz_tri         read_ahead;   /* readahead=yes|no: sequential reads load the next chunks, too */
    ncz_tri         one_object;   /* a mode of a file that is a dataset: bytes, classic ...; NO: a mode of Zarr */
    ncz_file_form   file_form;    /* modes classic, netcdf-3 (CLASSIC), cdf1, cdf2, cdf5, netcdf4; else NONE */
    bool            hdf5;         /* mode hdf5: an HDF5 file, with what netCDF does not show */
    bool            icechunk;     /* mode icechunk, a version of one, or a scheme icechunk+...: such a repository */
    bool            kerchunk;     /* mode kerchunk: a set of references in JSON */
    bool            join;         /* mode join: a pattern of files, which nc_open() reads as one dataset */
    bool            url;          /* came as a URL rather than a plain path */
    char            separator;    /* dimension_separator=. or / for new arrays; 0 when not given */
    bool            replace_all;  /* replace=all: what is at the place goes, also what is not a dataset's */
    ncz_tri         v2_keys;      /* chunk_keys=v2|default, of new arrays: yes: named as in Zarr v2 */
    char           *path;         /* directory or archive for file and zip; object path otherwise */
    char           *canonical;    /* what nc_inq_path() gives: the text as the caller gave it */
    char           *shown; /* name for messages: a remote URL without user, query and fragment, which may be secret */
    ncz_uri        *uri;   /* all of it, for stores that need more */
} ncz_target;

/*
 * What `text` means to nc_open() and nc_create(); `for_create` selects the defaults.
 *
 * Modes: nczarr, zarr (and nczarr,zarr), xarray (= zarr), v2 and v3 (the version of Zarr; creating: 2; opening: any),
 * noxarray (without _ARRAY_DIMENSIONS), consolidated, file, zip, s3, gs3; of files that are a dataset by themselves
 * classic (= netcdf-3), cdf1, cdf2, cdf5, netcdf4 (= nc4, netcdf-4, enhanced), and to open any of them bytes, or
 * hdf5; kerchunk, to open a set of references; join, to open the files of a pattern as one; icechunk, for an Icechunk
 * repository. The bare fragments #zarr #nczarr #zip ... mean mode=..., several mode= are joined, case does not matter.
 * Keys: compat= (4.8.1 ... 4.9.3), consolidated=, write_empty_chunks= and readahead= (yes, no), dimension_separator=,
 * chunk_keys=, replace=all; branch=, tag= or snapshot= of an Icechunk repository; allow= (src/places); log and
 * log=LEVEL, which raise the level of the process's log at once; keys of the stores
 * and of netCDF's other formats are accepted.
 *
 * Plain paths and file: one that ends in `.zip` means zip, all else AUTO (file when creating). file:// needs no host
 * ("" or "localhost"); file://rel/path is, as in netCDF, the relative path rel/path. s3, s3a, s3n, gs and gs3 mean
 * s3; http(s) with one of Amazon's S3 hosts or mode s3 means s3, else http. `icechunk+` before a scheme means mode
 * icechunk.
 *
 * To create, a local store (file, zip), noxarray, consolidated and the keys of Zarr's keys and chunks are modes of
 * Zarr.
 *
 * Errors: NC_EINVAL unknown scheme, modes that contradict each other, an unknown key or a bad value of a known one;
 * NC_ENOTNC unknown mode or a mode of another format (dap2 ...), and bytes or hdf5, to create; NC_EURL malformed.
 */
int  ncz_target_parse(const char *text, bool for_create, ncz_target **out);
void ncz_target_free(ncz_target *t);

#endif /* NCZ_URI_H */
