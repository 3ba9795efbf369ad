/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c: one dataset from its first line to its last, and how failures are told.
 */
#include "dump_int.h"

#include "../error_text.h"

#include <stdlib.h>
#include <string.h>

void
text_add_error(text *t, int rc, const char *about)
{
    char what[ERROR_TEXT_SIZE];

    error_text(rc, about, what);
    text_add(t, what);
}

int
dump_fail(dump *d, int rc, const char *what)
{
    text t = TEXT_INIT;

    text_addf(&t, "nczdump: %s: %s%s", d->o->file != NULL ? d->o->file : d->name, what != NULL ? what : "",
              what != NULL ? ": " : "");
    text_add_error(&t, rc, what != NULL ? what : d->o->file != NULL ? d->o->file : d->name);
    fflush(d->out); /* so that the two streams stay in order on a terminal */
    fprintf(stderr, "%s\n", t.s);
    text_clear(&t);
    if (d->status == 0)
        d->status = rc;
    return rc;
}

void
dump_indent(dump *d)
{
    for (size_t i = 0; i < d->indent; i++)
        fputc(' ', d->out);
}

void
dump_name(dump *d, const char *name)
{
    text t = TEXT_INIT;

    text_addn(&t, "", 0);
    text_add_name(&t, name);
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

const char *
dump_kind(int format)
{
    switch (format) {
    case NC_FORMAT_CLASSIC: return "classic";
    case NC_FORMAT_64BIT_OFFSET: return "64-bit offset";
    case NC_FORMAT_64BIT_DATA: return "cdf5";
    case NC_FORMAT_NETCDF4: return "netCDF-4";
    case NC_FORMAT_NETCDF4_CLASSIC: return "netCDF-4 classic model";
    default: return "unknown";
    }
}

char *
dump_default_name(const char *path)
{
    const char *end = path + strcspn(path, strstr(path, "://") != NULL ? "#?" : "");
    const char *hash = strstr(path, "#mode="), *begin, *dot;
    char       *name;

    if (hash != NULL && hash < end)
        end = hash;
    while (end > path + 1 && end[-1] == '/')
        end--;
    for (begin = end; begin > path && begin[-1] != '/'; begin--)
        ;
    for (dot = end; dot > begin && *dot != '.'; dot--)
        ;
    if (dot == begin)
        dot = end;
    name = dump_alloc((size_t)(dot - begin) + 1, 1);
    memcpy(name, begin, (size_t)(dot - begin));
    return name;
}

static void
cdl_dataset(dump *d)
{
    fputs("netcdf ", d->out);
    dump_name(d, d->name);
    fputs(" {\n", d->out);
    cdl_group(d, d->root);
    fputs("}\n", d->out);
}

void
dump_stats(int ncid, FILE *out)
{
    nczarr_counts n = {.size = sizeof n};

    if (nczarr_stats(ncid, &n) != NC_NOERR)
        return;
    fprintf(out, "nczdump: %llu objects asked for, %llu bytes of them; %llu lists", n.gets, n.bytes_read, n.lists);
    if (n.requests > 0)
        fprintf(out, "; %llu requests (%llu of them tried again), %llu bytes in, %llu out, %llu ms in all",
                n.requests, n.retries, n.bytes_in, n.bytes_out, n.milliseconds);
    fputc('\n', out);
}

int
dump_run(int ncid, const char *name, const dump_opts *opts, FILE *out)
{
    dump d = {.o = opts, .out = out, .name = name, .root = ncid};
    int  rc;

    if ((rc = nc_inq_format(ncid, &d.format)) != NC_NOERR)
        return dump_fail(&d, rc, NULL);
    if (dump_select(&d) == NC_NOERR) {
        switch (opts->form) {
        case DUMP_KIND: fprintf(out, "%s\n", dump_kind(d.format)); break;
        case DUMP_NCML: ncml_dataset(&d); break;
        case DUMP_JSON: json_dataset(&d); break;
        case DUMP_TREE: tree_dataset(&d); break;
        case DUMP_CHUNKS:
        case DUMP_CHUNKS_JSON: chunks_dataset(&d); break;
        default: cdl_dataset(&d); break;
        }
    }
    dump_select_clear(&d);
    if (fflush(out) != 0 || ferror(out)) {
        fprintf(stderr, "nczdump: cannot write the output\n");
        if (d.status == 0)
            d.status = NC_EIO;
    }
    return d.status;
}
