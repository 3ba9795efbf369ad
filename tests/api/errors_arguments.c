/* SPDX-License-Identifier: BSD-3-Clause */
/* errors_arguments: right arguments for each kind of parameter, and others. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

#include "errors_arguments.h"

enum { IN_SIZE = 65536, OUT_SIZE = 65536, MAX_NDIMS = 1024 };

static unsigned char in[IN_SIZE], out[ERRORS_PARAMS][OUT_SIZE];
static const char   *strings[IN_SIZE / sizeof(char *)];
static size_t        sizes[MAX_NDIMS];
static ptrdiff_t     steps[MAX_NDIMS];
static long          longs[3][MAX_NDIMS];
static int           ints[MAX_NDIMS], ones[MAX_NDIMS];
static char          long_name[NC_MAX_NAME + 2];

static bool
ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

/* ---- right arguments ------------------------------------------------------------------------------------------ */

/* By parts of the function's name (or its end), and the parameter's; the first that fits counts. */
static const struct {
    const char *function, *parameter;
    long long   value;
} numbers[] = {
    {"deflate", "deflate", 1},
    {"deflate", "deflate_level", 1},
    {"quantize", "quantize_mode", NC_QUANTIZE_BITROUND},
    {"quantize", "nsd", 3},
    {"szip", "options_mask", 32},
    {"szip", "pixels_per_block", 8},
    {"bzip2", "level", 1},
    {"zstandard", "level", 3},
    {"blosc", "level", 3},
    {"filter", "id", H5Z_FILTER_DEFLATE},
    {"filter", "nparams", 1},
    {"def_var_chunking", "storage", NC_CHUNKED},
    {"set_var_chunk_cache", "preemption", 1},
    {"opaque", "size", 4},
    {"def_compound", "size", 16},
    {"ndims", "ndims", 1},
    {"", "ndims", 1},
    {"codecs", "zarr_format", 2},
    {"set_fill", "fillmode", NC_NOFILL},
    {"ncsetfill", "fillmode", NC_NOFILL},
    {"set_default_format", "format", NC_FORMAT_NETCDF4},
    {"def_var_strlen", "nbytes", 16},
    {"", "len", 1},
    {"", "count", 1},
    {"", "size", 1000},
    {"", "nelems", 10},
    {"set_log_level", "new_level", -1},
    {"class_alignment", "ncclass", NC_INT},
    {"", "include_parents", 1},
    {"enum_ident", "value", 1},
    {"", "initialsz", 0},
    {"par_access", "par_access", NC_INDEPENDENT},
};

static const struct {
    const char *function, *parameter, *value;
} texts[] = {
    {"def_var_codecs", "json", "[{\"id\":\"zlib\",\"level\":1}]"},
    {"def_var_codec", "json", "{\"id\":\"zlib\",\"level\":1}"},
    {"codec", "", "{\"id\":\"zlib\",\"level\":1}"},
    {"dtype", "", "<i4"},
    {"filter_avail", "", "zlib"},
    {"rc_set", "", "key"},
};

static const struct {
    const char *function, *parameter, *value;
} names[] = {
    {"inq_dimid", "", "d"},
    {"ncdimid", "", "d"},
    {"inq_varid", "", "v"},
    {"ncvarid", "", "v"},
    {"inq_typeid", "", "pair"},
    {"fieldindex", "", "a"},
    {"inq_grp", "", "g"},
    {"inq_ncid", "", "g"},
    {"get_att_text", "", "text"},
    {"get_att_string", "", "string"},
    {"put_att", "", "new"},
    {"ncattput", "", "new"},
    {"rename", "newname", "new"},
    {"rename_att", "name", "number"},
    {"ncattrename", "name", "number"},
    {"att", "", "number"},
    {"", "", "fresh"},
};

static nc_type
default_type(const char *name, const char *param, base b)
{
    if (strcmp(param, "field_typeid") == 0 || strcmp(param, "field_type") == 0 || strcmp(param, "base_typeid") == 0)
        return NC_INT;
    if (has_text(name, "insert_compound") || has_text(name, "insert_array"))
        return b <= BASE_DEFINE_3 ? T_NEW_COMPOUND : T_COMPOUND;
    if (has_text(name, "insert_enum"))
        return b <= BASE_DEFINE_3 ? T_NEW_ENUM : T_ENUM;
    if (has_text(name, "compound") || has_text(name, "user_type"))
        return T_COMPOUND;
    if (has_text(name, "inq_enum"))
        return T_ENUM;
    if (has_text(name, "vlen") && !has_text(name, "def_"))
        return T_VLEN;
    if (has_text(name, "inq_opaque"))
        return T_OPAQUE;
    return NC_INT;
}

static int
default_varid(const char *name, base b)
{
    bool fresh = b <= BASE_DEFINE_3 && (has_text(name, "def_var") || has_text(name, "strlen"));

    if (has_text(name, "quantize"))
        return fresh ? V_NEW_FLOAT : V_RECORD;
    if (has_text(name, "strlen"))
        return fresh ? V_NEW_STRING : V_STRING;
    if (ends_in(name, "_text"))
        return V_CHAR;
    if (ends_in(name, "_string"))
        return V_STRING;
    return fresh ? V_NEW_INT : V_INT;
}

value
errors_right(const function *f, int i, const opened *o)
{
    base        b = o->base;
    value       v = {0};
    const char *param = f->params[i];

    switch (f->kinds[i]) {
    case ARG_NCID: v.i = has_text(f->name, "rename_grp") && o->group >= 0 ? o->group : o->ncid; break;
    case ARG_VARID: v.i = default_varid(f->name, b); break;
    case ARG_TYPE: v.i = default_type(f->name, param, b); break;
    case ARG_INT:
    case ARG_SIZE:
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (has_text(f->name, numbers[k].function) && strcmp(param, numbers[k].parameter) == 0) {
                v.i = numbers[k].value;
                break;
            }
        break;
    case ARG_FLOAT: v.f = 0.5; break;
    case ARG_NAME:
        for (size_t k = 0; v.p == NULL; k++)
            if (has_text(f->name, names[k].function) &&
                (names[k].parameter[0] == '\0' || strcmp(param, names[k].parameter) == 0))
                v.p = (void *)(uintptr_t)names[k].value;
        break;
    case ARG_TEXT:
        for (size_t k = 0; k < sizeof texts / sizeof *texts && v.p == NULL; k++)
            if (has_text(f->name, texts[k].function))
                v.p = (void *)(uintptr_t)texts[k].value;
        break;
    case ARG_START:
    case ARG_COUNT:
    case ARG_LENGTHS:
        for (int k = 0; k < MAX_NDIMS; k++)
            sizes[k] = 1;
        v.p = f->kinds[i] == ARG_START ? (void *)steps : (void *)sizes; /* zeros and ones of one size */
        break;
    case ARG_STRIDE: v.p = sizes; break;
    case ARG_LSTART: v.p = longs[0]; break;
    case ARG_LCOUNT:
    case ARG_LSTRIDE:
        for (int k = 0; k < MAX_NDIMS; k++)
            longs[1][k] = 1;
        v.p = longs[1];
        break;
    case ARG_DIMS: v.p = strcmp(param, "dimidsp") == 0 ? ints : ones; break;
    case ARG_INTS:
        for (int k = 0; k < MAX_NDIMS; k++)
            longs[2][k] = 0x100000001 & LONG_MAX; /* ones, whatever the size of a long */
        v.p = longs[2];
        break;
    case ARG_IN: v.p = ends_in(f->name, "_string") ? (void *)strings : (void *)in; break;
    case ARG_OUT:
        memset(out[i], 0, 64);
        if (strcmp(f->name, "nczarr_stats") == 0)
            *(size_t *)(void *)out[i] = sizeof(nczarr_counts);
        v.p = out[i];
        break;
    default: /* 0 or NULL */ break;
    }
    return v;
}

/* ---- wrong arguments ------------------------------------------------------------------------------------------ */

static size_t    far_start[MAX_NDIMS], edge[MAX_NDIMS], zeros[MAX_NDIMS], threes[MAX_NDIMS], huge_lengths[MAX_NDIMS];
static ptrdiff_t backward[MAX_NDIMS], far_step[MAX_NDIMS];
static long      far_long[MAX_NDIMS], no_long[MAX_NDIMS], minus_long[MAX_NDIMS];
static int       bad_dims[MAX_NDIMS], minus_dims[MAX_NDIMS], zero_ints[MAX_NDIMS], hundred_ints[MAX_NDIMS];
static unsigned char many[IN_SIZE], all_ones[IN_SIZE];

void
errors_fill_arrays(void)
{
    for (int k = 0; k < MAX_NDIMS; k++) {
        far_start[k] = 100;
        edge[k] = 4;
        threes[k] = 3;
        huge_lengths[k] = SIZE_MAX / 2;
        backward[k] = -1;
        far_step[k] = 1000000;
        far_long[k] = 100;
        minus_long[k] = -1;
        bad_dims[k] = 99;
        minus_dims[k] = -1;
        hundred_ints[k] = 100;
        ones[k] = 1;
    }
    memset(many, 0x7e, sizeof many);
    memset(all_ones, 0xff, sizeof all_ones);
    memset(long_name, 'n', sizeof long_name - 1);
    for (size_t k = 0; k < sizeof strings / sizeof *strings; k++)
        strings[k] = "text";
}

#define POINT(x) ((value){.p = (void *)(uintptr_t)(x)})

/* Whether memory of the call is as long as this number says: it must not be larger than that. */
static bool
counts_memory(const function *f, int i)
{
    const char *p = f->params[i];

    return (strcmp(p, "len") == 0 && !has_text(f->name, "def_dim") && !has_text(f->name, "grow_dim") &&
            !has_text(f->name, "ncdimdef")) ||
           strcmp(p, "count") == 0 || strcmp(p, "nparams") == 0;
}

static bool
take_number(const long long *from, size_t n, size_t k, value *v)
{
    v->i = k < n ? from[k] : 0;
    return k < n;
}

static bool
take_text(const char *const *from, size_t n, size_t k, value *v)
{
    v->p = (void *)(uintptr_t)(k < n ? from[k] : NULL);
    return k < n;
}

bool
errors_other(const function *f, int i, int k, const opened *o, value *v)
{
    static const long long ints_tried[] = {-1, 0, 1, 2, 4, 33, 1000, INT_MAX};
    static const long long sizes_tried[] = {0, 1, 3, 100, -1, LLONG_MAX};
    static const long long types_tried[] = {
        0,         -1,         99,     NC_CHAR, NC_BYTE,  NC_STRING,      NC_USHORT,  NC_INT64,
        NC_DOUBLE, T_COMPOUND, T_ENUM, T_VLEN,  T_OPAQUE, T_NEW_COMPOUND, T_NEW_ENUM, T_END + 10};
    static const long long   dims_tried[] = {99, -1, 1, 2};
    static const char *const names_tried[] = {NULL,
                                              "",
                                              "a/b",
                                              " x",
                                              "v",
                                              "d",
                                              "u",
                                              "g",
                                              "r",
                                              "pair",
                                              "one",
                                              "missing",
                                              "inner",
                                              "/g/inner",
                                              "/missing",
                                              long_name,
                                              "bad\xff",
                                              "_FillValue",
                                              "_ARRAY_DIMENSIONS",
                                              "_nczarr_attrs",
                                              "number",
                                              "huge",
                                              "text",
                                              "string",
                                              "a",
                                              "a longer name than before",
                                              "q"};
    static const char *const texts_tried[] = {NULL,
                                              "",
                                              "{",
                                              "rubbish",
                                              "[]",
                                              "{}",
                                              "{\"id\":\"none_such\"}",
                                              "[{\"id\":\"none_such\"}]",
                                              "[{\"id\":\"zlib\",\"level\":99}]",
                                              "{\"id\":\"zlib\",\"level\":99}",
                                              "{\"name\":\"crc32c\"}",
                                              "|S4",
                                              "<f8",
                                              "<U2"};

#define NUMBERS(array) take_number(array, sizeof(array) / sizeof *(array), (size_t)k, v)
#define TEXTS(array)   take_text(array, sizeof(array) / sizeof *(array), (size_t)k, v)

    switch (f->kinds[i]) {
    case ARG_NCID: *v = (value){.i = k == 0 ? 0x7ff0000 : k == 1 ? o->group : -1}; return k < 3;
    case ARG_VARID:
        *v = (value){.i = k == V_END ? NC_GLOBAL : k == V_END + 1 ? 99 : k == V_END + 2 ? -7 : k};
        return k < V_END + 3;
    case ARG_DIMID: return NUMBERS(dims_tried);
    case ARG_TYPE: return NUMBERS(types_tried);
    case ARG_INDEX: return NUMBERS(ints_tried);
    case ARG_INT:
        if (counts_memory(f, i)) {
            *v = (value){.i = k == 0 ? 0 : -1};
            return k < 2;
        }
        return NUMBERS(ints_tried);
    case ARG_SIZE:
        if (counts_memory(f, i)) {
            *v = (value){.i = k == 0 ? 0 : 4};
            return k < 2;
        }
        return NUMBERS(sizes_tried);
    case ARG_FLOAT: *v = (value){.f = k == 0 ? -1 : 2}; return k < 2;
    case ARG_NAME: return TEXTS(names_tried);
    case ARG_TEXT: return TEXTS(texts_tried);
    case ARG_START: *v = POINT(k == 0 ? NULL : k == 1 ? far_start : edge); return k < 3;
    case ARG_COUNT: *v = POINT(k == 0 ? NULL : k == 1 ? far_start : k == 2 ? zeros : huge_lengths); return k < 4;
    case ARG_STRIDE:
        *v = POINT(k == 0 ? NULL : k == 1 ? (void *)zeros : k == 2 ? (void *)backward : (void *)far_step);
        return k < 4;
    case ARG_LSTART: *v = POINT(k == 0 ? NULL : k == 1 ? far_long : minus_long); return k < 3;
    case ARG_LCOUNT: *v = POINT(k == 0 ? NULL : k == 1 ? far_long : k == 2 ? no_long : minus_long); return k < 4;
    case ARG_LSTRIDE: *v = POINT(k == 0 ? NULL : k == 1 ? no_long : minus_long); return k < 3;
    case ARG_IMAP: *v = POINT(sizes); return k < 1;
    case ARG_LIMAP: *v = POINT(longs[1]); return k < 1;
    case ARG_DIMS: *v = POINT(k == 0 ? NULL : k == 1 ? bad_dims : minus_dims); return k < 3;
    case ARG_LENGTHS:
        *v = POINT(k == 0 ? NULL : k == 1 ? zeros : k == 2 ? far_start : k == 3 ? threes : huge_lengths);
        return k < 5;
    case ARG_INTS: *v = POINT(k == 0 ? NULL : k == 1 ? zero_ints : k == 2 ? hundred_ints : minus_dims); return k < 4;
    case ARG_IN:
        *v = POINT(k == 0 ? NULL : k == 1 ? many : all_ones);
        return k < (ends_in(f->name, "_string") ? 1 : 3);
    case ARG_OUT: *v = POINT(NULL); return k < 1;
    default: return false;
    }
}

bool
errors_follow_rubbish(const function *f, const value *v)
{
    bool rubbish = false, pointers = false;

    for (int i = 0; i < ERRORS_PARAMS; i++) {
        if (f->kinds[i] == ARG_IN)
            rubbish = rubbish || v[i].p == many || v[i].p == all_ones;
        if (f->kinds[i] == ARG_VARID)
            pointers = pointers || v[i].i == V_STRING || v[i].i == V_NEW_STRING;
        if (f->kinds[i] == ARG_TYPE)
            pointers = pointers || v[i].i == NC_STRING || v[i].i == T_VLEN;
    }
    return rubbish && (pointers || has_text(f->name, "vlen"));
}

/* For people. */
const char *
errors_show(const value *v, arg_kind kind, char *text, size_t size)
{
    if (kind == ARG_FLOAT)
        snprintf(text, size, "%g", v->f);
    else if (kind < ARG_NAME)
        snprintf(text, size, "%lld", v->i);
    else if (v->p == NULL || v->p == long_name || (kind != ARG_NAME && kind != ARG_TEXT))
        snprintf(text, size, "%s", v->p == NULL ? "NULL" : v->p == long_name ? "(long)" : "...");
    else
        snprintf(text, size, "%s", (const char *)v->p);
    return text;
}
