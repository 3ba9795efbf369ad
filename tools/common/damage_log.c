/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage_log.c: tells damage from other failures, and lists the damaged chunks: all are counted, and the first lines
 * have their keys and causes.
 */
#include "common/damage.h"
#include "common/memory.h"
#include "common/terminal_text.h"
#include "common/text_buf.h"
#include "common/var_inquiry.h"

#include <errno.h>
#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

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
damage_is_lost(int rc)
{
    return rc == NC_ENOOBJECT || rc == ENOENT;
}

bool
damage_is_cause(int ncid, int varid, int rc)
{
    bool bytes = rc == NC_EFILTER || rc == NC_ETRUNC || rc == NC_EHDFERR, unread = rc == NC_EIO || rc == NC_EACCESS;

    if (!bytes && !damage_is_lost(rc) && !(unread && is_local(ncid)))
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

static void
grow_table(damage_log *l)
{
    damage_log old = *l;

    l->cap = old.cap == 0 ? 64 : old.cap * 2;
    l->seen = memory_alloc(l->cap, sizeof *l->seen);
    for (size_t i = 0; i < old.cap; i++)
        if (old.seen[i] != 0)
            l->seen[find_slot(l, old.seen[i])] = old.seen[i];
    free(old.seen);
}

/* ---- the list ---- */

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
    text_buf text = TEXT_BUF_INIT;
    int      sharded = 0, rank = 0;

    if (nczarr_inq_var_shards(ncid, varid, &sharded, NULL) == NC_NOERR && sharded)
        (void)nc_inq_varndims(ncid, varid, &rank);
    for (int d = 0; d < rank; d++)
        text_addf(&text, d == 0 ? "%zu" : ",%zu", index[d]);
    return text.s;
}

static void
add_line(damage_log *l, int ncid, int varid, const size_t *index, const char *text)
{
    char       *found = var_chunk_key(ncid, varid, index), *key = found != NULL ? found : memory_textf("%s", "");
    const char *why = skip_key(text, key);

    for (size_t i = 0; i < l->nlines; i++)
        if (strcmp(l->line[i].key, key) == 0 && strcmp(l->line[i].why, why) == 0) {
            l->line[i].n++;
            l->listed++;
            free(key);
            return;
        }
    if (l->nlines == DAMAGE_LINES) {
        free(key);
        return;
    }
    l->line[l->nlines++] =
        (damage_line){.key = key, .why = memory_need(strdup(why)), .chunk = format_index(ncid, varid, index), .n = 1};
    l->listed++;
}

void
damage_log_add(damage_log *l, int ncid, int varid, size_t place, const size_t *index, const char *why)
{
    if (damage_log_has(l, ncid, varid, place))
        return;
    if (2 * l->n >= l->cap)
        grow_table(l);
    add_line(l, ncid, varid, index, why);
    l->seen[find_slot(l, number_chunk(ncid, varid, place))] = number_chunk(ncid, varid, place);
    l->n++;
}

void
damage_log_print(const damage_log *l, const char *before, FILE *out)
{
    for (size_t i = 0; i < l->nlines; i++) {
        const damage_line *line = &l->line[i];

        fputs(before, out);
        terminal_print(out, line->key);
        if (line->n > 1)
            fprintf(out, "%s%zu chunks", line->key[0] != '\0' ? ": " : "", line->n);
        else if (line->chunk != NULL)
            fprintf(out, ": chunk %s", line->chunk);
        if (line->key[0] != '\0' || line->n > 1) /* the cause names a chunk that has no key */
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
