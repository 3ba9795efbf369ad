/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr.h: the netCDF API over NCZarr, Zarr v2 and v3, classic netCDF and netCDF-4, all of which are read and written,
 * and over other HDF5 files, HDF4, Icechunk, sets of references and aggregations, which are read.
 *
 * One header for everything a program needs. Names, values and error codes are netCDF's; additions of this library
 * begin with nczarr_.
 */
#ifndef NCZARR_H
#define NCZARR_H

#include <stddef.h>
#include <stdint.h>

#ifdef NCZARR_SYMBOL_PREFIX /* every function has a prefix (the option symbol_prefix) */
#include "nczarr_prefix.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define NCZARR_API
#else
#define NCZARR_API __attribute__((visibility("default")))
#endif

/* For the compiler's check of formats: C99's on each system. */
#if defined(__MINGW32__) && !defined(__clang__)
#define NCZARR_PRINTF(format_arg, first_arg) __attribute__((format(gnu_printf, format_arg, first_arg)))
#elif defined(__GNUC__)
#define NCZARR_PRINTF(format_arg, first_arg) __attribute__((format(printf, format_arg, first_arg)))
#else
#define NCZARR_PRINTF(format_arg, first_arg)
#endif

/*
 * The version of this header; nczarr_version() has that of the library which runs. Numbers are there to be compared:
 *
 *     #if NCZARR_VERSION_NUMBER >= NCZARR_MAKE_VERSION(0, 1, 0)
 */
#define NCZARR_VERSION_MAJOR 1
#define NCZARR_VERSION_MINOR 0
#define NCZARR_VERSION_PATCH 0

#define NCZARR_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define NCZARR_VERSION_NUMBER                    NCZARR_MAKE_VERSION(NCZARR_VERSION_MAJOR, NCZARR_VERSION_MINOR, NCZARR_VERSION_PATCH)

#define NCZARR_TEXT_OF_(x) #x
#define NCZARR_TEXT_(x)    NCZARR_TEXT_OF_(x)
/* "MAJOR.MINOR.PATCH" */
#define NCZARR_VERSION                                                                                               \
    NCZARR_TEXT_(NCZARR_VERSION_MAJOR)                                                                               \
    "." NCZARR_TEXT_(NCZARR_VERSION_MINOR) "." NCZARR_TEXT_(NCZARR_VERSION_PATCH)

/* ---- types ------------------------------------------------------------------------------------------------ */

typedef int nc_type;

#define NC_NAT             0
#define NC_BYTE            1
#define NC_CHAR            2
#define NC_SHORT           3
#define NC_INT             4
#define NC_LONG            NC_INT
#define NC_FLOAT           5
#define NC_DOUBLE          6
#define NC_UBYTE           7
#define NC_USHORT          8
#define NC_UINT            9
#define NC_INT64           10
#define NC_UINT64          11
#define NC_STRING          12
#define NC_VLEN            13
#define NC_OPAQUE          14
#define NC_ENUM            15
#define NC_COMPOUND        16
#define NC_MAX_ATOMIC_TYPE NC_STRING
#define NC_FIRSTUSERTYPEID 32

/* ---- default fill values ---------------------------------------------------------------------------------- */

#define NC_FILL_BYTE   ((signed char)-127)
#define NC_FILL_CHAR   ((char)0)
#define NC_FILL_SHORT  ((short)-32767)
#define NC_FILL_INT    (-2147483647)
#define NC_FILL_FLOAT  (9.9692099683868690e+36f)
#define NC_FILL_DOUBLE (9.9692099683868690e+36)
#define NC_FILL_UBYTE  (255)
#define NC_FILL_USHORT (65535)
#define NC_FILL_UINT   (4294967295U)
#define NC_FILL_INT64  ((long long)-9223372036854775806LL)
#define NC_FILL_UINT64 ((unsigned long long)18446744073709551614ULL)
#define NC_FILL_STRING ((char *)"")

/* ---- limits ----------------------------------------------------------------------------------------------- */

#define NC_MAX_DIMS     1024
#define NC_MAX_ATTRS    8192
#define NC_MAX_VARS     8192
#define NC_MAX_NAME     256
#define NC_MAX_VAR_DIMS 1024

#define NC_MAX_BYTE   127
#define NC_MIN_BYTE   (-NC_MAX_BYTE - 1)
#define NC_MAX_CHAR   255
#define NC_MAX_SHORT  32767
#define NC_MIN_SHORT  (-NC_MAX_SHORT - 1)
#define NC_MAX_INT    2147483647
#define NC_MIN_INT    (-NC_MAX_INT - 1)
#define NC_MAX_FLOAT  3.402823466e+38f
#define NC_MIN_FLOAT  (-NC_MAX_FLOAT)
#define NC_MAX_DOUBLE 1.7976931348623157e+308
#define NC_MIN_DOUBLE (-NC_MAX_DOUBLE)
#define NC_MAX_UBYTE  NC_MAX_CHAR
#define NC_MAX_USHORT 65535U
#define NC_MAX_UINT   4294967295U
#define NC_MAX_INT64  (9223372036854775807LL)
#define NC_MIN_INT64  (-9223372036854775807LL - 1)
#define NC_MAX_UINT64 (18446744073709551615ULL)
#define X_INT64_MAX   NC_MAX_INT64
#define X_UINT64_MAX  NC_MAX_UINT64

/* ---- modes and choices ------------------------------------------------------------------------------------ */

#define NC_NOWRITE       0x0000
#define NC_WRITE         0x0001
#define NC_CLOBBER       0x0000
#define NC_NOCLOBBER     0x0004
#define NC_DISKLESS      0x0008
#define NC_MMAP          0x0010
#define NC_64BIT_DATA    0x0020
#define NC_CDF5          NC_64BIT_DATA
#define NC_UDF0          0x0040
#define NC_UDF1          0x0080
#define NC_CLASSIC_MODEL 0x0100
#define NC_64BIT_OFFSET  0x0200
#define NC_LOCK          0x0400
#define NC_SHARE         0x0800
#define NC_NETCDF4       0x1000
#define NC_MPIIO         0x2000
#define NC_PNETCDF       NC_MPIIO
#define NC_PERSIST       0x4000
#define NC_INMEMORY      0x8000

#define NC_FILL   0
#define NC_NOFILL 0x100

#define NC_UNLIMITED        0L
#define NC_GLOBAL           (-1)
#define NC_SIZEHINT_DEFAULT 0
#define NC_ALIGN_CHUNK      ((size_t)(-1))

#define NC_FORMAT_CLASSIC         1
#define NC_FORMAT_64BIT_OFFSET    2
#define NC_FORMAT_64BIT           NC_FORMAT_64BIT_OFFSET
#define NC_FORMAT_NETCDF4         3
#define NC_FORMAT_NETCDF4_CLASSIC 4
#define NC_FORMAT_64BIT_DATA      5
#define NC_FORMAT_CDF5            NC_FORMAT_64BIT_DATA
#define NC_FORMATX_UNDEFINED      0
#define NC_FORMATX_NC3            1
#define NC_FORMATX_NC_HDF5        2
#define NC_FORMATX_NC4            NC_FORMATX_NC_HDF5
#define NC_FORMATX_NC_HDF4        3
#define NC_FORMATX_PNETCDF        4
#define NC_FORMATX_DAP2           5
#define NC_FORMATX_DAP4           6
#define NC_FORMATX_UDF0           8
#define NC_FORMATX_UDF1           9
#define NC_FORMATX_NCZARR         10

#define NC_CHUNKED         0
#define NC_CONTIGUOUS      1
#define NC_COMPACT         2
#define NC_UNKNOWN_STORAGE 3
#define NC_VIRTUAL         4

#define NC_ENDIAN_NATIVE 0
#define NC_ENDIAN_LITTLE 1
#define NC_ENDIAN_BIG    2

#define NC_NOCHECKSUM        0
#define NC_FLETCHER32        1
#define NC_NOSHUFFLE         0
#define NC_SHUFFLE           1
#define NC_MIN_DEFLATE_LEVEL 0
#define NC_MAX_DEFLATE_LEVEL 9

#define NC_SZIP_EC              4
#define NC_SZIP_NN              32
#define NC_MAX_PIXELS_PER_BLOCK 32

#define NC_NOQUANTIZE          0
#define NC_QUANTIZE_BITGROOM   1
#define NC_QUANTIZE_GRANULARBR 2
#define NC_QUANTIZE_BITROUND   3

/* ---- error codes (positive values are the system's errno) -------------------------------------------------- */

#define NC_NOERR          0
#define NC2_ERR           (-1)
#define NC_EXDR           (-32)
#define NC_EBADID         (-33)
#define NC_ENFILE         (-34)
#define NC_EEXIST         (-35)
#define NC_EINVAL         (-36)
#define NC_EPERM          (-37)
#define NC_ENOTINDEFINE   (-38)
#define NC_EINDEFINE      (-39)
#define NC_EINVALCOORDS   (-40)
#define NC_EMAXDIMS       (-41)
#define NC_ENAMEINUSE     (-42)
#define NC_ENOTATT        (-43)
#define NC_EMAXATTS       (-44)
#define NC_EBADTYPE       (-45)
#define NC_EBADDIM        (-46)
#define NC_EUNLIMPOS      (-47)
#define NC_EMAXVARS       (-48)
#define NC_ENOTVAR        (-49)
#define NC_EGLOBAL        (-50)
#define NC_ENOTNC         (-51)
#define NC_ESTS           (-52)
#define NC_EMAXNAME       (-53)
#define NC_EUNLIMIT       (-54)
#define NC_ENORECVARS     (-55)
#define NC_ECHAR          (-56)
#define NC_EEDGE          (-57)
#define NC_ESTRIDE        (-58)
#define NC_EBADNAME       (-59)
#define NC_ERANGE         (-60)
#define NC_ENOMEM         (-61)
#define NC_EVARSIZE       (-62)
#define NC_EDIMSIZE       (-63)
#define NC_ETRUNC         (-64)
#define NC_EAXISTYPE      (-65)
#define NC_EDAP           (-66)
#define NC_ECURL          (-67)
#define NC_EIO            (-68)
#define NC_ENODATA        (-69)
#define NC_EDAPSVC        (-70)
#define NC_EDAS           (-71)
#define NC_EDDS           (-72)
#define NC_EDATADDS       (-73)
#define NC_EDAPURL        (-74)
#define NC_EDAPCONSTRAINT (-75)
#define NC_ETRANSLATION   (-76)
#define NC_EACCESS        (-77)
#define NC_EAUTH          (-78)
#define NC_ENOTFOUND      (-90)
#define NC_ECANTREMOVE    (-91)
#define NC_EINTERNAL      (-92)
#define NC_EPNETCDF       (-93)
#define NC_EHDFERR        (-101)
#define NC_ECANTREAD      (-102)
#define NC_ECANTWRITE     (-103)
#define NC_ECANTCREATE    (-104)
#define NC_EFILEMETA      (-105)
#define NC_EDIMMETA       (-106)
#define NC_EATTMETA       (-107)
#define NC_EVARMETA       (-108)
#define NC_ENOCOMPOUND    (-109)
#define NC_EATTEXISTS     (-110)
#define NC_ENOTNC4        (-111)
#define NC_ESTRICTNC3     (-112)
#define NC_ENOTNC3        (-113)
#define NC_ENOPAR         (-114)
#define NC_EPARINIT       (-115)
#define NC_EBADGRPID      (-116)
#define NC_EBADTYPID      (-117)
#define NC_ETYPDEFINED    (-118)
#define NC_EBADFIELD      (-119)
#define NC_EBADCLASS      (-120)
#define NC_EMAPTYPE       (-121)
#define NC_ELATEFILL      (-122)
#define NC_ELATEDEF       (-123)
#define NC_EDIMSCALE      (-124)
#define NC_ENOGRP         (-125)
#define NC_ESTORAGE       (-126)
#define NC_EBADCHUNK      (-127)
#define NC_ENOTBUILT      (-128)
#define NC_EDISKLESS      (-129)
#define NC_ECANTEXTEND    (-130)
#define NC_EMPI           (-131)
#define NC_EFILTER        (-132)
#define NC_ERCFILE        (-133)
#define NC_ENULLPAD       (-134)
#define NC_EINMEMORY      (-135)
#define NC_ENOFILTER      (-136)
#define NC_ENCZARR        (-137)
#define NC_ES3            (-138)
#define NC_EEMPTY         (-139)
#define NC_EOBJECT        (-140)
#define NC_ENOOBJECT      (-141)
#define NC_EPLUGIN        (-142)
#define NC_ENOTZARR       (-143)
#define NC_EZARRMETA      (-144)
#define NC_EDMR           NC_EDDS
#define NC_EDATADAP       NC_EDATADDS
#define NC_EURL           NC_EDAPURL
#define NC_ECONSTRAINT    NC_EDAPCONSTRAINT
#define NC_ENTOOL         NC_EMAXNAME
#define NC4_FIRST_ERROR   (-100)
#define NC4_LAST_ERROR    (-144)

#define NC_ISSYSERR(err) ((err) > 0)

/* Accepted, no effect: attributes always keep their order of creation, and a netCDF-4 file has its dimension scales. */
#define NC_NOATTCREORD       0x20000
#define NC_NODIMSCALE_ATTACH 0x40000

#define NC_QUANTIZE_BITGROOM_ATT_NAME   "_QuantizeBitGroomNumberOfSignificantDigits"
#define NC_QUANTIZE_GRANULARBR_ATT_NAME "_QuantizeGranularBitRoundNumberOfSignificantDigits"
#define NC_QUANTIZE_BITROUND_ATT_NAME   "_QuantizeBitRoundNumberOfSignificantBits"
#define NC_QUANTIZE_MAX_FLOAT_NSD       7
#define NC_QUANTIZE_MAX_FLOAT_NSB       23
#define NC_QUANTIZE_MAX_DOUBLE_NSD      15
#define NC_QUANTIZE_MAX_DOUBLE_NSB      52

/* HDF5 filter ids of the codecs that have one, for nc_def_var_filter(). */
#define H5Z_FILTER_DEFLATE    1
#define H5Z_FILTER_SHUFFLE    2
#define H5Z_FILTER_FLETCHER32 3
#define H5Z_FILTER_SZIP       4
#define H5Z_FILTER_BZIP2      307
#define H5Z_FILTER_BLOSC      32001
#define H5Z_FILTER_ZSTD       32015

/* A variable-length value as netCDF has it in memory: `len` elements at `p`. */
typedef struct {
    size_t len;
    void  *p;
} nc_vlen_t;

/* A dataset image in memory, for nc_open_memio() and nc_close_memio(). */
typedef struct NC_memio {
    size_t size;
    void  *memory;
    int    flags;
} NC_memio;

#define NC_MEMIO_LOCKED 1

/* ============================================================================================================
 * Rules for every function
 *
 * Result    0 (NC_NOERR), a negative NC_E... code, or a positive errno. nc_strerror() explains a code;
 *           nczarr_errmsg() describes the failure: which key, offset, codec or limit. A call that fails changes
 *           nothing, unless its text below says otherwise; outputs are written on success only.
 * Ids       An ncid identifies a dataset and a group in it; nc_create() and nc_open() return that of the root.
 *           Variable ids count from 0 in each group; dimension ids count over the whole dataset.
 *           A wrong ncid is NC_EBADID, a wrong variable NC_ENOTVAR, a wrong dimension NC_EBADDIM: not repeated below.
 * Pointers  Output pointers may be NULL when the value is not wanted. A `name` output takes NC_MAX_NAME + 1 bytes and
 *           is NUL-terminated. Inputs are borrowed for the length of the call.
 * Strings   The caller owns the character pointers that the library returns in NC_STRING data: nc_free_string().
 * Threads   Any number of threads may call any function, on one dataset or on several. Gets and puts of one dataset
 *           run in parallel; a get of one chunk sees all of a put or nothing of it. Calls that define, rename, change
 *           attributes or make a dimension longer, a variable's first put and nc_sync() run alone on their dataset.
 *           nc_close() and nc_abort() wait for running calls; later ones get NC_EBADID. A child of fork() may use the
 *           datasets on which no other thread was in a call at that moment; what another one holds it waits for without
 *           end. It may open any.
 * Names     Dimensions, variables, groups, attributes: UTF-8, kept in Unicode NFC, at most NC_MAX_NAME bytes (else
 *           NC_EMAXNAME), first byte a letter, digit, '_' or non-ASCII, no '/', no control character, no trailing
 *           space (else NC_EBADNAME). NULL for a name is NC_EINVAL, where an attribute is put
 *           or looked up NC_EBADNAME.
 * Source    The netCDF C API of netCDF-C 4.10; differences are noted here and listed in formats.md.
 * Documents formats.md, s3.md and others are installed in share/doc/nczarr; in the source tree they are in docs/.
 * ============================================================================================================ */

/* ---- library ----------------------------------------------------------------------------------------------- */

/* "4.9.3 of nczarr 1.0.0": the release of netCDF-C whose interface this library has, which programs compare, and its
 * own version; static text. */
NCZARR_API const char *nc_inq_libvers(void);

/* "1.0.0"; static text. */
NCZARR_API const char *nczarr_version(void);

/*
 * What this build of the library has, one thing after another: its name, static text; `i` from 0, NULL after the last.
 * *kindp (static text, or NULL not to be told): "codec", with a name that nczarr_filter_avail() takes; "store";
 * "library", that some of it is done by; or "mode", a word for `mode=` in a URL's fragment. Codecs that the program
 * registered are not among them. Any thread may call it.
 */
NCZARR_API const char *nczarr_feature(size_t i, const char **kindp);

/* netCDF's text for the code `ncerr`; for positive values the system's text. Static (for system errors: per thread,
 * valid until the thread's next call). Never NULL. */
NCZARR_API const char *nc_strerror(int ncerr);

/* The name of a code, for logs and for programs in other languages: "NC_EBADDIM"; of a system error "ENOSPC", or
 * "errno" for one without a name here; "unknown" for all else. Static text, the same in all releases. Never NULL.
 * Leaves nczarr_errmsg() as it is. */
NCZARR_API const char *nczarr_errname(int code);

/* Details of this thread's last call: "" after success, else what failed, where and why. Valid until this thread's
 * next call. Never NULL. Calls that only free memory keep the text when they succeed, so that a program may free what
 * it has before it reports a failure: nc_free_string(), nc_free_vlen(), nc_free_vlens(), nc_reclaim_data(),
 * nc_reclaim_data_all(), and of netcdf_aux.h the same, ncaux_abort_compound(), ncaux_plugin_path_clear() and
 * ncaux_plugin_path_reclaim(). nc_close() and nc_abort() do not: report first. */
NCZARR_API const char *nczarr_errmsg(void);

/*
 * Whether puts wait for the store. NCZARR_WRITE_THROUGH, the default: a put of whole chunks returns when they are
 * stored, and a dataset's cache stores the others when it is full, at nc_sync() and nc_close(). NCZARR_WRITE_BEHIND: a
 * put checks, converts and copies, and returns; a thread of the library and its workers store the chunks meanwhile,
 * those first of which all was put. A get sees what was put. `write=behind` in a path's fragment, and NCZARR_WRITE in
 * the environment, say it for programs that are not changed.
 *
 * `nbytes`, 0 for the size of the dataset's cache: so many bytes may wait (behind_bytes=, NCZARR_BEHIND_BYTES), and one
 * put's more; then a put waits for room. The cache is made at least as large.
 *
 * A failure to store is returned by the next put of the dataset, once; the chunk is kept, and all others are stored.
 * nc_sync() and nc_close() try again, and return NC_NOERR if all is stored then. What they have acknowledged is there
 * after any crash; of later puts any may be, as without this. nc_abort() drops what waits. fork() waits until what is
 * just being stored is stored. In files of several ranks, and of chunks larger than `nbytes`, puts are stored at once.
 *
 * Returns NC_EINVAL for another `how`, else a failure that was kept. On a dataset that is read-only it has no effect.
 */
#define NCZARR_WRITE_THROUGH 0
#define NCZARR_WRITE_BEHIND  1
NCZARR_API int nczarr_set_write(int ncid, int how, size_t nbytes);

/* What is put and not yet stored: bytes in memory, chunks. Either pointer may be NULL. Does not wait. */
NCZARR_API int nczarr_pending(int ncid, size_t *nbytesp, size_t *nchunksp);
/* Begins to store the chunks that wait, also those of which a part was put, and does not wait for them. */
NCZARR_API int nczarr_flush(int ncid);
/* Returns when all chunks that were put are stored, or with the first failure. Unlike after nc_sync(), they need not
 * be durable, and no document is stored. */
NCZARR_API int nczarr_wait(int ncid);

/*
 * Begins to load the chunks of a selection, given as to nc_get_vara() or nc_get_vars(), and returns. A get finds them
 * in the dataset's cache, or waits for those on their way. No more are loaded than the cache has room for beside others
 * that were prefetched and not read yet (nc_set_var_chunk_cache()); what does not fit, strings and
 * sequences of variable length, and chunks of unequal lengths are left to the get. So is any failure. Errors are those
 * of a get's arguments. Of an aggregation it opens the fragments that the selection touches, 32 at most, before it
 * returns; each has a cache of its own.
 */
NCZARR_API int nczarr_prefetch_vara(int ncid, int varid, const size_t *startp, const size_t *countp);
NCZARR_API int nczarr_prefetch_vars(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const ptrdiff_t *stridep);

/* Sets how many threads may work at the same time on the data of all datasets, calling threads included. 1: no thread
 * is ever started, but the one that stores behind puts (nczarr_set_write()) and prefetches. 0, the default: the value
 * of NCZARR_THREADS in the environment, else the number of CPUs that the process may use. Waits for running tasks.
 * NC_EINVAL: negative. */
NCZARR_API int nczarr_set_threads(int nthreads);
NCZARR_API int nczarr_get_threads(void);

/*
 * Which places the sets of references may reach that are opened from now on: prefixes with ',' between them, as
 * "s3://bucket/path,https://host,/data". NULL or "": none, the default. A set is a file that says where its bytes lie,
 * and may have been written by somebody else. Without a permission it reaches what is below its own folder, or on its
 * own server by the same scheme, or in its own bucket. `allow=` in the fragment of a path and NCZARR.ALLOW in an rc
 * file of the user add to that, too. A set on a server never reaches local files. What it may not reach is NC_EAUTH
 * when it is read. NC_EINVAL, NC_EURL: one of them is no prefix; nothing is changed then.
 */
NCZARR_API int nczarr_allow(const char *prefixes);

/*
 * The parts of a path or URL, as nc_open() and nc_create() understand it. Programs that put a fragment behind a path,
 * or look at the file system themselves, need not know where a '#' begins one. The caller sets `size` to
 * sizeof(nczarr_path_parts): later releases may add members at the end.
 */
typedef struct nczarr_path_parts {
    size_t size;
    char  *path;    /* the text without its fragment and without [key=value] before a URL, else as given */
    char *fragment; /* all keys in one spelling, as "mode=zarr,v3&consolidated=yes"; "": none. PATH#FRAGMENT names the
                      * same as the text, and further keys may follow after '&', or '#' where there is none */
    char *local;    /* of a directory or archive: its path in the file system; else NULL */
    char *shown;    /* for messages: a URL of a server without user, query and fragment, which may be secret; else the
                      * text */
    int   store;    /* NCZARR_STORE_...: where nc_create() makes it. nc_open() finds out whether it is an archive */
    int   zarr_format; /* the version of Zarr that the fragment asks for, 2 or 3; 0: it does not say */
    int   nczarr;      /* 1 if it asks for NCZarr's metadata, 0 for pure Zarr, -1: it does not say */
    int   zarr;        /* 1 if a mode says that this is Zarr (or NCZarr), whatever the name looks like; else 0 */
    int   classic;     /* the version of classic netCDF that a mode asks for: 1, 2 or 5; 0: none does */
    int   netcdf4;     /* 1 if a mode asks for a netCDF-4 file; else 0 */
} nczarr_path_parts;

#define NCZARR_STORE_DIRECTORY 1
#define NCZARR_STORE_ARCHIVE   2 /* a zip archive */
#define NCZARR_STORE_BUCKET    3 /* S3 and what speaks its protocol */
#define NCZARR_STORE_WEB       4 /* a web server, to be read */

/*
 * Splits `text` into its parts. Looks at no file and sends no request, so nothing need exist. The texts are new and the
 * caller's: nczarr_path_clear() frees them. Any thread. NC_EINVAL: `parts` NULL or its size smaller than the struct has
 * ever been, an empty text, an unknown key or scheme, modes that contradict each other; NC_ENOTNC: a mode of another
 * format; NC_EURL: a malformed URL.
 */
NCZARR_API int nczarr_path_split(const char *text, nczarr_path_parts *parts);

/* Frees the texts of split parts and sets them to NULL; harmless if they are NULL. Leaves nczarr_errmsg() as it is. */
NCZARR_API void nczarr_path_clear(nczarr_path_parts *parts);

/*
 * *overlapp: 1 if the two paths or URLs name one place, or one of them a place inside the other, so that writing to one
 * changes the other; else 0. However they are written: links are followed (of a path that does not exist yet those of
 * its existing parents), fragments do not matter, and buckets are compared by endpoint, bucket and key. Reads the
 * configuration of S3 for that, but sends no request. Of several files that open as one (mode=join) each is compared.
 * Errors: those of nczarr_path_split(); NC_EAUTH: the configuration of S3; a system error of a path that cannot be
 * looked at.
 */
NCZARR_API int nczarr_path_overlap(const char *a, const char *b, int *overlapp);

/*
 * The same for places whose names do not tell it, as a bucket that is also known by its address, a web server that
 * shows a bucket or a directory, or a file system that is mounted twice: asks the stores. Puts an object of a random
 * name at the target, looks for it through the source, and removes it. To be called before anything at the target is
 * replaced. Where nothing is at a target of the file system, *overlapp is 0. Errors: those of nczarr_path_overlap(),
 * and of putting and removing an object there; NC_EEXIST: the source's server does not answer for the new object, so
 * whether the places are one remains unknown.
 */
NCZARR_API int nczarr_path_probe(const char *source, const char *target, int *overlapp);

/* ---- the history of a repository ---- */

/* What nczarr_inq_history() reports. */
#define NCZARR_HISTORY_BRANCH   1
#define NCZARR_HISTORY_TAG      2
#define NCZARR_HISTORY_SNAPSHOT 3

/* Later releases may add members at the end, which `size` then counts, as in all structs here that begin with it. */
typedef struct nczarr_history_item {
    size_t      size; /* of the struct, as this library has it */
    int         kind;
    const char *name;    /* of a branch or tag, else "" */
    const char *id;      /* of the snapshot that it is, or leads to */
    const char *parent;  /* of a snapshot: the one before it; "" of the first */
    const char *message; /* of a snapshot */
    long long   time_us; /* of a snapshot: when it was made, in microseconds since 1970 */
} nczarr_history_item;

/* What it returns, if not 0, ends the report, and nczarr_inq_history() returns it. The texts are valid during the
 * call. */
typedef int (*nczarr_history_each)(const nczarr_history_item *item, void *arg);

/*
 * The history of an Icechunk repository: calls `each` for each branch, for each tag, then for each snapshot from the
 * one that nc_open() would open to the first. On a web server the branches and tags of spec version 1 cannot be listed,
 * and are left out. NC_ENOTNC: no such repository.
 */
NCZARR_API int nczarr_inq_history(const char *path, nczarr_history_each each, void *arg);

/* ---- the structure of a file ---- */

/* What nczarr_check_structure() reports. */
#define NCZARR_STRUCTURE_FAULT    1 /* something is wrong: `what` says so */
#define NCZARR_STRUCTURE_UNKNOWN  2 /* something that is not read here: what it leads to was not seen */
#define NCZARR_STRUCTURE_DANGLING 3 /* a reference in an attribute to an object that is not there: no damage */
#define NCZARR_STRUCTURE_USED     4 /* `length` bytes are in use: `what` they are ("object headers") */
#define NCZARR_STRUCTURE_END      5 /* the last one: the bytes of the file, and of a block of the user in front */

typedef struct nczarr_structure_item {
    size_t             size; /* of the struct, as this library has it */
    int                kind;
    const char        *what;
    const char        *path; /* of the object in the file that it belongs to, or "" */
    unsigned long long address, length;
} nczarr_structure_item;

/* What it returns, if not 0, ends the check, which returns it. The texts are valid during the call. */
typedef int (*nczarr_structure_each)(const nczarr_structure_item *item, void *arg);

/*
 * Checks a netCDF-4 file, or another file of HDF5, as a whole: everything that its superblock leads to is read:
 * checksums, orders, counts, references, and which bytes are in use, each of them once. Calls `each` for each fault,
 * then for each range of bytes in use, by address, then for the end. A writer needs a sound structure; readers can do
 * with less. Faults are no failure of the call. Data are decoded only where they lead to others (strings); reading them
 * checks the rest. NC_ENOTNC: no HDF5 file.
 */
NCZARR_API int nczarr_check_structure(const char *path, nczarr_structure_each each, void *arg);

/* Describes the settings that an S3 URL resolves to: address, bucket, key, region, credentials and others, each with
 * its source, one "name: value" per line, without secrets. Fetches credentials; sends no request to the bucket. The
 * caller frees *text with free(). NC_EINVAL: not an S3 URL; NC_EURL, NC_EAUTH: an error in the URL or in the
 * configuration; NC_ENOTBUILT: built without S3. When the credentials do not work, the call returns NC_EAUTH and the
 * whole text; after other errors *text is unchanged. */
NCZARR_API int nczarr_s3_explain(const char *url, char **text);

/*
 * Counts of the operations on a dataset's store since the dataset was created or opened, for all threads together.
 * The caller sets `size` to sizeof(nczarr_counts): later releases may add members at the end.
 *
 * Objects are documents and chunks. `gets` counts every request for an object or a range of it, whether or not the
 * object exists; `bytes_read` the bytes of those that exist. The last five count network traffic (0 for other
 * stores): requests sent, retries included; the retries; bytes received in responses and sent in bodies; and the sum
 * of the durations of all requests, which overlap, so that it can exceed the elapsed time.
 */
typedef struct nczarr_counts {
    size_t             size;
    unsigned long long gets, puts, deletes, lists;
    unsigned long long bytes_read, bytes_written;
    unsigned long long requests, retries, bytes_in, bytes_out, milliseconds;
} nczarr_counts;

/* NC_EINVAL when counts->size is smaller than the struct has ever been. */
NCZARR_API int nczarr_stats(int ncid, nczarr_counts *counts);

/* Both are optional: the library initialises itself, and cleans up when the process ends. nc_finalize() ends the
 * library's threads and frees its caches; the next call that needs them creates them again. Both return NC_NOERR. */
NCZARR_API int nc_initialize(void);
NCZARR_API int nc_finalize(void);

/* Settings by key, process-wide: nc_rc_set() remembers one, nc_rc_get() returns a copy that the caller frees with
 * free(), or NULL (not set). They have no other effect: what is taken from netCDF's rc files (s3.md, nczarr_url(7)) is
 * read from there. NC_EINVAL: no key or value. */
NCZARR_API char *nc_rc_get(const char *key);
NCZARR_API int   nc_rc_set(const char *key, const char *value);

/* Sets the default format for nc_create(), which counts where its mode asks for no format; `old_formatp` gets the
 * previous one. NC_FORMAT_NETCDF4 counts as NC_NETCDF4 does, NC_FORMAT_NETCDF4_CLASSIC as that with
 * NC_CLASSIC_MODEL; NC_FORMAT_CLASSIC, NC_FORMAT_64BIT_OFFSET and NC_FORMAT_64BIT_DATA make it create classic files,
 * whatever the name but one of Zarr. NC_EINVAL: not one of NC_FORMAT_*. Process-wide. */
NCZARR_API int nc_set_default_format(int format, int *old_formatp);

/* Chunk cache of datasets opened from now on: bytes of the whole dataset's cache, an advisory number of slots and
 * preemption (0 to 1, else NC_EINVAL). Process-wide. */
NCZARR_API int nc_set_chunk_cache(size_t size, size_t nelems, float preemption);
NCZARR_API int nc_get_chunk_cache(size_t *sizep, size_t *nelemsp, float *preemptionp);

/* Messages on stderr, each level with those before it: -1 none (the default); 0 calls that fail, with the text of
 * nczarr_errmsg(); 1 warnings; 2 requests to stores and servers, with bytes and time; 3 what was found and chosen
 * (store, dialect, source of documents and credentials); 4 and above chunks. Never a secret. Process-wide. */
NCZARR_API int nc_set_log_level(int new_level);

/* Alignment and metadata block size of HDF5 files: objects of at least `threshold` bytes would begin at a multiple of
 * `alignment`. The get calls give what was set, or 0. Nothing else uses it: netCDF-4 files written here have their
 * chunks wherever there is room. */
NCZARR_API int nc_set_alignment(int threshold, int alignment);
NCZARR_API int nc_get_alignment(int *thresholdp, int *alignmentp);
NCZARR_API int nc_set_meta_block_size(size_t size);
NCZARR_API int nc_get_meta_block_size(size_t *sizep);

/* ---- datasets ---------------------------------------------------------------------------------------------- */

/*
 * Creates a dataset and opens it in define mode. `path` is the name of a directory, of an archive if it ends in .zip,
 * or of a file, or a URL such as file://dir#mode=nczarr,file (mode values nczarr, zarr, v2, v3, xarray, noxarray,
 * consolidated, file, zip, netcdf4, cdf1, cdf2, cdf5, classic; keys compat=4.9.2|4.9.0, consolidated=yes|no,
 * dimension_separator=.|/, chunk_keys=v2|default, durability=sync|none|each, readahead=yes|no,
 * commit=sync|close|SECONDS, zip.prefix=NAME, zip.order=sorted; of netCDF-4 files front=BYTES and
 * reuse=readers|never; of what is read aggregation=yes|no, missing=zeros|fill|error).
 * Or a bucket: s3://bucket/key, or an http or https URL of an S3 host or with mode=s3 (s3.md); any other http or https
 * URL names a web server, from which nc_open() reads.
 * What is made (formats.md): what a mode says; Zarr, if the name ends in .zarr or .zip; in a bucket a netCDF-4 file
 * with NC_NETCDF4 if the name is that of a file as below, which nc_sync() and nc_close() put as a whole, else Zarr; a
 * classic netCDF file with NC_64BIT_OFFSET (CDF-2) or NC_64BIT_DATA (CDF-5); and if the name ends in .nc, .nc3, .nc4,
 * .cdf, .h5, .hdf5 or .he5, a netCDF-4 file with NC_NETCDF4, else a classic one (CDF-1); else NCZarr.
 * nc_set_default_format() counts where no flag names a format.
 * `cmode`: NC_CLOBBER (0) replaces an existing dataset, the remains of an interrupted writer or an empty file, and
 * nothing else; NC_NOCLOBBER refuses (NC_EEXIST) and changes nothing.
 * NC_CLASSIC_MODEL: netCDF's strict classic rules, also when the dataset is opened again (but not with mode=zarr).
 * NC_DISKLESS: in memory, discarded at close; with NC_PERSIST stored at `path` at close. NC_INMEMORY: as
 * nc_create_mem().
 *
 * Errors: NC_EEXIST something exists there (or, with NC_CLOBBER, something that is not a dataset); NC_ENOOBJECT the
 * parent directory is missing; NC_EINVAL unknown scheme, an unsupported mode flag (NC_MMAP, NC_MPIIO, NC_UDF0 ...) or
 * two formats (NC_NETCDF4 and NC_64BIT_OFFSET); NC_EDISKLESS NC_DISKLESS together with NC_INMEMORY; NC_ENOTNC unknown
 * mode value; NC_ENOTBUILT a store that this build lacks; NC_EACCESS an archive or a file with another writer; system
 * errors. Buckets and web servers, here and in every call that reads or writes: NC_ECURL no response, NC_EACCESS and
 * NC_EAUTH missing rights or credentials, NC_ENOOBJECT no such bucket, NC_ES3 another refusal; NC_EPERM writing to a
 * web server. Encrypted archives, in every call that reads: NC_EAUTH the password (NCZARR_ZIP_PASSWORD) is missing or
 * wrong.
 */
NCZARR_API int nc_create(const char *path, int cmode, int *ncidp);

/*
 * Opens a dataset: `path` as for nc_create(). For a plain path the format is detected (any NCZarr generation, Zarr v2
 * or v3; mode v2 or v3 allows only one). `omode`: NC_NOWRITE (0) or NC_WRITE; NC_CLASSIC_MODEL asks for its rules.
 * Datasets of netCDF-C 4.8.0 to 4.9.0 cannot be opened for writing (NC_EPERM); copies made with nczcopy can. Classic
 * netCDF files and netCDF-4 files (HDF5) are changed. mode=hdf5 shows what of an HDF5 file netCDF hides (formats.md).
 * NC_DISKLESS: reads the whole dataset into memory; changes are discarded at close, or stored then with NC_PERSIST.
 *
 * With NC_NOWRITE this call reads the root's documents only. The first inquiry reads the others; errors in them are
 * returned by that call and by all later ones. Gets that advance along one axis load the next chunks ahead, except
 * with NC_SHARE, which says that other processes write.
 *
 * Errors: NC_ENOOBJECT nothing exists there (ENOENT, as from netCDF-C, for a name of a file, like x.nc);
 * NC_ENOTNC a file of another format, or a directory or archive without Zarr documents (the
 * text lists those that were tried); NC_EZARRMETA an indispensable document is damaged; NC_ENOTBUILT; NC_EINVAL.
 */
NCZARR_API int nc_open(const char *path, int omode, int *ncidp);

/*
 * Makes a dataset at `target` that shows `n` datasets as one: aggregation variables (CF-1.13, section 2.8), which hold
 * the places of the values and none of these. Their variables are joined along the dimension `dim`, in the order of
 * `paths`; NULL: the first dataset's unlimited dimension, else `time`. The first dataset says which variables there
 * are; those without that dimension are its own. Coordinates have their values, and so has what is small and not
 * joined. A path may be a pattern or a list, as nc_open() has it. Packed variables are unpacked ones. Places are
 * relative to the target's folder for datasets there or below, else absolute. `cmode`: as for nc_create(); the format
 * is netCDF-4, classic netCDF or Zarr, by the target's name. nc_open() does the same without a target, of "@LIST", a
 * text with a path in each line, and of a pattern ("run_*.nc#mode=join", along=NAME), whose files are put in the order
 * of their first coordinates.
 *
 * Errors: NC_EINVAL a dataset that does not fit the first one (another type or dimension, other values of a coordinate
 * that they share), which the text names; NC_EBADDIM no such dimension; those of nc_open() and nc_create(). Variables
 * of user-defined types are left out, with a warning in the log.
 */
NCZARR_API int nczarr_join(size_t n, const char *const *paths, const char *dim, const char *target, int cmode);

/*
 * Opens `n` datasets as one, as nc_open() does of a pattern: they are put in the order of their first coordinates along
 * `dim` where all have one, else they stay in that of `paths`. Types, packing and units that are the same in all stay
 * as they are. Read only (NC_EPERM). A program that stores the order gives them to nczarr_join(). Errors as there.
 */
NCZARR_API int nczarr_open_joined(size_t n, const char *const *paths, const char *dim, int omode, int *ncidp);

/* As nc_create() and nc_open(); sizes and hints are ignored. */
NCZARR_API int nc__create(const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int *ncidp);
NCZARR_API int nc__open(const char *path, int omode, size_t *chunksizehintp, int *ncidp);
NCZARR_API int nc__create_mp(const char *path, int cmode, size_t initialsz, int basepe, size_t *chunksizehintp,
                             int *ncidp);
NCZARR_API int nc__open_mp(const char *path, int omode, int basepe, size_t *chunksizehintp, int *ncidp);

/* Accepted, no effect; the PE is 0. */
NCZARR_API int nc_set_base_pe(int ncid, int pe);
NCZARR_API int nc_inq_base_pe(int ncid, int *pe);

/* Enters define mode. NC_EINDEFINE: already in it; NC_EPERM: read-only. Needed in the classic model only: otherwise a
 * definition, and a new attribute, enter define mode. */
NCZARR_API int nc_redef(int ncid);

/* Leaves define mode: existing definitions of variables become final (NC_ELATEDEF). nc_sync() and nc_close() store
 * them. NC_ENOTINDEFINE: not in define mode. Except in the classic model, putting data also leaves define mode. */
NCZARR_API int nc_enddef(int ncid);
NCZARR_API int nc__enddef(int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align);

/* Stores everything and makes it durable (fsync of files and directories). In the classic model NC_EINDEFINE in
 * define mode; otherwise leaves define mode as nc_enddef() does. A failed fsync is final: later calls fail too. On a
 * read-only dataset it only drops chunks that were read ahead; other chunks and the metadata stay cached. With NC_SHARE
 * what other processes have stored by then can be read afterwards: lengths of unlimited dimensions, and data, since
 * all cached chunks are dropped; for new definitions open the dataset again (parallel.md). A reader of a classic file
 * sees these, too, and needs no NC_SHARE. NC_EIO: another program has replaced a classic file, or its definitions. */
NCZARR_API int nc_sync(int ncid);

/* Stores everything as nc_sync() does and closes the dataset. Always releases it, and returns the first failure.
 * NC_EBADGRPID, of nc_abort(), too: the ncid is a group's; nothing is closed. */
NCZARR_API int nc_close(int ncid);

/* Closes the dataset without storing. After nc_create() it removes exactly what this session created, but a classic or
 * netCDF-4 file only before the first nc_enddef() or nc_sync(): afterwards that of netCDF-4 is as the last of these
 * left it, and in a classic one data that were put since may be, too. After nc_open() it drops changes that are not
 * stored yet. Always releases the dataset. */
NCZARR_API int nc_abort(int ncid);

/* Removes the dataset whose root is `path`, with everything below it. Removes nothing when that is not recognisably a
 * dataset (NC_ENOTNC), or holds anything else (NC_EEXIST; a link in a directory is NC_EOBJECT), unless the path ends in
 * `#replace=all`. Of a symbolic link only the link is removed. Where nothing exists: as nc_open(). The dataset must not
 * be open. */
NCZARR_API int nc_delete(const char *path);
NCZARR_API int nc_delete_mp(const char *path, int basepe);

/* *nobjectsp: how many objects (files) nc_delete() would remove at `path`, and nc_create() with NC_CLOBBER before it
 * makes a new dataset. Removes nothing, and fails as nc_delete() would: NC_EEXIST when something there is not part of a
 * dataset, which nczarr_errmsg() names. */
NCZARR_API int nczarr_inq_delete(const char *path, size_t *nobjectsp);

/* The path as passed to open or create. *pathlen does not count the NUL; `path` takes one byte more. */
NCZARR_API int nc_inq_path(int ncid, size_t *pathlen, char *path);

/* Counts of the group's own dimensions and variables, and of its (visible) attributes; first unlimited dimension, or
 * -1. */
NCZARR_API int nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp);
NCZARR_API int nc_inq_ndims(int ncid, int *ndimsp);
NCZARR_API int nc_inq_nvars(int ncid, int *nvarsp);
NCZARR_API int nc_inq_natts(int ncid, int *nattsp);
NCZARR_API int nc_inq_unlimdim(int ncid, int *unlimdimidp);

/* Unlimited dimensions of the group and its ancestors; call with NULL ids first for the count. */
NCZARR_API int nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp);

/* NC_FORMAT_NETCDF4 of Zarr and netCDF-4, or NC_FORMAT_NETCDF4_CLASSIC if created with NC_CLASSIC_MODEL; of a classic
 * file the format of its version. Extended: NC_FORMATX_NCZARR, _NC3 (classic files) or _NC_HDF5 (netCDF-4 files), and
 * the mode flags. */
NCZARR_API int nc_inq_format(int ncid, int *formatp);
NCZARR_API int nc_inq_format_extended(int ncid, int *formatp, int *modep);

/* The version of Zarr in which the dataset is stored: 2 or 3; 0: in another format, of which *nczarrp says nothing.
 * *nczarrp: 1 if it has NCZarr's own metadata and they are used, else 0 (pure Zarr). Either may be NULL. */
NCZARR_API int nczarr_inq_zarr_format(int ncid, int *versionp, int *nczarrp);

/* *consolidatedp: 1 if the dataset has consolidated metadata, or will have them when it is closed, else 0; may be NULL.
 * Costs a request where they are an object of their own. */
NCZARR_API int nczarr_inq_consolidated(int ncid, int *consolidatedp);

/*
 * What is damaged in the documents of a dataset and was passed over when they were read, since something else served:
 * consolidated metadata (the documents themselves were read), a document of the root that is not needed, a group's
 * document, a variable's attributes; and of a classic file that was cut what is missing. *np texts for people, each
 * naming a document; *textsp is NULL if there are none. They belong to the dataset: valid until it is closed. Either
 * pointer may be NULL. Each text is also a warning in the log. A variable that cannot be read is not among them: its
 * data give the error.
 */
NCZARR_API int nczarr_inq_warnings(int ncid, size_t *np, const char *const **textsp);

/*
 * What values of a classic file are that it has lost, since it was cut: a download that broke off, a full disk. There
 * is a warning of it when the file is opened (nczarr_inq_warnings()). NCZARR_MISSING_ZEROS, the default: zeros, as with
 * netCDF-C. NCZARR_MISSING_FILL: the variable's fill value. NCZARR_MISSING_ERROR: a get of any of them is NC_ETRUNC.
 * NC_EINVAL: another `how`. No effect on a dataset that is open to be written, and on other formats, where what is
 * missing is an error in any case.
 */
#define NCZARR_MISSING_ZEROS 0
#define NCZARR_MISSING_FILL  1
#define NCZARR_MISSING_ERROR 2
NCZARR_API int nczarr_set_missing(int ncid, int how);

/* NC_NOFILL: variables defined from now on have no fill value (in Zarr null in the document). NC_EINVAL other modes. */
NCZARR_API int nc_set_fill(int ncid, int fillmode, int *old_modep);

/* Logs the structure of the dataset at level 2 or 3 (information). */
NCZARR_API int nc_show_metadata(int ncid);

/* Bytes of one element of an atomic type in memory; -1 for others. */
NCZARR_API int nctypelen(nc_type datatype);

/* ---- datasets in memory ------------------------------------------------------------------------------------
 *
 * A dataset in one block of memory, which is a zip archive or a netCDF file: the block of nc_close_memio() can be
 * written to a file x.zip or x.nc, and the contents of such a file can be opened, and those of an HDF4 file. What is
 * made is chosen as by nc_create(), but Zarr is in an archive. (NC_DISKLESS: a dataset in memory that is loaded from a
 * path or stored to one. nczarr_zmap.h: in a map.) `path` is a name, or a URL whose fragment is used
 * (`file://x#mode=zarr`).
 *
 * nc_create_mem(): in a block of the library, initially of `initialsize` bytes. nc_open_mem(): reads the caller's
 * block, which must not move until the dataset is closed; NC_WRITE is NC_EINVAL. nc_open_memio(): with
 * NC_MEMIO_LOCKED the same. Without it the block must come from malloc(), and a successful call takes ownership:
 * nc_close() frees it, and NC_WRITE may change it. A locked block cannot be written to (NC_EINMEMORY). NC_ENOTNC:
 * neither an archive with a dataset nor a file of a format that is read.
 *
 * nc_close_memio() stores and closes as nc_close() does, and returns the block: the opened one, if it was locked;
 * else one that the caller frees with free(). NC_EINMEMORY: the dataset is not in a block, or a netCDF-4 file that
 * nc_open_memio() has opened with NC_WRITE: nc_copy_var() and the like copy it into one of nc_create_mem(). It stays
 * open.
 */
NCZARR_API int nc_open_mem(const char *path, int omode, size_t size, void *memory, int *ncidp);
NCZARR_API int nc_create_mem(const char *path, int cmode, size_t initialsize, int *ncidp);
NCZARR_API int nc_open_memio(const char *path, int omode, NC_memio *info, int *ncidp);
NCZARR_API int nc_close_memio(int ncid, NC_memio *info);

/* ---- groups ------------------------------------------------------------------------------------------------ */

/* NC_ENAMEINUSE a variable or group of that name; NC_EPERM; NC_ESTRICTNC3 in the classic model. */
NCZARR_API int nc_def_grp(int parent_ncid, const char *name, int *new_ncid);

/* In Zarr moves metadata and data below the new name. Crash-safe: the new objects are complete before the old are
 * deleted. In a file the name changes. NC_EBADGRPID the root; NC_ENAMEINUSE; NC_EPERM. */
NCZARR_API int nc_rename_grp(int grpid, const char *name);

/* Child group by name (NULL name: the group itself); a name with '/' is a full name. NC_ENOGRP. */
NCZARR_API int nc_inq_ncid(int ncid, const char *name, int *grp_ncid);
NCZARR_API int nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid);
/* By full name from the root, "/g1/g2" or "g1/g2". NC_ENOGRP. */
NCZARR_API int nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid);

/* Children; call with NULL ids first for the count. */
NCZARR_API int nc_inq_grps(int ncid, int *numgrps, int *ncids);
/* "/" for the root. */
NCZARR_API int nc_inq_grpname(int ncid, char *name);
/* Full name "/g1/g2"; *lenp without the NUL, `full_name` takes that and one more. */
NCZARR_API int nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name);
NCZARR_API int nc_inq_grpname_len(int ncid, size_t *lenp);
/* NC_ENOGRP for the root. */
NCZARR_API int nc_inq_grp_parent(int ncid, int *parent_ncid);

/* Ids of the group's variables; of its dimensions (if `include_parents` is not 0, also those of all
 * ancestors, in order of id); of its user-defined types. */
NCZARR_API int nc_inq_varids(int ncid, int *nvars, int *varids);
NCZARR_API int nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents);
NCZARR_API int nc_inq_typeids(int ncid, int *ntypes, int *typeids);

/* ---- dimensions -------------------------------------------------------------------------------------------- */

/* `len` 0 is NC_UNLIMITED: such a dimension grows as data are put. NC_ENAMEINUSE; NC_EPERM; NC_EDIMSIZE 2^63 or more;
 * classic model: NC_ENOTINDEFINE in data mode, NC_EUNLIMIT a second unlimited one. Otherwise there may be several
 * unlimited ones, in any place. */
NCZARR_API int nc_def_dim(int ncid, const char *name, size_t len, int *idp);
/* Searches the group, then its ancestors. NC_EBADDIM. */
NCZARR_API int nc_inq_dimid(int ncid, const char *name, int *idp);
/* Current length. NC_EDIMSIZE: larger than size_t (on 32 bits). */
NCZARR_API int nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp);
NCZARR_API int nc_inq_dimname(int ncid, int dimid, char *name);
NCZARR_API int nc_inq_dimlen(int ncid, int dimid, size_t *lenp);
/* Makes an unlimited dimension at least `len` long, as a put would, but writes no data: new elements read as fill.
 * Leaves define mode. NC_EINVAL a fixed dimension that is shorter; NC_EPERM; NC_EINDEFINE in the classic model;
 * NC_EVARSIZE more records than a classic file can hold. */
NCZARR_API int nczarr_grow_dim(int ncid, int dimid, size_t len);
/* NC_ENAMEINUSE; NC_EPERM read-only, or the document of a variable along it is never rewritten, as for attributes. */
NCZARR_API int nc_rename_dim(int ncid, int dimid, const char *name);

/* ---- variables --------------------------------------------------------------------------------------------- */

/* `ndims` dimension ids, slowest first, of any group; 0 for a scalar. NC_EBADTYPE no such type, or one that netCDF-C,
 * for which compat= makes the dataset, does not know; NC_ENOTBUILT in plain Zarr a compound with strings or sequences
 * in it, and sequences of these, of strings or of sequences, in plain Zarr v3 any sequences; NC_EINVAL a compound
 * without fields, an enumeration without members; NC_EBADDIM; NC_EINVAL ndims negative; NC_EMAXDIMS; NC_ENAMEINUSE;
 * NC_EPERM; NC_ESTRICTNC3 in the classic model for its extended types. */
NCZARR_API int nc_def_var(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int *varidp);

/* Everything about a variable; `dimidsp` takes its number of dimensions. A variable whose stored type netCDF does not
 * have is listed with type NC_NAT: its definition can be inquired; touching its data is NC_EBADTYPE with a text that
 * names the type. */
NCZARR_API int nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp);
NCZARR_API int nc_inq_varid(int ncid, const char *name, int *varidp);
NCZARR_API int nc_inq_varname(int ncid, int varid, char *name);
NCZARR_API int nc_inq_vartype(int ncid, int varid, nc_type *xtypep);
NCZARR_API int nc_inq_varndims(int ncid, int varid, int *ndimsp);
NCZARR_API int nc_inq_vardimid(int ncid, int varid, int *dimidsp);
NCZARR_API int nc_inq_varnatts(int ncid, int varid, int *nattsp);

/* In Zarr moves the data to the new name, as nc_rename_grp(). NC_ENAMEINUSE; NC_EPERM. */
NCZARR_API int nc_rename_var(int ncid, int varid, const char *name);

/* Copies definition, attributes and data into another open dataset or group. Uses its dimensions of the same names
 * and lengths, and creates missing ones. NC_ENAMEINUSE: a variable of that name exists; NC_EBADDIM: a dimension of
 * that name has another length. */
NCZARR_API int nc_copy_var(int ncid_in, int varid, int ncid_out);

#define NCZARR_COPY_EXACT        1 /* as stored, chunks longer than the dimension included, or an error */
#define NCZARR_COPY_NETCDF_TYPES 2 /* the stored type is the default of the netCDF type */
#define NCZARR_COPY_FLAT_CODECS  4 /* a nested sharding codec is replaced by its inner codecs */
#define NCZARR_COPY_NO_CODECS    8 /* the codecs stay those of a new variable, and strings of any length stay such */

/*
 * Defines how a new variable is stored, as another one is: stored type, width of strings, fill, byte order, order of
 * elements, chunks, shards, codecs. With nc_def_var(), nc_copy_att() and puts it makes a copy, as nc_copy_var() does.
 * The new one has the type and the number of dimensions of the other one, and its definition is not final. What the
 * target's version of Zarr has in another form is translated: strings of a fixed width become those of any length in
 * Zarr v3. Without NCZARR_COPY_EXACT what the target cannot have gets the default. Of the filters of an HDF5 file those
 * that Zarr lacks are left out; where one of them made chunks smaller, and no other one does, shuffle and deflate at
 * level 4 take its place.
 *
 * chunks  the lengths of a chunk; NULL: those of the other one, where they are worth keeping
 * shards  the lengths of a shard, all 0: none; NULL: those of the other one, where the target can have them
 * flags   NCZARR_COPY_...
 *
 * After a failure some of it may be defined. NC_EBADTYPE: another type, or one without netCDF meaning; NC_EINVAL:
 * another number of dimensions, an unknown flag; NC_ENOFILTER: the target has no form for a codec; and the errors of
 * the definitions.
 */
NCZARR_API int nczarr_copy_var_storage(int ncid_in, int varid_in, int ncid_out, int varid_out, const size_t *chunks,
                                       const size_t *shards, int flags);

/*
 * How a variable is stored. Each definition: NC_ELATEDEF once nc_enddef() has made it final; NC_EPERM read-only.
 *
 * fill      `no_fill` not 0: no fill value. Else `fill_value` (one element of the variable's type; NULL: the
 *           default) is also its attribute _FillValue. Inquiry returns the value in use. NC_EGLOBAL.
 * chunking  NC_CHUNKED with lengths in elements (NULL or a 0: the default for that dimension); NC_CONTIGUOUS and
 *           NC_COMPACT (not with unlimited dimensions: NC_EINVAL) are in Zarr one chunk of the whole shape.
 *           NC_EBADCHUNK longer than a fixed dimension; NC_EINVAL on a scalar with NC_CHUNKED. Inquiry returns the
 *           layout that was defined, now or by the dataset's creator, and the lengths; NC_CHUNKED for a variable with
 *           filters or shards, and NC_CONTIGUOUS for a scalar.
 * endian    NC_ENDIAN_*; NC_EINVAL another value, or a type that has no byte order (NC_CHAR, NC_STRING).
 */
NCZARR_API int nc_def_var_fill(int ncid, int varid, int no_fill, const void *fill_value);
NCZARR_API int nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep);
NCZARR_API int nc_def_var_chunking(int ncid, int varid, int storage, const size_t *chunksizesp);
NCZARR_API int nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp);
NCZARR_API int nc_def_var_endian(int ncid, int varid, int endian);
NCZARR_API int nc_inq_var_endian(int ncid, int varid, int *endianp);

/*
 * As nc_def_var_chunking() with NC_CHUNKED, but a chunk may be longer than a fixed dimension, as in datasets of other
 * software: its elements outside the array are padding. chunks[d] is a length in elements; 0: the default. NC_EBADCHUNK
 * too large; NC_EINVAL a scalar, or a null pointer; NC_ELATEDEF; NC_EPERM.
 */
NCZARR_API int nczarr_def_var_chunks(int ncid, int varid, const size_t *chunks);

/* The name of a variable's type, for people: netCDF's name ("int"), or for a type that netCDF does not have
 * (nc_inq_vartype() returns NC_NAT, touching the data NC_EBADTYPE) "bfloat16", "structure", "float128" or the text
 * in the document; "unknown" when the document cannot be read. *lenp does not count the NUL; `name` takes one byte
 * more. */
NCZARR_API int nczarr_inq_var_typename(int ncid, int varid, size_t *lenp, char *name);

/*
 * Shards (Zarr v3): objects that hold several chunks each, so that an array with many small chunks needs few objects.
 * A shard is the unit of writing and a chunk the unit of reading: chunks of one shard that change are stored together,
 * at nc_sync(), at closing or when memory for them runs out, and a shard that is written only in part is read before.
 * nc_def_var_chunking() and nc_inq_var_chunking() are about the chunks inside a shard. Processes may write
 * different chunks of one shard, and different parts of a chunk, at the same time in directories and buckets: nothing
 * is lost there (parallel.md).
 *
 * shards   the shape of a shard in elements, a number for each dimension, each a multiple of the chunk's length (define
 *          the chunks first); it may exceed the dimension. NULL or all 0: none, each chunk is an object of its own
 * *sharded 1 or 0; where it is 0, inquiry leaves `shards` alone. Either may be NULL
 *
 * NC_EBADCHUNK not a multiple, or more chunks than the index of a shard can have; NC_EINVAL a scalar, contiguous or
 * compact storage, or a dataset that is not Zarr v3; NC_ELATEDEF; NC_EPERM. While a variable has shards,
 * nc_def_var_chunking() checks against them. Source: the codec `sharding_indexed` of Zarr v3.
 */
NCZARR_API int nczarr_def_var_shards(int ncid, int varid, const size_t *shards);
NCZARR_API int nczarr_inq_var_shards(int ncid, int varid, int *sharded, size_t *shards);

/*
 * Bytes of one stored element of an NC_STRING variable. Once defined, a put cuts longer strings, with a line in the
 * log; so it does where the variable's attribute _nczarr_maxstrlen or the root's _nczarr_default_maxstrlen asks for a
 * width. Without any of these the width is 128 bytes at first, and a put of a longer string widens the variable: it
 * rewrites the chunks that are stored, and stores all changes (formats.md; NC_EBADCHUNK: a chunk or a string would be
 * too large; NC_ENOTBUILT: the dataset is open in parallel; errors of the store). The attribute 0 asks for strings of
 * any length. In Zarr v3 strings always have any length, and this has no effect. Only the attributes are remembered
 * when the dataset is opened again. Inquiry returns 0 for strings of any length. NC_EBADTYPE other types; NC_EINVAL 0;
 * NC_ELATEDEF.
 */
NCZARR_API int nczarr_def_var_strlen(int ncid, int varid, size_t nbytes);
NCZARR_API int nczarr_inq_var_strlen(int ncid, int varid, size_t *nbytesp);
#define NCZARR_MAXSTRLEN_ATT         "_nczarr_maxstrlen"
#define NCZARR_DEFAULT_MAXSTRLEN_ATT "_nczarr_default_maxstrlen"

/*
 * Sets the fill value of a variable in Zarr v3 without the attribute _FillValue: what elements of chunks that are not
 * stored read as, which no reader takes for missing data. `fill_value` is one element of the variable's type, and is
 * copied. nc_inq_var_fill() reports it. NC_EINVAL: a null pointer, or a dataset of Zarr v2, whose fill value is the
 * missing value; NC_EATTEXISTS: the variable has a _FillValue; NC_ELATEDEF: data were put already, too.
 */
NCZARR_API int nczarr_def_var_fill(int ncid, int varid, const void *fill_value);

/*
 * The type that elements are stored with, as NumPy and Zarr v2 spell it, in Zarr v3 too. Some have no netCDF type of
 * their own: `|b1` (bool, as NC_UBYTE), `<f2` (NC_FLOAT), `<U5` (NC_STRING of 5 UCS-4 characters), `<M8[ns]` and
 * `<m8[ns]` (times, as NC_INT64). Define it before the codecs. It sets the byte order and, for these types, when none
 * was defined, the fill value: false, NaN or NaT. netCDF-C cannot open a dataset that contains one of them. `|S5` are
 * NC_STRINGs of up to 5 bytes; in Zarr v3 that is `null_terminated_bytes`, which is not registered: few readers know
 * it. NC_EINVAL not a valid spelling, or codecs are defined already; NC_EBADTYPE the variable's netCDF type cannot be
 * stored so, or not in this dialect (compat=4.9.2 ...); NC_ELATEDEF. Inquiry: *lenp does not count the NUL; `dtype`
 * takes one byte more; either may be NULL. NC_EBADTYPE: not a plain type.
 */
NCZARR_API int nczarr_def_var_dtype(int ncid, int varid, const char *dtype);
NCZARR_API int nczarr_inq_var_dtype(int ncid, int varid, size_t *lenp, char *dtype);

/*
 * Lossy rounding of NC_FLOAT and NC_DOUBLE data as they are put, so that they compress better: NC_QUANTIZE_BITGROOM
 * and NC_QUANTIZE_GRANULARBR keep `nsd` significant decimal digits (1 to 7, 1 to 15), NC_QUANTIZE_BITROUND keeps
 * `nsd` bits of the mantissa (1 to 23, 1 to 52). NC_NOQUANTIZE switches it off. Stored as the attribute
 * NC_QUANTIZE_..._ATT_NAME. The results are bit for bit those of netCDF-C, with exceptions: zeros, infinities and NaN
 * stay unchanged, and so do floats whose 7 digits need more bits than they have. NC_EINVAL other types or numbers;
 * NC_EGLOBAL; NC_ELATEDEF.
 */
NCZARR_API int nc_def_var_quantize(int ncid, int varid, int quantize_mode, int nsd);
NCZARR_API int nc_inq_var_quantize(int ncid, int varid, int *quantize_modep, int *nsdp);

/* Chunk cache of a variable: advisory values, stored and returned (all variables share the dataset's cache).
 * preemption 0 to 1, else NC_EINVAL. */
NCZARR_API int nc_set_var_chunk_cache(int ncid, int varid, size_t size, size_t nelems, float preemption);
NCZARR_API int nc_get_var_chunk_cache(int ncid, int varid, size_t *sizep, size_t *nelemsp, float *preemptionp);

/* ---- filters ----------------------------------------------------------------------------------------------- */

/*
 * Each definition appends its codec to the variable's chain (shuffle goes before deflate), or changes the parameters
 * of the codec when the chain has it already. NC_ELATEDEF; NC_EPERM; NC_EINVAL a parameter out of range, or a scalar
 * variable; NC_ENOFILTER not built in. Inquiries about a codec that is not in the chain return 0 for "has filter" and
 * for its parameters. For an application's own filters see nczarr_filter.h.
 */
/*
 * shuffle not 0: adds the shuffle filter, which groups the bytes of all elements by significance. deflate not 0: adds
 * zlib at deflate_level 1 (fast) to 9 (small); level 0 removes it. An argument that is 0 leaves its filter as it is.
 * Strings and sequences of any length are not shuffled, whatever is asked, as in netCDF-C.
 */
NCZARR_API int nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level);
/* 0 or 1 each; the level is 0 without deflate. */
NCZARR_API int nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp);
/* options_mask: 4 (entropy coding) or 32 (nearest neighbour). pixels_per_block: elements of a block, an even number
 * from 2 to 32. Both inquire as 0 without the filter. */
NCZARR_API int nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block);
NCZARR_API int nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp);
/* A checksum for each chunk, verified on reading. fletcher32 0: removes it. */
NCZARR_API int nc_def_var_fletcher32(int ncid, int varid, int fletcher32);
NCZARR_API int nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p);
/* level: 1 (fast) to 9 (small). */
NCZARR_API int nc_def_var_bzip2(int ncid, int varid, int level);
NCZARR_API int nc_inq_var_bzip2(int ncid, int varid, int *hasfilterp, int *levelp);
/* level: up to 22 (small); 3 is zstd's usual one, negative ones are faster. */
NCZARR_API int nc_def_var_zstandard(int ncid, int varid, int level);
NCZARR_API int nc_inq_var_zstandard(int ncid, int varid, int *hasfilterp, int *levelp);
/*
 * subcompressor: 0 blosclz, 1 lz4, 2 lz4hc, 3 snappy, 4 zlib, 5 zstd. level: 0 (stored) to 9 (small). blocksize:
 * bytes of a block inside of a chunk, 0 for the library's choice. addshuffle: 0 none, 1 bytes, 2 bits.
 */
NCZARR_API int nc_def_var_blosc(int ncid, int varid, unsigned subcompressor, unsigned level, unsigned blocksize,
                                unsigned addshuffle);
NCZARR_API int nc_inq_var_blosc(int ncid, int varid, int *hasfilterp, unsigned *subcompressorp, unsigned *levelp,
                                unsigned *blocksizep, unsigned *addshufflep);

/* By HDF5 filter id and its parameter words. */
NCZARR_API int nc_def_var_filter(int ncid, int varid, unsigned int id, size_t nparams, const unsigned int *params);
/* The first of the chain; *idp is 0 when the chain is empty. */
NCZARR_API int nc_inq_var_filter(int ncid, int varid, unsigned int *idp, size_t *nparamsp, unsigned int *params);
/* All of them, in the order of encoding; call with NULL ids first for the count. */
NCZARR_API int nc_inq_var_filter_ids(int ncid, int varid, size_t *nfiltersp, unsigned int *filterids);
/* NC_ENOFILTER: not in the variable's chain. */
NCZARR_API int nc_inq_var_filter_info(int ncid, int varid, unsigned int id, size_t *nparamsp, unsigned int *params);
/* NC_NOERR when the filter is built in or registered (nczarr_filter.h), else NC_ENOFILTER. */
NCZARR_API int nc_inq_filter_avail(int ncid, unsigned id);

/* The search path of netCDF-C's plug-ins. This library has no plug-ins: the list is empty, setting it has no
 * effect. */
typedef struct NCPluginList {
    size_t ndirs;
    char **dirs;
} NCPluginList;

NCZARR_API int nc_plugin_path_ndirs(size_t *ndirsp);
NCZARR_API int nc_plugin_path_get(NCPluginList *dirs);
NCZARR_API int nc_plugin_path_set(NCPluginList *dirs);

/* ---- data --------------------------------------------------------------------------------------------------
 *
 * Ten functions, each put or get:
 *
 *   var    the whole variable              var1   one element at indexp
 *   vara   the box startp, countp          vars   every stridep-th element of it
 *   varm   the same; element (i, j, ...) is i*imapp[0] + j*imapp[1] + ... elements after the pointer
 *
 * All coordinates are in elements, slowest dimension first, as many as the variable has. countp NULL: all that remains
 * (in steps of stridep); stridep NULL: ones; imapp NULL: packed. Scalars ignore them, and may have no startp or indexp.
 *
 * A successful put beyond the length of an unlimited dimension makes the dimension longer. All variables that share
 * it then read as fill in the new range, even where an interrupted writer left chunks. In directories and buckets any
 * number of processes may do so at the same time (parallel.md). nc_put_var on a variable with unlimited dimensions puts
 * their current lengths.
 *
 * Errors: NC_EINVALCOORDS no start, or one beyond the length (equal to it is fine with a count of 0), and any reading
 * beyond an unlimited length; NC_EEDGE start + count beyond it; NC_ESTRIDE a stride not positive; NC_ENOTVAR also for
 * NC_GLOBAL; NC_EPERM put, read-only; NC_ENOFILTER, NC_EFILTER, NC_EIO... with a text naming the chunk; NC_EINDEFINE
 * in the classic model's define mode. Chunks stored before a failure remain stored.
 */

/* In the variable's own type. The caller releases strings that were read: nc_free_string(). */
NCZARR_API int nc_put_var(int ncid, int varid, const void *op);
NCZARR_API int nc_get_var(int ncid, int varid, void *ip);
NCZARR_API int nc_put_var1(int ncid, int varid, const size_t *indexp, const void *op);
NCZARR_API int nc_get_var1(int ncid, int varid, const size_t *indexp, void *ip);
NCZARR_API int nc_put_vara(int ncid, int varid, const size_t *startp, const size_t *countp, const void *op);
NCZARR_API int nc_get_vara(int ncid, int varid, const size_t *startp, const size_t *countp, void *ip);
NCZARR_API int nc_put_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
                           const void *op);
NCZARR_API int nc_get_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
                           void *ip);
NCZARR_API int nc_put_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
                           const ptrdiff_t *imapp, const void *op);
NCZARR_API int nc_get_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep,
                           const ptrdiff_t *imapp, void *ip);

/*
 * The strings of an NC_STRING variable with their lengths, for NULs in them, where nc_get_var() and the like give what
 * is before the first: `len` bytes at `p`, of a get followed by a NUL that is not counted. NULs at the end of a string
 * of fixed width are its padding. stridep NULL: ones. The caller releases what was read: nc_free_vlens(). NC_EBADTYPE
 * another type.
 */
NCZARR_API int nczarr_put_vars_counted(int ncid, int varid, const size_t *startp, const size_t *countp,
                                       const ptrdiff_t *stridep, const nc_vlen_t *op);
NCZARR_API int nczarr_get_vars_counted(int ncid, int varid, const size_t *startp, const size_t *countp,
                                       const ptrdiff_t *stridep, nc_vlen_t *ip);

/*
 * Typed: memory holds the type in the function's name, which is converted to and from the variable's type. Numeric
 * types convert by C's rules. A value out of range is still converted; the call completes and returns NC_ERANGE.
 * `text` goes with NC_CHAR only, and NC_CHAR with `text` only (NC_ECHAR); `string` with NC_STRING only (NC_EBADTYPE).
 * uchar and ubyte are the same in memory, and so are schar and NC_BYTE.
 */
NCZARR_API int nc_put_var_text(int ncid, int varid, const char *op);
NCZARR_API int nc_put_var_uchar(int ncid, int varid, const unsigned char *op);
NCZARR_API int nc_put_var_schar(int ncid, int varid, const signed char *op);
NCZARR_API int nc_put_var_short(int ncid, int varid, const short *op);
NCZARR_API int nc_put_var_int(int ncid, int varid, const int *op);
NCZARR_API int nc_put_var_long(int ncid, int varid, const long *op);
NCZARR_API int nc_put_var_float(int ncid, int varid, const float *op);
NCZARR_API int nc_put_var_double(int ncid, int varid, const double *op);
NCZARR_API int nc_put_var_ubyte(int ncid, int varid, const unsigned char *op);
NCZARR_API int nc_put_var_ushort(int ncid, int varid, const unsigned short *op);
NCZARR_API int nc_put_var_uint(int ncid, int varid, const unsigned int *op);
NCZARR_API int nc_put_var_longlong(int ncid, int varid, const long long *op);
NCZARR_API int nc_put_var_ulonglong(int ncid, int varid, const unsigned long long *op);
NCZARR_API int nc_put_var_string(int ncid, int varid, const char **op);
NCZARR_API int nc_get_var_text(int ncid, int varid, char *ip);
NCZARR_API int nc_get_var_uchar(int ncid, int varid, unsigned char *ip);
NCZARR_API int nc_get_var_schar(int ncid, int varid, signed char *ip);
NCZARR_API int nc_get_var_short(int ncid, int varid, short *ip);
NCZARR_API int nc_get_var_int(int ncid, int varid, int *ip);
NCZARR_API int nc_get_var_long(int ncid, int varid, long *ip);
NCZARR_API int nc_get_var_float(int ncid, int varid, float *ip);
NCZARR_API int nc_get_var_double(int ncid, int varid, double *ip);
NCZARR_API int nc_get_var_ubyte(int ncid, int varid, unsigned char *ip);
NCZARR_API int nc_get_var_ushort(int ncid, int varid, unsigned short *ip);
NCZARR_API int nc_get_var_uint(int ncid, int varid, unsigned int *ip);
NCZARR_API int nc_get_var_longlong(int ncid, int varid, long long *ip);
NCZARR_API int nc_get_var_ulonglong(int ncid, int varid, unsigned long long *ip);
NCZARR_API int nc_get_var_string(int ncid, int varid, char **ip);
NCZARR_API int nc_put_var1_text(int ncid, int varid, const size_t *indexp, const char *op);
NCZARR_API int nc_put_var1_uchar(int ncid, int varid, const size_t *indexp, const unsigned char *op);
NCZARR_API int nc_put_var1_schar(int ncid, int varid, const size_t *indexp, const signed char *op);
NCZARR_API int nc_put_var1_short(int ncid, int varid, const size_t *indexp, const short *op);
NCZARR_API int nc_put_var1_int(int ncid, int varid, const size_t *indexp, const int *op);
NCZARR_API int nc_put_var1_long(int ncid, int varid, const size_t *indexp, const long *op);
NCZARR_API int nc_put_var1_float(int ncid, int varid, const size_t *indexp, const float *op);
NCZARR_API int nc_put_var1_double(int ncid, int varid, const size_t *indexp, const double *op);
NCZARR_API int nc_put_var1_ubyte(int ncid, int varid, const size_t *indexp, const unsigned char *op);
NCZARR_API int nc_put_var1_ushort(int ncid, int varid, const size_t *indexp, const unsigned short *op);
NCZARR_API int nc_put_var1_uint(int ncid, int varid, const size_t *indexp, const unsigned int *op);
NCZARR_API int nc_put_var1_longlong(int ncid, int varid, const size_t *indexp, const long long *op);
NCZARR_API int nc_put_var1_ulonglong(int ncid, int varid, const size_t *indexp, const unsigned long long *op);
NCZARR_API int nc_put_var1_string(int ncid, int varid, const size_t *indexp, const char **op);
NCZARR_API int nc_get_var1_text(int ncid, int varid, const size_t *indexp, char *ip);
NCZARR_API int nc_get_var1_uchar(int ncid, int varid, const size_t *indexp, unsigned char *ip);
NCZARR_API int nc_get_var1_schar(int ncid, int varid, const size_t *indexp, signed char *ip);
NCZARR_API int nc_get_var1_short(int ncid, int varid, const size_t *indexp, short *ip);
NCZARR_API int nc_get_var1_int(int ncid, int varid, const size_t *indexp, int *ip);
NCZARR_API int nc_get_var1_long(int ncid, int varid, const size_t *indexp, long *ip);
NCZARR_API int nc_get_var1_float(int ncid, int varid, const size_t *indexp, float *ip);
NCZARR_API int nc_get_var1_double(int ncid, int varid, const size_t *indexp, double *ip);
NCZARR_API int nc_get_var1_ubyte(int ncid, int varid, const size_t *indexp, unsigned char *ip);
NCZARR_API int nc_get_var1_ushort(int ncid, int varid, const size_t *indexp, unsigned short *ip);
NCZARR_API int nc_get_var1_uint(int ncid, int varid, const size_t *indexp, unsigned int *ip);
NCZARR_API int nc_get_var1_longlong(int ncid, int varid, const size_t *indexp, long long *ip);
NCZARR_API int nc_get_var1_ulonglong(int ncid, int varid, const size_t *indexp, unsigned long long *ip);
NCZARR_API int nc_get_var1_string(int ncid, int varid, const size_t *indexp, char **ip);
NCZARR_API int nc_put_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, const char *op);
NCZARR_API int nc_put_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const unsigned char *op);
NCZARR_API int nc_put_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const signed char *op);
NCZARR_API int nc_put_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, const short *op);
NCZARR_API int nc_put_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, const int *op);
NCZARR_API int nc_put_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, const long *op);
NCZARR_API int nc_put_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, const float *op);
NCZARR_API int nc_put_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, const double *op);
NCZARR_API int nc_put_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const unsigned char *op);
NCZARR_API int nc_put_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const unsigned short *op);
NCZARR_API int nc_put_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const unsigned int *op);
NCZARR_API int nc_put_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const long long *op);
NCZARR_API int nc_put_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     const unsigned long long *op);
NCZARR_API int nc_put_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, const char **op);
NCZARR_API int nc_get_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, char *ip);
NCZARR_API int nc_get_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned char *ip);
NCZARR_API int nc_get_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp, signed char *ip);
NCZARR_API int nc_get_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, short *ip);
NCZARR_API int nc_get_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, int *ip);
NCZARR_API int nc_get_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, long *ip);
NCZARR_API int nc_get_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, float *ip);
NCZARR_API int nc_get_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, double *ip);
NCZARR_API int nc_get_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned char *ip);
NCZARR_API int nc_get_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  unsigned short *ip);
NCZARR_API int nc_get_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned int *ip);
NCZARR_API int nc_get_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, long long *ip);
NCZARR_API int nc_get_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     unsigned long long *ip);
NCZARR_API int nc_get_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, char **ip);
NCZARR_API int nc_put_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const char *op);
NCZARR_API int nc_put_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const unsigned char *op);
NCZARR_API int nc_put_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const signed char *op);
NCZARR_API int nc_put_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const short *op);
NCZARR_API int nc_put_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp,
                               const ptrdiff_t *stridep, const int *op);
NCZARR_API int nc_put_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const long *op);
NCZARR_API int nc_put_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const float *op);
NCZARR_API int nc_put_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const double *op);
NCZARR_API int nc_put_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const unsigned char *op);
NCZARR_API int nc_put_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const unsigned short *op);
NCZARR_API int nc_put_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const unsigned int *op);
NCZARR_API int nc_put_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const ptrdiff_t *stridep, const long long *op);
NCZARR_API int nc_put_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     const ptrdiff_t *stridep, const unsigned long long *op);
NCZARR_API int nc_put_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const char **op);
NCZARR_API int nc_get_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, char *ip);
NCZARR_API int nc_get_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, unsigned char *ip);
NCZARR_API int nc_get_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, signed char *ip);
NCZARR_API int nc_get_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, short *ip);
NCZARR_API int nc_get_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp,
                               const ptrdiff_t *stridep, int *ip);
NCZARR_API int nc_get_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, long *ip);
NCZARR_API int nc_get_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, float *ip);
NCZARR_API int nc_get_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, double *ip);
NCZARR_API int nc_get_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, unsigned char *ip);
NCZARR_API int nc_get_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, unsigned short *ip);
NCZARR_API int nc_get_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, unsigned int *ip);
NCZARR_API int nc_get_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const ptrdiff_t *stridep, long long *ip);
NCZARR_API int nc_get_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     const ptrdiff_t *stridep, unsigned long long *ip);
NCZARR_API int nc_get_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, char **ip);
NCZARR_API int nc_put_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, const char *op);
NCZARR_API int nc_put_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned char *op);
NCZARR_API int nc_put_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, const signed char *op);
NCZARR_API int nc_put_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, const short *op);
NCZARR_API int nc_put_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp,
                               const ptrdiff_t *stridep, const ptrdiff_t *imapp, const int *op);
NCZARR_API int nc_put_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, const long *op);
NCZARR_API int nc_put_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, const float *op);
NCZARR_API int nc_put_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, const double *op);
NCZARR_API int nc_put_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned char *op);
NCZARR_API int nc_put_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned short *op);
NCZARR_API int nc_put_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned int *op);
NCZARR_API int nc_put_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const ptrdiff_t *stridep, const ptrdiff_t *imapp, const long long *op);
NCZARR_API int nc_put_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     const ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned long long *op);
NCZARR_API int nc_put_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, const char **op);
NCZARR_API int nc_get_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, char *ip);
NCZARR_API int nc_get_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned char *ip);
NCZARR_API int nc_get_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, signed char *ip);
NCZARR_API int nc_get_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, short *ip);
NCZARR_API int nc_get_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp,
                               const ptrdiff_t *stridep, const ptrdiff_t *imapp, int *ip);
NCZARR_API int nc_get_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, long *ip);
NCZARR_API int nc_get_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, float *ip);
NCZARR_API int nc_get_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, double *ip);
NCZARR_API int nc_get_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp,
                                 const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned char *ip);
NCZARR_API int nc_get_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned short *ip);
NCZARR_API int nc_get_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp,
                                const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned int *ip);
NCZARR_API int nc_get_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                    const ptrdiff_t *stridep, const ptrdiff_t *imapp, long long *ip);
NCZARR_API int nc_get_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp,
                                     const ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned long long *ip);
NCZARR_API int nc_get_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp,
                                  const ptrdiff_t *stridep, const ptrdiff_t *imapp, char **ip);

/* ---- attributes --------------------------------------------------------------------------------------------
 *
 * `varid` NC_GLOBAL means the group itself. Attribute numbers count from 0 in the order of creation.
 * NC_ENOTATT: no such attribute. Changes: NC_EPERM read-only, or a variable whose document is not fully
 * understood, and so never rewritten (the text says why). Putting: NC_ENAMEINUSE a name that the format reserves
 * (_ARRAY_DIMENSIONS, _NCProperties, _nczarr_... and some of HDF5's); NC_EBADTYPE no such type; NC_EINVAL length
 * without data; classic model: NC_ENOTINDEFINE a new or longer attribute outside of define mode, NC_ESTRICTNC3 its
 * extended types. _FillValue of a variable is its fill value: NC_EBADTYPE another type than the variable's, NC_EINVAL
 * more or less than one, NC_ELATEFILL once the variable has data. It can be renamed and deleted then, too, and another
 * attribute be renamed so: each element keeps its value, and NC_ELATEFILL is that too many chunks were never written.
 * Found by name, but never listed: _NCProperties, _IsNetcdf4, _SuperblockVersion (of the root), _Codecs (of a
 * variable).
 */

/* Creates or replaces; `len` elements of type `xtype` at op, without conversion. */
NCZARR_API int nc_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, const void *op);
/* In its own type; ip takes nc_inq_attlen() elements. NC_STRING: the pointers are the caller's, nc_free_string(). */
NCZARR_API int nc_get_att(int ncid, int varid, const char *name, void *ip);
/* Type, and number of elements (of text: bytes, without a NUL). */
NCZARR_API int nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp);
/* The attribute's number: 0 for the first. Deleting another one may change it. */
NCZARR_API int nc_inq_attid(int ncid, int varid, const char *name, int *idp);
NCZARR_API int nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep);
NCZARR_API int nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp);
/* The name of number attnum, 0 to nc_inq_natts() - 1, into NC_MAX_NAME + 1 bytes. */
NCZARR_API int nc_inq_attname(int ncid, int varid, int attnum, char *name);
/* Into another (or the same) dataset; replaces. A _FillValue that is a number of another type than the variable's gets
 * that type, if it fits exactly. */
NCZARR_API int nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);
/* NC_ENAMEINUSE. Keeps the number. */
NCZARR_API int nc_rename_att(int ncid, int varid, const char *name, const char *newname);
/* The numbers of those after it become one less. */
NCZARR_API int nc_del_att(int ncid, int varid, const char *name);

/* Typed: memory holds the type in the name; put stores as `xtype`, get converts. NC_ECHAR, NC_EBADTYPE and
 * NC_ERANGE as for data: after NC_ERANGE the attribute exists, with the converted values. text is
 * NC_CHAR (`len` bytes), string NC_STRING. */
NCZARR_API int nc_put_att_text(int ncid, int varid, const char *name, size_t len, const char *op);
NCZARR_API int nc_put_att_uchar(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                const unsigned char *op);
NCZARR_API int nc_put_att_schar(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                const signed char *op);
NCZARR_API int nc_put_att_short(int ncid, int varid, const char *name, nc_type xtype, size_t len, const short *op);
NCZARR_API int nc_put_att_int(int ncid, int varid, const char *name, nc_type xtype, size_t len, const int *op);
NCZARR_API int nc_put_att_long(int ncid, int varid, const char *name, nc_type xtype, size_t len, const long *op);
NCZARR_API int nc_put_att_float(int ncid, int varid, const char *name, nc_type xtype, size_t len, const float *op);
NCZARR_API int nc_put_att_double(int ncid, int varid, const char *name, nc_type xtype, size_t len, const double *op);
NCZARR_API int nc_put_att_ubyte(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                const unsigned char *op);
NCZARR_API int nc_put_att_ushort(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                 const unsigned short *op);
NCZARR_API int nc_put_att_uint(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                               const unsigned int *op);
NCZARR_API int nc_put_att_longlong(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                   const long long *op);
NCZARR_API int nc_put_att_ulonglong(int ncid, int varid, const char *name, nc_type xtype, size_t len,
                                    const unsigned long long *op);
NCZARR_API int nc_put_att_string(int ncid, int varid, const char *name, size_t len, const char **op);
NCZARR_API int nc_get_att_text(int ncid, int varid, const char *name, char *ip);
NCZARR_API int nc_get_att_uchar(int ncid, int varid, const char *name, unsigned char *ip);
NCZARR_API int nc_get_att_schar(int ncid, int varid, const char *name, signed char *ip);
NCZARR_API int nc_get_att_short(int ncid, int varid, const char *name, short *ip);
NCZARR_API int nc_get_att_int(int ncid, int varid, const char *name, int *ip);
NCZARR_API int nc_get_att_long(int ncid, int varid, const char *name, long *ip);
NCZARR_API int nc_get_att_float(int ncid, int varid, const char *name, float *ip);
NCZARR_API int nc_get_att_double(int ncid, int varid, const char *name, double *ip);
NCZARR_API int nc_get_att_ubyte(int ncid, int varid, const char *name, unsigned char *ip);
NCZARR_API int nc_get_att_ushort(int ncid, int varid, const char *name, unsigned short *ip);
NCZARR_API int nc_get_att_uint(int ncid, int varid, const char *name, unsigned int *ip);
NCZARR_API int nc_get_att_longlong(int ncid, int varid, const char *name, long long *ip);
NCZARR_API int nc_get_att_ulonglong(int ncid, int varid, const char *name, unsigned long long *ip);
NCZARR_API int nc_get_att_string(int ncid, int varid, const char *name, char **ip);

/* ---- types ------------------------------------------------------------------------------------------------- */

/*
 * Name ("byte", "char", "short", "int", "float", "double", "ubyte", "ushort", "uint", "int64", "uint64", "string", or
 * that of a user-defined type) and size in memory. For atomic types any ncid will do, open or not. NC_EBADTYPE: the
 * dataset has no such type.
 */
NCZARR_API int nc_inq_type(int ncid, nc_type xtype, char *name, size_t *sizep);
/* The type of that name: an absolute path "/g1/t"; else a name in the group, in its ancestors, then in all groups.
 * NC_EBADTYPE; NC_EINVAL: a path that does not begin with '/'. */
NCZARR_API int nc_inq_typeid(int ncid, const char *name, nc_type *typeidp);
/* Whether two types have the same structure: class, size, base type, fields with their names and offsets, members.
 * Their own names may differ. NC_EBADTYPE. */
NCZARR_API int nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp);
/*
 * User-defined types. A type belongs to a group; its id (NC_FIRSTUSERTYPEID and up) is valid in all of the dataset
 * until it is closed. Defining takes the dataset into define mode. All functions: NC_EBADID; NC_EBADTYPE no such type,
 * or one of another class. Those that define: NC_EPERM; NC_ESTRICTNC3 the classic model; NC_EINVAL a name that is NULL;
 * NC_EBADNAME; NC_EMAXNAME; NC_ENAMEINUSE a variable, group or type of the group has the name; NC_ENOMEM.
 * A definition is final once a variable, an attribute or another type has it, and in a dataset that was opened: after
 * that nc_insert_*() returns NC_ETYPDEFINED. Any result pointer may be NULL.
 */

/* Class (NC_COMPOUND, NC_ENUM, NC_OPAQUE, NC_VLEN); base type of an enumeration and a variable-length type, else
 * NC_NAT; number of fields or members, else 0. */
NCZARR_API int nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *base_nc_typep,
                                size_t *nfieldsp, int *classp);

/* A structure of `size` bytes in memory. NC_EINVAL: 0, or more than a chunk may have. */
NCZARR_API int nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp);
/*
 * Adds a field at `offset` bytes (as of offsetof()), of any type of the dataset, atomic or not; an array in C order
 * with `ndims` lengths. NC_EINVAL: it does not lie within the structure, overlaps another field, or has a length below
 * 1.
 */
NCZARR_API int nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid);
NCZARR_API int nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset,
                                        nc_type field_typeid, int ndims, const int *dim_sizes);
/* Fields count from 0. NC_EBADFIELD: there is no such field. */
NCZARR_API int nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp);
NCZARR_API int nc_inq_compound_name(int ncid, nc_type xtype, char *name);
NCZARR_API int nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep);
NCZARR_API int nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp);
NCZARR_API int nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp,
                                     nc_type *field_typeidp, int *ndimsp, int *dim_sizesp);
NCZARR_API int nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name);
NCZARR_API int nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp);
NCZARR_API int nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp);
NCZARR_API int nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp);
NCZARR_API int nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp);
NCZARR_API int nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes);
/* Sequences of any length, in memory an nc_vlen_t, of any type of the dataset. What nc_get_var() and the like make is
 * the caller's, for nc_free_vlens() or nc_reclaim_data(); an empty one has no pointer. NC_EINVAL of a put: a length and
 * no pointer. */
NCZARR_API int nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep);
NCZARR_API int nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep);
/* Lets an nc_vlen_t point to `len` values, which are not copied; copies its values to `data`. NC_EINVAL: a NULL. */
NCZARR_API int nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void *data);
NCZARR_API int nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void *data);
/* Named values of an integer type (NC_EBADTYPE: any other). */
NCZARR_API int nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp);
/* `value` is of the base type. NC_EINVAL: NULL, or a member has it. */
NCZARR_API int nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value);
NCZARR_API int nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep,
                           size_t *num_membersp);
/* Members count from 0: NC_EINVAL beyond. */
NCZARR_API int nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value);
/* The name of the member with that value; "_UNDEFINED" for 0 if none has it; else NC_EINVAL. */
NCZARR_API int nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier);
/* `size` uninterpreted bytes. NC_EINVAL: 0, or more than a chunk may have. */
NCZARR_API int nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep);
NCZARR_API int nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep);

/* ---- memory ------------------------------------------------------------------------------------------------ */

/* Releases `len` strings that the library returned (not the array that holds them) and sets them to NULL. */
NCZARR_API int nc_free_string(size_t len, char **data);
/* Releases the sequences with free() and empties them; not what their values own: nc_reclaim_data() knows that. */
NCZARR_API int nc_free_vlen(nc_vlen_t *vl);
NCZARR_API int nc_free_vlens(size_t len, nc_vlen_t vlens[]);
/* Releases the strings and sequences in `count` elements, however deep; _all also the memory itself (free()).
 * NC_EBADTYPE; NC_EINVAL a NULL. */
NCZARR_API int nc_reclaim_data(int ncid, nc_type xtype, void *memory, size_t count);
NCZARR_API int nc_reclaim_data_all(int ncid, nc_type xtype, void *memory, size_t count);
/* Deep copy of `count` elements; _all into fresh memory, the caller's. NC_EBADTYPE; NC_EINVAL a NULL. */
NCZARR_API int nc_copy_data(int ncid, nc_type xtype, const void *memory, size_t count, void *copy);
NCZARR_API int nc_copy_data_all(int ncid, nc_type xtype, const void *memory, size_t count, void **copyp);
/* `count` elements as text, separated by blanks, for people who look for a fault: numbers, 'c', "text", names of
 * members, 0X00FF, {1, 2} for sequences and compounds. The caller frees *buf with free(). NC_EBADTYPE; NC_EINVAL a
 * NULL. */
NCZARR_API int nc_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_H */
