/* SPDX-License-Identifier: BSD-3-Clause */
#include "docs.h"

#include "format/zarr/zarr.h"
#include "format/zarr2/zarr2.h"
#include "support/scratch.h"

#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Everything here uses malloc directly: allocation failures are for the module under test alone. */

static void *
must(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

/* ---- the map -------------------------------------------------------------------------------------------------- */

doc *
docmap_find(const docmap *d, const char *key)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->v[i].key, key) == 0)
            return &d->v[i];
    return NULL;
}

const char *
docmap_text(const docmap *d, const char *key)
{
    doc *x = docmap_find(d, key);

    return x == NULL ? NULL : x->text;
}

void
docmap_put(docmap *d, const char *key, const char *text, size_t len)
{
    doc *x = docmap_find(d, key);

    if (x == NULL) {
        if (d->n == d->cap) {
            d->cap = d->cap == 0 ? 16 : d->cap * 2;
            d->v = must(realloc(d->v, d->cap * sizeof *d->v));
        }
        x = &d->v[d->n++];
        *x = (doc){.key = must(strdup(key))};
    }
    free(x->text);
    ncz_json_free(x->parsed);
    x->parsed = NULL;
    x->text = must(malloc(len + 1));
    if (len > 0)
        memcpy(x->text, text, len);
    x->text[len] = '\0';
    x->len = len;
}

void
docmap_puts(docmap *d, const char *key, const char *text)
{
    docmap_put(d, key, text, strlen(text));
}

void
docmap_copy(docmap *to, const docmap *from)
{
    for (size_t i = 0; i < from->n; i++)
        docmap_put(to, from->v[i].key, from->v[i].text, from->v[i].len);
}

void
docmap_forget(docmap *d)
{
    for (size_t i = 0; i < d->n; i++) {
        ncz_json_free(d->v[i].parsed);
        d->v[i].parsed = NULL;
    }
}

void
docmap_clear(docmap *d)
{
    docmap_forget(d);
    for (size_t i = 0; i < d->n; i++) {
        free(d->v[i].key);
        free(d->v[i].text);
    }
    free(d->v);
    *d = (docmap){.v = NULL};
}

static void
add_dir(docmap *d, const char *path, const char *prefix)
{
    DIR           *dir = must(opendir(path));
    struct dirent *e;

    while ((e = readdir(dir)) != NULL) {
        char        sub[4096], key[4096];
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(sub, sizeof sub, "%s/%s", path, e->d_name);
        snprintf(key, sizeof key, "%s%s%s", prefix, prefix[0] == '\0' ? "" : "/", e->d_name);
        if (stat(sub, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            add_dir(d, sub, key);
        } else if (strncmp(e->d_name, ".z", 2) == 0 || strncmp(e->d_name, ".ncz", 4) == 0) {
            size_t len;
            char  *text = must(scratch_read(sub, &len));

            docmap_puts(d, key, text);
            free(text);
        }
    }
    closedir(dir);
}

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const doc *)a)->key, ((const doc *)b)->key);
}

void
docmap_dir(docmap *d, const char *path)
{
    add_dir(d, path, "");
    if (d->n > 0)
        qsort(d->v, d->n, sizeof *d->v, by_key);
}

static void
give(docmap *d, size_t i, const ncz_docs_req *req, ncz_docs_fn each, void *each_arg)
{
    ncz_docs_got got[NCZ_DOCS_MOST] = {{.doc = NULL}};
    ncz_err      errs[NCZ_DOCS_MOST];

    for (size_t k = 0; k < req->n; k++) {
        const ncz_json_opts opts = {
            .mode = NCZ_JSON_LENIENT, .depth = 128, .nbytes = (size_t)1 << 26, .name = req->keys[k]};
        doc *x = docmap_find(d, req->keys[k]);
        int  rc = NC_NOERR;

        d->nfetched++;
        if (x == NULL)
            continue;
        if (x->parsed == NULL)
            rc = ncz_json_parse(x->text, x->len, &opts, &x->parsed, NULL);
        if (rc != NC_NOERR) {
            ncz_err_save(&errs[k], rc);
            ncz_err_clear();
            got[k].err = &errs[k];
        }
        got[k].doc = x->parsed;
    }
    each(each_arg, i, got);
}

/* The last first, so that nobody comes to rely on an order. */
static int
fetch(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg)
{
    docmap *d = arg;

    d->nbatches++;
    for (size_t i = n; i-- > 0;)
        give(d, i, &reqs[i], each, each_arg);
    return NC_NOERR;
}

static int
list(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *each_arg), void *each_arg)
{
    docmap *d = arg;
    size_t  plen = strlen(prefix);

    d->nlists++;
    for (size_t i = 0; i < d->n; i++) {
        const char *key = d->v[i].key, *end;
        char        name[1100];
        bool        seen = false;
        int         rc;

        if (plen > 0 && (strncmp(key, prefix, plen) != 0 || key[plen] != '/'))
            continue;
        key += plen > 0 ? plen + 1 : 0;
        end = key + strcspn(key, "/");
        snprintf(name, sizeof name, "%.*s", (int)(end - key), key);
        for (size_t k = 0; k < i; k++) { /* each child once */
            const char *other = d->v[k].key;

            if (plen > 0 && (strncmp(other, prefix, plen) != 0 || other[plen] != '/'))
                continue;
            other += plen > 0 ? plen + 1 : 0;
            seen = seen || (strcspn(other, "/") == strlen(name) && strncmp(other, name, strlen(name)) == 0);
        }
        if (!seen && (rc = each(name, *end == '\0', each_arg)) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

ncz_docs
docmap_docs(docmap *d)
{
    return (ncz_docs){.arg = d, .fetch = fetch, .list = d->no_list ? NULL : list};
}

int
docmap_emit(void *arg, const ncz_doc_out *out)
{
    docmap_put(arg, out->key, out->text, out->len);
    return NC_NOERR;
}

/* ---- CDL ------------------------------------------------------------------------------------------------------ */

typedef struct text {
    char  *s;
    size_t len, cap;
} text;

static void
say(text *t, const char *fmt, ...)
{
    for (;;) {
        va_list ap;
        int     n;

        va_start(ap, fmt);
        n = vsnprintf(t->s == NULL ? NULL : t->s + t->len, t->cap - t->len, fmt, ap);
        va_end(ap);
        if ((size_t)n < t->cap - t->len) {
            t->len += (size_t)n;
            return;
        }
        t->cap = t->cap * 2 + (size_t)n + 64;
        t->s = must(realloc(t->s, t->cap));
    }
}

static const char *const type_names[] = {"nat",   "byte",   "char", "short", "int",    "float", "double",
                                         "ubyte", "ushort", "uint", "int64", "uint64", "string"};

/* A user-defined type has a name of its own. */
static const char *
type_name(const ncz_type *t)
{
    return t->id <= NC_MAX_ATOMIC_TYPE ? type_names[t->id] : t->name;
}

static void
say_real(text *t, double v, int digits, const char *suffix)
{
    char buf[64];

    if (isnan(v) || isinf(v)) {
        say(t, "%s%s", isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity", suffix);
        return;
    }
    snprintf(buf, sizeof buf, "%.*g", digits, v);
    if (strchr(buf, '.') == NULL) { /* ncdump marks real numbers with a dot */
        char *e = strchr(buf, 'e');

        if (e == NULL)
            say(t, "%s.%s", buf, suffix);
        else
            say(t, "%.*s.%s%s", (int)(e - buf), buf, e, suffix);
        return;
    }
    say(t, "%s%s", buf, suffix);
}

static void
say_string(text *t, const char *s, size_t len)
{
    while (len > 0 && s[len - 1] == '\0')
        len--;
    say(t, "\"");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c == '"' || c == '\\')
            say(t, "\\%c", c);
        else if (c == '\n')
            say(t, "\\n");
        else if (c == '\t')
            say(t, "\\t");
        else if (c < 0x20 || c == 0x7f)
            say(t, "\\%03o", c);
        else
            say(t, "%c", c);
    }
    say(t, "\"");
}

static void
say_item(text *t, const ncz_att *a, size_t i)
{
    const void *p = a->data;

    switch (a->type->id) {
    case NC_BYTE: say(t, "%db", ((const int8_t *)p)[i]); break;
    case NC_SHORT: say(t, "%ds", ((const int16_t *)p)[i]); break;
    case NC_INT: say(t, "%d", ((const int32_t *)p)[i]); break;
    case NC_INT64: say(t, "%" PRId64 "LL", ((const int64_t *)p)[i]); break;
    case NC_UBYTE: say(t, "%uUB", ((const uint8_t *)p)[i]); break;
    case NC_USHORT: say(t, "%uUS", ((const uint16_t *)p)[i]); break;
    case NC_UINT: say(t, "%uU", ((const uint32_t *)p)[i]); break;
    case NC_UINT64: say(t, "%" PRIu64 "ULL", ((const uint64_t *)p)[i]); break;
    case NC_FLOAT: say_real(t, ((const float *)p)[i], 7, "f"); break;
    case NC_DOUBLE: say_real(t, ((const double *)p)[i], 15, ""); break;
    case NC_STRING: {
        const char *s = ((char *const *)p)[i];

        if (s == NULL)
            say(t, "NIL");
        else
            say_string(t, s, strlen(s));
        break;
    }
    default: break;
    }
}

static void
say_att(text *t, int depth, const char *owner, const ncz_att *a)
{
    if (strcmp(a->name, "_NCProperties") == 0)
        return;
    say(t, "%*s\t\t%s%s:%s = ", 2 * depth, "", a->type->class == NCZ_TYPE_STRING ? "string " : "", owner, a->name);
    if (a->type->class == NCZ_TYPE_CHAR)
        say_string(t, a->data, a->len);
    for (size_t i = 0; i < a->len && a->type->class != NCZ_TYPE_CHAR; i++) {
        say(t, "%s", i > 0 ? ", " : "");
        say_item(t, a, i);
    }
    say(t, " ;\n");
}

static void
say_group(text *t, const ncz_group *g, int depth)
{
    int  in = 2 * depth;
    bool any = false;

    for (size_t i = 0; i < g->ndims; i++) {
        const ncz_dim *d = g->dims[i];

        if (i == 0)
            say(t, "%*sdimensions:\n", in, "");
        if (d->unlimited)
            say(t, "%*s\t%s = UNLIMITED ; // (%" PRIu64 " currently)\n", in, "", d->name, d->len);
        else
            say(t, "%*s\t%s = %" PRIu64 " ;\n", in, "", d->name, d->len);
    }
    for (size_t i = 0; i < g->nvars; i++) {
        const ncz_var *v = g->vars[i];

        if (i == 0)
            say(t, "%*svariables:\n", in, "");
        say(t, "%*s\t%s %s", in, "", type_name(v->type), v->name);
        for (size_t r = 0; r < v->rank; r++)
            say(t, "%s%s", r == 0 ? "(" : ", ", v->dims[r]->name);
        say(t, "%s ;\n", v->rank > 0 ? ")" : "");
        for (size_t k = 0; k < v->atts.n; k++)
            say_att(t, depth, v->name, &v->atts.v[k]);
    }
    for (size_t i = 0; i < g->atts.n; i++) {
        if (strcmp(g->atts.v[i].name, "_NCProperties") == 0)
            continue;
        if (!any)
            say(t, "\n%*s// %s attributes:\n", in, "", g->parent == NULL ? "global" : "group");
        any = true;
        say_att(t, depth, "", &g->atts.v[i]);
    }
    for (size_t i = 0; i < g->ngroups; i++) {
        say(t, "\n%*sgroup: %s {\n", in, "", g->groups[i]->name);
        say_group(t, g->groups[i], depth + 1);
        say(t, "%*s} // group %s\n", in + 2, "", g->groups[i]->name);
    }
}

char *
cdl_header(const ncz_model *m)
{
    text t = {.s = NULL};

    say(&t, "%s", "");
    say_group(&t, m->root, 0);
    say(&t, "}\n");
    return t.s;
}

/* ---- everything ----------------------------------------------------------------------------------------------- */

static void
say_bytes(text *t, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say(t, "%02x", ((const unsigned char *)p)[i]);
}

static void
say_atts(text *t, const ncz_atts *atts)
{
    for (size_t i = 0; i < 2 * atts->n; i++) { /* _NCProperties, which is hidden, last */
        const ncz_att *a = &atts->v[i % atts->n];

        if ((strcmp(a->name, "_NCProperties") == 0) != (i >= atts->n))
            continue;
        say(t, "  @%s %s[%zu] ", a->name, type_name(a->type), a->len);
        for (size_t k = 0; k < a->len && a->type->class == NCZ_TYPE_STRING; k++) {
            const char *s = ((char *const *)a->data)[k];

            say(t, "<%s>", s == NULL ? "NIL" : s);
        }
        if (a->type->class != NCZ_TYPE_STRING && !a->type->owns) /* pointers differ from one model to the other */
            say_bytes(t, a->data, a->len * a->type->size);
        say(t, "\n");
    }
}

static void
say_var(text *t, const ncz_var *v)
{
    ncz_buf filters = NCZ_BUF_INIT, compressor = NCZ_BUF_INIT;

    say(t, " var %s %s kind %d big %d size %zu%s sep %c%s fill %d ", v->name, type_name(v->type), (int)v->dtype.kind,
        v->dtype.big, v->dtype.size, v->endian == NC_ENDIAN_BIG ? " BIG" : "",
        v->key_encoding == ncz_zarr2.zarr->encode_keys('/', false) ? '/' : '.',
        ncz_order_is_fortran(v->order, v->rank) ? " F" : "", (int)v->fill_mode);
    if (v->fill_mode == NCZ_FILL_VALUE && v->type->class == NCZ_TYPE_STRING)
        say(t, "<%s>", *(char *const *)v->fill);
    else if (v->fill_mode == NCZ_FILL_VALUE && !v->type->owns)
        say_bytes(t, v->fill, v->type->size);
    for (size_t r = 0; r < v->rank; r++) {
        ncz_buf fqn = NCZ_BUF_INIT;

        ncz_dim_fqn(v->dims[r], &fqn);
        say(t, " %s/%" PRIu64, ncz_buf_str(&fqn), v->chunk[r]);
        ncz_buf_clear(&fqn);
    }
    if (ncz_chain_write(v->chain, &filters, &compressor) == NC_NOERR)
        say(t, " %s %s", ncz_buf_str(&filters), ncz_buf_str(&compressor));
    ncz_buf_clear(&filters);
    ncz_buf_clear(&compressor);
    say(t, "%s%s\n", v->unusable->code != NC_NOERR ? " unusable " : "", v->unusable->text);
    say_atts(t, &v->atts);
}

char *
model_text(const ncz_model *m)
{
    text       t = {.s = NULL};
    ncz_group *g = NULL;

    while ((g = ncz_model_next_group(m, g)) != NULL) {
        ncz_buf fqn = NCZ_BUF_INIT;

        ncz_group_fqn(g, &fqn);
        say(&t, "group %s\n", ncz_buf_str(&fqn));
        ncz_buf_clear(&fqn);
        for (size_t i = 0; i < g->ndims; i++)
            say(&t, " dim %s %" PRIu64 "%s\n", g->dims[i]->name, g->dims[i]->len,
                g->dims[i]->unlimited ? " unlimited" : "");
        say_atts(&t, &g->atts);
        for (size_t i = 0; i < g->nvars; i++)
            say_var(&t, g->vars[i]);
    }
    return t.s;
}
