/* SPDX-License-Identifier: BSD-3-Clause */
/* How a variable is stored, copied to a new one: nczarr_copy_var_storage(), and nc_copy_var(), which uses it. */
#include "api_test.h"
#include "nczarr_filter.h"

#define SHARD                                                                                                        \
    "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2], \"codecs\": [{\"name\": \"bytes\", " \
    "\"configuration\": {\"endian\": \"little\"}}, {\"name\": \"gzip\", \"configuration\": {\"level\": 2}}], "       \
    "\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}}"

typedef struct pair {
    nczarr_map *maps[2];
    int         in, out;
} pair;

static void
open_pair(pair *p, const char *from, const char *to)
{
    OK(nczarr_map_memory(&p->maps[0]));
    OK(nczarr_map_memory(&p->maps[1]));
    OK(nczarr_create_map(p->maps[0], from, NC_CLOBBER, &p->in));
    OK(nczarr_create_map(p->maps[1], to, NC_CLOBBER, &p->out));
}

static void
close_pair(pair *p)
{
    OK(nc_close(p->in));
    OK(nc_close(p->out));
    OK(nczarr_map_close(p->maps[0]));
    OK(nczarr_map_close(p->maps[1]));
}

/* Defines one-dimensional variables of 8 elements on both sides. */
static void
define_both(const pair *p, nc_type type, int *in, int *out)
{
    int dim;

    OK(nc_def_dim(p->in, "x", 8, &dim));
    OK(nc_def_var(p->in, "v", type, 1, &dim, in));
    OK(nc_def_dim(p->out, "x", 8, &dim));
    OK(nc_def_var(p->out, "v", type, 1, &dim, out));
}

static void
codecs_are(int ncid, int varid, int zarr_format, const char *want)
{
    char   text[1000];
    size_t len;

    OK(nczarr_inq_var_codecs(ncid, varid, zarr_format, &len, NULL));
    assert_true(len < sizeof text);
    OK(nczarr_inq_var_codecs(ncid, varid, zarr_format, NULL, text));
    assert_string_equal(text, want);
}

static void
dtype_is(int ncid, int varid, const char *want)
{
    char text[100];

    OK(nczarr_inq_var_dtype(ncid, varid, NULL, text));
    assert_string_equal(text, want);
}

TEST(strings_become_what_the_other_version_has)
{
    pair p;
    int  in, out, exact, dim;

    open_pair(&p, "mode=nczarr,v2", "mode=nczarr,v3");
    define_both(&p, NC_STRING, &in, &out);
    OK(nczarr_def_var_strlen(p.in, in, 5));
    OK(nc_def_var_deflate(p.in, in, 0, 1, 3));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, 0));
    codecs_are(p.out, out, 2, "[{\"id\": \"vlen-utf8\"},{\"id\": \"zlib\", \"level\": 3}]");
    OK(nc_inq_dimid(p.out, "x", &dim));
    OK(nc_def_var(p.out, "w", NC_STRING, 1, &dim, &exact));
    OK(nczarr_copy_var_storage(p.in, in, p.out, exact, NULL, NULL, NCZARR_COPY_EXACT));
    dtype_is(p.out, exact, "|S5");
    codecs_are(p.out, exact, 2, "[{\"id\": \"zlib\", \"level\": 3}]");
    close_pair(&p);
}

TEST(chunks_shards_and_order_are_copied)
{
    static const char transposed[] =
        "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1,2,0]}},{\"name\": \"bytes\", "
        "\"configuration\": "
        "{\"endian\": \"big\"}},{\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]";
    pair   p;
    int    dims[3], in, out, sharded;
    size_t chunks[3] = {0, 0, 0}, shards[3] = {0, 0, 0};

    open_pair(&p, "mode=zarr,v3", "mode=nczarr,v3");
    for (int d = 0; d < 3; d++)
        OK(nc_def_dim(p.in, (const char *[]){"x", "y", "z"}[d], 8, &dims[d]));
    OK(nc_def_var(p.in, "v", NC_INT, 3, dims, &in));
    OK(nc_def_var_chunking(p.in, in, NC_CHUNKED, (size_t[]){2, 4, 8}));
    OK(nczarr_def_var_shards(p.in, in, (size_t[]){4, 8, 8}));
    OK(nczarr_def_var_codecs(p.in, in, transposed));
    OK(nc_copy_var(p.in, in, p.out));
    OK(nc_inq_varid(p.out, "v", &out));
    OK(nc_inq_var_chunking(p.out, out, NULL, chunks));
    assert_memory_equal(chunks, ((size_t[]){2, 4, 8}), sizeof chunks);
    OK(nczarr_inq_var_shards(p.out, out, &sharded, shards));
    assert_true(sharded);
    assert_memory_equal(shards, ((size_t[]){4, 8, 8}), sizeof shards);
    codecs_are(p.out, out, 3, transposed);
    close_pair(&p);
}

TEST(what_is_chosen_comes_first)
{
    pair   p;
    int    in, out, sharded = 1;
    size_t chunk = 0;

    open_pair(&p, "mode=nczarr,v3", "mode=nczarr,v3");
    define_both(&p, NC_INT, &in, &out);
    OK(nc_def_var_chunking(p.in, in, NC_CHUNKED, (size_t[]){2}));
    OK(nczarr_def_var_shards(p.in, in, (size_t[]){4}));
    OK(nc_def_var_deflate(p.in, in, 0, 1, 3));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, (size_t[]){4}, (size_t[]){0}, NCZARR_COPY_NO_CODECS));
    OK(nc_inq_var_chunking(p.out, out, NULL, &chunk));
    assert_int_equal(chunk, 4);
    OK(nczarr_inq_var_shards(p.out, out, &sharded, NULL));
    assert_int_equal(sharded, 0);
    codecs_are(p.out, out, 2, "[]");
    close_pair(&p);
}

/* A shard among the codecs of a chunk is for chunks of one shape. */
TEST(shards_in_a_chain_give_way)
{
    static const char flat[] =
        "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}},{\"name\": \"gzip\", "
        "\"configuration\": {\"level\": 2}},{\"name\": \"crc32c\", \"configuration\": {}}]";
    pair  p;
    int   in, out, dim;
    char *same;

    open_pair(&p, "mode=nczarr,v3", "mode=nczarr,v3");
    define_both(&p, NC_INT, &in, &out);
    OK(nc_def_var_chunking(p.in, in, NC_CHUNKED, (size_t[]){4}));
    OK(nczarr_def_var_codecs(p.in, in, "[" SHARD ",{\"name\": \"crc32c\"}]"));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, (size_t[]){8}, NULL, 0));
    codecs_are(p.out, out, 3, flat);
    OK(nc_inq_dimid(p.out, "x", &dim));
    OK(nc_def_var(p.out, "flat", NC_INT, 1, &dim, &out));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, NCZARR_COPY_FLAT_CODECS));
    codecs_are(p.out, out, 3, flat);
    OK(nc_def_var(p.out, "same", NC_INT, 1, &dim, &out));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, 0));
    assert_non_null(same = calloc(1, 2000));
    OK(nczarr_inq_var_codecs(p.out, out, 3, NULL, same));
    assert_non_null(strstr(same, "sharding_indexed"));
    free(same);
    close_pair(&p);
}

TEST(scalars_keep_the_codecs_of_v3)
{
    static const char gzip[] =
        "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}},{\"name\": \"gzip\", "
        "\"configuration\": {\"level\": 2}}]";
    pair p;
    int  in, out;

    open_pair(&p, "mode=nczarr,v3", "mode=nczarr,v3");
    OK(nc_def_var(p.in, "s", NC_INT, 0, NULL, &in));
    OK(nczarr_def_var_codecs(p.in, in, gzip));
    OK(nc_copy_var(p.in, in, p.out));
    OK(nc_inq_varid(p.out, "s", &out));
    codecs_are(p.out, out, 3, gzip);
    close_pair(&p);
}

TEST(wrong_arguments)
{
    pair p;
    int  in, out, scalar, other;

    open_pair(&p, "mode=nczarr,v2", "mode=nczarr,v2");
    define_both(&p, NC_INT, &in, &out);
    OK(nc_def_var(p.out, "s", NC_INT, 0, NULL, &scalar));
    FAILS(NC_EINVAL, nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, 16));
    FAILS(NC_EINVAL, nczarr_copy_var_storage(p.in, in, p.out, scalar, NULL, NULL, 0));
    FAILS(NC_ENOTVAR, nczarr_copy_var_storage(p.in, 7, p.out, out, NULL, NULL, 0));
    OK(nc_def_var(p.out, "text", NC_STRING, 1, (int[]){0}, &other));
    FAILS(NC_EBADTYPE, nczarr_copy_var_storage(p.in, in, p.out, other, NULL, NULL, 0));
    FAILS(NC_EBADCHUNK, nczarr_copy_var_storage(p.in, in, p.out, out, (size_t[]){9}, NULL, 0));
    OK(nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, 0));
    OK(nc_enddef(p.out));
    FAILS(NC_ELATEDEF, nczarr_copy_var_storage(p.in, in, p.out, out, NULL, NULL, 0));
    close_pair(&p);
}
