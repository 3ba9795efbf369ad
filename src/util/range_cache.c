/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a file that hold its structure, in blocks. Structures are small and many; a source may be a server far
 * away. So what is not here is read with its surroundings, and places that are known before are read in one go. Of a
 * source that is far both ends come first; of one that is near nothing is read that was not asked for, but for the
 * surroundings: a file system has them at hand, and of many files more would cost more than it spares.
 *
 * A block's number says the few places in the table where it may be. It replaces the oldest block there. Neighbours
 * have different places, and parts of a file that are far from each other do not drive each other out.
 */
#include "util/util.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 4096,
    PLACES = 4096,          /* at most, which are 16 MiB */
    WAYS = 4,               /* places where a block may be */
    AROUND = 16,            /* blocks that are read where one is missing, */
    NEAR_AROUND = 2,        /* ... of a source that is near */
    AT_ONCE = PLACES / 2,   /* blocks that are read in one go, */
    JOINED = PLACES / 4,    /* and those between them, where they are near each other */
    LARGE = AROUND * BLOCK, /* reads of as much pass the cache by, unless it has them */
    HEAD = 256,
    TAIL = 16, /* blocks that are read first of a far source: they hold all of a small file's structure */
};

typedef struct place {
    uint64_t       number; /* of the block */
    uint64_t       turn;   /* when it was kept; 0: there is none */
    unsigned char *data;   /* NULL: none */
} place;

struct ncz_range_cache {
    ncz_read_source source;
    bool            begun; /* both ends of the file were read */
    uint64_t        turn;
    uint64_t        nsets; /* of WAYS places each */
    place          *places;
};

static size_t
block_length(const ncz_range_cache *c, uint64_t number)
{
    uint64_t left = c->source.size - number * BLOCK;

    return left < BLOCK ? (size_t)left : BLOCK;
}

/* Where a block is, or else the oldest of those in whose place it may be. */
static const place *
find_place(const ncz_range_cache *c, uint64_t number)
{
    const place *p = &c->places[number % c->nsets * WAYS], *oldest = p;

    for (size_t i = 0; i < WAYS; i++) {
        if (p[i].turn != 0 && p[i].number == number)
            return &p[i];
        oldest = p[i].turn < oldest->turn ? &p[i] : oldest;
    }
    return oldest;
}

static bool
has_block(const ncz_range_cache *c, uint64_t number)
{
    const place *p = find_place(c, number);

    return p->turn != 0 && p->number == number;
}

static bool
has_blocks(const ncz_range_cache *c, uint64_t at, size_t n)
{
    for (uint64_t b = at / BLOCK; b <= (at + n - 1) / BLOCK; b++)
        if (!has_block(c, b))
            return false;
    return true;
}

/* Keeps blocks first..first+n of which `bytes` are the contents. */
static int
keep_blocks(ncz_range_cache *c, uint64_t first, uint64_t n, const unsigned char *bytes)
{
    for (uint64_t i = 0; i < n; i++) {
        place *p = &c->places[find_place(c, first + i) - c->places];

        if (p->data == NULL && (p->data = ncz_alloc(BLOCK)) == NULL)
            return ncz_fail_nomem(BLOCK);
        p->number = first + i;
        p->turn = ++c->turn;
        memcpy(p->data, bytes + i * BLOCK, block_length(c, first + i));
    }
    return NC_NOERR;
}

/* Reads these runs of blocks: numbers[i] is the first block of run i, lengths[i] how many there are. */
static int
read_runs(ncz_range_cache *c, const uint64_t *numbers, const uint64_t *lengths, size_t n)
{
    ncz_read_range *ranges = ncz_alloc_n(n, sizeof *ranges);
    unsigned char  *bytes = NULL;
    size_t          total = 0;
    int             rc;

    for (size_t i = 0; i < n; i++)
        total += (size_t)lengths[i] * BLOCK;
    if (ranges == NULL || (bytes = ncz_alloc(total)) == NULL) {
        rc = ncz_fail_nomem(total);
        goto done;
    }
    total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t last = numbers[i] + lengths[i] - 1;

        ranges[i] = (ncz_read_range){.at = numbers[i] * BLOCK,
                                     .len = (size_t)(lengths[i] - 1) * BLOCK + block_length(c, last),
                                     .out = bytes + total};
        total += (size_t)lengths[i] * BLOCK;
    }
    if ((rc = c->source.read(c->source.arg, ranges, n)) != NC_NOERR)
        goto done;
    for (size_t i = 0; i < n && rc == NC_NOERR; i++)
        rc = keep_blocks(c, numbers[i], lengths[i], ranges[i].out);
done:
    ncz_free(bytes);
    ncz_free(ranges);
    return rc;
}

static int
compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/* Sorted numbers become runs: numbers[i], lengths[i]. How many. `between` blocks at most lie between those of a run. */
static size_t
join_runs(uint64_t *numbers, uint64_t *lengths, size_t n, uint64_t between)
{
    uint64_t more = JOINED; /* blocks that were not asked for */
    size_t   nruns = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t end = nruns > 0 ? numbers[nruns - 1] + lengths[nruns - 1] : 0;

        if (nruns > 0 && numbers[i] < end)
            continue;
        if (nruns > 0 && numbers[i] - end <= between && numbers[i] - end <= more) {
            more -= numbers[i] - end;
            lengths[nruns - 1] += numbers[i] - end + 1;
            continue;
        }
        numbers[nruns] = numbers[i];
        lengths[nruns++] = 1;
    }
    return nruns;
}

int
ncz_range_cache_fetch(ncz_range_cache *c, const ncz_read_range *ranges, size_t n, bool near)
{
    uint64_t *numbers = ncz_alloc_n(AT_ONCE, sizeof *numbers), *lengths = ncz_alloc_n(AT_ONCE, sizeof *lengths);
    size_t    missing = 0;
    int       rc = NC_NOERR;

    if (numbers == NULL || lengths == NULL) {
        rc = ncz_fail_nomem(2 * AT_ONCE * sizeof *numbers);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t end = ranges[i].at + ranges[i].len;

        end = end < c->source.size ? end : c->source.size;
        for (uint64_t b = ranges[i].at / BLOCK; b * BLOCK < end && missing < AT_ONCE; b++)
            if (!has_block(c, b))
                numbers[missing++] = b;
    }
    if (missing > 0) {
        qsort(numbers, missing, sizeof *numbers, compare_numbers);
        rc = read_runs(c, numbers, lengths, join_runs(numbers, lengths, missing, near ? AROUND : 0));
    }
done:
    ncz_free(lengths);
    ncz_free(numbers);
    return rc;
}

/* Reads both ends of the file, and with them these blocks. */
static int
read_ends(ncz_range_cache *c, uint64_t first, uint64_t length)
{
    uint64_t       blocks = ncz_count_parts(c->source.size, BLOCK), tail = blocks > TAIL ? blocks - TAIL : 0;
    ncz_read_range ranges[] = {{.at = 0, .len = HEAD * BLOCK},
                               {.at = tail * BLOCK, .len = TAIL * BLOCK},
                               {.at = first * BLOCK, .len = (size_t)length * BLOCK}};

    c->begun = true;
    return ncz_range_cache_fetch(c, ranges, NCZ_LEN(ranges), false);
}

/* Reads the blocks from this one to `last`, and what lies around them. */
static int
read_around(ncz_range_cache *c, uint64_t number, uint64_t last)
{
    uint64_t around = c->source.far ? AROUND : NEAR_AROUND;
    uint64_t first = number - number % around, end = last - last % around + around;
    uint64_t blocks = ncz_count_parts(c->source.size, BLOCK), length;

    length = (end < blocks ? end : blocks) - first;
    return c->begun || !c->source.far ? read_runs(c, &first, &length, 1) : read_ends(c, first, length);
}

int
ncz_range_cache_read(ncz_range_cache *c, uint64_t at, size_t n, void *out)
{
    unsigned char *to = out;
    uint64_t       last;
    int            rc;

    if (n >= LARGE && !has_blocks(c, at, n))
        return c->source.read(c->source.arg, &(ncz_read_range){.at = at, .len = n, .out = out}, 1);
    last = n > 0 ? (at + n - 1) / BLOCK : 0;
    while (n > 0) {
        uint64_t number = at / BLOCK;
        size_t   skip = (size_t)(at % BLOCK), part = n < BLOCK - skip ? n : BLOCK - skip;

        if (!has_block(c, number) && (rc = read_around(c, number, last)) != NC_NOERR)
            return rc;
        memcpy(to, find_place(c, number)->data + skip, part);
        to += part;
        at += part;
        n -= part;
    }
    return NC_NOERR;
}

int
ncz_range_cache_read_ranges(ncz_range_cache *c, ncz_read_range *ranges, size_t n)
{
    size_t nlarge = 0;
    int    rc;

    for (size_t i = 0; i < n; i++) /* those go to the front */
        if (ranges[i].len >= LARGE) {
            ncz_read_range r = ranges[i];

            ranges[i] = ranges[nlarge];
            ranges[nlarge++] = r;
        }
    if ((rc = nlarge > 0 ? c->source.read(c->source.arg, ranges, nlarge) : NC_NOERR) != NC_NOERR ||
        (rc = ncz_range_cache_fetch(c, ranges + nlarge, n - nlarge, true)) != NC_NOERR)
        return rc;
    for (size_t i = nlarge; i < n && rc == NC_NOERR; i++)
        rc = ncz_range_cache_read(c, ranges[i].at, ranges[i].len, ranges[i].out);
    return rc;
}

/* Keeps the first bytes, those of whole blocks. */
static int
keep_head(ncz_range_cache *c, const char *head, size_t n)
{
    return keep_blocks(c, 0, n == c->source.size ? ncz_count_parts(n, BLOCK) : n / BLOCK,
                       (const unsigned char *)head);
}

int
ncz_range_cache_new(const ncz_read_source *source, ncz_range_cache **out)
{
    ncz_range_cache *c = ncz_zalloc(sizeof *c);
    uint64_t         sets = ncz_count_parts(ncz_count_parts(source->size, BLOCK), WAYS); /* that all blocks need */
    int              rc = NC_NOERR;

    if (c == NULL)
        return ncz_fail_nomem(sizeof *c);
    c->source = *source;
    c->nsets = sets == 0 ? 1 : sets < PLACES / WAYS ? sets : PLACES / WAYS;
    if ((c->places = ncz_zalloc_n((size_t)c->nsets * WAYS, sizeof *c->places)) == NULL) {
        rc = ncz_fail_nomem((size_t)c->nsets * WAYS * sizeof *c->places);
        ncz_free(c);
        return rc;
    }
    if (source->nhead > 0)
        rc = keep_head(c, source->head, source->nhead);
    else if (source->far)
        rc = read_ends(c, 0, 0);
    c->source.head = NULL;
    if (rc == NC_NOERR)
        *out = c;
    else
        ncz_range_cache_free(c);
    return rc;
}

void
ncz_range_cache_free(ncz_range_cache *c)
{
    if (c == NULL)
        return;
    for (uint64_t i = 0; i < c->nsets * WAYS; i++)
        ncz_free(c->places[i].data);
    ncz_free(c->places);
    ncz_free(c);
}
