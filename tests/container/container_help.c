/* SPDX-License-Identifier: BSD-3-Clause */
#include "container/container_help.h"
#include "hdf5/hdf5_json.h"
#include "support/test.h"

#include <inttypes.h>

uint32_t
help_draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*seed * below >> 32);
}

/* ---- the model ---- */

void
help_arrays(help_model *m)
{
    static const unsigned char       seven = 7, eight = 8;
    static const ncz_container_array arrays[] = {
        {.uid = 1, .kind = NCZ_HDF5_CHUNKED, .rank = 2, .element = 1, .chunk = {4, 4}},
        {.uid = 20, .kind = NCZ_HDF5_CHUNKED, .rank = 3, .element = 4, .chunk = {1, 3, 5}},
        {.uid = 3,
         .kind = NCZ_HDF5_CONTIGUOUS,
         .rank = 2,
         .element = 1,
         .shape = {10, 6},
         .chunk = {4, 6},
         .fill = &seven},
        {.uid = 4, .kind = NCZ_HDF5_COMPACT, .rank = 1, .element = 1, .shape = {9}, .chunk = {9}, .fill = &eight},
        {.uid = 5, .kind = NCZ_HDF5_CONTIGUOUS, .rank = 0, .element = 8},
        {.uid = 6, .kind = NCZ_HDF5_CONTIGUOUS, .rank = 1, .element = 1, .shape = {100000}, .chunk = {30000}},
    };

    *m = (help_model){.narrays = NCZ_LEN(arrays), .seed = 1};
    memcpy(m->arrays, arrays, sizeof arrays);
}

void
help_set_arrays(const help_model *m, zmap *map)
{
    for (size_t i = 0; i < m->narrays; i++)
        if (ncz_container_set(map, &m->arrays[i]) != NC_NOERR)
            fail_msg("%s", ncz_err_text());
}

void
help_model_clear(help_model *m)
{
    for (size_t i = 0; i < m->nobjects; i++)
        free(m->objects[i].bytes);
    m->nobjects = 0;
}

static char *
copy_bytes(const void *bytes, size_t len)
{
    char *copy = malloc(len + 1);

    memcpy(copy, bytes, len);
    return copy;
}

void
help_model_copy(const help_model *from, help_model *to)
{
    help_model_clear(to);
    *to = *from;
    for (size_t i = 0; i < to->nobjects; i++)
        if (to->objects[i].bytes != NULL)
            to->objects[i].bytes = copy_bytes(from->objects[i].bytes, from->objects[i].len);
}

static const ncz_container_array *
array_of(const help_model *m, uint64_t uid)
{
    for (size_t i = 0; i < m->narrays; i++)
        if (m->arrays[i].uid == uid)
            return &m->arrays[i];
    fail_msg("no array %" PRIu64, uid);
    return NULL;
}

const char *
help_key(const help_model *m, uint64_t uid, const uint64_t *at)
{
    static char                keys[4][128];
    static unsigned            turn;
    const ncz_container_array *a = array_of(m, uid);
    char                      *key = keys[turn++ % 4];
    int                        n = sprintf(key, "%" PRIu64 "/", uid);

    if (a->rank == 0)
        strcpy(key + n, "0");
    for (unsigned d = 0; d < a->rank; d++)
        n += sprintf(key + n, d > 0 ? ".%" PRIu64 : "%" PRIu64, at[d]);
    return key;
}

static help_object *
find_slot(help_model *m, uint64_t uid, const uint64_t *at)
{
    unsigned rank = array_of(m, uid)->rank;

    for (size_t i = 0; i < m->nobjects; i++)
        if (m->objects[i].uid == uid && memcmp(m->objects[i].at, at, rank * sizeof *at) == 0)
            return &m->objects[i];
    return NULL;
}

help_object *
help_find(help_model *m, uint64_t uid, const uint64_t *at)
{
    help_object *x = find_slot(m, uid, at);

    return x != NULL && x->bytes != NULL ? x : NULL;
}

void
help_note(help_model *m, uint64_t uid, const uint64_t *at, const void *bytes, size_t len)
{
    help_object *x = find_slot(m, uid, at);

    if (x == NULL) {
        assert_true(m->nobjects < HELP_OBJECTS);
        x = &m->objects[m->nobjects++];
        *x = (help_object){.uid = uid};
        memcpy(x->at, at, array_of(m, uid)->rank * sizeof *at);
    }
    free(x->bytes);
    x->bytes = bytes != NULL ? copy_bytes(bytes, len) : NULL;
    x->len = len;
}

static size_t
piece_bytes(const ncz_container_array *a)
{
    size_t n = a->element;

    for (unsigned d = 0; d < a->rank; d++)
        n *= (size_t)a->chunk[d];
    return n;
}

/* Bytes of a piece that lie in the array. */
static size_t
inside(const ncz_container_array *a, const uint64_t *at)
{
    uint64_t left;

    if (a->rank == 0)
        return a->element;
    left = a->shape[0] - at[0] * a->chunk[0];
    return left < a->chunk[0] ? piece_bytes(a) / (size_t)a->chunk[0] * (size_t)left : piece_bytes(a);
}

/* What a get of a piece gives: behind the array's end there is fill. */
static void
end_in_fill(const ncz_container_array *a, const uint64_t *at, unsigned char *bytes)
{
    size_t n = inside(a, at), len = piece_bytes(a);

    memset(bytes + n, a->fill != NULL ? *(const unsigned char *)a->fill : 0, len - n);
}

static int
change_object(help_model *m, zmap *map)
{
    static unsigned char       bytes[70000];
    const ncz_container_array *a = &m->arrays[help_draw(&m->seed, (uint32_t)m->narrays)];
    uint64_t                   at[4] = {0};
    const char                *key;
    bool                       chunked = a->kind == NCZ_HDF5_CHUNKED;
    size_t                     len = piece_bytes(a);
    int                        rc;

    for (unsigned d = 0; d < a->rank; d++)
        at[d] = help_draw(&m->seed, chunked ? 7 : (uint32_t)ncz_count_parts(a->shape[d], a->chunk[d]));
    key = help_key(m, a->uid, at);
    if (help_draw(&m->seed, 10) == 0) {
        if ((rc = zmap_del(map, &key, 1)) == NC_NOERR)
            help_note(m, a->uid, at, NULL, 0);
        return rc;
    }
    if (chunked)
        len = 1 + help_draw(&m->seed, help_draw(&m->seed, 8) == 0 ? 66000 : 80);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (unsigned char)help_draw(&m->seed, 256);
    if ((rc = zmap_put(map, key, bytes, len)) != NC_NOERR)
        return rc;
    if (!chunked)
        end_in_fill(a, at, bytes);
    help_note(m, a->uid, at, bytes, len);
    return NC_NOERR;
}

int
help_change(help_model *m, zmap *map)
{
    uint32_t seed = m->seed;
    int      rc = change_object(m, map);

    if (rc != NC_NOERR)
        m->seed = seed;
    return rc;
}

/* ---- the map ---- */

static int
count_key(const char *key, uint64_t size, void *arg)
{
    (void)key, (void)size;
    ++*(size_t *)arg;
    return NC_NOERR;
}

void
help_check_map(help_model *m, zmap *map)
{
    size_t n = 0, found = 0;

    for (size_t i = 0; i < m->nobjects; i++) {
        const help_object *x = &m->objects[i];
        ncz_buf            body = NCZ_BUF_INIT;
        int                rc = zmap_get(map, help_key(m, x->uid, x->at), &body);

        if (rc != (x->bytes != NULL ? NC_NOERR : NC_EEMPTY))
            fail_msg("%s: %d %s", help_key(m, x->uid, x->at), rc, ncz_err_text());
        if (x->bytes != NULL) {
            assert_int_equal(body.len, x->len);
            assert_memory_equal(body.data, x->bytes, x->len);
            n++;
        }
        ncz_buf_clear(&body);
    }
    assert_int_equal(zmap_walk(map, "", count_key, &found), NC_NOERR);
    assert_int_equal(found, n);
}

/* ---- commits ---- */

typedef struct described {
    ncz_hdf5_object objects[HELP_ARRAYS];
    ncz_hdf5_type   types[HELP_ARRAYS], byte;
    ncz_hdf5_link   links[HELP_ARRAYS];
    char            names[HELP_ARRAYS][24];
    ncz_hdf5_filter filter;
    uint32_t        level;
} described;

/* An integer, or the bytes of an element in the heap. */
static void
describe_type(described *d, size_t i, const ncz_container_array *a)
{
    d->byte = (ncz_hdf5_type){
        .class = NCZ_HDF5_INTEGER, .size = 1, .precision = 8, .committed = NCZ_HDF5_NONE, .order = NCZ_HDF5_LITTLE};
    d->types[i] = d->byte;
    d->types[i].size = a->element;
    d->types[i].precision = 8 * a->element;
    if (a->convert != NULL)
        d->types[i] =
            (ncz_hdf5_type){.class = NCZ_HDF5_VLEN, .size = a->element, .committed = NCZ_HDF5_NONE, .base = &d->byte};
}

static void
describe_array(described *d, size_t i, const ncz_container_array *a, const ncz_hdf5_layout *layout)
{
    ncz_hdf5_object *o = &d->objects[i];
    bool             chunked = a->kind == NCZ_HDF5_CHUNKED;

    describe_type(d, i, a);
    *o = (ncz_hdf5_object){.kind = NCZ_HDF5_DATASET, .type = &d->types[i], .layout = *layout};
    o->space.kind = a->rank == 0 ? NCZ_HDF5_SCALAR : NCZ_HDF5_SIMPLE;
    o->space.rank = a->rank;
    for (unsigned k = 0; k < a->rank; k++) {
        o->space.shape[k] = chunked ? 100 : a->shape[k];
        o->space.most[k] = chunked ? NCZ_HDF5_NONE : a->shape[k];
    }
    if (a->fill != NULL)
        o->fill = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_USER, .value = a->fill, .len = a->element};
    if (chunked) {
        d->level = 1;
        d->filter = (ncz_hdf5_filter){.id = 1, .optional = true, .values = &d->level, .nvalues = 1};
        o->filters = &d->filter;
        o->nfilters = 1;
    }
}

static int
describe_all(const help_model *m, zmap *map, ncz_hdf5_image *image, described *d)
{
    ncz_hdf5_object root = {.kind = NCZ_HDF5_GROUP, .links = d->links, .nlinks = m->narrays};
    size_t          number;
    int             rc = ncz_hdf5_image_number(image, &number);

    for (size_t i = 0; i < m->narrays && rc == NC_NOERR; i++) {
        ncz_hdf5_layout layout;

        if ((rc = ncz_container_layout(map, m->arrays[i].uid, &layout)) != NC_NOERR ||
            (rc = ncz_hdf5_image_number(image, &number)) != NC_NOERR)
            break;
        describe_array(d, i, &m->arrays[i], &layout);
        (void)snprintf(d->names[i], sizeof d->names[i], "%" PRIu64, m->arrays[i].uid);
        d->links[i] =
            (ncz_hdf5_link){.name = d->names[i], .kind = NCZ_HDF5_HARD, .order = (int64_t)i, .addr = number};
        rc = ncz_hdf5_image_describe(image, number, &d->objects[i]);
    }
    return rc == NC_NOERR ? ncz_hdf5_image_describe(image, 0, &root) : rc;
}

int
help_commit(const help_model *m, zmap *map, const ncz_container_commit_opts *o)
{
    described      *d = calloc(1, sizeof *d);
    ncz_hdf5_image *image = NULL;
    int             rc;

    if ((rc = ncz_hdf5_image_new(&image)) == NC_NOERR && (rc = describe_all(m, map, image, d)) == NC_NOERR)
        rc = ncz_container_commit(map, image, o);
    ncz_hdf5_image_free(image);
    free(d);
    return rc;
}

/* ---- the file ---- */

typedef struct looking {
    help_model *m;
    uint64_t    uid;
    const char *data;
    size_t      n;
} looking;

static int
look_at_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    looking     *l = arg;
    help_object *x = help_find(l->m, l->uid, c->at);

    if (x == NULL)
        fail_msg("%s: in the file", help_key(l->m, l->uid, c->at));
    else if (x->len != c->len || memcmp(x->bytes, l->data + c->addr, x->len) != 0)
        fail_msg("%s: other bytes", help_key(l->m, l->uid, c->at));
    l->n++;
    return NC_NOERR;
}

static size_t
count_objects(const help_model *m, uint64_t uid)
{
    size_t n = 0;

    for (size_t i = 0; i < m->nobjects; i++)
        n += m->objects[i].uid == uid && m->objects[i].bytes != NULL;
    return n;
}

/* Pieces that were put, and fill elsewhere. */
static void
check_bytes(help_model *m, const ncz_container_array *a, const ncz_hdf5_layout *l, const char *data)
{
    size_t               nbytes = piece_bytes(a);
    const unsigned char *bytes = l->kind == NCZ_HDF5_COMPACT ? l->data
                                 : l->addr == NCZ_HDF5_NONE  ? NULL
                                                             : (const unsigned char *)data + l->addr;
    unsigned char       *want;
    uint64_t             at[4] = {0};

    if (a->rank > 0)
        nbytes = nbytes / (size_t)a->chunk[0] * (size_t)a->shape[0];
    if (l->kind == NCZ_HDF5_CONTIGUOUS && l->addr == NCZ_HDF5_NONE) {
        assert_int_equal(count_objects(m, a->uid), 0);
        return;
    }
    assert_int_equal(l->size, nbytes);
    want = malloc(nbytes);
    memset(want, a->fill != NULL ? *(const unsigned char *)a->fill : 0, nbytes);
    for (at[0] = 0; at[0] * piece_bytes(a) < nbytes; at[0]++) {
        const help_object *x = help_find(m, a->uid, at);

        if (x != NULL)
            memcpy(want + at[0] * piece_bytes(a), x->bytes, inside(a, at));
    }
    assert_memory_equal(bytes, want, nbytes);
    free(want);
}

static void
check_dataset(help_model *m, ncz_hdf5 *f, const ncz_container_array *a, const char *data)
{
    looking         l = {m, a->uid, data, 0};
    ncz_hdf5_object o;
    uint64_t        addr;
    char            name[24];

    (void)snprintf(name, sizeof name, "%" PRIu64, a->uid);
    if (ncz_hdf5_find(f, ncz_hdf5_root(f), name, &addr) != NC_NOERR || ncz_hdf5_object_read(f, addr, &o) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    assert_int_equal(o.layout.kind, a->kind);
    if (a->kind == NCZ_HDF5_CHUNKED) {
        if (ncz_hdf5_chunks(f, &o, NULL, NULL, look_at_chunk, &l, NULL) != NC_NOERR)
            fail_msg("%s", ncz_err_text());
        assert_int_equal(l.n, count_objects(m, a->uid));
    } else {
        check_bytes(m, a, &o.layout, data);
    }
    ncz_hdf5_object_clear(&o);
}

static ncz_hdf5 *
open_file(hdf5_bytes *bytes)
{
    ncz_read_source source = hdf5_bytes_source(bytes);
    ncz_hdf5       *f = NULL;

    if (ncz_hdf5_open(&source, &ncz_limits_default, &f) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    return f;
}

void
help_check_file(help_model *m, const void *data, size_t len)
{
    hdf5_bytes bytes = {.data = data, .len = len};
    ncz_hdf5  *f = open_file(&bytes);

    assert_true(ncz_hdf5_said_size(f) <= len);
    for (size_t i = 0; i < m->narrays; i++)
        check_dataset(m, f, &m->arrays[i], data);
    ncz_hdf5_close(f);
}

uint64_t
help_said_end(const void *data, size_t len)
{
    hdf5_bytes bytes = {.data = data, .len = len};
    ncz_hdf5  *f = open_file(&bytes);
    uint64_t   end = ncz_hdf5_said_size(f);

    ncz_hdf5_close(f);
    return end;
}
