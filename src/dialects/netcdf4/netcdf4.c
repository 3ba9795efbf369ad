/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end), and the model of a dataset from an HDF5 file.
 */
#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <string.h>

/* Where superblocks are looked for: at 0, 512, and each double of that. The first request has those up to 4096, the
 * next one those up to 65536; behind that each one is a request. */
enum { SIGNATURE = 8, HEAD = 4096 + SIGNATURE, SECOND = 65536 + SIGNATURE };

static const char *const none[] = {NULL};
static const ncz_word    no_words[] = {{NULL, 0}};

static bool
is_signature(const void *bytes, size_t n)
{
    static const unsigned char magic[SIGNATURE] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};

    return n >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static bool
is_hdf5(const void *bytes, size_t n)
{
    for (size_t at = 0; at < n; at = at == 0 ? 512 : at * 2)
        if (is_signature((const char *)bytes + at, n - at))
            return true;
    return false;
}

/* l->state: what was seen so far. */
typedef struct seen {
    uint64_t size; /* of the file */
    uint64_t at;   /* of the first byte that was asked for last */
} seen;

/* Is there a signature in these bytes, which begin at `first` of the file? */
static bool
has_signature(const seen *s, const ncz_docs_got *got)
{
    if (s->at == 0)
        return is_hdf5(got->bytes, got->len);
    for (uint64_t at = s->at; at - s->at < got->len; at *= 2)
        if (is_signature((const char *)got->bytes + (at - s->at), got->len - (size_t)(at - s->at)))
            return true;
    return false;
}

static void
ask_further(seen *s, ncz_look *next)
{
    uint64_t at = s->at == 0 ? 8192 : s->at == 8192 ? 131072 : s->at * 2;

    if (s->size == UINT64_MAX || at >= s->size || s->size - at < SIGNATURE)
        return;
    s->at = at;
    *next = (ncz_look){.key = "", .bytes = true, .off = at, .len = at == 8192 ? SECOND - 8192 : SIGNATURE};
}

static int
look_at_superblock(ncz_loader *l, const ncz_docs_got *got, ncz_look *next, bool *is)
{
    seen *s = l->state;

    if (got == NULL) {
        *next = (ncz_look){.key = "", .bytes = true, .off = 0, .len = HEAD};
        return NC_NOERR;
    }
    if (got->bytes == NULL)
        return ncz_fail(NC_ENOTZARR, "there is no file of that name");
    if (s == NULL && (s = l->state = ncz_zalloc(sizeof *s)) == NULL)
        return ncz_fail_nomem(sizeof *s);
    if (s->at == 0)
        s->size = got->size;
    if (!has_signature(s, got)) {
        ask_further(s, next);
        return NC_NOERR;
    }
    if (s->size == UINT64_MAX)
        return ncz_fail(NC_EIO,
                        "an HDF5 file whose size the server does not tell, so that it cannot be read in parts");
    *is = true;
    return NC_NOERR;
}

/* ---- variables ---- */

/* A value that the writer chose. Without one the layout says that chunks which were not written are zeros. */
static int
set_fill(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v)
{
    const ncz_hdf5_fill *fill = &a->o.fill;
    void                *value;
    int                  rc;

    if (fill->state != NCZ_HDF5_FILL_USER)
        v->fill_mode = NCZ_FILL_NONE; /* netCDF-C takes HDF5's zeros for none */
    if (fill->state != NCZ_HDF5_FILL_USER || type->type->class == NCZ_TYPE_NONE || type->nelems != 1 ||
        fill->len < type->size)
        return NC_NOERR;
    if ((value = ncz_zalloc(type->type->size)) == NULL)
        return ncz_fail_nomem(type->type->size);
    if ((rc = ncz_netcdf4_read_values(t->file, type, fill->value, 1, value)) != NC_NOERR) {
        ncz_type_free_elems(type->type, value, 1);
        ncz_free(value);
        return rc;
    }
    v->fill_mode = NCZ_FILL_VALUE;
    v->fill = value;
    return NC_NOERR;
}

/* The data cannot be read for this failure; others are of the file. */
static int
note_unusable(const char *path, ncz_var *v, int rc)
{
    const ncz_err *why;
    ncz_err        err;

    if (rc == NC_NOERR || !ncz_netcdf4_costs_object(rc))
        return rc;
    ncz_err_save(&err, rc);
    if (strncmp(err.text, path, strlen(path)) != 0)
        (void)ncz_fail(rc, "%s: %s", path, err.text);
    if (v->unusable->code == NC_NOERR && (why = ncz_err_keep(rc)) == NULL)
        return ncz_fail_nomem(sizeof *why);
    else if (v->unusable->code == NC_NOERR)
        v->unusable = why;
    ncz_err_clear();
    return NC_NOERR;
}

/* Why its data cannot be read, if so. */
static int
check_data(const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v)
{
    int rc = NC_NOERR;

    if (type->type->class == NCZ_TYPE_NONE)
        rc = ncz_fail(NC_EBADTYPE, "%s: its elements are %s", a->path, type->why);
    else if (a->o.layout.kind == NCZ_HDF5_VIRTUAL)
        rc = ncz_fail(NC_ENOTBUILT, "%s: its data are in other datasets (a virtual dataset), which are not read",
                      a->path);
    else if (a->o.external)
        rc = ncz_fail(NC_ENOTBUILT, "%s: its data are in external files, which are not read", a->path);
    return note_unusable(a->path, v, rc);
}

/* A variable for which that fails has a spec, too, and data that cannot be read. */
static int
make_spec(ncz_model *m, ncz_var *v)
{
    const ncz_netcdf4_place *p = v->place;
    int                      rc = ncz_var_respec(m, v);

    if (rc == NC_NOERR || !ncz_netcdf4_costs_object(rc) || (rc = note_unusable(p->path, v, rc)) != NC_NOERR)
        return rc;
    return ncz_var_respec(m, v);
}

/* Where its data are. Of a dataset that is only read most variables are never used, or only their attributes. */
static int
set_data(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v)
{
    ncz_model *m = t->l->m;
    int        rc;

    if ((rc = check_data(a, type, v)) != NC_NOERR ||
        (rc = note_unusable(a->path, v, set_fill(t, a, type, v))) != NC_NOERR ||
        (rc = note_unusable(a->path, v, ncz_netcdf4_place_set(t, a, type, v))) != NC_NOERR)
        return rc;
    if (!m->makes_late)
        return make_spec(m, v);
    m->make_late = make_spec;
    v->late = v->place;
    return NC_NOERR;
}

/* The array's shape, and that of its elements. One without a dataspace has no values, as an array of length 0 has. */
static int
add_var(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type)
{
    const ncz_hdf5_space *s = &a->o.space;
    size_t                own = s->kind == NCZ_HDF5_SIMPLE ? s->rank : s->kind == NCZ_HDF5_NULL;
    size_t                rank = own + type->rank;
    uint64_t              shape[2 * NCZ_HDF5_MAX_RANK];
    bool                  unlimited[2 * NCZ_HDF5_MAX_RANK] = {false};
    ncz_dim              *dims[2 * NCZ_HDF5_MAX_RANK];
    ncz_var              *v = NULL;
    int                   rc;

    for (size_t d = 0; d < rank; d++) {
        shape[d] = d >= own ? type->shape[d - own] : s->kind == NCZ_HDF5_NULL ? 0 : s->shape[d];
        unlimited[d] = d < own && s->kind == NCZ_HDF5_SIMPLE && s->most[d] == NCZ_HDF5_NONE;
    }
    if ((rc = ncz_netcdf4_dims_of(t, a, shape, unlimited, rank, dims)) != NC_NOERR ||
        (rc = ncz_model_place_var(t->l->m, a->group->g, a->name, type->type, rank, dims, &v)) != NC_NOERR ||
        (rc = ncz_netcdf4_add_atts(t, a->group->g, &v->atts, &a->o, v->name)) != NC_NOERR)
        return rc;
    if (v->type->id == NC_FLOAT || v->type->id == NC_DOUBLE)
        ncz_format_read_quantize(&v->atts, &v->quantize_mode, &v->quantize_nsd);
    v->stage = NCZ_VAR_WRITTEN;
    return set_data(t, a, type, v);
}

/* What netCDF does not list: elements without a meaning of their own. */
static bool
is_listed(const ncz_hdf5_type *type)
{
    while (type->class == NCZ_HDF5_ARRAY)
        type = type->base;
    return type->class != NCZ_HDF5_REFERENCE && type->class != NCZ_HDF5_BITFIELD && type->class != NCZ_HDF5_TIME;
}

static int
add_array(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a)
{
    ncz_netcdf4_type *type;
    int               rc;

    if (!t->l->wish.hdf5 && !is_listed(a->o.type)) {
        ncz_log(NCZ_LOG_INFO, "%s is not shown: netCDF has no type for its elements", a->path);
        return NC_NOERR;
    }
    if ((type = ncz_arena_get(&t->l->m->arena, sizeof *type)) == NULL)
        return ncz_fail_nomem(sizeof *type);
    if ((rc = ncz_netcdf4_type_of(&t->types, a->group->g, a->o.type, type)) != NC_NOERR)
        return ncz_netcdf4_pass_over(t, rc, a->path, "its type");
    return add_var(t, a, type);
}

/* Groups after those in them: so netCDF-C numbers the dimensions that it makes up. What the model has is freed here, so
 * that a file with many arrays is in memory once. */
static int
add_arrays(ncz_netcdf4_tree *t, const ncz_netcdf4_group *g)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < g->ngroups && rc == NC_NOERR; i++)
        rc = add_arrays(t, g->groups[i]);
    for (size_t i = 0; i < g->narrays && rc == NC_NOERR; i++) {
        if (!g->arrays[i]->no_array)
            rc = add_array(t, g->arrays[i]);
        ncz_hdf5_object_clear(&g->arrays[i]->o);
    }
    return rc;
}

/* Whether the root and its list of objects can be read. What of HDF5 is not read here costs only its objects. */
static int
check_root(ncz_loader *l)
{
    ncz_netcdf4_file *file = NULL;
    ncz_hdf5_object   o;
    int               rc;

    l->m->format_free = ncz_netcdf4_free;
    if ((rc = ncz_netcdf4_file_open(l, ((const seen *)l->state)->size, &file)) != NC_NOERR ||
        (rc = ncz_hdf5_object_read(file->f, ncz_hdf5_root(file->f), &o)) != NC_NOERR)
        return rc;
    if (o.kind != NCZ_HDF5_GROUP)
        rc = ncz_fail(NC_EHDFERR, "the root, at address %llu, is no group", (unsigned long long)o.addr);
    else if ((rc = ncz_hdf5_links(file->f, &o)) == NC_ENOTBUILT) {
        ncz_err_clear();
        rc = NC_NOERR;
    }
    ncz_hdf5_object_clear(&o);
    return rc;
}

/* A file that lost its end is read: all that is there. */
static int
check_end(ncz_netcdf4_tree *t)
{
    uint64_t said = ncz_hdf5_said_size(t->file->f);
    char    *text;
    int      rc;

    if (said == NCZ_HDF5_NONE || said <= t->file->size)
        return NC_NOERR;
    text =
        ncz_sprintf("the file is cut: it has %llu bytes, its superblock says %llu; what was in the others is missing",
                    (unsigned long long)t->file->size, (unsigned long long)said);
    if (text == NULL)
        return ncz_fail_nomem(128);
    rc = ncz_format_warn(t->l, text);
    ncz_free(text);
    return rc;
}

static int
load_file(ncz_loader *l)
{
    ncz_netcdf4_tree t = {.l = l, .file = l->m->format, .arena = NCZ_ARENA_INIT, .met = NCZ_NAMES_INIT};
    int              rc = check_end(&t);

    l->m->twins = true; /* a soft link and what it names show alike */
    t.types = (ncz_netcdf4_types){.l = l, .arena = &l->m->arena};
    if (rc == NC_NOERR && l->wish.hdf5)
        rc = ncz_netcdf4_paths_read(l, t.file);
    if (rc == NC_NOERR && (rc = ncz_netcdf4_tree_read(&t)) == NC_NOERR && (rc = ncz_netcdf4_dims_add(&t)) == NC_NOERR)
        rc = add_arrays(&t, t.root);
    ncz_netcdf4_tree_clear(&t);
    t.file->now = (ncz_dialects_reader){.read = NULL};
    l->m->twins = false;
    l->gen = l->classic ? NCZ_NETCDF4_CLASSIC_FORM : NCZ_NETCDF4_FORM;
    return rc;
}

/* ---- the table ---- */

static ncz_netcdf_format
tell_format(int form)
{
    if (form == NCZ_NETCDF4_CLASSIC_FORM)
        return (ncz_netcdf_format){NC_FORMAT_NETCDF4_CLASSIC, NC_FORMATX_NC_HDF5, NC_NETCDF4 | NC_CLASSIC_MODEL};
    return (ncz_netcdf_format){NC_FORMAT_NETCDF4, NC_FORMATX_NC_HDF5, NC_NETCDF4};
}

static int
write_dtype(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    const ncz_type *t = ncz_type_value(v->type);
    char            kind = t->class == NCZ_TYPE_FLOAT ? 'f' : t->class == NCZ_TYPE_INT ? 'i' : 'u';

    (void)style;
    if (v->dtype.kind == NCZ_KIND_OBJECT)
        return ncz_buf_puts(out, "|O");
    if (v->dtype.kind == NCZ_KIND_CHAR || v->dtype.kind == NCZ_KIND_BYTES)
        return ncz_buf_printf(out, "|S%zu", v->dtype.size);
    if (!ncz_type_is_number(t))
        return ncz_buf_printf(out, "|V%zu", v->dtype.size);
    return ncz_buf_printf(out, "%c%c%zu", v->dtype.size == 1 ? '|' : v->dtype.big ? '>' : '<', kind, v->dtype.size);
}

/* As netCDF-C has it: a file in which at least two names are netCDF's. */
static int
tell_mark(const ncz_model *m, const char *name)
{
    const ncz_netcdf4_file *file = m->format;

    if (file == NULL || file->f == NULL) /* a new one */
        return strcmp(name, "_SuperblockVersion") == 0 ? 2 : 1;
    if (strcmp(name, "_SuperblockVersion") == 0)
        return (int)ncz_hdf5_superblock_version(file->f);
    return file->strict || file->nreserved > 1;
}

/* ---- writing ---- */

static int
check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    bool atomic = type->id >= NC_BYTE && type->id <= NC_DOUBLE;

    if (type->class != NCZ_TYPE_NONE && (style->gen != NCZ_NETCDF4_CLASSIC_FORM || atomic))
        return NC_NOERR;
    return ncz_fail(NC_EBADTYPE, "%s: %s no type %s", what,
                    style->gen == NCZ_NETCDF4_CLASSIC_FORM ? "netCDF's classic model has" : "netCDF-4 files have",
                    type->name);
}

/* Types that a program chooses for what is stored: numbers in another order of bytes. */
static int
check_dtype(const ncz_format_opts *style, const char *name, const char *text, const ncz_stored_type *st, ncz_buf *own)
{
    bool number = st->dtype.kind == NCZ_KIND_INT || st->dtype.kind == NCZ_KIND_UINT ||
                  (st->dtype.kind == NCZ_KIND_FLOAT && st->dtype.size != 2);

    (void)style;
    (void)own;
    return number && st->units[0] == '\0'
               ? NC_NOERR
               : ncz_fail(NC_EBADTYPE, "%s: %s is not written to netCDF-4 files", name, text);
}

static ncz_unmasked_fill
choose_unmasked_fill(int form)
{
    (void)form;
    return NCZ_UNMASKED_DEFAULT;
}

static bool
has_objects(const ncz_format_opts *style)
{
    (void)style;
    return true;
}

static void
rewrite(ncz_model *m)
{
    m->choose_chunks = ncz_netcdf4_choose_chunks;
    m->heaps = m->gaps = true;
}

static const ncz_file_ops file = {.is = is_hdf5, .follows_block = is_signature, .rewrite = rewrite, .fixed = true};

const ncz_dialect_ops ncz_netcdf4 = {
    .name = "netCDF-4",
    .file = &file,
    .traits.spelling = NCZ_SPELLING_HDF5,
    .traits.hidden_atts = no_words,
    .traits.only_objects = true,
    .traits.sequence_codec = "vlen-bytes",
    .docs = {.all = none, .root = none, .marks = none, .top = none},
    .reader.look = look_at_superblock,
    .reader.check = check_root,
    .reader.load = load_file,
    .reader.filters = ncz_netcdf4_filters,
    .reader.mark = tell_mark,
    .make_layout = ncz_netcdf4_make_layout,
    .types.check_type = check_type,
    .types.dtype_text = write_dtype,
    .types.dtype_check = check_dtype,
    .types.has_objects = has_objects,
    .keys.parse_key = ncz_netcdf4_parse_key,
    .unmasked_fill = choose_unmasked_fill,
    .netcdf_format = tell_format,
};
