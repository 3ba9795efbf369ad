/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * workload: names, sizes, data, checksum and clock of the benchmark programs. Nothing here touches a store.
 */
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const workload workloads[] = {
    {"W1w", STORE_RAW, OP_WRITE},          {"W1r", STORE_RAW, OP_READ},
    {"W2w", STORE_BLOSC, OP_WRITE},        {"W2r", STORE_BLOSC, OP_READ},
    {"W3w", STORE_ZLIB, OP_WRITE},         {"W3r", STORE_ZLIB, OP_READ},
    {"W3bw", STORE_ZSTD, OP_WRITE},        {"W3br", STORE_ZSTD, OP_READ},
    {"W4", STORE_BLOSC, OP_BOXES},         {"W4raw", STORE_RAW, OP_BOXES},
    {"W5", STORE_BLOSC, OP_SERIES},        {"W5raw", STORE_RAW, OP_SERIES},
    {"W6w", STORE_META, OP_DEFINE},        {"W6", STORE_META, OP_INQUIRE},
    {"W6o", STORE_META, OP_OPEN},          {"W8", STORE_BLOSC, OP_STRIDED},
    {"W8raw", STORE_RAW, OP_STRIDED},      {"W9w", STORE_SHORT, OP_WRITE},
    {"W9", STORE_SHORT, OP_CONVERT},       {"W9n", STORE_SHORT, OP_READ},
    {"W10w", STORE_TINY, OP_WRITE},        {"W10r", STORE_TINY, OP_READ},
    {"W7w", STORE_ZIP, OP_WRITE},          {"W7r", STORE_ZIP, OP_READ},
    {"W7s", STORE_ZIP, OP_BOXES},          {"W11w", STORE_STEPS, OP_WRITE},
    {"W11r", STORE_STEPS, OP_STEPS},       {"W6cw", STORE_COPIES, OP_DEFINE},
    {"W6c", STORE_COPIES, OP_INQUIRE},     {"W12w", STORE_GROUPS, OP_DEFINE},
    {"W12r", STORE_GROUPS, OP_INQUIRE},    {"W13w", STORE_SCALARS, OP_DEFINE},
    {"W13r", STORE_SCALARS, OP_INQUIRE},   {"S1", STORE_SHARDS, OP_WRITE},
    {"S1z", STORE_SHARDS_ZSTD, OP_WRITE},  {"S2", STORE_SHARDS, OP_READ},
    {"S2z", STORE_SHARDS_ZSTD, OP_READ},   {"S3", STORE_SHARDS, OP_SHARDS},
    {"S3z", STORE_SHARDS_ZSTD, OP_SHARDS}, {"S4", STORE_SHARDS, OP_CHUNKS},
    {"S4z", STORE_SHARDS_ZSTD, OP_CHUNKS}, {"S5", STORE_SHARDS, OP_BOXES},
    {"S5z", STORE_SHARDS_ZSTD, OP_BOXES},  {"S6", STORE_APPEND, OP_APPEND},
    {"S6r", STORE_APPEND, OP_READ},        {"S7W1w", STORE_RAW3, OP_WRITE},
    {"S7W1r", STORE_RAW3, OP_READ},        {"S7W2w", STORE_BLOSC3, OP_WRITE},
    {"S7W2r", STORE_BLOSC3, OP_READ},      {"S7W3w", STORE_ZLIB3, OP_WRITE},
    {"S7W3r", STORE_ZLIB3, OP_READ},       {"S7W3bw", STORE_ZSTD3, OP_WRITE},
    {"S7W3br", STORE_ZSTD3, OP_READ},      {"S7W4", STORE_BLOSC3, OP_BOXES},
    {"S7W4raw", STORE_RAW3, OP_BOXES},     {"S7W6w", STORE_META3, OP_DEFINE},
    {"S7W6", STORE_META3, OP_INQUIRE},     {"S7W6o", STORE_META3, OP_OPEN},
    {"S7W6cw", STORE_COPIES3, OP_DEFINE},  {"S7W6c", STORE_COPIES3, OP_INQUIRE},
};

enum { NWORKLOADS = sizeof workloads / sizeof workloads[0], BLOCK = 4096 };

size_t
workload_count(void)
{
    return NWORKLOADS;
}

const workload *
workload_at(size_t i)
{
    return &workloads[i];
}

const workload *
workload_find(const char *name)
{
    for (size_t i = 0; i < NWORKLOADS; i++) {
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    }
    return NULL;
}

const store_form *
form_of(bench_store store)
{
    static const store_form forms[NSTORES] = {
        [STORE_RAW] = {.name = "raw"},
        [STORE_BLOSC] = {.name = "blosc", .codec = CODEC_BLOSC},
        [STORE_ZLIB] = {.name = "zlib", .codec = CODEC_DEFLATE},
        [STORE_ZSTD] = {.name = "zstd", .codec = CODEC_ZSTD},
        [STORE_SHORT] = {.name = "short"},
        [STORE_META] = {.name = "meta", .meta = true},
        [STORE_TINY] = {.name = "tiny"},
        [STORE_ZIP] = {.name = "zip", .codec = CODEC_BLOSC},
        [STORE_STEPS] = {.name = "steps", .codec = CODEC_BLOSC},
        [STORE_COPIES] = {.name = "copies", .meta = true, .consolidated = true},
        [STORE_GROUPS] = {.name = "groups", .meta = true},
        [STORE_SCALARS] = {.name = "scalars", .meta = true},
        [STORE_SHARDS] = {.name = "shards", .codec = CODEC_BLOSC, .v3 = true, .sharded = true},
        [STORE_SHARDS_ZSTD] = {.name = "shards_zstd", .codec = CODEC_ZSTD_ONLY, .v3 = true, .sharded = true},
        [STORE_APPEND] = {.name = "append", .codec = CODEC_BLOSC, .v3 = true, .sharded = true},
        [STORE_RAW3] = {.name = "raw3", .v3 = true},
        [STORE_BLOSC3] = {.name = "blosc3", .codec = CODEC_BLOSC, .v3 = true},
        [STORE_ZLIB3] = {.name = "zlib3", .codec = CODEC_DEFLATE, .v3 = true},
        [STORE_ZSTD3] = {.name = "zstd3", .codec = CODEC_ZSTD, .v3 = true},
        [STORE_META3] = {.name = "meta3", .v3 = true, .meta = true},
        [STORE_COPIES3] = {.name = "copies3", .v3 = true, .meta = true, .consolidated = true},
    };

    return &forms[store];
}

/* ---- sizes ------------------------------------------------------------------------------------------------- */

static size_t
part(size_t full, size_t divisor, size_t least)
{
    return full / divisor > least ? full / divisor : least;
}

/* The longest dimension is halved until the divisor is used up. */
sizes
sizes_of(size_t divisor)
{
    sizes s = {.divisor = divisor,
               .shape = {1024, 512, 256},
               .nboxes = part(1000, divisor, 10),
               .nseries = part(200, divisor, 4),
               .ngroups = part(100, divisor, 2),
               .nsmall = part(500, divisor, 4),
               .nscalars = part(3000, divisor, 6),
               .tiny = {TINY_CHUNK * part(1000, divisor, 4), TINY_CHUNK * 100}};

    for (; divisor > 1; divisor /= 2) {
        size_t longest = 0;

        for (size_t d = 1; d < 3; d++) {
            if (s.shape[d] > s.shape[longest])
                longest = d;
        }
        if (s.shape[longest] > CHUNK)
            s.shape[longest] /= 2;
    }
    return s;
}

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

layout
layout_of(bench_store store, const sizes *s)
{
    layout l = {.rank = 3, .shape = {s->shape[0], s->shape[1], s->shape[2]}, .chunk = {CHUNK, CHUNK, CHUNK}};

    if (store == STORE_TINY) {
        l = (layout){.rank = 2, .shape = {s->tiny[0], s->tiny[1], 1}, .chunk = {TINY_CHUNK, TINY_CHUNK, 1}};
    } else if (store == STORE_STEPS || store == STORE_APPEND) {
        l.chunk[0] = 1;
        l.chunk[1] = l.shape[1];
        l.chunk[2] = l.shape[2];
    }
    if (store == STORE_APPEND)
        l.shape[0] = STEPS;
    for (int d = 0; d < 3; d++)
        l.shard[d] = form_of(store)->sharded ? least(SHARD, l.shape[d]) : l.chunk[d];
    if (store == STORE_APPEND) {
        l.shard[1] = l.shape[1];
        l.shard[2] = l.shape[2];
    }
    return l;
}

size_t
layout_nelems(const layout *l)
{
    return l->shape[0] * l->shape[1] * l->shape[2];
}

void
part_at(const layout *l, const size_t part[3], size_t i, size_t corner[3])
{
    size_t ny = l->shape[1] / part[1], nx = l->shape[2] / part[2];

    corner[0] = i / nx / ny * part[0];
    corner[1] = i / nx % ny * part[1];
    corner[2] = i % nx * part[2];
}

size_t
part_count(const layout *l, const size_t part[3])
{
    return layout_nelems(l) / (part[0] * part[1] * part[2]);
}

static uint32_t
mix(uint32_t h)
{
    h *= UINT32_C(0x9e3779b1);
    h ^= h >> 15;
    h *= UINT32_C(0x85ebca77);
    h ^= h >> 13;
    return h;
}

void
box_at(const sizes *s, size_t i, size_t corner[3])
{
    for (size_t d = 0; d < 3; d++)
        corner[d] = mix((uint32_t)(3 * i + d + 1000)) % (s->shape[d] - BOX + 1);
}

void
series_at(const sizes *s, size_t i, size_t *y, size_t *x)
{
    *y = mix((uint32_t)(2 * i + 500000)) % s->shape[1];
    *x = mix((uint32_t)(2 * i + 500001)) % s->shape[2];
}

/* ---- data -------------------------------------------------------------------------------------------------- */

/* A triangle wave: falls from `half` to 0 and rises again. */
static uint32_t
wave(size_t t, uint32_t half)
{
    uint32_t at = (uint32_t)(t % (2 * half));

    return at < half ? half - at : at - half;
}

/* A smooth field and five bits of noise, in 1/64; between 256 and 512, so that all floats have one exponent. */
void
array_values(const sizes *s, size_t first, size_t n, uint16_t *out)
{
    size_t   x = first % s->shape[2], y = first / s->shape[2] % s->shape[1], z = first / s->shape[2] / s->shape[1];
    uint32_t rest = wave(z, 300) * 9 + wave(y, 170) * 6;

    for (size_t i = 0; i < n; i++) {
        out[i] = (uint16_t)(16384 + rest + wave(x, 120) * 8 + (mix((uint32_t)(first + i)) & 31));
        if (++x < s->shape[2])
            continue;
        x = 0;
        if (++y == s->shape[1]) {
            y = 0;
            z++;
        }
        rest = wave(z, 300) * 9 + wave(y, 170) * 6;
    }
}

void
tiny_values(const sizes *s, size_t first, size_t n, uint16_t *out)
{
    for (size_t i = first; i < first + n; i++) {
        size_t row = i / s->tiny[1], column = i % s->tiny[1];

        *out++ = (uint16_t)(16384 + wave(row, 1000) + wave(column, 700) + (mix((uint32_t)i) & 31));
    }
}

static size_t
block_at(size_t at, size_t nelems)
{
    return nelems - at < BLOCK ? nelems - at : BLOCK;
}

void
fill_floats(const sizes *s, bench_store store, float *out)
{
    layout   l = layout_of(store, s);
    size_t   nelems = layout_nelems(&l);
    bool     tiny = store == STORE_TINY;
    uint16_t v[BLOCK];

    for (size_t at = 0; at < nelems; at += BLOCK) {
        size_t n = block_at(at, nelems);

        (tiny ? tiny_values : array_values)(s, at, n, v);
        for (size_t i = 0; i < n; i++)
            out[at + i] = (float)v[i] / 64;
    }
}

void
fill_shorts(const sizes *s, short *out)
{
    layout   l = layout_of(STORE_SHORT, s);
    size_t   nelems = layout_nelems(&l);
    uint16_t v[BLOCK];

    for (size_t at = 0; at < nelems; at += BLOCK) {
        size_t n = block_at(at, nelems);

        array_values(s, at, n, v);
        for (size_t i = 0; i < n; i++)
            out[at + i] = (short)v[i];
    }
}

size_t
variable_rank(size_t v)
{
    return v % 3;
}

/* Numbers are quarters, so that a sum of four times them is exact. */
attribute
attribute_of(size_t v, size_t a)
{
    static const char *const texts[] = {"units", "long_name", "standard_name", "comment"};
    static const char *const numbers[] = {"valid_min", "valid_max", "scale_factor", "weights", "flags", "level"};
    attribute                out = {.n = 1};

    if (a < 4) {
        snprintf(out.name, sizeof out.name, "%s", texts[a]);
        snprintf(out.text, sizeof out.text, "%s of the variable number %zu", texts[a], v);
        return out;
    }
    snprintf(out.name, sizeof out.name, "%s", numbers[a - 4]);
    out.integer = a >= 8;
    out.n = a == 7 || a == 8 ? 4 : 1;
    for (size_t i = 0; i < out.n; i++)
        out.number[i] = out.integer ? (double)(v % 97 + i) : (double)(v % 89) + (double)(a + i) / 4;
    return out;
}

/* ---- checksum ---------------------------------------------------------------------------------------------- */

void
checksum_words(checksum *c, const void *data, size_t nbytes)
{
    const char *at = data;
    uint32_t    word;

    for (size_t i = 0; i < nbytes / sizeof word; i++, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        c->sum += word;
        c->of_sums += c->sum;
    }
}

/* Attributes come in any order: for them the second number only counts. */
void
checksum_text(checksum *c, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        c->sum += (unsigned char)text[i];
    c->of_sums++;
}

void
checksum_number(checksum *c, double number)
{
    c->sum += (uint64_t)(int64_t)(number * 4);
    c->of_sums++;
}

static void
expect_run(checksum *c, const workload *w, const sizes *s, size_t first, size_t n, size_t step)
{
    uint16_t v[BLOCK];
    float    f[BLOCK];
    double   d[BLOCK];

    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = block_at(at, n), k = 0;

        (w->store == STORE_TINY ? tiny_values : array_values)(s, first + at, m, v);
        for (size_t i = 0; i < m; i += step, k++) {
            v[k] = v[i];
            f[k] = (float)v[i] / 64;
            d[k] = (double)v[i];
        }
        if (w->op == OP_CONVERT)
            checksum_words(c, d, k * sizeof *d);
        else if (w->store == STORE_SHORT)
            checksum_words(c, v, k * sizeof *v);
        else
            checksum_words(c, f, k * sizeof *f);
    }
}

/* Part after part, each in C order. */
static void
expect_parts(checksum *c, const workload *w, const sizes *s)
{
    layout        l = layout_of(w->store, s);
    const size_t *part = w->op == OP_SHARDS ? l.shard : l.chunk;

    for (size_t i = 0; i < part_count(&l, part); i++) {
        size_t at[3];

        part_at(&l, part, i, at);
        for (size_t z = at[0]; z < at[0] + part[0]; z++) {
            for (size_t y = at[1]; y < at[1] + part[1]; y++)
                expect_run(c, w, s, (z * s->shape[1] + y) * s->shape[2] + at[2], part[2], 1);
        }
    }
}

static void
expect_boxes(checksum *c, const workload *w, const sizes *s)
{
    for (size_t i = 0; i < s->nboxes; i++) {
        size_t at[3];

        box_at(s, i, at);
        for (size_t z = at[0]; z < at[0] + BOX; z++) {
            for (size_t y = at[1]; y < at[1] + BOX; y++)
                expect_run(c, w, s, (z * s->shape[1] + y) * s->shape[2] + at[2], BOX, 1);
        }
    }
}

static void
expect_series(checksum *c, const workload *w, const sizes *s)
{
    for (size_t i = 0; i < s->nseries; i++) {
        size_t y, x;

        series_at(s, i, &y, &x);
        for (size_t z = 0; z < s->shape[0]; z++)
            expect_run(c, w, s, (z * s->shape[1] + y) * s->shape[2] + x, 1, 1);
    }
}

static void
expect_strided(checksum *c, const workload *w, const sizes *s)
{
    for (size_t z = 0; z < s->shape[0]; z += 2) {
        for (size_t y = 0; y < s->shape[1]; y += 2)
            expect_run(c, w, s, (z * s->shape[1] + y) * s->shape[2], s->shape[2], 2);
    }
}

static void
expect_attributes(checksum *c, const sizes *s)
{
    for (size_t v = 0; v < s->ngroups * META_VARS; v++) {
        for (size_t a = 0; a < META_ATTS; a++) {
            attribute att = attribute_of(v, a);

            if (att.text[0] != '\0')
                checksum_text(c, att.text, strlen(att.text));
            else
                for (size_t i = 0; i < att.n; i++)
                    checksum_number(c, att.number[i]);
        }
    }
}

static void
expect_small(checksum *c, const workload *w, const sizes *s)
{
    if (w->store == STORE_GROUPS)
        for (size_t i = 0; i < s->nsmall; i++)
            checksum_text(c, "m", 1);
    else if (w->store == STORE_SCALARS)
        for (size_t i = 0; i < s->nscalars; i++)
            checksum_number(c, (double)i + 1);
    else
        expect_attributes(c, s);
}

checksum
workload_expect(const workload *w, const sizes *s)
{
    checksum c = {0, 0};
    layout   l = layout_of(w->store, s);

    switch (w->op) {
    case OP_READ:
    case OP_STEPS:
    case OP_CONVERT: expect_run(&c, w, s, 0, layout_nelems(&l), 1); break;
    case OP_SHARDS:
    case OP_CHUNKS: expect_parts(&c, w, s); break;
    case OP_BOXES: expect_boxes(&c, w, s); break;
    case OP_SERIES: expect_series(&c, w, s); break;
    case OP_STRIDED: expect_strided(&c, w, s); break;
    case OP_INQUIRE: expect_small(&c, w, s); break;
    case OP_WRITE:
    case OP_APPEND:
    case OP_DEFINE:
    case OP_OPEN: break;
    }
    return c;
}

size_t
workload_bytes(const workload *w, const sizes *s)
{
    layout l = layout_of(w->store, s);
    size_t nelems = form_of(w->store)->meta ? 0 : layout_nelems(&l);

    switch (w->op) {
    case OP_BOXES: return s->nboxes * BOX * BOX * BOX * sizeof(float);
    case OP_SERIES: return s->nseries * s->shape[0] * sizeof(float);
    case OP_STRIDED: return nelems / 8 * sizeof(float);
    case OP_CONVERT: return nelems * sizeof(double);
    default: return nelems * (w->store == STORE_SHORT ? sizeof(short) : sizeof(float));
    }
}

/* ---- memory and time --------------------------------------------------------------------------------------- */

void *
touched(size_t nbytes)
{
    void *p = mmap(NULL, nbytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        perror("bench: memory");
        exit(1);
    }
    madvise(p, nbytes + 1, MADV_HUGEPAGE);
    memset(p, 0xff, nbytes + 1);
    return p;
}

void
report(const char *name, const stopwatch *t, const checksum *c)
{
    printf("{\"workload\": \"%s\", \"seconds\": %.6f, \"cpu\": %.6f, \"extra_kb\": %ld, "
           "\"sum\": \"%016" PRIx64 "%016" PRIx64 "\"}\n",
           name, t->wall, t->cpu, t->rss_kb, c->sum, c->of_sums);
}

bool
arguments_parse(int argc, char **argv, arguments *out)
{
    size_t divisor = 1;

    *out = (arguments){.w = argc > 1 ? workload_find(argv[1]) : NULL, .path = argc > 2 ? argv[2] : NULL};
    if (out->w == NULL || out->path == NULL) {
        fprintf(stderr, "usage: %s WORKLOAD PATH [--scale 1/N] [--threads N]\nworkloads:", argv[0]);
        for (size_t i = 0; i < NWORKLOADS; i++)
            fprintf(stderr, " %s", workloads[i].name);
        fputc('\n', stderr);
        return false;
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1], *slash = strchr(value, '/');

        if (strcmp(argv[i], "--scale") == 0)
            divisor = slash != NULL ? strtoul(slash + 1, NULL, 10) : 1;
        else if (strcmp(argv[i], "--threads") == 0)
            out->nthreads = (unsigned)strtoul(value, NULL, 10);
    }
    out->s = sizes_of(divisor > 0 ? divisor : 1);
    return true;
}
