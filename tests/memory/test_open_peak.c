/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The most memory that opening a file of many variables takes, whose attributes are all read: in a process of its own,
 * above the start, so many bytes for each of them.
 *
 * usage: test_open_peak
 */
#include "memory_check.h"
#include "nczarr.h"
#include "support/peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARS = 4000, ATTS = 4, CONSTANT = 4 << 20 /* the allocator, what the C library keeps */ };

static void
make(const char *url)
{
    char name[40], text[60];
    int  ncid, dim, varid;

    OK(nc_create(url, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", 4, &dim));
    for (int v = 0; v < VARS; v++) {
        (void)snprintf(name, sizeof name, "variable_%d", v);
        OK(nc_def_var(ncid, name, NC_FLOAT, 1, &dim, &varid));
        for (int a = 0; a < ATTS; a++) {
            (void)snprintf(name, sizeof name, "attribute_%d", a);
            (void)snprintf(text, sizeof text, "attribute %d of variable %d", a, v);
            OK(nc_put_att_text(ncid, varid, name, strlen(text), text));
        }
    }
    OK(nc_close(ncid));
}

static void
look(const char *url)
{
    char text[60];
    int  ncid, nvars, natts;

    OK(nc_open(url, NC_NOWRITE, &ncid));
    OK(nc_inq_nvars(ncid, &nvars));
    for (int v = 0; v < nvars; v++) {
        OK(nc_inq_varnatts(ncid, v, &natts));
        OK(nc_get_att_text(ncid, v, "attribute_3", text));
    }
    OK(nc_close(ncid));
}

static int
child(const char *what, const char *url)
{
    size_t before = peak_resident();

    if (strcmp(what, "make") == 0)
        make(url);
    else
        look(url);
    printf("%zu\n", peak_highest() - before);
    return 0;
}

/* `form`: of the file, as a part of its URL. `each`: bytes for each variable. */
static bool
check_form(const char *dir, const char *form, size_t each)
{
    char   make_it[500], open_it[500];
    size_t peak = 0, most = CONSTANT + VARS * each;
    bool   fine;

    (void)snprintf(make_it, sizeof make_it, "make 'file://%s/%s.nc#mode=%s'", dir, form, form);
    (void)snprintf(open_it, sizeof open_it, "open 'file://%s/%s.nc'", dir, form);
    fine = peak_run(1, make_it, &peak, 1) && peak_run(1, open_it, &peak, 1) && peak <= most;
    printf("[%s] open_peak: %s, %d variables: %zu KiB; may be %zu\n", fine ? "       OK " : "  FAILED  ", form,
           (int)VARS, peak >> 10, most >> 10);
    return fine;
}

int
main(int argc, char **argv)
{
    char *dir;
    bool  fine;

    if (argc == 3)
        return child(argv[1], argv[2]);
    if (PEAK_SANITIZED) {
        printf("skipped: a sanitizer's own memory cannot be told from ours\n");
        return 77;
    }
    if ((dir = peak_dir("open-peak")) == NULL)
        return 1;
    fine = check_form(dir, "netcdf4", 8 << 10);
    fine = check_form(dir, "classic", 1 << 10) && fine;
    return peak_dir_end(dir) && fine ? 0 : 1;
}
