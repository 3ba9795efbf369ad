/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of calls over a damaged store: the input is a store (objects.h), of which the object "!calls" is not put
 * there but says what is called. Each call takes bytes from it: its number in the table at the end, then its arguments.
 * Datasets of the damaged store and of a second, empty one are open at the same time.
 *
 * No crash; a call that fails says why; the chunks that are listed have the addresses that they are asked for by; and
 * values that were put are there when they are read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/api_program.h"
#include "fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_CALLS 64

/* ---- datasets ---- */

static const char *const modes[] = {NULL,
                                    "mode=nczarr",
                                    "mode=zarr",
                                    "mode=nczarr,v3",
                                    "mode=zarr,v3",
                                    "compat=4.9.0",
                                    "compat=4.9.2",
                                    "mode=zarr,v3&chunk_keys=v2",
                                    "mode=zarr,noxarray&consolidated=yes",
                                    "consolidated=no",
                                    "write_empty_chunks=yes",
                                    "readahead=yes"};

static const char *
take_mode(program *p)
{
    return modes[take(p) % (sizeof modes / sizeof *modes)];
}

static void
keep(program *p, int ncid)
{
    if (p->nopen < MOST_OPEN)
        p->ncid[p->nopen++] = ncid;
    else
        (void)nc_abort(ncid);
}

static void
call_open(program *p)
{
    int ncid, map = take(p) % 4 == 3, omode = take(p) % 2 ? NC_WRITE : NC_NOWRITE;

    if (fuzz_said(nczarr_open_map(p->map[map], take(p) % 4 ? NULL : take_mode(p), omode, &ncid)) == NC_NOERR)
        keep(p, ncid);
}

static void
call_create(program *p)
{
    int         ncid, map = take(p) % 16 != 0, cmode = take(p) % 8 ? NC_NETCDF4 : NC_CLASSIC_MODEL | NC_NETCDF4;
    const char *mode = take_mode(p);

    if (fuzz_said(nczarr_create_map(p->map[map], mode, cmode, &ncid)) == NC_NOERR)
        keep(p, ncid);
}

static void
call_close(program *p)
{
    int i;

    if (p->nopen == 0)
        return;
    i = take(p) % p->nopen;
    (void)fuzz_said(take(p) % 8 ? nc_close(p->ncid[i]) : nc_abort(p->ncid[i]));
    p->ncid[i] = p->ncid[--p->nopen];
}

static void
call_phase(program *p)
{
    int ncid = take_group(p);

    switch (take(p) % 5) {
    case 0: (void)fuzz_said(nc_redef(ncid)); break;
    case 1: (void)fuzz_said(nc_enddef(ncid)); break;
    case 2: (void)fuzz_said(nc_sync(ncid)); break;
    case 3: (void)fuzz_said(nc_set_fill(ncid, take(p) % 2 ? NC_NOFILL : NC_FILL, NULL)); break;
    default: (void)nc_set_chunk_cache((size_t)take(p) << 8, 1, 0.5F); break;
    }
}

static void
call_walk(program *p)
{
    int ncid = take_group(p);

    if (p->nopen > 0 && fuzz_loads(ncid))
        fuzz_walk(ncid);
}

#define MOST_COPIED ((size_t)64 * FUZZ_MOST_ELEMS) /* a copy takes its time for each chunk, also those not there */

static void
call_copy_var(program *p)
{
    int    from = take_group(p), varid = take_var(p, from), to = take_group(p);
    size_t n;

    /* A damaged document may give a dimension any length; without the variable the call is an error. */
    if (fuzz_count_elems(from, varid, MOST_COPIED, &n) != NC_NOERR || n <= MOST_COPIED)
        (void)fuzz_said(nc_copy_var(from, varid, to));
}

/* ---- the store ---- */

typedef struct choice {
    int   nth;
    char *key;
} choice;

static int
choose_key(const char *key, unsigned long long length, void *arg)
{
    choice *c = arg;

    (void)length;
    if (c->nth-- > 0)
        return 0;
    c->key = strdup(key);
    return 1;
}

/* An object is cut, loses a bit or goes, as if another program did that. */
static void
call_damage(program *p)
{
    nczarr_map    *map = p->map[take(p) % 4 == 3];
    choice         c = {.nth = take(p) % 32};
    unsigned char *bytes = NULL;
    size_t         len = 0, at = take_number(p);

    (void)nczarr_map_walk(map, "", choose_key, &c);
    if (c.key == NULL || nczarr_map_get(map, c.key, (void **)&bytes, &len) != NC_NOERR) {
        free(c.key);
        return;
    }
    switch (take(p) % 3) {
    case 0: (void)nczarr_map_delete(map, c.key); break;
    case 1: (void)nczarr_map_write(map, c.key, len == 0 ? 0 : at % len, bytes); break;
    default:
        if (len > 0)
            bytes[at % len] ^= (unsigned char)(take(p) | 1);
        (void)nczarr_map_write(map, c.key, len, bytes);
    }
    free(bytes);
    free(c.key);
}

/* ---- chunks ---- */

typedef struct listing {
    int ncid, varid;
} listing;

static int
check_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    const listing *l = arg;
    size_t         len = 0;
    char          *asked;

    (void)offset;
    (void)length;
    if (nczarr_inq_var_chunk_key(l->ncid, l->varid, index, &len, NULL, NULL, NULL) != NC_NOERR)
        abort(); /* what is listed has an address */
    asked = malloc(len + 1);
    if (nczarr_inq_var_chunk_key(l->ncid, l->varid, index, &len, asked, NULL, NULL) != NC_NOERR ||
        strcmp(asked, key) != 0)
        abort();
    free(asked);
    return 0;
}

static void
call_chunks(program *p)
{
    listing            l = {.ncid = take_group(p)};
    unsigned long long offset, length;
    size_t             index[NC_MAX_VAR_DIMS], len = 0, n = 0;
    char              *text;

    l.varid = take_var(p, l.ncid);
    (void)fuzz_said(nczarr_list_var_chunks(l.ncid, l.varid, check_chunk, &l));
    for (int d = 0; d < NC_MAX_VAR_DIMS; d++)
        index[d] = d < 4 ? take(p) % 8 : 0;
    (void)fuzz_said(nczarr_inq_var_chunk_key(l.ncid, l.varid, index, NULL, NULL, &offset, &length));
    if (fuzz_said(nczarr_inq_var_encoding(l.ncid, l.varid, &len, NULL)) == NC_NOERR) {
        text = malloc(len + 1);
        if (nczarr_inq_var_encoding(l.ncid, l.varid, &len, text) != NC_NOERR || strlen(text) != len)
            abort();
        free(text);
    }
    (void)fuzz_said(nczarr_inq_var_chunk_lengths(l.ncid, l.varid, take(p) % 4, &n, NULL));
}

/* ---- the program ---- */

/* Their order is that of the numbers in the corpus: new ones go to the end. */
static void (*const calls[])(program *p) = {
    call_open,   call_create,  call_close,      call_phase,    call_walk,     call_get,
    call_put,    call_put_att, call_change_att, call_def_dim,  call_def_var,  call_storage,
    call_filter, call_def_grp, call_rename,     call_def_type, call_inq_type, call_copy_var,
    call_damage, call_chunks,  call_inq_var,    call_grow,
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_object code = {.data = data};
    program     p = {.map[0] = fuzz_map_of(data, size, "!calls", &code)};

    if (nczarr_map_memory(&p.map[1]) != NC_NOERR)
        abort();
    p.at = code.data;
    p.end = code.data + code.len;
    for (int i = 0; i < MOST_CALLS && p.at < p.end; i++)
        calls[take(&p) % (sizeof calls / sizeof *calls)](&p);
    while (p.nopen > 0)
        (void)fuzz_said(nc_close(p.ncid[--p.nopen]));
    for (int i = 0; i < 2; i++)
        (void)nczarr_map_close(p.map[i]);
    return 0;
}
