/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes each of the cases to a file. usage: hdf5_make [-t] FOLDER; -t: also the time that each one took, in
 * microseconds of CPU */
#include "hdf5/written.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int
write_case(const written_case *c, const char *folder, bool timed)
{
    written w;
    char    path[4096];
    clock_t start = clock();
    int     rc = written_make(c, &w);
    FILE   *f;

    if (timed)
        (void)printf("%s: %d us, %zu bytes\n", c->name, (int)((double)(clock() - start) * 1e6 / CLOCKS_PER_SEC),
                     w.file.len);
    if (rc == NC_NOERR) {
        (void)snprintf(path, sizeof path, "%s/%s.h5", folder, c->name);
        f = fopen(path, "wb");
        if (f == NULL || fwrite(w.file.data, 1, w.file.len, f) != w.file.len || fclose(f) != 0)
            rc = ncz_fail(NC_EIO, "%s cannot be written", path);
    }
    if (rc != NC_NOERR)
        (void)fprintf(stderr, "%s: %s\n", c->name, ncz_err_text());
    written_clear(&w);
    return rc;
}

int
main(int argc, char **argv)
{
    bool timed = argc > 1 && strcmp(argv[1], "-t") == 0;
    int  failed = argc < 2;

    for (size_t i = 0; argc > 1 && written_cases[i].name != NULL; i++)
        failed |= write_case(&written_cases[i], argv[argc - 1], timed) != NC_NOERR;
    return failed;
}
