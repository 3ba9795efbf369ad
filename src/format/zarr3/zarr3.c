/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recognises Zarr v3: its one document, and chunks below "c" with the default chunk key encoding. No state; any
 * thread.
 */
#include "format/zarr3/zarr3.h"

#include "format/format_int.h"

#include <string.h>

#define DOCUMENT "zarr.json"

static const char *const documents[] = {DOCUMENT, NULL};

_Static_assert(NCZ_LEN(documents) == NCZ_ZARR3_ROOT_DOCS + 1, "");

/* An unreadable document does not count: it may be anything. */
static int
identify_root(ncz_loader *l, ncz_node *root, const ncz_docs_got *got, ncz_node_docs *docs, bool *is)
{
    (void)l;
    (void)root;
    (void)docs;
    *is = got[0].doc != NULL;
    return *is ? ncz_fail(NC_ENOTZARR, "this is a Zarr v3 dataset (" DOCUMENT "); version 3 is not supported yet")
               : NC_NOERR;
}

static unsigned
choose_docs(const ncz_loader *l, ncz_node_kind kind)
{
    (void)l;
    (void)kind;
    return 0;
}

static int
parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key)
{
    (void)l;
    (void)n;
    (void)docs;
    return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 is not supported yet", key);
}

static int
write_node(const ncz_group *g, const ncz_var *v, const ncz_format_opts *style, ncz_buf *text, ncz_node_doc_fn each,
           void *arg)
{
    (void)style;
    (void)text;
    (void)each;
    (void)arg;
    return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 is not supported yet", v != NULL ? v->name : g->name);
}

static int
locate_chunk(const ncz_spec *spec, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    (void)index;
    (void)key;
    (void)where;
    return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 is not supported yet", spec->path);
}

static ncz_key_encoding
encode_keys(char separator)
{
    (void)separator;
    return 0;
}

/* "c" for a scalar, else as "c/0/1". No caller needs the numbers yet. */
static ncz_key_kind
parse_key(const char *rest, size_t rank, uint64_t *index)
{
    bool digit = false;

    (void)index;
    if (strcmp(rest, DOCUMENT) == 0)
        return NCZ_KEY_DOCUMENT;
    if (rest[0] != 'c' || rank != NCZ_RANK_ANY)
        return NCZ_KEY_FOREIGN;
    if (rest[1] == '\0')
        return NCZ_KEY_CHUNK;
    if (rest[1] != '/')
        return NCZ_KEY_FOREIGN;
    for (const char *p = rest + 2; *p != '\0'; p++) {
        if (*p >= '0' && *p <= '9')
            digit = true;
        else if ((*p == '.' || *p == '/') && digit)
            digit = false;
        else
            return NCZ_KEY_FOREIGN;
    }
    return digit ? NCZ_KEY_CHUNK : NCZ_KEY_FOREIGN;
}

static bool
split_chunk_key(const char *key, ncz_chunk_key *out)
{
    (void)key;
    (void)out;
    return false; /* this library does not write them */
}

/* zarr-python's temporaries begin with the object's name. */
static bool
owns_temporary(const char *name)
{
    return strncmp(name, DOCUMENT, strlen(DOCUMENT)) == 0 || (name[0] >= '0' && name[0] <= '9');
}

static const ncz_type *
att_type(const char *entry)
{
    (void)entry;
    return ncz_type_of(NC_NAT);
}

static int
check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    (void)style;
    (void)type;
    (void)what;
    return NC_NOERR;
}

static int
dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    (void)style;
    (void)out;
    return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 is not supported yet", v->name);
}

static int
dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text)
{
    (void)m;
    (void)style;
    (void)text;
    return ncz_fail(NC_ENOTBUILT, "%s: Zarr v3 is not supported yet", v->name);
}

static bool
has_objects(const ncz_format_opts *style)
{
    (void)style;
    return true;
}

static void
stored_type(const char *text, ncz_stored_type *out)
{
    (void)text;
    *out = (ncz_stored_type){.type = ncz_type_of(NC_NAT), .endian = NC_ENDIAN_NATIVE};
}

static int
type_name(const char *text, ncz_buf *out)
{
    return ncz_buf_printf(out, "%.80s", text);
}

/* fill_value hides nothing from xarray here, and null is no value of it: the type's default, for every type. */
static ncz_small_fill
choose_small_fill(ncz_generation gen)
{
    (void)gen;
    return NCZ_SMALL_DEFAULT;
}

const ncz_dialect_ops ncz_zarr3 = {
    .name = "Zarr v3",
    .zarr_format = 3,
    .nczarr = "3.0.0",
    .newest = NCZ_GEN_V3,
    .has_shards = true,
    .docs = {.all = documents,
             .root = documents,
             .marks = documents,
             .top = documents,
             .published = NULL,
             .array = DOCUMENT},
    .copies = {.key = NULL},
    .identify = identify_root,
    .wanted_docs = choose_docs,
    .parse_node = parse_node,
    .write_node = write_node,
    .locate = locate_chunk,
    .encode_keys = encode_keys,
    .parse_key = parse_key,
    .split_chunk_key = split_chunk_key,
    .owns_temporary = owns_temporary,
    .att_type = att_type,
    .check_type = check_type,
    .dtype_text = dtype_text,
    .dtype_define = dtype_define,
    .has_objects = has_objects,
    .stored_type = stored_type,
    .type_name = type_name,
    .small_fill = choose_small_fill,
};
