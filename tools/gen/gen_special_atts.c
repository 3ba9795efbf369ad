/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Special attributes, which are properties of a variable or of the dataset and not stored as attributes. _FillValue
 * is a real attribute and not among them.
 */
#include "gen_int.h"

#include "common/near_name.h"

#include <limits.h>
#include <string.h>

static int
fail_value(gen_parser *p, const gen_attdecl *a, const char *wanted)
{
    return gen_error(p, a->n > 0 ? a->values[0].pos : a->end, "%s: expected %s", a->name, wanted);
}

static int
take_text(gen_parser *p, const gen_attdecl *a, const char **out)
{
    if (a->n != 1 || a->values[0].kind != GEN_STRING)
        return fail_value(p, a, "one string");
    *out = a->values[0].s;
    return NC_NOERR;
}

static int
take_int(gen_parser *p, const gen_attdecl *a, int min, int max, int *out)
{
    const gen_const *c = a->values;
    int              v;

    if (a->n != 1 || (c->kind != GEN_INT && c->kind != GEN_HEX) || (c->kind == GEN_HEX && c->type == NC_NAT) ||
        gen_convert(c, NC_INT, &v) != GEN_FITS || v < min || v > max)
        return gen_error(p, a->n > 0 ? c->pos : a->end, "%s: expected one integer from %d to %d", a->name, min, max);
    *out = v;
    return NC_NOERR;
}

static int
take_bool(gen_parser *p, const gen_attdecl *a, int *out)
{
    const char *text = "";

    if (a->n == 1 && a->values[0].kind == GEN_INT)
        return take_int(p, a, 0, 1, out);
    if (a->n == 1 && a->values[0].kind == GEN_STRING)
        text = a->values[0].s;
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0)
        *out = 1;
    else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)
        *out = 0;
    else
        return fail_value(p, a, "\"true\" or \"false\"");
    return NC_NOERR;
}

typedef struct choice {
    const char *word;
    int         value;
} choice;

static int
take_choice(gen_parser *p, const gen_attdecl *a, const choice *c, const char *wanted, int *out)
{
    const char *text = NULL;
    int         rc;

    if ((rc = take_text(p, a, &text)) != NC_NOERR)
        return rc;
    for (; c->word != NULL; c++)
        if (strcmp(text, c->word) == 0) {
            *out = c->value;
            return NC_NOERR;
        }
    return fail_value(p, a, wanted);
}

/* One positive number for each dimension. */
static int
take_sizes(gen_parser *p, const gen_attdecl *a, size_t **sizes, size_t *n)
{
    uint64_t size;

    *sizes = gen_alloc(&p->cdl->arena, (a->n + 1) * sizeof **sizes);
    for (size_t i = 0; i < a->n; i++) {
        const gen_const *c = &a->values[i];

        if ((c->kind != GEN_INT && c->kind != GEN_HEX) || (c->kind == GEN_HEX && c->type == NC_NAT) ||
            gen_convert(c, NC_UINT64, &size) != GEN_FITS || size == 0 || size > SIZE_MAX)
            return gen_error(p, c->pos, "%s: expected positive integers", a->name);
        (*sizes)[i] = (size_t)size;
    }
    *n = a->n;
    if (a->n != a->var->rank)
        return gen_error(p, a->end, "%s: %zu sizes for %s, which has %zu dimensions", a->name, a->n, a->var->name,
                         a->var->rank);
    return NC_NOERR;
}

static int
take_chunks(gen_parser *p, const gen_attdecl *a)
{
    gen_props *props = &a->var->props;
    int        rc = take_sizes(p, a, &props->chunks, &props->nchunks);

    for (size_t i = 0; rc == NC_NOERR && i < a->n; i++) {
        const gen_dim *d = a->var->dims[i];

        if (!d->unlimited && props->chunks[i] > d->size)
            rc = gen_error(p, a->values[i].pos, "%s: %zu is more than the length %llu of dimension %s", a->name,
                           props->chunks[i], (unsigned long long)d->size, d->name);
    }
    return rc;
}

static int
take_filters(gen_parser *p, const gen_attdecl *a, gen_prop prop)
{
    gen_props  *props = &a->var->props;
    const char *text = NULL;
    int         rc;

    if ((rc = take_text(p, a, &text)) != NC_NOERR)
        return rc;
    props->codec_list = text;
    if (prop == GEN_CODECS)
        return gen_parse_codecs(p, &a->values[0], &props->codecs, &props->ncodecs);
    return gen_parse_filter_spec(p, &a->values[0], &props->filters, &props->nfilters);
}

static const choice storages[] = {
    {"chunked", NC_CHUNKED}, {"contiguous", NC_CONTIGUOUS}, {"compact", NC_COMPACT}, {NULL, 0}};
static const choice endians[] = {
    {"little", NC_ENDIAN_LITTLE}, {"big", NC_ENDIAN_BIG}, {"native", NC_ENDIAN_NATIVE}, {NULL, 0}};

static int
take_var_prop(gen_parser *p, const gen_attdecl *a, gen_prop prop, int mode)
{
    int *value = &a->var->props.value[prop];

    a->var->props.pos[prop] = a->pos;
    switch (prop) {
    case GEN_STORAGE: return take_choice(p, a, storages, "\"chunked\", \"contiguous\" or \"compact\"", value);
    case GEN_ENDIAN: return take_choice(p, a, endians, "\"little\", \"big\" or \"native\"", value);
    case GEN_CHUNKS: return take_chunks(p, a);
    case GEN_SHARDS: return take_sizes(p, a, &a->var->props.shards, &a->var->props.nshards);
    case GEN_DEFLATE: return take_int(p, a, 0, 9, value);
    case GEN_SHUFFLE:
    case GEN_FLETCHER:
    case GEN_NOFILL: return take_bool(p, a, value);
    case GEN_DTYPE: return take_text(p, a, &a->var->props.dtype);
    case GEN_QUANTIZE: a->var->props.quantize_mode = mode; return take_int(p, a, 1, INT_MAX, value);
    default: return take_filters(p, a, prop);
    }
}

static const struct {
    const char *name;
    gen_prop    prop;
    int         mode;
} props[] = {
    {"_Storage", GEN_STORAGE, 0},
    {"_ChunkSizes", GEN_CHUNKS, 0},
    {"_ShardSizes", GEN_SHARDS, 0},
    {"_DeflateLevel", GEN_DEFLATE, 0},
    {"_Shuffle", GEN_SHUFFLE, 0},
    {"_Fletcher32", GEN_FLETCHER, 0},
    {"_Endianness", GEN_ENDIAN, 0},
    {"_NoFill", GEN_NOFILL, 0},
    {"_Filter", GEN_FILTERS, 0},
    {"_Codecs", GEN_CODECS, 0},
    {"_DType", GEN_DTYPE, 0},
    {"_QuantizeBitGroomNumberOfSignificantDigits", GEN_QUANTIZE, NC_QUANTIZE_BITGROOM},
    {"_QuantizeGranularBitRoundNumberOfSignificantDigits", GEN_QUANTIZE, NC_QUANTIZE_GRANULARBR},
    {"_QuantizeBitRoundNumberOfSignificantBits", GEN_QUANTIZE, NC_QUANTIZE_BITROUND},
};

/* ---- misspelt names ---- */

/* Warns of what is probably a misspelt special attribute. It is stored as an attribute: any name may be one's own. */
static void
check_spelling(gen_parser *p, const gen_attdecl *a)
{
    const char *meant = near_name_better(a->name, NULL, "_FillValue");

    for (size_t i = 0; i < GEN_LEN(props); i++)
        meant = near_name_better(a->name, meant, props[i].name);
    if (meant != NULL && strcmp(a->name, meant) != 0)
        gen_warn(p, a->pos, "%s: did you mean %s? It is stored as an attribute, and has no effect", a->name, meant);
}

/* The names that `nczdump -k` and ncdump print, and those of -k. */
static int
take_format(gen_parser *p, const gen_attdecl *a)
{
    const char *text = NULL;
    int         rc = take_text(p, a, &text);

    if (rc != NC_NOERR)
        return rc;
    p->cdl->kind = dataset_kind_parse(text);
    return p->cdl->kind != NULL ? NC_NOERR : fail_value(p, a, "the name of a netCDF format, like \"netCDF-4\"");
}

/* A special attribute of the dataset. */
static int
take_global_att(gen_parser *p, const gen_attdecl *a, bool *taken)
{
    static const char *const ignored[] = {"_NCProperties", "_IsNetcdf4", "_SuperblockVersion"};

    for (size_t i = 0; i < GEN_LEN(ignored); i++)
        if (strcmp(a->name, ignored[i]) == 0)
            return NC_NOERR;
    if (strcmp(a->name, "_Format") == 0)
        return take_format(p, a);
    if (strcmp(a->name, "_ZarrFormat") == 0)
        return take_int(p, a, 2, 3, &p->cdl->zarr_format);
    *taken = false;
    return NC_NOERR;
}

/* Takes the attribute if it is a special one. */
int
gen_take_special_att(gen_parser *p, const gen_attdecl *a, bool *taken)
{
    *taken = a->name[0] == '_';
    if (!*taken)
        return NC_NOERR;
    if (a->var == NULL)
        return take_global_att(p, a, taken);
    for (size_t i = 0; i < GEN_LEN(props); i++)
        if (strcmp(a->name, props[i].name) == 0)
            return take_var_prop(p, a, props[i].prop, props[i].mode);
    *taken = false;
    check_spelling(p, a);
    return NC_NOERR;
}
