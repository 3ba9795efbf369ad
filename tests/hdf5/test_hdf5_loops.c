/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files made by hand whose structures lead to themselves, or by many ways to the same one: each ends with an error,
 * soon. They have a superblock of version 0 and a root whose header is of version 1.
 */
#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_json.h"
#include "support/test.h"

enum { ROOT = 96, SIZE = 1 << 16 };

typedef struct file {
    unsigned char bytes[SIZE];
    size_t        end;
} file;

static void
put(file *f, uint64_t v, unsigned n)
{
    assert_true(f->end + n <= SIZE);
    for (unsigned i = 0; i < n; i++)
        f->bytes[f->end++] = (unsigned char)(i < 8 ? v >> (8 * i) : 0);
}

static void
put_text(file *f, const char *s)
{
    while (*s != 0)
        put(f, (unsigned char)*s++, 1);
}

static void
begin(file *f)
{
    memset(f, 0, sizeof *f);
    put_text(f, "\x89HDF\r\n\x1a\n");
    put(f, 0, 5);
    put(f, 8, 1);
    put(f, 8, 1);
    put(f, 0, 1);
    put(f, 4, 2);
    put(f, 16, 2);
    put(f, 0, 4);
    put(f, 0, 8); /* base */
    put(f, UINT64_MAX, 8);
    put(f, SIZE, 8);
    put(f, UINT64_MAX, 8); /* driver */
    put(f, 0, 8);
    put(f, ROOT, 8);
    put(f, 0, 24);
    assert_int_equal(f->end, ROOT);
}

/* The start of a header with messages of so many bytes. */
static void
begin_header(file *f, size_t n)
{
    put(f, 1, 1);
    put(f, 0, 1);
    put(f, 1, 2);
    put(f, 1, 4);
    put(f, n, 4);
    put(f, 0, 4);
}

static void
begin_message(file *f, unsigned type, size_t n)
{
    put(f, type, 2);
    put(f, n, 2);
    put(f, 0, 4);
}

/* The code of reading all of it; `text` is in what is said of it. */
static void
check(const file *f, int code, const char *text)
{
    hdf5_bytes      bytes = {.data = f->bytes, .len = SIZE};
    ncz_read_source source = hdf5_bytes_source(&bytes);
    ncz_buf         json = NCZ_BUF_INIT;
    ncz_hdf5       *h = NULL;

    assert_int_equal(ncz_hdf5_open(&source, &ncz_limits_default, &h), NC_NOERR);
    assert_int_equal(hdf5_json(h, 1 << 20, &json), code);
    if (strstr(ncz_buf_str(&json), text) == NULL)
        fail_msg("%s", ncz_buf_str(&json));
    assert_true(h->work <= 5 * SIZE + (1 << 16));
    ncz_hdf5_close(h);
    ncz_buf_clear(&json);
}

/* A header that goes on in itself, and one that goes on in a block that goes on in the first. */
TEST(continuations_in_circles_are_refused)
{
    static file f;
    size_t      next = 4096;

    begin(&f);
    begin_header(&f, 24);
    begin_message(&f, NCZ_HDF5_MSG_CONTINUATION, 16);
    put(&f, ROOT + 16, 8);
    put(&f, 24, 8);
    check(&f, NC_EHDFERR, "twice");

    begin(&f);
    begin_header(&f, 24);
    begin_message(&f, NCZ_HDF5_MSG_CONTINUATION, 16);
    put(&f, next, 8);
    put(&f, 24, 8);
    f.end = next;
    begin_message(&f, NCZ_HDF5_MSG_CONTINUATION, 16);
    put(&f, ROOT + 16, 8);
    put(&f, 24, 8);
    check(&f, NC_EHDFERR, "twice");
}

/* The root as a group of a B-tree at 512 and a heap at 256. */
static void
begin_group(file *f)
{
    begin(f);
    begin_header(f, 24);
    begin_message(f, NCZ_HDF5_MSG_SYMBOL_TABLE, 16);
    put(f, 512, 8);
    put(f, 256, 8);
    f->end = 256;
    put_text(f, "HEAP");
    put(f, 0, 4);
    put(f, 16, 8);
    put(f, 1, 8);
    put(f, 288, 8);
    f->end = 512;
}

static void
put_node(file *f, unsigned level, unsigned n, uint64_t child)
{
    put_text(f, "TREE");
    put(f, 0, 1);
    put(f, level, 1);
    put(f, n, 2);
    put(f, UINT64_MAX, 8);
    put(f, UINT64_MAX, 8);
    for (unsigned i = 0; i < n; i++) {
        put(f, 0, 8);
        put(f, child, 8);
    }
    put(f, 0, 8);
}

TEST(trees_in_circles_are_refused)
{
    static file f;

    begin_group(&f);
    put_node(&f, 1, 1, 512); /* its own child */
    check(&f, NC_EHDFERR, "level");
    begin_group(&f);
    put_node(&f, 200, 1, 512);
    check(&f, NC_EHDFERR, "level");
    begin_group(&f);
    for (unsigned level = 60; level > 0; level--) /* 32 to the power of 60 ways to the last */
        put_node(&f, level, 32, f.end + 8 + 16 + 32 * 16 + 8);
    put_node(&f, 0, 0, 0);
    check(&f, NC_EHDFERR, "in circles");
}

/* A type of elements of variable length, of elements of variable length ... */
TEST(types_nested_too_deep_are_refused)
{
    static file f;
    unsigned    depth = 100;

    begin(&f);
    begin_header(&f, 8 + (size_t)8 * depth + 16);
    begin_message(&f, NCZ_HDF5_MSG_TYPE, (size_t)8 * depth + 16);
    for (unsigned i = 0; i < depth; i++) {
        put(&f, 0x19, 4);
        put(&f, 16, 4);
    }
    put(&f, 0x10, 4);
    put(&f, 4, 4);
    put(&f, 32 << 16, 8);
    check(&f, NC_EHDFERR, "too deep");
}

/* A type that is said to be in the header that says it. */
TEST(shared_messages_in_circles_are_refused)
{
    static file f;

    begin(&f);
    begin_header(&f, 32);
    put(&f, NCZ_HDF5_MSG_TYPE, 2);
    put(&f, 24, 2);
    put(&f, 2, 4);
    put(&f, 1, 8);
    put(&f, 0, 8); /* of a name */
    put(&f, ROOT, 8);
    check(&f, NC_EHDFERR, "does not have it");
}
