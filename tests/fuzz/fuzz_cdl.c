/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as CDL: nczgen's engine writes it into a memory map and nczdump's prints that; both once more with what was
 * printed, which must come out the same. A first line of the form `// v3 zarr special` chooses the version of Zarr, the
 * dialect and whether virtual attributes are printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/dump.h"
#include "fuzz/walk.h"
#include "gen/gen.h"
#include "nczarr.h"
#include "nczarr_zmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_ELEMS 4096 /* of all variables together, and of a dimension */

static void
say(void *ctx, bool is_error, const char *text)
{
    bool *loud = ctx;

    if (loud != NULL && is_error)
        fprintf(stderr, "%s\n", text);
}

/* ---- size ---- */

static size_t
add_elems(int ncid, size_t sum)
{
    int nvars = 0, ngroups = 0, *groups;

    (void)nc_inq_nvars(ncid, &nvars);
    for (int v = 0; v < nvars && sum <= MOST_ELEMS; v++) {
        size_t n;

        if (fuzz_count_elems(ncid, v, MOST_ELEMS, &n) != NC_NOERR)
            abort();
        sum += n;
    }
    (void)nc_inq_grps(ncid, &ngroups, NULL);
    groups = calloc((size_t)ngroups + 1, sizeof *groups);
    (void)nc_inq_grps(ncid, &ngroups, groups);
    for (int g = 0; g < ngroups && sum <= MOST_ELEMS; g++)
        sum = add_elems(groups[g], sum);
    free(groups);
    return sum;
}

static int writing; /* for is_large(), which has no other way to know */

static bool
is_large(void)
{
    return add_elems(writing, 0) > MOST_ELEMS;
}

/* ---- there and back ---- */

typedef struct way {
    char mode[64];
    bool special;
} way;

static way
choose_way(const char *text)
{
    size_t len = strcspn(text, "\n");
    char  *line = strndup(text, len < 80 ? len : 80);
    way    w = {.special = strstr(line, "special") != NULL};

    snprintf(w.mode, sizeof w.mode, "mode=%s%s", strstr(line, "zarr") != NULL ? "zarr" : "nczarr",
             strstr(line, "v3") != NULL ? ",v3" : "");
    if (strncmp(line, "//", 2) != 0)
        w = (way){.mode = "mode=nczarr"};
    free(line);
    return w;
}

/* NULL: the text is no CDL, or what it says cannot be stored; `loud`: that is an error. */
static nczarr_map *
generate(const char *text, size_t len, const way *w, bool loud)
{
    gen_opts opts = {
        .put_bytes = (size_t)1 << 16, .stop = is_large, .report = {.say = say, .ctx = loud ? &loud : NULL}};
    gen_cdl    *cdl = NULL;
    nczarr_map *map;
    int         ncid, rc;

    if (gen_parse("input.cdl", text, len, opts.report, &cdl) != NC_NOERR)
        return NULL;
    if (nczarr_map_memory(&map) != NC_NOERR || nczarr_create_map(map, w->mode, NC_NETCDF4, &ncid) != NC_NOERR)
        abort();
    writing = ncid;
    rc = gen_write(cdl, ncid, &opts);
    gen_free(cdl);
    if (rc == NC_NOERR && is_large())
        rc = GEN_STOPPED;
    if (rc != NC_NOERR)
        (void)nc_abort(ncid);
    else if ((rc = nc_close(ncid)) != NC_NOERR && loud)
        fprintf(stderr, "%s\n", nczarr_errmsg());
    if (rc == NC_NOERR)
        return map;
    (void)nczarr_map_close(map);
    return NULL;
}

static char *
dump(nczarr_map *map, const way *w, size_t *len)
{
    dump_opts opts = DUMP_OPTS_INIT;
    char     *text = NULL;
    FILE     *out = open_memstream(&text, len);
    int       ncid;

    opts.special = w->special;
    opts.float_digits = 9; /* as many as tell all values apart */
    opts.double_digits = 17;
    if (nczarr_open_map(map, NULL, NC_NOWRITE, &ncid) != NC_NOERR) {
        fprintf(stderr, "what was generated does not open: %s\n", nczarr_errmsg());
        abort();
    }
    if (dump_run(ncid, "same", &opts, out) != 0)
        abort(); /* what was generated is printed */
    fclose(out);
    (void)nc_close(ncid);
    (void)nczarr_map_close(map);
    return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char       *text = malloc(size + 1), *first, *second;
    size_t      len;
    nczarr_map *map;
    way         w;

    memcpy(text, data, size);
    text[size] = '\0';
    w = choose_way(text);
    map = generate(text, size, &w, false);
    free(text);
    if (map == NULL)
        return 0;
    first = dump(map, &w, &len);
    if ((map = generate(first, len, &w, true)) == NULL) {
        fprintf(stderr, "what was printed is no CDL:\n%s", first);
        abort();
    }
    second = dump(map, &w, &len);
    if (strcmp(first, second) != 0) {
        fprintf(stderr, "first:\n%ssecond:\n%s", first, second);
        abort();
    }
    free(first);
    free(second);
    return 0;
}
