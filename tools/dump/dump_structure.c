/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_structure.c: --check --structure: what is wrong with the structure of a netCDF-4 file, a line each, by address;
 * then which bytes are for what, and how many are not used.
 */
#include "dump_int.h"

#include "common/message.h"
#include "common/terminal_text.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 32 };

typedef struct fault {
    unsigned long long address;
    size_t             n; /* in the order in which they were found */
    int                kind;
    char              *text;
} fault;

/* What bytes are for. */
typedef struct kind {
    char              *what;
    size_t             n;
    unsigned long long bytes;
} kind;

typedef struct structure {
    fault             *faults;
    size_t             nfaults, nunknown, ndangling; /* all; of these kinds */
    kind               kinds[KINDS];
    size_t             nkinds;
    unsigned long long at, used, size; /* the end of what is used so far; bytes in use, of the file */
} structure;

static void
add_fault(structure *s, const nczarr_structure_item *item)
{
    text_buf t = TEXT_BUF_INIT;

    text_addf(&t, "%llu: ", item->address);
    text_add_safe(&t, item->path);
    text_add(&t, item->path[0] != '\0' ? ": " : "");
    text_add_safe(&t, item->what);
    s->faults = memory_grow(s->faults, s->nfaults, sizeof *s->faults);
    s->faults[s->nfaults] =
        (fault){.address = item->address, .n = s->nfaults, .kind = item->kind, .text = memory_textf("%s", t.s)};
    s->nfaults++;
    s->nunknown += item->kind == NCZARR_STRUCTURE_UNKNOWN;
    s->ndangling += item->kind == NCZARR_STRUCTURE_DANGLING;
    text_clear(&t);
}

/* Ranges come by address; where they overlap, which is a fault, a byte counts once. */
static void
add_used(structure *s, const nczarr_structure_item *item)
{
    unsigned long long end = item->address + item->length, from = item->address > s->at ? item->address : s->at;
    size_t             i = 0;

    while (i < s->nkinds && strcmp(s->kinds[i].what, item->what) != 0)
        i++;
    if (i == s->nkinds && i < KINDS)
        s->kinds[s->nkinds++] = (kind){.what = memory_textf("%s", item->what)};
    if (i < KINDS) {
        s->kinds[i].n++;
        s->kinds[i].bytes += item->length;
    }
    if (end > from) {
        s->used += end - from;
        s->at = end;
    }
}

static int
take_item(const nczarr_structure_item *item, void *arg)
{
    structure *s = arg;

    switch (item->kind) {
    case NCZARR_STRUCTURE_FAULT:
    case NCZARR_STRUCTURE_UNKNOWN:
    case NCZARR_STRUCTURE_DANGLING: add_fault(s, item); break;
    case NCZARR_STRUCTURE_USED: add_used(s, item); break;
    default: s->size = item->address; s->used += item->length;
    }
    return 0;
}

static int
compare_faults(const void *a, const void *b)
{
    const fault *x = a, *y = b;

    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

static void
print_structure(const structure *s, const char *file, FILE *out)
{
    unsigned long long unused = s->size > s->used ? s->size - s->used : 0;
    size_t             nfaults = s->nfaults - s->nunknown - s->ndangling;

    for (size_t i = 0; i < s->nfaults; i++)
        if (s->faults[i].kind != NCZARR_STRUCTURE_UNKNOWN)
            fprintf(out, "%s\n", s->faults[i].text);
    for (size_t i = 0; i < s->nkinds; i++)
        fprintf(out, "%12llu bytes: %zu %s\n", s->kinds[i].bytes, s->kinds[i].n, s->kinds[i].what);
    fprintf(out, "%12llu bytes: not used, %.1f %%\n", unused,
            s->size > 0 ? 100.0 * (double)unused / (double)s->size : 0);
    fprintf(out, "%s: %llu bytes, ", file, s->size);
    if (s->ndangling > 0)
        fprintf(out, "%zu reference%s to no object, ", s->ndangling, s->ndangling == 1 ? "" : "s");
    if (nfaults > 0)
        fprintf(out, "%zu fault%s of structure\n", nfaults, nfaults == 1 ? "" : "s");
    else
        fputs(s->nunknown > 0 ? "not all could be checked\n" : "sound\n", out);
}

static void
clear_structure(structure *s)
{
    for (size_t i = 0; i < s->nfaults; i++)
        free(s->faults[i].text);
    for (size_t i = 0; i < s->nkinds; i++)
        free(s->kinds[i].what);
    free(s->faults);
}

int
dump_structure(const char *path, const char *file, FILE *out)
{
    structure s = {.nfaults = 0};
    int       rc = nczarr_check_structure(path, take_item, &s);

    if (rc != NC_NOERR) {
        (void)message_fail(rc, file);
    } else {
        if (s.nfaults > 0)
            qsort(s.faults, s.nfaults, sizeof *s.faults, compare_faults);
        text_set_terminal(isatty(fileno(out)));
        for (size_t i = 0; i < s.nfaults; i++)
            if (s.faults[i].kind == NCZARR_STRUCTURE_UNKNOWN)
                message_print("%s: %s", file, s.faults[i].text);
        print_structure(&s, file, out);
        if (fflush(out) != 0 || ferror(out)) {
            message_print("%s: cannot write the output", file);
            rc = NC_EIO;
        } else if (s.nfaults > s.ndangling) {
            rc = s.nfaults > s.nunknown + s.ndangling ? DUMP_DAMAGED : NC_ENOTBUILT;
        }
    }
    clear_structure(&s);
    return rc;
}
