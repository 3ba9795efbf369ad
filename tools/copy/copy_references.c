/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_references.c: a set of references in place of a copy: kerchunk's JSON, which says where the chunks of the source
 * lie. The documents of the arrays are those that the library writes for Zarr of version 2; it writes them, and the few
 * values that are in the set, into a map in memory.
 *
 *   1 open the source, look up what is wanted, and where its parts lie
 *   2 define everything in memory; a variable that cannot be referred to gets its values there, or is refused
 *   3 write the references into a file beside the target, then what is in memory
 *   4 compare, with --verify
 *   5 rename the file to its path
 */
#include "copy_int.h"

#include "common/document_name.h"
#include "common/interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MODES "mode=zarr,v2"

/* ---- options ---- */

static int
check_options(const copy_opts *o)
{
    const char *other = o->mode != NULL || o->kind_given ? "a mode or a kind of dataset"
                        : o->zarr_format != 0            ? "--zarr-format"
                        : o->chunks.n > 0                ? "-c"
                        : o->shards.n > 0                ? "--shards"
                        : o->nfilters > 0                ? "-F"
                        : o->deflate >= 0 || o->shuffle  ? "-d or -s"
                        : o->consolidate                 ? "--consolidate"
                        : o->resume                      ? "--resume"
                        : o->damaged != DAMAGE_STOP      ? "--damaged"
                        : o->netcdf_types                ? "--netcdf-types"
                        : o->memory_in || o->memory_out  ? "-r or -w"
                        : o->flatten || o->repack        ? "--flatten or --repack"
                                                         : NULL;

    if (other != NULL)
        return message_error(COPY_USAGE,
                             "--references: says where chunks lie, and changes nothing of them: not with %s", other);
    if (o->verify && o->prefix != NULL)
        return message_error(COPY_USAGE, "--verify: not with --prefix, by which the places are other ones");
    return NC_NOERR;
}

/* ---- the file ---- */

/* A file that is there is replaced if it is a set of references, or at least JSON. */
static int
check_old(const copy_opts *o, const char *path)
{
    FILE *f = ncz_sys_fopen(path, "rb");
    int   c = '{', err = errno;

    if (f != NULL) {
        do
            c = getc(f);
        while (c == ' ' || c == '\n' || c == '\r' || c == '\t');
        if (c == EOF && ferror(f) != 0) /* a folder */
            c = 0;
        (void)fclose(f);
    } else if (err == ENOENT) {
        return NC_NOERR;
    }
    if (o->keep)
        return message_error(NC_EEXIST, "%s: is there (--no-clobber)", path);
    if (f != NULL && (c == '{' || (c == EOF || (c != 0 && o->replace_all))))
        return NC_NOERR;
    return message_error(
        NC_EEXIST, "%s: %s", path,
        f == NULL ? strerror(err)
                  : "is no set of references, and would be replaced: choose another name, or --replace-all");
}

/* The target as a file. */
static int
name_target(const copy_opts *o, copy_target *t)
{
    int rc;

    *t = (copy_target){.ncid = -1, .lock = -1, .kind = COPY_FILE, .parts.size = sizeof t->parts};
    if ((rc = nczarr_path_split(o->out, &t->parts)) != NC_NOERR)
        return message_fail(rc, o->out);
    if (t->parts.local == NULL)
        return message_error(
            NC_EINVAL, "%s: a set of references is written to a disk: upload the file, with --prefix for its places",
            t->parts.shown);
    if ((rc = copy_name_beside(o, t)) != NC_NOERR)
        return rc;
    t->url = memory_need(strdup(t->path));
    t->temp_place = memory_need(strdup(t->temp_path));
    return (rc = copy_check_apart(o, t)) == NC_NOERR ? check_old(o, t->path) : rc;
}

/* Its folder, absolute, with a slash. */
static int
find_folder(const char *path, char **out)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? memory_textf("%.*s", (int)(slash - path) + 1, path) : memory_textf("."), *real;

    if ((real = ncz_sys_realpath(folder)) == NULL) {
        message_print("%s: %s", folder, strerror(errno));
        free(folder);
        return NC_EINVAL;
    }
    *out = memory_textf("%s%s", real, real[1] != '\0' ? "/" : "");
    free(real);
    free(folder);
    return NC_NOERR;
}

/* ---- what is in memory ---- */

typedef struct kept {
    const copy_source *s;
    nczarr_map        *map;
    copy_refer_out    *out;
    text_buf           text;
} kept;

/* The name of a key's document of Zarr, its last segment. NULL: it is a chunk. */
static const char *
name_document(const char *key)
{
    const char *slash = strrchr(key, '/'), *own = slash != NULL ? slash + 1 : key, *name;

    for (size_t i = 0; (name = nczarr_document(2, i, NULL)) != NULL; i++)
        if (strcmp(name, own) == 0)
            return name;
    return NULL;
}

/* Takes a member with a number or a text out of an object. */
static void
drop_member(char *text, size_t *len, const char *name)
{
    char *quoted = memory_textf("\"%s\": ", name), *at = strstr(text, quoted), *end;

    end = at != NULL && at > text && (at[-1] == '{' || at[-1] == ' ') ? at + strlen(quoted) : NULL;
    free(quoted);
    if (end == NULL)
        return;
    if (*end == '"')
        for (end++; *end != '\0' && *end != '"'; end++)
            end += *end == '\\' && end[1] != '\0';
    end += strcspn(end, ",}");
    if (*end == ',')
        end += 1 + strspn(end + 1, " ");
    else
        at -= at[-1] == ' ' ? 2 : 0; /* the last one, behind a comma */
    memmove(at, end, strlen(end) + 1);
    *len = strlen(text);
}

/* All codecs are filters, as kerchunk has them: VirtualiZarr reads no compressor, and a checksum may come behind it. */
static char *
move_compressor(char *text, size_t *len)
{
    static const char compressor[] = "\"compressor\": ", filters[] = ", \"filters\": ";
    char             *at = strstr(text, compressor), *codec = at != NULL ? at + sizeof compressor - 1 : NULL, *out;
    const char       *end = codec != NULL && *codec == '{' ? copy_codec_end(codec) : NULL, *list, *rest;

    if (end == NULL || strncmp(end, filters, sizeof filters - 1) != 0)
        return text;
    list = end + sizeof filters - 1;
    rest = *list == '[' ? copy_codec_end(list) : list + strlen("null");
    if (rest == NULL)
        return text;
    out = memory_textf("%.*s%snull%s%.*s%s%.*s]%s", (int)(at - text), text, compressor, filters,
                       *list == '[' ? (int)(rest - 1 - list) : 1, *list == '[' ? list : "[", *list == '[' ? "," : "",
                       (int)(end - codec), codec, rest);
    free(text);
    *len = strlen(out);
    return out;
}

/* The variable that a document is of. NULL: it is a group's. */
static const copy_var *
find_var(const copy_source *s, const char *key)
{
    const char *slash = strrchr(key, '/');

    for (size_t i = 0; slash != NULL && i < s->nvars; i++)
        if (strlen(s->vars[i].path) == (size_t)(slash - key) + 1 &&
            strncmp(s->vars[i].path + 1, key, (size_t)(slash - key)) == 0)
            return &s->vars[i];
    return NULL;
}

/* All its chunks are there. */
static bool
is_complete(const copy_var *v)
{
    return v->refer->inlined || copy_grid_size(v, v->chunk_out) == atomic_load(&v->refer->stored);
}

/* Numbers without a _FillValue have none in the set, as with kerchunk: readers take that of the array for one, and make
 * floats of integers. Where a chunk is missing it says what reads there. */
static char *
drop_fill(const copy_source *s, const copy_var *v, char *text, size_t *len)
{
    static const char name[] = "\"fill_value\": ";
    char             *at = strstr(text, name), *end = at != NULL ? strstr(at, ", \"order\"") : NULL, *out;

    if (end == NULL || !v->data || v->carried || v->type > NC_UINT64 || v->type == NC_CHAR || !is_complete(v) ||
        nc_inq_attid(s->groups[v->group].in, v->in, "_FillValue", NULL) == NC_NOERR)
        return text;
    at += sizeof name - 1;
    if (end - at < 4 && !v->refer->filled)
        return text; /* a number of so few digits is as good */
    out = memory_textf("%.*snull%s", (int)(at - text), text, end);
    free(text);
    *len = strlen(out);
    return out;
}

/* What others expect in documents, and what is of no use to them: who made the dataset in memory. */
static char *
adapt_document(const copy_source *s, const char *key, char *text, size_t *len)
{
    const copy_var *v = find_var(s, key);

    if (strchr(key, '/') == NULL)
        drop_member(text, len, "_NCProperties");
    if (v == NULL)
        return text;
    if (strcmp(name_document(key), document_name(2, NCZARR_DOCUMENT_ARRAY)) == 0) {
        return move_compressor(drop_fill(s, v, text, len), len);
    }
    if (v->type != NC_CHAR && v->type <= NC_UINT64) /* it is the array's fill value */
        drop_member(text, len, "_FillValue");
    return text;
}

static int
write_kept(const char *key, unsigned long long size, void *arg)
{
    kept  *k = arg;
    void  *data = NULL;
    size_t len = 0;
    int    rc;

    (void)size;
    if ((rc = nczarr_map_get(k->map, key, &data, &len)) != NC_NOERR)
        return message_fail(rc, key);
    if (name_document(key) != NULL)
        data = adapt_document(k->s, key, data, &len);
    if (name_document(key) != NULL) {
        copy_refer_text(&k->text, key, data, len);
    } else {
        copy_refer_key(&k->text, key);
        copy_refer_bytes(&k->text, data, len);
        k->out->inlined++;
    }
    free(data);
    return copy_refer_write(k->out, &k->text);
}

static int
write_memory(const copy_source *s, nczarr_map *map, copy_refer_out *out)
{
    kept k = {.s = s, .map = map, .out = out};
    int  rc = nczarr_map_walk(map, "", write_kept, &k);

    text_clear(&k.text);
    return rc;
}

/* ---- the steps ---- */

static int
define_all(copy_state *r)
{
    const copy_opts *o = r->o;
    copy_source     *s = r->s;
    int              rc;

    if ((rc = copy_define_all(o, s, r->t->ncid)) != NC_NOERR)
        return rc;
    r->budget.slab = copy_memory(o) / 4;
    for (size_t i = 0; i < s->nvars && rc == NC_NOERR; i++)
        if (s->vars[i].refer->inlined && s->vars[i].data)
            rc = copy_slabs(r, &s->vars[i]);
    if (rc == NC_NOERR && (rc = nc_sync(r->t->ncid)) != NC_NOERR)
        (void)message_fail(rc, o->in);
    return rc;
}

static int
write_all(copy_state *r, nczarr_map *map, copy_refer_files *f, copy_refer_out *out)
{
    text_buf t = TEXT_BUF_INIT;
    int      rc;

    out->any = true;
    text_add(&t, "{\"version\":1,\"refs\":{\n");
    rc = copy_refer_write(out, &t);
    out->any = false;
    if (rc == NC_NOERR && (rc = copy_refer_chunks(r, f, out)) == NC_NOERR) {
        rc = nc_close(r->t->ncid); /* with chunks that were encoded anew */
        r->t->open = false;
        rc = rc != NC_NOERR ? message_fail(rc, r->o->in) : write_memory(r->s, map, out);
    }
    out->any = true;
    if (rc == NC_NOERR) {
        text_add(&t, "\n}}\n");
        rc = copy_refer_write(out, &t);
    }
    text_clear(&t);
    return rc;
}

/* Makes the file durable, and closes it. */
static int
close_file(FILE *f, const char *path)
{
    bool good = fflush(f) == 0 && ncz_system.file.fsync(fileno(f)) == 0;
    int  err = errno;

    if (fclose(f) != 0 && good) {
        good = false;
        err = errno;
    }
    if (!good)
        message_print("%s: %s", path, strerror(err));
    return good ? NC_NOERR : err != 0 ? err : EIO;
}

/* The set may read whatever the user has named. */
static int
verify(copy_state *r, const copy_refer_files *f)
{
    text_buf work = TEXT_BUF_INIT;

    text_addf(&work, "%s#mode=kerchunk&allow=/", r->t->temp_path);
    for (size_t i = 0; i < f->n && i < 64; i++) {
        const char *host = f->v[i].url != NULL ? strstr(f->v[i].url, "://") : NULL;

        if (host != NULL && strncmp(f->v[i].url, "file:", 5) != 0)
            text_addf(&work, ",%.*s", (int)(host + 3 - f->v[i].url + (long)strcspn(host + 3, "/")), f->v[i].url);
    }
    r->t->work = work.s;
    return copy_verify(r);
}

static int
write_set(copy_state *r, nczarr_map *map, copy_refer_files *f)
{
    const copy_opts *o = r->o;
    copy_refer_out   out = {.to = NULL};
    int              rc;

    if (!o->dry_run && (out.to = ncz_sys_fopen(r->t->temp_path, "wb")) == NULL)
        return message_error(NC_ECANTCREATE, "%s: %s", r->t->temp_path, strerror(errno));
    rc = write_all(r, map, f, &out);
    if (out.to != NULL) {
        int closed = close_file(out.to, r->t->temp_path);

        rc = rc != NC_NOERR ? rc : closed;
    }
    if (rc == NC_NOERR && o->dry_run)
        printf("%s: %zu references, %zu chunks in the set\n", o->out, out.references, out.inlined);
    if (rc == NC_NOERR && !o->dry_run && o->verify)
        rc = verify(r, f);
    if (rc == NC_NOERR && !o->dry_run)
        rc = copy_rename_temp(r->t);
    if (rc != NC_NOERR && !o->dry_run)
        (void)ncz_system.name.unlinkat(AT_FDCWD, r->t->temp_path, 0);
    return rc;
}

static int
make_set(copy_state *r, copy_refer_files *f)
{
    nczarr_map *map = NULL;
    int         rc;

    if ((rc = nczarr_map_memory(&map)) != NC_NOERR ||
        (rc = nczarr_create_map(map, MODES, NC_CLOBBER | NCZARR_VERBATIM, &r->t->ncid)) != NC_NOERR)
        (void)message_fail(rc, r->o->in);
    r->t->open = rc == NC_NOERR;
    if (rc == NC_NOERR && (rc = define_all(r)) == NC_NOERR)
        rc = write_set(r, map, f);
    if (r->t->open)
        (void)nc_abort(r->t->ncid);
    r->t->open = false;
    (void)nczarr_map_close(map);
    return rc;
}

int
copy_references(const copy_opts *o)
{
    copy_source      s = {.ncid = -1};
    copy_target      t;
    copy_refer_files f = {.prefix = o->prefix};
    copy_state       r = {.o = o, .s = &s, .t = &t};
    int              rc = check_options(o);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = name_target(o, &t)) != NC_NOERR || (rc = find_folder(t.path, &f.folder)) != NC_NOERR)
        goto done;
    interrupt_catch();
    (void)nc_set_chunk_cache(copy_cache_bytes(o), 1009, 0.75F);
    if ((rc = copy_open_source(o, &s.ncid)) != NC_NOERR)
        goto done;
    copy_say_warnings(o, s.ncid);
    (void)nczarr_set_missing(s.ncid, NCZARR_MISSING_ERROR);
    t.zarr_format = 2;
    s.files = &f;
    f.source = s.ncid;
    (void)copy_refer_file_add(&f, o->nins > 1 || o->along != NULL ? "" : o->in); /* "": what joins the files */
    if ((rc = copy_source_load(o, &s)) == NC_NOERR && (rc = copy_check_options(o, &s)) == NC_NOERR &&
        (rc = copy_settle_carried(o, &s, &t)) == NC_NOERR &&
        (rc = copy_refer_file_open(&f, &f.v[0], s.ncid)) == NC_NOERR && (rc = copy_refer_look(&s, &f)) == NC_NOERR)
        rc = make_set(&r, &f);
done:
    if (rc == COPY_STOPPED)
        message_print("%s: interrupted; nothing is left of the set", o->out);
    for (size_t i = 1; i < f.n; i++)
        copy_refer_file_close(&f.v[i]);
    copy_refer_files_clear(&f);
    s.files = NULL;
    copy_target_clear(&t);
    copy_source_clear(&s);
    if (s.ncid >= 0)
        (void)nc_close(s.ncid);
    if (rc == COPY_STOPPED)
        interrupt_end();
    return rc;
}
