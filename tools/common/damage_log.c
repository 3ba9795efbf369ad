/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage_log.c: tells damage from other failures, and lists the damaged chunks: all are counted, and the first lines
 * have their keys and causes.
 */
#include "common/damage.h"
#include "common/terminal_text.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

bool
damage_parse_policy(const char *text, damage_policy *out)
{
    static const char *const words[] = {[DAMAGE_STOP] = "stop", [DAMAGE_FILL] = "fill", [DAMAGE_SKIP] = "skip"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0) {
            *out = (damage_policy)i;
            return true;
        }
    return false;
}

/* ---- what is damage ---- */

/* A disk that does not give a file is like damage; a server may give it the next time. */
static bool
is_local(int ncid)
{
    nczarr_map *map = NULL;
    const char *name = nczarr_inq_map(ncid, &map) == NC_NOERR ? nczarr_map_name(map) : "";
    bool        local = strcmp(name, "file") == 0 || strcmp(name, "zip") == 0;

    (void)nczarr_map_close(map);
    return local;
}

bool
damage_is_cause(int ncid, int varid, int rc)
{
    bool bytes = rc == NC_EFILTER || rc == NC_ETRUNC, unread = rc == NC_EIO || rc == NC_EACCESS;

    if (!bytes && !(unread && is_local(ncid)))
        return false;
    return nczarr_inq_var_encoding(ncid, varid, NULL, NULL) == NC_NOERR;
}

/* ---- chunks that were seen ---- */

/* Never 0, which is a free slot. Two chunks with one number are as likely as a damaged memory. */
static uint64_t
number_chunk(int ncid, int varid, size_t place)
{
    uint64_t h = 0x9E3779B97F4A7C15u;
    uint64_t part[] = {(uint64_t)(unsigned)ncid << 32 | (unsigned)varid, (uint64_t)place};

    for (size_t i = 0; i < 2; i++) {
        h = (h ^ part[i]) * 0xBF58476D1CE4E5B9u;
        h = (h ^ h >> 31) * 0x94D049BB133111EBu;
        h ^= h >> 29;
    }
    return h != 0 ? h : 1;
}

static size_t
find_slot(const damage_log *l, uint64_t number)
{
    size_t i = (size_t)(number >> 7) & (l->cap - 1);

    while (l->seen[i] != 0 && l->seen[i] != number)
        i = (i + 1) & (l->cap - 1);
    return i;
}

bool
damage_log_has(const damage_log *l, int ncid, int varid, size_t place)
{
    uint64_t number = number_chunk(ncid, varid, place);

    return l->cap > 0 && l->seen[find_slot(l, number)] == number;
}

static int
grow_table(damage_log *l)
{
    damage_log old = *l;

    l->cap = old.cap == 0 ? 64 : old.cap * 2;
    if ((l->seen = calloc(l->cap, sizeof *l->seen)) == NULL) {
        *l = old;
        return NC_ENOMEM;
    }
    for (size_t i = 0; i < old.cap; i++)
        if (old.seen[i] != 0)
            l->seen[find_slot(l, old.seen[i])] = old.seen[i];
    free(old.seen);
    return NC_NOERR;
}

/* ---- the list ---- */

/* The key of the chunk's object, in new memory; NULL: memory is out. */
static char *
copy_key(int ncid, int varid, const size_t *index)
{
    size_t len = 0;
    char  *key;

    if (nczarr_inq_var_chunk_key(ncid, varid, index, &len, NULL, NULL, NULL) != NC_NOERR)
        return strdup("");
    if ((key = calloc(len + 1, 1)) != NULL)
        (void)nczarr_inq_var_chunk_key(ncid, varid, index, NULL, key, NULL, NULL);
    return key;
}

/* Of a text that begins with "KEY: " the rest. */
static const char *
skip_key(const char *why, const char *key)
{
    size_t len = strlen(key);

    return strncmp(why, key, len) == 0 && why[len] == ':' && why[len + 1] == ' ' ? why + len + 2 : why;
}

/* "0,3,1" for a chunk of a shard, whose key does not tell it apart; NULL for others. */
static char *
format_index(int ncid, int varid, const size_t *index)
{
    enum { DIGITS = 21 };
    int    sharded = 0, rank = 0, used = 0;
    char  *text;
    size_t size;

    if (nczarr_inq_var_shards(ncid, varid, &sharded, NULL) != NC_NOERR || !sharded ||
        nc_inq_varndims(ncid, varid, &rank) != NC_NOERR)
        return NULL;
    size = (size_t)rank * DIGITS + 1;
    if ((text = calloc(size, 1)) == NULL)
        return NULL; /* the list does without */
    for (int d = 0; d < rank; d++)
        used += snprintf(text + used, size - (size_t)used, d == 0 ? "%zu" : ",%zu", index[d]);
    return text;
}

static int
add_line(damage_log *l, int ncid, int varid, const size_t *index, const char *text)
{
    char       *key = copy_key(ncid, varid, index);
    const char *why = key != NULL ? skip_key(text, key) : text;
    damage_line line = {.key = key, .n = 1};

    for (size_t i = 0; key != NULL && i < l->nlines; i++)
        if (strcmp(l->line[i].key, key) == 0 && strcmp(l->line[i].why, why) == 0) {
            l->line[i].n++;
            l->listed++;
            free(key);
            return NC_NOERR;
        }
    if (key != NULL && l->nlines == DAMAGE_LINES) {
        free(key);
        return NC_NOERR;
    }
    if (key == NULL || (line.why = strdup(why)) == NULL) {
        free(key);
        return NC_ENOMEM;
    }
    line.chunk = format_index(ncid, varid, index);
    l->line[l->nlines++] = line;
    l->listed++;
    return NC_NOERR;
}

int
damage_log_add(damage_log *l, int ncid, int varid, size_t place, const size_t *index, const char *why)
{
    int rc;

    if (damage_log_has(l, ncid, varid, place))
        return NC_NOERR;
    if (2 * l->n >= l->cap && (rc = grow_table(l)) != NC_NOERR)
        return rc;
    if ((rc = add_line(l, ncid, varid, index, why)) != NC_NOERR)
        return rc;
    l->seen[find_slot(l, number_chunk(ncid, varid, place))] = number_chunk(ncid, varid, place);
    l->n++;
    return NC_NOERR;
}

void
damage_log_print(const damage_log *l, const char *before, FILE *out)
{
    for (size_t i = 0; i < l->nlines; i++) {
        const damage_line *line = &l->line[i];

        fputs(before, out);
        terminal_print(out, line->key);
        if (line->n > 1)
            fprintf(out, ": %zu chunks", line->n);
        else if (line->chunk != NULL)
            fprintf(out, ": chunk %s", line->chunk);
        fputs(": ", out);
        terminal_print(out, line->why);
        fputc('\n', out);
    }
    if (l->n > l->listed)
        fprintf(out, "%sand %zu more\n", before, l->n - l->listed);
}

void
damage_log_clear(damage_log *l)
{
    for (size_t i = 0; i < l->nlines; i++) {
        free(l->line[i].key);
        free(l->line[i].why);
        free(l->line[i].chunk);
    }
    free(l->seen);
    *l = (damage_log){.n = 0};
}
