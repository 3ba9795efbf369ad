/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the documents of one node say, taken out of them as they arrive, so that they need not be kept: a node's kind,
 * a group's lists and dimensions, all of an array that does not depend on other nodes, and the attributes.
 *
 * Any thread: nothing is changed but the node itself. What is wrong with the documents is recorded in it.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- lists of texts ------------------------------------------------------------------------------------------- */

/* Bytes behind the pointers; a text with a NUL in it is cut to nothing, and is then no name of anything. */
static size_t
text_bytes(const ncz_json *v)
{
    size_t      len = 0;
    const char *s = ncz_json_str(v, &len);

    return s == NULL ? 0 : strlen(s) == len ? len + 1 : 1;
}

static int
read_texts(ncz_arena *arena, const ncz_json *list, ncz_string_list *out)
{
    size_t n = ncz_json_len(list), nbytes;
    char **v, *to;

    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        return NC_NOERR;
    if (!ncz_mul(n, sizeof *v, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    for (size_t i = 0; i < n; i++)
        nbytes += text_bytes(ncz_json_at(list, i));
    if ((v = ncz_arena_get(arena, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    to = (char *)(v + n);
    for (size_t i = 0; i < n; i++) {
        size_t len = text_bytes(ncz_json_at(list, i));

        v[i] = len > 0 ? to : NULL;
        if (len > 0) {
            memcpy(to, ncz_json_str(ncz_json_at(list, i), NULL), len - 1);
            to[len - 1] = '\0';
        }
        to += len;
    }
    *out = (ncz_string_list){.n = n, .v = v};
    return NC_NOERR;
}

static int
slice_dup(const ncz_json *v, char **out)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    if (v != NULL && (*out = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

void
ncz_format_node_meta_clear(ncz_node_meta *s)
{
    if (s == NULL)
        return;
    ncz_free(s->dtype_text);
    ncz_free(s->fill_text);
    ncz_format_zarray_clear(&s->z);
    ncz_atts_clear(&s->atts);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* Piles for this thread, which gives them back. */
static ncz_load_arenas *
piles_take(ncz_loader *l)
{
    ncz_load_arenas *p;

    (void)pthread_mutex_lock(&l->lock);
    if ((p = l->idle) != NULL)
        l->idle = p->next;
    (void)pthread_mutex_unlock(&l->lock);
    if (p == NULL && (p = ncz_alloc(sizeof *p)) != NULL)
        *p = (ncz_load_arenas){.stay = NCZ_ARENA_INIT, .go = NCZ_ARENA_INIT};
    return p;
}

static void
piles_give(ncz_loader *l, ncz_load_arenas *p)
{
    (void)pthread_mutex_lock(&l->lock);
    p->next = l->idle;
    l->idle = p;
    (void)pthread_mutex_unlock(&l->lock);
}

void
ncz_format_arenas_keep(ncz_loader *l)
{
    for (ncz_load_arenas *p = l->idle; p != NULL; p = p->next)
        ncz_arena_join(&l->m->arena, &p->stay);
}

void
ncz_format_arenas_clear(ncz_loader *l)
{
    while (l->idle != NULL) {
        ncz_load_arenas *p = l->idle;

        l->idle = p->next;
        ncz_arena_clear(&p->stay);
        ncz_arena_clear(&p->go);
        ncz_free(p);
    }
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

/* A plain length, or {"size": n, "unlimited": 1}. A length of 0 is an unlimited dimension in every generation. */
static bool
parse_dim(const ncz_json *v, uint64_t *len, bool *unlimited)
{
    const ncz_json *size = ncz_json_is(v, NCZ_JSON_OBJECT) ? ncz_json_get(v, "size") : v;
    const ncz_json *flag = ncz_json_get(v, "unlimited");
    uint64_t        number = 0;
    bool            truth = false;

    if (!ncz_json_u64(size, len) || *len > INT64_MAX)
        return false;
    (void)ncz_json_bool(flag, &truth);
    (void)ncz_json_u64(flag, &number);
    *unlimited = truth || number != 0 || *len == 0;
    return true;
}

static int
read_dims(ncz_arena *arena, const ncz_json *dims, ncz_node_meta *s)
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
        d->sound = parse_dim(ncz_json_at(dims, s->ndims), &d->len, &d->unlimited);
    }
    return NC_NOERR;
}

static int
read_group(const ncz_loader *l, ncz_load_arenas *mem, const ncz_node_docs *p, const char *key, ncz_node_meta *s)
{
    const ncz_json *arrays, *groups, *dims;
    int             rc;

    if (l->nczarr) {
        s->lists = ncz_format_nczarr_has(p, NCZ_KEY_GROUP);
        arrays = ncz_format_nczarr_get(p, NCZ_KEY_GROUP, "arrays", "vars");
        groups = ncz_format_nczarr_get(p, NCZ_KEY_GROUP, "groups", "groups");
        dims = ncz_format_nczarr_get(p, NCZ_KEY_GROUP, "dimensions", "dims");
        if ((rc = read_texts(&mem->go, arrays, &s->arrays)) != NC_NOERR ||
            (rc = read_texts(&mem->go, groups, &s->groups)) != NC_NOERR ||
            (rc = read_dims(&mem->go, dims, s)) != NC_NOERR)
            return rc;
    }
    return ncz_format_atts_read(l, p, &mem->stay, &s->atts, false, ncz_type_of(NC_NAT),
                                key[0] != '\0' ? key : ".zattrs");
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

/* A scalar is said in many ways: shape [], or shape [1] and a word for it. */
static bool
is_scalar(const ncz_loader *l, const ncz_node_docs *p, const ncz_zarray *z)
{
    const ncz_json *names = ncz_json_get(p->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY), *flag, *refs;
    uint64_t        number = 0;
    bool            truth = false;

    if (z->rank == 0)
        return true;
    if (z->rank != 1 || z->shape[0] != 1)
        return false;
    if (l->nczarr) {
        flag = ncz_format_nczarr_get(p, NCZ_KEY_ARRAY, "scalar", "scalar");
        refs = ncz_format_nczarr_get(p, NCZ_KEY_ARRAY, "dimension_references", "dimrefs");
        (void)ncz_json_bool(flag, &truth);
        (void)ncz_json_u64(flag, &number);
        if (truth || number != 0 ||
            ncz_json_str_is(ncz_format_nczarr_get(p, NCZ_KEY_ARRAY, "storage", "storage"), "scalar"))
            return true;
        if (ncz_json_is(refs, NCZ_JSON_ARRAY))
            return ncz_json_len(refs) == 0;
    }
    if (!ncz_json_is(names, NCZ_JSON_ARRAY))
        return false;
    return ncz_json_len(names) == 0 ||
           (ncz_json_len(names) == 1 && ncz_json_str_is(ncz_json_at(names, 0), NCZ_XSCALAR));
}

/* A variable that a list names but whose `.zarray` is missing or broken: listed, its data out of reach. */
static int
without_document(const ncz_node *n, const char *key, ncz_zarray *z)
{
    *z = (ncz_zarray){.separator = '.',
                      .fill_mode = NCZ_FILL_NONE,
                      .frozen = true,
                      .st = {.type = ncz_type_of(NC_NAT), .dtype = {NCZ_KIND_OTHER, false, 1}}};
    z->unusable =
        n->err != NULL ? ncz_err_dup(n->err) : ncz_err_keep(ncz_fail(NC_EZARRMETA, "%s/.zarray does not exist", key));
    ncz_err_clear();
    z->shape = ncz_zalloc(1);
    z->chunk = ncz_zalloc(1);
    if (z->shape == NULL || z->chunk == NULL || z->unusable == NULL) {
        ncz_format_zarray_clear(z);
        return ncz_fail_nomem(1);
    }
    return NC_NOERR;
}

/* What names its dimensions, as far as it fits. */
static int
read_names(const ncz_loader *l, ncz_arena *arena, const ncz_node_docs *p, ncz_node_meta *s)
{
    const ncz_json *refs = NULL, *stored = ncz_json_get(p->doc[NCZ_DOC_ZATTRS], NCZ_XARRAY);
    size_t          len = 0;
    const char     *text = ncz_json_slice(stored, &len);
    int             rc;

    s->xlist = ncz_json_is(stored, NCZ_JSON_ARRAY);
    if (l->nczarr)
        refs = ncz_format_nczarr_get(p, NCZ_KEY_ARRAY, "dimension_references", "dimrefs");
    if (ncz_json_len(refs) == s->z.rank && (rc = read_texts(arena, refs, &s->refs)) != NC_NOERR)
        return rc;
    if (l->wish.xarray && ncz_json_len(stored) == s->z.rank &&
        (rc = read_texts(arena, stored, &s->names)) != NC_NOERR)
        return rc;
    if (text != NULL && (s->xarray = ncz_arena_text(arena, text, len)) == NULL)
        return ncz_fail_nomem(len);
    return NC_NOERR;
}

/* The document's own spelling, which is written back while nobody changes what it says. Of a type without netCDF
 * meaning it is also what readers call it, and the unit of a time stands nowhere else. */
static int
keep_texts(const ncz_loader *l, const ncz_node_docs *p, ncz_node_meta *s)
{
    const ncz_json   *fill = ncz_json_get(p->doc[NCZ_DOC_ZARRAY], "fill_value");
    const ncz_zarray *z = &s->z;
    int               rc;

    if (l->wish.look && z->st.type->class != NCZ_TYPE_NONE && z->st.units[0] == '\0')
        return NC_NOERR;
    rc = slice_dup(ncz_json_get(p->doc[NCZ_DOC_ZARRAY], "dtype"), &s->dtype_text);
    if (rc != NC_NOERR || z->marked || l->wish.look)
        return rc;
    if (z->fill_mode != NCZ_FILL_VALUE && ncz_json_is(fill, NCZ_JSON_NULL) && z->st.type->class != NCZ_TYPE_NONE)
        return NC_NOERR;
    return slice_dup(fill, &s->fill_text);
}

static const struct {
    const char *name;
    int         mode;
} quantized[] = {
    {"_QuantizeBitGroomNumberOfSignificantDigits", NC_QUANTIZE_BITGROOM},
    {"_QuantizeGranularBitRoundNumberOfSignificantDigits", NC_QUANTIZE_GRANULARBR},
    {"_QuantizeBitRoundNumberOfSignificantBits", NC_QUANTIZE_BITROUND},
};

/* What attributes say of the variable itself. */
static void
look_for_quantize(ncz_node_meta *s)
{
    for (size_t i = 0; i < NCZ_LEN(quantized); i++) {
        const ncz_att *a = ncz_atts_find(&s->atts, quantized[i].name);

        if (a != NULL && a->type->id == NC_INT && a->len == 1) {
            s->quantize_mode = quantized[i].mode;
            s->quantize_nsd = *(int *)a->data;
        }
    }
}

static int
read_array(const ncz_loader *l, ncz_load_arenas *mem, const ncz_node *n, const ncz_node_docs *p, const char *key,
           ncz_node_meta *s)
{
    const char *units = s->z.st.units;
    int         rc;

    if (p->doc[NCZ_DOC_ZARRAY] != NULL)
        rc = ncz_format_zarray_parse(p, l, key[0] != '\0' ? key : ".zarray", &s->z);
    else
        rc = without_document(n, key, &s->z);
    if (rc != NC_NOERR)
        return rc;
    if (is_scalar(l, p, &s->z))
        s->z.rank = 0;
    if ((rc = read_names(l, &mem->go, p, s)) != NC_NOERR || (rc = keep_texts(l, p, s)) != NC_NOERR ||
        (rc = ncz_format_atts_read(l, p, &mem->stay, &s->atts, true, s->z.st.type, n->name)) != NC_NOERR)
        return rc;
    look_for_quantize(s);
    return units[0] == '\0'
               ? NC_NOERR
               : ncz_format_att_synthetic(l->m, &s->atts, "units", ncz_type_of(NC_CHAR), strlen(units), units);
}

/* ---- a node --------------------------------------------------------------------------------------------------- */

/* What a listed directory turned out to be. A node that is both is an array. */
static void
settle(ncz_node *n, const ncz_node_docs *p)
{
    bool array = p->doc[NCZ_DOC_ZARRAY] != NULL;

    if (n->kind != NCZ_NODE_DIR)
        return;
    if (array && p->doc[NCZ_DOC_ZGROUP] != NULL)
        ncz_log(NCZ_LOG_WARN, "'%s' is an array and a group: taken as an array", n->name);
    n->kind = array ? NCZ_NODE_ARRAY : p->doc[NCZ_DOC_ZGROUP] != NULL ? NCZ_NODE_GROUP : NCZ_NODE_DIR;
    if (n->kind == NCZ_NODE_DIR && n->err != NULL)
        n->kind = NCZ_NODE_ARRAY; /* one of its documents stands there, unreadable: listed, never touched */
}

int
ncz_format_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *papers, const char *key)
{
    ncz_load_arenas *mem = piles_take(l);
    int              rc;

    settle(n, papers);
    if (mem == NULL || (n->said = ncz_arena_get(&mem->go, sizeof *n->said)) == NULL) {
        rc = ncz_fail_nomem(sizeof *n->said);
    } else {
        *n->said = (ncz_node_meta){.lists = false};
        rc = n->kind == NCZ_NODE_ARRAY ? read_array(l, mem, n, papers, key, n->said)
                                       : read_group(l, mem, papers, key, n->said);
    }
    if (mem != NULL)
        piles_give(l, mem);
    return rc;
}
