/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload: what the benchmark programs share: the workloads by name, their data, boxes and series, the checksum of
 * what was read, and the clock. docs/performance.md says in words what each workload is.
 *
 * All data come from integer arithmetic, so that every program and language makes the same bits. Sizes are for a
 * scale of 1/`divisor`: chunks keep their size, there are fewer of them.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "stopwatch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXIT_NOT_BUILT = 77, /* the library lacks the codec: neither success nor failure */
    CHUNK = 64,          /* edge of a chunk of the big array */
    BOX = 32,            /* edge of a box of W4 */
    TINY_CHUNK = 32,     /* edge of a chunk of W10 */
    SHARD = 256,         /* edge of a shard, or all of a shorter dimension */
    STEPS = 64,          /* steps that S6 appends */
    NSTORES = 21,
    META_ATTS = 10, /* attributes of each variable of W6 */
    META_VARS = 20, /* variables in each group of W6 */
    GROUP_LEN = 4,  /* elements of the variable in each group of W12 */
};

typedef enum bench_store {
    STORE_RAW,
    STORE_BLOSC,
    STORE_ZLIB,
    STORE_ZSTD,
    STORE_SHORT,
    STORE_META,
    STORE_TINY,
    STORE_ZIP,     /* as STORE_BLOSC, in an archive */
    STORE_STEPS,   /* as STORE_BLOSC, a chunk for each step of the first dimension */
    STORE_COPIES,  /* as STORE_META, with consolidated metadata */
    STORE_GROUPS,  /* groups with one variable and one attribute each, without data */
    STORE_SCALARS, /* scalar variables with data */
    STORE_SHARDS,  /* from here on Zarr v3: blosc in shards */
    STORE_SHARDS_ZSTD,
    STORE_APPEND, /* a shard that many steps are appended to */
    STORE_RAW3,
    STORE_BLOSC3,
    STORE_ZLIB3,
    STORE_ZSTD3,
    STORE_META3,
    STORE_COPIES3,
} bench_store;

typedef enum bench_codec {
    CODEC_NONE,
    CODEC_BLOSC,     /* lz4, level 5, byte shuffle */
    CODEC_DEFLATE,   /* shuffle, then zlib or gzip at level 1 */
    CODEC_ZSTD,      /* shuffle, then zstd at level 1 */
    CODEC_ZSTD_ONLY, /* zstd at level 1 */
} bench_codec;

typedef struct store_form {
    const char *name;
    bench_codec codec;
    bool        v3, sharded, consolidated;
    bool        meta; /* many small variables */
} store_form;

typedef enum bench_op {
    OP_WRITE,   /* the whole array in one call */
    OP_READ,    /* the same, back */
    OP_BOXES,   /* random boxes, a call each */
    OP_SERIES,  /* random series along the first dimension, a call each */
    OP_STEPS,   /* all steps along the first dimension in turn, a call each */
    OP_APPEND,  /* the same, written, along an unlimited dimension */
    OP_SHARDS,  /* all shards in turn, a call each */
    OP_CHUNKS,  /* all chunks in turn, a call each */
    OP_STRIDED, /* every second element in every dimension, one call */
    OP_CONVERT, /* stored as short, read as double */
    OP_DEFINE,  /* many small variables with attributes, or with data */
    OP_OPEN,    /* open and close them */
    OP_INQUIRE, /* open, read all attributes, or all data, close */
} bench_op;

typedef struct workload {
    const char *name;
    bench_store store;
    bench_op    op;
} workload;

typedef struct sizes {
    size_t divisor;
    size_t shape[3]; /* of the big array, (1024, 512, 256) at full scale */
    size_t nboxes, nseries;
    size_t ngroups;
    size_t nsmall, nscalars; /* groups of W12, variables of W13 */
    size_t tiny[2];          /* of W10's array, (32000, 3200) at full scale */
} sizes;

/* Order matters to it: of a running sum the sum. */
typedef struct checksum {
    uint64_t sum, of_sums;
} checksum;

const workload *workload_find(const char *name); /* NULL: not known */
size_t          workload_count(void);
const workload *workload_at(size_t i);

const store_form *form_of(bench_store store);

sizes sizes_of(size_t divisor);

/* Of the array of a store that is not `meta`. Without shards `shard` is the chunk. */
typedef struct layout {
    int    rank;
    size_t shape[3], chunk[3], shard[3];
} layout;

layout layout_of(bench_store store, const sizes *s);
size_t layout_nelems(const layout *l);

/* Corner of box i, and (y, x) of series i. */
void box_at(const sizes *s, size_t i, size_t corner[3]);
void series_at(const sizes *s, size_t i, size_t *y, size_t *x);

/* Corner of part i, in C order, of an array that is cut into parts of the shape `part`; their number. */
void   part_at(const layout *l, const size_t part[3], size_t i, size_t corner[3]);
size_t part_count(const layout *l, const size_t part[3]);

/* The array's elements [first, first + n) in C order, in 1/64. */
void array_values(const sizes *s, size_t first, size_t n, uint16_t *out);
void tiny_values(const sizes *s, size_t first, size_t n, uint16_t *out);
void fill_floats(const sizes *s, bench_store store, float *out);
void fill_shorts(const sizes *s, short *out);

/* Attribute `a` of variable `v` (counted over all groups): text, or up to 4 numbers. */
typedef struct attribute {
    char   name[24];
    char   text[48]; /* "" for numbers */
    double number[4];
    size_t n;
    bool   integer;
} attribute;

attribute attribute_of(size_t v, size_t a);
size_t    variable_rank(size_t v); /* 0 to 2 */

void checksum_words(checksum *c, const void *data, size_t nbytes);
void checksum_text(checksum *c, const char *text, size_t len);
void checksum_number(checksum *c, double number);
/* What a reader of this workload must find. Writers: zero. */
checksum workload_expect(const workload *w, const sizes *s);

/* Bytes that a reader of this workload gets, and so its buffer. */
size_t workload_bytes(const workload *w, const sizes *s);

/* Memory that is there, not only promised: page faults of the result are nobody's cost. */
void *touched(size_t nbytes);

/* One line of JSON: what a driver reads. */
void report(const char *name, const stopwatch *t, const checksum *c);

/* "WORKLOAD PATH [--scale 1/N] [--threads N]": false, with a message, when it is not that. */
typedef struct arguments {
    const workload *w;
    const char     *path;
    sizes           s;
    unsigned        nthreads; /* 0: not said */
} arguments;

bool arguments_parse(int argc, char **argv, arguments *out);

#endif /* BENCH_WORKLOAD_H */
