/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * util: what every module uses. Errors with their text, allocation through one table, checked arithmetic, buffers
 * with a ceiling, names and UTF-8, a cursor for binary headers, limits, the clock, the thread pool, the log.
 *
 * The lowest module: it knows nothing of arrays, stores or documents.
 */
#ifndef NCZ_UTIL_H
#define NCZ_UTIL_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/nearest.h"

#include "nczarr.h" /* NC_E* codes and nc_type numbers */

#define NCZ_PRINTF(fmt, args) NCZARR_PRINTF(fmt, args)
#define NCZ_LEN(array)        (sizeof(array) / sizeof((array)[0]))

/* ---- errors ------------------------------------------------------------------------------------------------
 *
 * A failure is recorded where it is first noticed: ncz_fail() puts a text in this thread's record and returns the
 * code, so that `return ncz_fail(NC_EZARRMETA, "%s: ...", key)` does both. Callers pass codes on unchanged.
 */
#define NCZ_ERR_TEXT 512

/* A status that travels between threads or in a batch: the code and its text. */
typedef struct ncz_err {
    int  code;
    char text[NCZ_ERR_TEXT];
} ncz_err;

/* Records the text and returns `code`. Never fails, never allocates; a text that is too long is cut between two
 * characters. */
int ncz_fail(int code, const char *fmt, ...) NCZ_PRINTF(2, 3);
int ncz_fail_args(int code, const char *fmt, va_list args) NCZ_PRINTF(2, 0);

/*
 * Records a failed system call. The code keeps what a caller can act on: ENOMEM NC_ENOMEM, EACCES and EPERM
 * NC_EACCESS, EIO NC_EIO, EMFILE and ENFILE NC_ENFILE; all else is the positive errno itself (ENOSPC, EDQUOT, EROFS,
 * ENAMETOOLONG ...), which nc_strerror() knows too. ": <system's text>" is added to the message.
 */
int ncz_fail_errno(int err, const char *fmt, ...) NCZ_PRINTF(2, 3);

int ncz_fail_lock(int err);        /* a lock that could not be created */
int ncz_fail_nomem(size_t nbytes); /* NC_ENOMEM, "out of memory (N bytes)" */

const char *ncz_err_text(void);                 /* this thread's last text; "" when none */
void        ncz_err_clear(void);                /* called at each API entry */
void        ncz_err_save(ncz_err *e, int code); /* copy this thread's record beside `code` */
int         ncz_err_adopt(const ncz_err *e);    /* make `e` this thread's record; returns its code */

/* For an object that keeps its error, usually none: a pointer that is never NULL. */
extern const ncz_err ncz_err_none;                   /* NC_NOERR */
const ncz_err       *ncz_err_keep(int code);         /* the thread's record beside `code`; NULL: out of memory */
const ncz_err       *ncz_err_dup(const ncz_err *e);  /* NULL: out of memory */
void                 ncz_err_drop(const ncz_err *e); /* frees it, unless it is ncz_err_none; NULL is fine */

/* ---- allocation --------------------------------------------------------------------------------------------
 *
 * Everything the library allocates comes through here, so that a test can make the n-th allocation fail. A zero size
 * gives a valid pointer. On failure they return NULL and record nothing: the caller calls ncz_fail_nomem().
 */
typedef struct ncz_alloc_table {
    void *(*get)(size_t nbytes);
    void *(*resize)(void *p, size_t nbytes);
    void (*put)(void *p);
} ncz_alloc_table;

void *ncz_alloc(size_t nbytes);           /* uninitialised */
void *ncz_zalloc(size_t nbytes);          /* zeroed */
void *ncz_alloc_n(size_t n, size_t item); /* n * item, NULL on overflow too */
void *ncz_zalloc_n(size_t n, size_t item);
void *ncz_grow(void *p, size_t n, size_t item); /* realloc to n * item; p stays valid on failure */
/*
 * Makes room for one more in an array that grows: `array` points to the pointer to its `n` items of `item` bytes each,
 * *cap says how many there is room for. NC_ENOMEM, with a text; the array is then as it was.
 */
int   ncz_make_room(void *array, size_t n, size_t *cap, size_t item);
void *ncz_dup(const void *p, size_t nbytes);
char *ncz_strdup(const char *s);
char *ncz_strndup(const char *s, size_t len);             /* len bytes and a NUL */
char *ncz_sprintf(const char *fmt, ...) NCZ_PRINTF(1, 2); /* fresh string, NULL when out of memory */
void  ncz_free(void *p);                                  /* free(NULL) is fine */

void ncz_alloc_use(const ncz_alloc_table *table); /* tests only; NULL restores malloc */

/* ---- checked arithmetic: false when the result does not fit, and *out is then untouched ---------------------- */

static inline bool
ncz_mul(size_t a, size_t b, size_t *out)
{
    size_t r;

    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool
ncz_add(size_t a, size_t b, size_t *out)
{
    size_t r;

    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool
ncz_mul64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t r;

    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool
ncz_add64(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t r;

    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

/* How many parts of `part` elements hold `n`; the last may be short. Cannot overflow; `part` is not 0. */
static inline uint64_t
ncz_count_parts(uint64_t n, uint64_t part)
{
    return n / part + (n % part != 0);
}

/* ---- a growing buffer with its ceiling ----------------------------------------------------------------------
 *
 * Beyond `limit` an append fails with NC_ENOMEM and a text that says so; the contents are unchanged. `limit` 0 means
 * no ceiling, for text that the library makes itself. The bytes are always followed by a NUL that is not counted, so
 * text can be used as a C string.
 */
typedef struct ncz_buf {
    char  *data; /* NULL until something is appended */
    size_t len, cap, limit;
} ncz_buf;

#define NCZ_BUF_INIT        ((ncz_buf){NULL, 0, 0, 0})
#define NCZ_BUF_LIMIT(most) ((ncz_buf){NULL, 0, 0, (most)})

int         ncz_buf_reserve(ncz_buf *b, size_t more); /* room for `more` bytes after len */
int         ncz_buf_append(ncz_buf *b, const void *data, size_t len);
int         ncz_buf_puts(ncz_buf *b, const char *s);
int         ncz_buf_putc(ncz_buf *b, char c);
int         ncz_buf_printf(ncz_buf *b, const char *fmt, ...) NCZ_PRINTF(2, 3);
void        ncz_buf_reset(ncz_buf *b);     /* len 0, memory kept */
void        ncz_buf_clear(ncz_buf *b);     /* memory released; may be called twice */
char       *ncz_buf_take(ncz_buf *b);      /* gives the bytes to the caller, "" if empty; NULL: out of memory */
const char *ncz_buf_str(const ncz_buf *b); /* never NULL */

/* ---- the bytes of a file whose structure is read ----------------------------------------------------------------
 *
 * Readers of structure (src/hdf5, src/hdf4) ask for ranges, and know no maps.
 */

typedef struct ncz_read_range {
    uint64_t at;
    size_t   len;
    void    *out;
} ncz_read_range;

/* `read` gets all ranges, which lie within `size`, or fails. Several at once need not wait for each other. */
typedef struct ncz_read_source {
    int (*read)(void *arg, const ncz_read_range *ranges, size_t n);
    void       *arg;
    uint64_t    size;
    const char *head; /* its first bytes where they are at hand, until it is open; or NULL */
    size_t      nhead;
    bool        far; /* each read takes long */
} ncz_read_source;

/* The parts of it that hold the structure, in blocks that stay: what is missing comes with what is around it. */
typedef struct ncz_range_cache ncz_range_cache;

int  ncz_range_cache_new(const ncz_read_source *source, ncz_range_cache **out);
void ncz_range_cache_free(ncz_range_cache *c); /* NULL is fine */
/* n bytes of the source, which lie within it. */
int ncz_range_cache_read(ncz_range_cache *c, uint64_t at, size_t n, void *out);
/* Gets what it does not have of these places in one go, 8 MiB at most; `out` of the ranges is not used. `near`: with
 * what lies between those that are close to each other. */
int ncz_range_cache_fetch(ncz_range_cache *c, const ncz_read_range *ranges, size_t n, bool near);
/* Several reads, for which what is missing is fetched in one go. Changes the order of the ranges. */
int ncz_range_cache_read_ranges(ncz_range_cache *c, ncz_read_range *ranges, size_t n);

/* ---- an arena: many small allocations that are freed together
 * ------------------------------------------------------ */

typedef struct ncz_arena {
    struct ncz_arena_block *blocks; /* newest first */
    size_t                  first;  /* bytes of the first one; 0: as is usual */
} ncz_arena;

#define NCZ_ARENA_INIT ((ncz_arena){.blocks = NULL})

/* Uninitialised, valid until the arena is cleared; NULL when out of memory. Aligned to 8 bytes. */
void *ncz_arena_get(ncz_arena *p, size_t nbytes);
void *ncz_arena_get_n(ncz_arena *p, size_t n, size_t item);
char *ncz_arena_text(ncz_arena *p, const char *s, size_t len); /* a copy, followed by a NUL */
void  ncz_arena_join(ncz_arena *to, ncz_arena *from);          /* moves all of `from` into `to` */
void  ncz_arena_clear(ncz_arena *p);

/* ---- lines of a text, and parts of them ------------------------------------------------------------------------- */

typedef struct ncz_line {
    const char *s;
    size_t      len;
} ncz_line;

ncz_line ncz_line_trim(ncz_line t); /* without spaces and tabs at both ends */
/* Takes the next line off, without its newline or "\r\n". False: there is none. */
bool ncz_line_next(ncz_line *rest, ncz_line *line);

/* ---- names and UTF-8 ----------------------------------------------------------------------------------------- */

bool ncz_is_ascii(const char *s, size_t len);
/* The length of the character at s, or 0 if it is not valid; `left`: the bytes that there are, at least one. */
size_t ncz_utf8_measure(const unsigned char *s, size_t left);
bool   ncz_utf8_valid(const char *s, size_t len);
/* Writes a code point, at most U+10FFFF, as UTF-8. Returns its length, 1 to 4. */
static inline size_t
ncz_utf8_put(uint32_t c, char *out)
{
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    size_t                     n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(lead[n - 1] | c);
    return n;
}

/* Appends the text, where each byte that is part of no character becomes the character of Latin-1. */
int    ncz_utf8_mend(const char *s, size_t len, ncz_buf *out);
size_t ncz_utf8_cut(const char *s, size_t len, size_t most); /* longest prefix <= most that ends between characters */

/* Unicode NFC, in fresh memory. NC_EBADNAME when `s` is not UTF-8. Built without utf8proc: a copy of `s`. */
int  ncz_nfc(const char *s, char **out);
bool ncz_has_nfc(void); /* built with utf8proc */

/*
 * netCDF's name rules (dimensions, variables, groups, attributes): non-empty UTF-8, at most NC_MAX_NAME bytes (else
 * NC_EMAXNAME), no '/', first byte [A-Za-z0-9_] or >= 0x80, no control byte or 0x7F, no trailing space; else
 * NC_EBADNAME. *out is the NFC form in fresh memory.
 */
int ncz_name_check(const char *name, char **out);
/* Any UTF-8 of at most NC_MAX_NAME bytes, for names that a store can have and netCDF forbids. Else as above. */
int ncz_name_take(const char *name, char **out);

/*
 * A table from names to the indexes of an array that its owner holds. The hash is seeded, so that a hostile dataset
 * cannot make it slow.
 */
typedef struct ncz_names {
    struct ncz_names_slot *slots;
    uint32_t               nslots, used, live;
    bool                   copies; /* some names are its own */
} ncz_names;

#define NCZ_NAMES_INIT ((ncz_names){NULL, 0, 0, 0, false})

int ncz_names_put(ncz_names *t, const char *name, size_t index); /* copies the name; replaces the index of one */
/* These keep a pointer to the name, which must not change until it is deleted or put again in other memory. _first
 * leaves a name that is there, and its index, as they are. */
int ncz_names_refer(ncz_names *t, const char *name, size_t index);
int ncz_names_refer_first(ncz_names *t, const char *name, size_t index);
/* Makes room for so many names more. Drops what deleted ones take, so that a table of few names stays small. */
int  ncz_names_expect(ncz_names *t, size_t n);
bool ncz_names_get(const ncz_names *t, const char *name, size_t *index);
void ncz_names_del(ncz_names *t, const char *name);
void ncz_names_clear(ncz_names *t);

/* As memcmp() == 0, without a call for up to 16 bytes, as most names have. */
static inline bool
ncz_same_bytes(const void *a, const void *b, size_t len)
{
    const char *x = a, *y = b;
    uint64_t    x8[2], y8[2];
    uint32_t    x4[2], y4[2];

    if (len > 16)
        return memcmp(a, b, len) == 0;
    if (len >= 8) { /* the first eight and the last eight, which may overlap */
        memcpy(&x8[0], x, 8);
        memcpy(&y8[0], y, 8);
        memcpy(&x8[1], x + len - 8, 8);
        memcpy(&y8[1], y + len - 8, 8);
        return x8[0] == y8[0] && x8[1] == y8[1];
    }
    if (len >= 4) {
        memcpy(&x4[0], x, 4);
        memcpy(&y4[0], y, 4);
        memcpy(&x4[1], x + len - 4, 4);
        memcpy(&y4[1], y + len - 4, 4);
        return x4[0] == y4[0] && x4[1] == y4[1];
    }
    while (len > 0 && x[len - 1] == y[len - 1])
        len--;
    return len == 0;
}

/* Seeded once per process, so that nobody outside can construct keys that collide. Differs between processes. */
uint64_t ncz_hash(const void *data, size_t len);

/* ---- numbers without the locale ------------------------------------------------------------------------------- */

/*
 * Shortest decimal text that reads back as the same value (round-trip), never with a locale's comma: "0.1", "1e+300",
 * "-0.0" keeps its sign. `out` has NCZ_NUM_TEXT bytes; returns the length. NaN and infinities give "NaN", "Infinity",
 * "-Infinity". Integers in value print as "1.0" so that the text stays a floating one.
 */
#define NCZ_NUM_TEXT 32
size_t ncz_double_text(double v, char out[NCZ_NUM_TEXT]);
size_t ncz_float_text(float v, char out[NCZ_NUM_TEXT]);

/* Correctly rounded, whatever the locale. The whole of s[0..len) must be a decimal floating number. */
bool ncz_text_double(const char *s, size_t len, double *out);
/* `digits` times a power of ten, where it takes one operation, which rounds correctly: up to 15 digits and a power up
 * to 22 are exact doubles. False: elsewhere. */
bool ncz_double_of_digits(uint64_t digits, int exp10, double *out);

/* ---- hexadecimal digits ---- */

int ncz_hex_digit(char c); /* the value of a digit, in either case; -1: not a digit */

/* ---- checksum ------------------------------------------------------------------------------------------------- */

uint32_t ncz_crc32c(const void *data, size_t n); /* CRC-32C (Castagnoli) */

/* ---- base64: padded; decodes only what encoding produces -------------------------------------------------------- */

void   ncz_base64_put(const void *data, size_t n, char *out); /* (n + 2) / 3 * 4 characters, without a NUL */
size_t ncz_base64_bytes(const char *text,
                        size_t      len); /* the size that ncz_base64_get() writes; len is a multiple of 4 */
bool   ncz_base64_get(const char *text, size_t len, void *out,
                      size_t *at); /* *at: after a failure, the offset of the bad group of four */

/* ---- cursor: reads a binary header; read all fields, then check `good` once ---------------------------------- */

typedef struct ncz_cursor {
    const unsigned char *data;
    size_t               len, pos;
    bool                 good;
} ncz_cursor;

/* Written out, so that each is one load where the host has this order. */
static inline uint32_t
ncz_get_u32le(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t
ncz_get_u32be(const unsigned char *p)
{
    return p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint64_t
ncz_get_u64le(const unsigned char *p)
{
    return ncz_get_u32le(p) | (uint64_t)ncz_get_u32le(p + 4) << 32;
}

ncz_cursor           ncz_cursor_at(const void *data, size_t len);
uint8_t              ncz_cursor_u8(ncz_cursor *c);
uint16_t             ncz_cursor_u16le(ncz_cursor *c);
uint32_t             ncz_cursor_u32le(ncz_cursor *c);
uint64_t             ncz_cursor_u64le(ncz_cursor *c);
uint64_t             ncz_cursor_be(ncz_cursor *c, size_t n); /* big-endian, of n bytes, 8 at most */
uint32_t             ncz_cursor_u32be(ncz_cursor *c);
uint64_t             ncz_cursor_u64be(ncz_cursor *c);
const unsigned char *ncz_cursor_bytes(ncz_cursor *c, size_t n); /* NULL and !good past the end */

/* ---- limits: what input may ask for ----------------------------------------------------------------------------
 * One struct, given to every parser. Exceeding a limit is an error whose text names it.
 */
typedef struct ncz_limits {
    size_t document_bytes; /* one JSON document */
    size_t json_depth;
    size_t group_depth;
    size_t objects;    /* groups, variables and dimensions of a dataset */
    size_t attributes; /* per object */
    size_t name_bytes; /* when reading */
    size_t rank;
    size_t element_bytes; /* one stored element of fixed length */
    size_t chunk_bytes;   /* one decoded chunk */
    size_t object_bytes;  /* one stored object read at once */
    size_t chain;         /* codecs of one variable */
    size_t cache_bytes;   /* chunk cache of a dataset */
    size_t references;    /* objects of a store that lie in other stores */
    size_t index_bytes;   /* one file that says where objects lie, of an Icechunk repository, decompressed */
} ncz_limits;

extern const ncz_limits ncz_limits_default;

/* ---- scratch: buffers of one working thread, kept from task to task and never zeroed ---------------------------- */

typedef enum ncz_scratch_use {
    NCZ_SCRATCH_KEY,    /* a chunk's key */
    NCZ_SCRATCH_STORED, /* an encoded chunk */
    NCZ_SCRATCH_CHUNK,  /* a decoded chunk */
    NCZ_SCRATCH_STAGE,  /* between two codecs: a codec reads one of the two and writes the other */
    NCZ_SCRATCH_STAGE2,
    NCZ_SCRATCH_WORK, /* anything else within one task */
    NCZ_SCRATCH_USES,
} ncz_scratch_use;

typedef struct ncz_scratch {
    ncz_buf bufs[NCZ_SCRATCH_USES];
} ncz_scratch;

#define NCZ_SCRATCH_INIT ((ncz_scratch){.bufs = {{NULL, 0, 0, 0}}})

/* At least `nbytes` uninitialised bytes, valid until the next call for the same use. NULL: out of memory, recorded. */
void *ncz_scratch_room(ncz_scratch *s, ncz_scratch_use use, size_t nbytes);
/* Gives this memory as an empty buffer with a ceiling; the scratch owns it. */
ncz_buf *ncz_scratch_buf(ncz_scratch *s, ncz_scratch_use use, size_t limit);
void     ncz_scratch_trim(ncz_scratch *s, size_t most); /* frees buffers of more than `most` bytes */
void     ncz_scratch_clear(ncz_scratch *s);

/* Scratch for a thread that is no worker, if possible what it had last. `own` is given where none of the first `most`
 * is free. Give it back with the same `own`. */
ncz_scratch *ncz_scratch_take(ncz_scratch *own, unsigned most);
void         ncz_scratch_give(ncz_scratch *s, ncz_scratch *own);
void         ncz_scratch_free_kept(void); /* of those that are not taken */

/* ---- pool: the threads of the process ---------------------------------------------------------------------------
 *
 * One pool per process, made at first use. The caller works too: n threads are at most n - 1 workers and the caller,
 * and with 1 no thread is ever started. Concurrent callers share the workers, and each takes the place of one. If a
 * task uses the pool, the inner tasks run on its own thread. A task must not wait for another task.
 *
 * A task returns nothing: it saves an error (ncz_err_save) where its caller looks for it.
 */
unsigned ncz_pool_threads(void);           /* most threads at work at once, with the caller */
void     ncz_pool_set_threads(unsigned n); /* 0: NCZARR_THREADS, or else the number of CPUs */
/* So many processes share the machine: each takes its part of the CPUs, unless a number of threads was set, and of what
 * asks for ncz_pool_processes(). */
void     ncz_pool_share(unsigned processes);
unsigned ncz_pool_processes(void); /* at least 1 */
void     ncz_pool_stop(void);      /* ends the workers and frees their buffers; the next use starts others */
bool     ncz_pool_in_task(void);   /* the calling thread runs a task */
/* From now on the batches of the calling thread leave one of the threads to the rest of the program. */
void ncz_pool_leave_one(void);

typedef void (*ncz_pool_fn)(void *arg, size_t i, ncz_scratch *scratch);

/* fn(arg, i) for all i < n, on at most `most` threads, in any order; returns when all are done. */
void ncz_pool_each(size_t n, size_t most, ncz_pool_fn fn, void *arg);
/* As ncz_pool_each(), for tasks that wait and hardly compute. More of them run at once than the pool has threads:
 * enough for a disk, by all processes that share the machine together; but no more where a number was set. */
void ncz_pool_each_waiting(size_t n, size_t most, ncz_pool_fn fn, void *arg);

/* A batch of tasks that are added one by one: fn(arg, i) for the i-th. Adding does not wait, but if there are no
 * workers it runs the task. Any thread may add, one at a time. */
typedef struct ncz_pool_batch ncz_pool_batch;

struct ncz_pool_batch {
    ncz_pool_fn      fn;
    void            *arg;
    size_t           grain;          /* tasks that a thread takes at once */
    size_t           most;           /* workers at once */
    bool             waits;          /* its tasks wait: its workers are more than may be at work */
    _Atomic uint64_t state;          /* tasks that have not started, and the workers on it: pool.c */
    atomic_size_t    next;           /* the first task that has not started */
    ncz_pool_batch  *before, *after; /* in the list of batches that want workers */
    size_t           lacking;        /* so many; 0: not in the list */
    void            *done;           /* the condition variable that its caller waits on */
    bool             woken;
};

void ncz_pool_begin(ncz_pool_batch *b, ncz_pool_fn fn, void *arg);
void ncz_pool_add(ncz_pool_batch *b);
void ncz_pool_end(ncz_pool_batch *b); /* works, too, and returns when all tasks are done */

/* ---- background: work that nobody waits for ----------------------------------------------------------------------
 *
 * One thread of the process runs the jobs that are woken, one step of each in turn, and may use the pool for them. It
 * starts with the first job and sleeps while there are none.
 */
typedef struct ncz_job ncz_job;

struct ncz_job {
    bool (*step)(ncz_job *job); /* a part of its work, without a lock; true: there is more to do */
    ncz_job *next;              /* this and the rest: background.c's */
    bool     queued, ended;
};

/* The next step of the job will begin after this call. False: the system has no thread for it, and nothing happens. */
bool ncz_background_wake(ncz_job *job);
/* Returns when no step of the job is running and none will be; not from its step. */
void ncz_background_end(ncz_job *job);
/* Ends that thread after the step that it is at, and the pool's. Both start again when they are needed: at once if jobs
 * are waiting. */
void ncz_threads_stop(void);
void ncz_threads_end(void); /* the same at the end of the process: jobs stay undone */

unsigned ncz_cpus(void); /* CPUs that this process may use, by affinity and quota; at least 1 */

/* ---- vector registers ---- */

/*
 * Call this after foreign code that may use AVX: some libraries leave the upper halves of the registers in use, which
 * slows down all later SSE code of the thread, the application's too. Costs a few cycles.
 */
void ncz_vector_clear(void);
/*
 * Copies elements of 2, 4 or 8 bytes that follow each other, and reverses the bytes of each: as many as wide registers
 * take together, of `nbytes` bytes. Returns how many bytes those were; 0 where there are no such registers. The two
 * must not overlap.
 */
size_t ncz_vector_swap(const char *from, char *to, size_t nbytes, size_t size);
/*
 * Makes shorts of doubles, or of floats (`size` 8 or 4), as src/grid/grid_convert.c has it: as many of `n` as wide
 * registers take together. Returns how many; 0 where there are no such registers. *bad: set if one does not fit.
 */
size_t ncz_vector_to_short(const void *from, size_t size, void *to, size_t n, bool *bad);
/* Makes floats of the first doubles, up to one that does not fit: as many as wide registers take together. Returns how
 * many. */
size_t ncz_vector_to_float(const double *from, float *to, size_t n);

/* ---- processes ---- */

/* Appends a text that identifies this process on its machine, without a newline. */
int ncz_process_id(ncz_buf *out);
/* The number of the process that such a text identifies, if it is not this one, is on this machine and still runs;
 * else 0, also when that is unknown. */
long ncz_process_running(const char *id);
/* True if such a text identifies a process of this machine that does not run any more. */
bool ncz_process_ended(const char *id);

/* ---- time ---- */

/* The monotonic clock: for time-outs, unaffected by changes of the date. */
int64_t ncz_now_ms(void);
void    ncz_sleep_ms(int64_t ms); /* less when a signal arrives */
int64_t ncz_now_ns(void);

/* ---- environment ---- */

/* NULL when it is not set, or empty, or not to be trusted (a set-user-id program). */
const char *ncz_env(const char *name);
/* A copy of a secret, NULL when it is not set; free it with ncz_free_secret(). */
int  ncz_env_secret(const char *name, char **out);
void ncz_wipe(void *p, size_t nbytes); /* overwrites a secret; the compiler does not remove it. NULL is fine */
void ncz_free_secret(char *s);         /* wipes and frees; NULL is fine */
/* Reads a small file that may hold a secret; the caller wipes the buffer. *absent: the file does not exist, which is no
 * error. NC_EAUTH: the file has `most` bytes or more. */
int ncz_read_secret_file(const char *path, size_t most, bool *absent, ncz_buf *out);
/* Does the program have more rights than its user, so that the environment is not to be trusted? */
bool ncz_env_secure(void);
/* Empties a variable, so that libraries do not read it. Safe while other threads read other variables. */
void ncz_env_hide(const char *name);

/* ---- texts for somebody to read -------------------------------------------------------------------------------- */

typedef struct ncz_texts {
    char **v;
    size_t n, cap;
} ncz_texts;

#define NCZ_TEXTS_INIT ((ncz_texts){NULL, 0, 0})

/* A copy of the text, unless there is an equal one; beyond a hundred, a last text that there are more. */
int  ncz_texts_add(ncz_texts *t, const char *text);
void ncz_texts_clear(ncz_texts *t); /* may be called twice */

/* ---- log: off by default; the only part that writes to stderr --------------------------------------------------- */

/* Each level contains those above it. */
typedef enum ncz_log_level {
    NCZ_LOG_OFF = -1,
    NCZ_LOG_ERROR,   /* calls that fail */
    NCZ_LOG_WARN,    /* what is ignored or replaced, so that the result may surprise */
    NCZ_LOG_REQUEST, /* what is asked of a store or server, with bytes and time */
    NCZ_LOG_INFO,    /* what was found and chosen: store, dialect, where documents and credentials come from */
    NCZ_LOG_CHUNK,   /* what happens to each chunk */
} ncz_log_level;

extern _Atomic int ncz_log_threshold; /* log.c's; the level in use */

/* Is this level logged? Ask before preparing what only the log needs: it costs one load. */
static inline bool
ncz_log_on(ncz_log_level level)
{
    return (int)level <= atomic_load_explicit(&ncz_log_threshold, memory_order_relaxed);
}

void ncz_log_set(ncz_log_level level);
void ncz_log_raise(ncz_log_level level); /* to at least this level */
/* One line. Queries and user names of URLs, and the values of keys of credentials, are replaced by asterisks. */
void ncz_log(ncz_log_level level, const char *fmt, ...) NCZ_PRINTF(2, 3);
/* Logs this thread's error text as that of a failed call, once, however many functions pass the failure on. */
void ncz_log_failure(ncz_log_level level, const char *code);

#endif /* NCZ_UTIL_H */
