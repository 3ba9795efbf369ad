/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_check_places.c: --check of data that lie elsewhere: every place is asked whether it is there, and no data are
 * read but of ranges that end behind their object. What is missing goes to the output, a line each, what could not be
 * asked to stderr.
 */
#include "dump_int.h"

#include <errno.h>
#include <limits.h>
#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_SHOWN = 20 };

/* Is it an answer about the place, and not that nobody could be asked? */
static bool
is_gone(int status)
{
    return status == NC_ENOOBJECT || status == NC_EIO || status == NC_EINVAL || status == NC_ENOTNC ||
           status == ENOENT;
}

/* The reason behind what is said already: it may begin with the place or the key. */
static const char *
reason_of(const nczarr_place_item *item)
{
    const char *const said[] = {item->place, item->key};
    const char       *why = item->why;

    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        size_t n = strlen(said[i]);

        if (n > 0 && strncmp(why, said[i], n) == 0 && strncmp(why + n, ": ", 2) == 0)
            why += n + 2;
    }
    return why;
}

static void
print_gone(const dump_context *d, const nczarr_place_item *item)
{
    text_buf t = TEXT_BUF_INIT;

    text_add_safe(&t, item->place);
    text_addf(&t, ": needed by %llu %s, first ", item->count, item->count == 1 ? "object" : "objects");
    text_add_safe(&t, item->key);
    text_add(&t, ": ");
    text_add_safe(&t, reason_of(item));
    fprintf(d->out, "%s\n", t.s);
    text_clear(&t);
}

typedef struct asking {
    dump_context     *d;
    dump_place_count *n;
} asking;

static int
note_place(const nczarr_place_item *item, void *arg)
{
    asking *a = arg;

    a->n->all++;
    if (item->status == NC_NOERR && item->end != ULLONG_MAX) {
        a->n->passed = memory_room(a->n->passed, a->n->npassed, &a->n->cap, sizeof *a->n->passed);
        a->n->passed[a->n->npassed++] = (dump_place_end){memory_need(strdup(item->place)), item->end};
    }
    if (item->status == NC_NOERR)
        return 0;
    if (is_gone(item->status)) {
        if (a->n->gone++ < PLACES_SHOWN)
            print_gone(a->d, item);
    } else if (a->n->unknown++ < PLACES_SHOWN) {
        (void)dump_fail_text(&a->d->report, item->status, "%s: %s: %s", a->d->report.file, item->place,
                             reason_of(item));
    }
    return 0;
}

void
dump_check_places(dump_context *d, dump_place_count *n)
{
    int rc = nczarr_check_places(d->root, note_place, &(asking){.d = d, .n = n});

    if (rc != NC_NOERR)
        (void)dump_fail(&d->report, rc, "places");
    if (n->gone > PLACES_SHOWN)
        fprintf(d->out, "and %zu more places that are not there\n", n->gone - PLACES_SHOWN);
    if (n->unknown > PLACES_SHOWN)
        (void)dump_fail_text(&d->report, NC_EACCESS, "%s: and %zu more places could not be asked", d->report.file,
                             n->unknown - PLACES_SHOWN);
}

bool
dump_is_past_end(const dump_place_count *n, const char *place, unsigned long long start, unsigned long long length)
{
    for (size_t i = 0; i < n->npassed; i++)
        if (strcmp(n->passed[i].place, place) == 0)
            return length != NCZARR_MAP_WHOLE && (start > n->passed[i].end || length > n->passed[i].end - start);
    return false;
}

void
dump_place_count_clear(dump_place_count *n)
{
    for (size_t i = 0; i < n->npassed; i++)
        free(n->passed[i].place);
    free(n->passed);
}
