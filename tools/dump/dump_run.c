/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_run.c: prints one dataset in the form that the options choose.
 */
#include "dump_int.h"

#include "common/dataset_kind.h"
#include "common/terminal_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The last name of the path or URL without its suffix. */
static char *
cut_last_name(const char *path, const char *end)
{
    const char *begin, *dot;
    char       *name;

    while (end > path + 1 && ncz_sys_is_slash(end[-1]))
        end--;
    for (begin = end; begin > path && !ncz_sys_is_slash(begin[-1]); begin--)
        ;
    for (dot = end; dot > begin && *dot != '.'; dot--)
        ;
    if (dot == begin)
        dot = end;
    name = memory_alloc((size_t)(dot - begin) + 1, 1);
    memcpy(name, begin, (size_t)(dot - begin));
    return name;
}

char *
dump_default_name(const char *path)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    const char       *text = path;
    size_t            len = strlen(path);
    char             *name;

    if (nczarr_path_split(path, &parts) == NC_NOERR) {
        text = parts.local != NULL ? parts.local : parts.path;
        len = parts.local != NULL ? strlen(text) : strcspn(text, "?");
    }
    name = cut_last_name(text, text + len);
    nczarr_path_clear(&parts);
    return name;
}

static void
print_cdl(dump_context *d)
{
    fputs("netcdf ", d->out);
    dump_cdl_colored_name(d, DUMP_BOLD_BLUE, d->name);
    fputs(" {\n", d->out);
    dump_cdl_group(d, d->root);
    fputs("}\n", d->out);
}

void
dump_stats(int ncid, FILE *out)
{
    nczarr_counts n = {.size = sizeof n};

    if (nczarr_stats(ncid, &n) != NC_NOERR)
        return;
    fprintf(out, "nczdump: %llu objects requested, %llu bytes read; %llu listings", n.gets, n.bytes_read, n.lists);
    if (n.requests > 0)
        fprintf(out, "; %llu requests (%llu retries), %llu bytes received, %llu sent, %llu ms in total", n.requests,
                n.retries, n.bytes_in, n.bytes_out, n.milliseconds);
    fputc('\n', out);
}

static int
select_part(dump_context *d)
{
    char why[HYPERSLAB_WHY_SIZE];
    int  rc = hyperslab_resolve(&d->o->limits, d->root, &d->part, why);

    return rc == NC_NOERR ? rc : dump_fail_text(&d->report, rc, "%s: %s", d->report.file, why);
}

int
dump_run(int ncid, const char *name, const dump_opts *opts, FILE *out)
{
    dump_context d = {.o = opts,
                      .report = {.file = opts->file != NULL ? opts->file : name, .out = out},
                      .out = out,
                      .name = name,
                      .utf8 = terminal_is_utf8(),
                      .root = ncid};
    bool         damaged;
    int          rc;

    if ((rc = nc_inq_format(ncid, &d.format)) != NC_NOERR ||
        (rc = nczarr_inq_zarr_format(ncid, &d.zarr_format, NULL)) != NC_NOERR)
        return dump_fail(&d.report, rc, NULL);
    text_set_terminal(isatty(fileno(out)));
    if (dump_select(&d) == NC_NOERR && select_part(&d) == NC_NOERR) {
        if (opts->form == DUMP_CDL || opts->form == DUMP_JSON)
            dump_warn_stale(&d);
        if (opts->damaged == DAMAGE_SKIP)
            dump_damage_find(&d);
        switch (opts->form) {
        case DUMP_KIND: fprintf(out, "%s\n", dataset_kind_name(d.format)); break;
        case DUMP_NCML: dump_ncml(&d); break;
        case DUMP_JSON: dump_json(&d); break;
        case DUMP_TREE: dump_tree(&d); break;
        case DUMP_LIST_VARS:
        case DUMP_LIST_DIMS:
        case DUMP_LIST_GROUPS: dump_list(&d); break;
        case DUMP_CHUNKS:
        case DUMP_CHUNKS_JSON: dump_chunks(&d); break;
        default: print_cdl(&d); break;
        }
    }
    dump_select_clear(&d);
    hyperslab_clear(&d.part);
    dim_table_clear(&d.dims);
    errno = 0;
    if (fflush(out) != 0 || ferror(out))
        dump_fail_text(&d.report, NC_EIO, "cannot write the output%s%s", errno != 0 ? ": " : "",
                       errno != 0 ? strerror(errno) : "");
    damaged = dump_damage_report(&d);
    damage_log_clear(&d.damage);
    return d.report.status == NC_NOERR && damaged ? DUMP_DAMAGED : d.report.status;
}
