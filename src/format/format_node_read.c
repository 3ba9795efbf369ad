/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the readers of all dialects share: faults of a node and of an array, NCZarr's dimensions, the quantize settings.
 * Any thread: only the node itself changes.
 */
#include "format/format_int.h"

#include <errno.h>
#include <string.h>

/* ---- faults of a node ------------------------------------------------------------------------------------------ */

bool
ncz_format_is_unreadable(int rc)
{
    return rc == NC_EACCESS || rc == NC_EIO;
}

/* True if the failure concerns one document, so that the dataset is usable without it. */
static bool
is_own_fault(int rc)
{
    return rc == NC_EZARRMETA || rc == NC_EINVAL || rc == ENAMETOOLONG || ncz_format_is_unreadable(rc);
}

void
ncz_format_node_fault(ncz_node *n, const ncz_err *err)
{
    bool own = is_own_fault(err->code);

    if (n->rc != NC_NOERR || (own && n->err != NULL))
        return;
    if (!own)
        n->rc = err->code;
    if (n->err == NULL && (n->err = ncz_alloc(sizeof *n->err)) == NULL)
        n->rc = NC_ENOMEM;
    else
        *n->err = *err;
}

void
ncz_format_node_fail(ncz_node *n, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    ncz_err_clear();
    ncz_format_node_fault(n, &err);
    n->rc = rc;
}

void
ncz_format_node_spoil(ncz_node *n, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    ncz_err_clear();
    ncz_format_node_fault(n, &err);
}

int
ncz_format_warn(ncz_loader *l, const char *text)
{
    return l->wish.warnings != NULL ? ncz_texts_add(l->wish.warnings, text) : NC_NOERR;
}

/* ---- the layout that was asked for ------------------------------------------------------------------------------ */

static const char *const storage_words[] = {
    [NC_CHUNKED] = "chunked", [NC_CONTIGUOUS] = "contiguous", [NC_COMPACT] = "compact"};

int
ncz_format_storage(const ncz_json *word)
{
    for (int s = NC_CHUNKED; s <= NC_COMPACT; s++)
        if (ncz_json_str_is(word, storage_words[s]))
            return s;
    return NC_CHUNKED;
}

const char *
ncz_format_storage_word(const ncz_var *v)
{
    return storage_words[v->rank == 0 ? NC_CHUNKED : ncz_var_storage(v)];
}

/* ---- members ---------------------------------------------------------------------------------------------------- */

bool
ncz_format_flag(const ncz_json *v)
{
    uint64_t number = 0;
    bool     truth = false;

    (void)ncz_json_bool(v, &truth);
    (void)ncz_json_u64(v, &number);
    return truth || number != 0;
}

int
ncz_format_read_text(const ncz_json *v, char **out)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    if (v != NULL && (*out = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

/* ---- dimensions ----------------------------------------------------------------------------------------------- */

/* A length, or {"size": n, "unlimited": 1}. A length of 0 means unlimited in every generation. */
static bool
parse_dim(const ncz_json *v, uint64_t *len, bool *unlimited)
{
    const ncz_json *size = ncz_json_is(v, NCZ_JSON_OBJECT) ? ncz_json_get(v, "size") : v;
    const ncz_json *flag = ncz_json_get(v, "unlimited");

    if (!ncz_json_u64(size, len) || *len > INT64_MAX)
        return false;
    *unlimited = ncz_format_flag(flag) || *len == 0;
    return true;
}

int
ncz_format_read_dims(ncz_arena *arena, const ncz_json *dims, ncz_node_meta *s)
{
    size_t n = ncz_json_is(dims, NCZ_JSON_OBJECT) ? ncz_json_len(dims) : 0;

    if (n == 0)
        return NC_NOERR;
    if ((s->dims = ncz_arena_get_n(arena, n, sizeof *s->dims)) == NULL)
        return ncz_fail_nomem(n * sizeof *s->dims);
    for (; s->ndims < n; s->ndims++) {
        const char   *name = ncz_json_key(dims, s->ndims);
        ncz_node_dim *d = &s->dims[s->ndims];

        *d = (ncz_node_dim){.name = ncz_arena_text(arena, name, strlen(name))};
        if (d->name == NULL)
            return ncz_fail_nomem(strlen(name));
        d->sound =
            ncz_json_key_whole(dims, s->ndims) && parse_dim(ncz_json_at(dims, s->ndims), &d->len, &d->unlimited);
    }
    return NC_NOERR;
}

/* ---- user-defined types --------------------------------------------------------------------------------------- */

static int
keep_slice(ncz_arena *arena, const ncz_json *v, char **out)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    if (text != NULL && (*out = ncz_arena_text(arena, text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

int
ncz_format_read_types(ncz_arena *arena, const ncz_json *types, ncz_node_meta *s)
{
    return keep_slice(arena, types, &s->types);
}

int
ncz_format_read_typed(ncz_arena *arena, const ncz_json *names, const ncz_json *values, ncz_node_meta *s)
{
    size_t n = ncz_json_len(names);

    if (n == 0)
        return NC_NOERR;
    if ((s->typed = ncz_arena_get_n(arena, n, sizeof *s->typed)) == NULL)
        return ncz_fail_nomem(n * sizeof *s->typed);
    for (size_t i = 0; i < n; i++) {
        const char    *name = ncz_json_key(names, i), *type = ncz_json_cstr(ncz_json_at(names, i));
        ncz_typed_att *a = &s->typed[s->ntyped];
        int            rc;

        if (name == NULL || type == NULL || !ncz_json_key_whole(names, i))
            continue;
        *a = (ncz_typed_att){.name = ncz_arena_text(arena, name, strlen(name)),
                             .type = ncz_arena_text(arena, type, strlen(type))};
        if (a->name == NULL || a->type == NULL)
            return ncz_fail_nomem(strlen(name) + strlen(type));
        if ((rc = keep_slice(arena, ncz_json_get(values, name), &a->text)) != NC_NOERR)
            return rc;
        s->ntyped++;
    }
    return NC_NOERR;
}

/* ---- faults --------------------------------------------------------------------------------------------------- */

void
ncz_format_array_spoil(ncz_array_meta *z, int code)
{
    const ncz_err *why = z->unusable->code == NC_NOERR ? ncz_err_keep(code) : z->unusable;

    if (why != NULL)
        z->unusable = why;
    else
        z->nomem = true;
    ncz_err_clear();
}

int
ncz_format_array_missing(const ncz_node *n, const char *key, const char *document, ncz_array_meta *z)
{
    *z = (ncz_array_meta){.fill_mode = NCZ_FILL_NONE,
                          .frozen = true,
                          .st = {.type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}}};
    z->unusable = n->err != NULL ? ncz_err_dup(n->err)
                                 : ncz_err_keep(ncz_fail(NC_EZARRMETA, "%s/%s does not exist", key, document));
    ncz_err_clear();
    z->shape = ncz_zalloc(1);
    z->chunk = ncz_zalloc(1);
    if (z->shape == NULL || z->chunk == NULL || z->unusable == NULL) {
        ncz_format_array_meta_clear(z);
        return ncz_fail_nomem(1);
    }
    return NC_NOERR;
}

/* ---- attributes of an array ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int         mode;
} quantized[] = {
    {"_QuantizeBitGroomNumberOfSignificantDigits", NC_QUANTIZE_BITGROOM},
    {"_QuantizeGranularBitRoundNumberOfSignificantDigits", NC_QUANTIZE_GRANULARBR},
    {"_QuantizeBitRoundNumberOfSignificantBits", NC_QUANTIZE_BITROUND},
};

void
ncz_format_read_quantize(const ncz_atts *atts, int *mode, int *nsd)
{
    for (size_t i = 0; i < NCZ_LEN(quantized); i++) {
        const ncz_att *a = ncz_atts_find(atts, quantized[i].name);

        if (a != NULL && a->type->id == NC_INT && a->len == 1) {
            *mode = quantized[i].mode;
            *nsd = *(int *)a->data;
        }
    }
}

int
ncz_format_read_array_atts(const ncz_loader *l, ncz_load_arenas *mem, const ncz_att_docs *atts, const char *where,
                           ncz_node_meta *s)
{
    const char *units = s->z.st.units;
    int         rc = ncz_format_atts_read(l, atts, &mem->stay, &s->atts, true, s->z.st.type, where);

    if (rc != NC_NOERR)
        return rc;
    ncz_format_read_quantize(&s->atts, &s->quantize_mode, &s->quantize_nsd);
    if (units[0] == '\0')
        return NC_NOERR;
    return ncz_format_att_synthetic(l->m, &s->atts, "units", ncz_type_of(NC_CHAR), strlen(units), units);
}

/* ---- lengths --------------------------------------------------------------------------------------------------- */

static int
read_lengths(const ncz_json *v, ncz_length_fn parse, size_t n, uint64_t **out)
{
    uint64_t *list = ncz_zalloc_n(n, sizeof *list);

    if (list == NULL)
        return ncz_fail_nomem(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        if (!parse(ncz_json_at(v, i), &list[i])) {
            ncz_free(list);
            return NC_EZARRMETA;
        }
    *out = list;
    return NC_NOERR;
}

int
ncz_format_read_shape(const ncz_json *doc, ncz_length_fn parse, size_t most, const char *key, ncz_array_meta *z)
{
    const ncz_json *shape = ncz_json_get(doc, "shape");
    size_t          rank = ncz_json_len(shape);
    int             rc = NC_EZARRMETA;

    if (ncz_json_is(shape, NCZ_JSON_ARRAY) && rank <= most)
        rc = read_lengths(shape, parse, rank, &z->shape);
    if (rc == NC_NOERR)
        z->rank = rank;
    else if (rc == NC_EZARRMETA)
        ncz_format_array_spoil(
            z, rank > most ? ncz_fail(rc, "%s: %zu dimensions are more than %zu (limit `rank`)", key, rank, most)
                           : ncz_fail(rc, "%s: \"shape\" is missing or no list of lengths", key));
    z->frozen = z->frozen || rc != NC_NOERR;
    z->shapeless = rc == NC_EZARRMETA;
    return rc == NC_ENOMEM ? rc : NC_NOERR;
}

int
ncz_format_read_chunks(const ncz_json *list, ncz_length_fn parse, ncz_array_meta *z)
{
    int rc = NC_EZARRMETA;

    if (ncz_json_is(list, NCZ_JSON_ARRAY) && ncz_json_len(list) == z->rank)
        rc = read_lengths(list, parse, z->rank, &z->chunk);
    for (size_t d = 0; d < z->rank && rc == NC_NOERR; d++) {
        if (z->chunk[d] == 0 && z->shape[d] == 0)
            z->chunk[d] = 1;
        if (z->chunk[d] == 0)
            rc = NC_EZARRMETA;
    }
    return rc;
}

int
ncz_format_array_spoil_grid(ncz_array_meta *z, int code)
{
    if (z->chunk == NULL && (z->chunk = ncz_alloc_n(z->rank, sizeof *z->chunk)) == NULL)
        return ncz_fail_nomem(z->rank * sizeof *z->chunk);
    for (size_t d = 0; d < z->rank; d++)
        z->chunk[d] = 1;
    ncz_format_array_spoil(z, code);
    z->frozen = true;
    z->shapeless = z->shapeless || code == NC_EZARRMETA;
    return NC_NOERR;
}

void
ncz_format_array_hide_type(const ncz_array_meta *z, ncz_stored_type *st)
{
    if (z->shapeless)
        *st = (ncz_stored_type){.type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}};
}
