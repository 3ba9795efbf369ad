/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a dataset of aggregation variables, in a folder of its own: it is opened, inquired, and read at both ends
 * of each variable. Its fragments are what it says: most of them it is itself, in the corpus.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/nczarr-fuzz-XXXXXX", path[sizeof folder + 8];

static void
remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void
write_file(const uint8_t *data, size_t size)
{
    FILE *f;

    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0)
            abort();
        (void)snprintf(path, sizeof path, "%s/set.nc", folder);
    }
    if ((f = fopen(path, "wb")) == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ncid;

    write_file(data, size);
    if (fuzz_said(nc_open(path, NC_NOWRITE, &ncid)) != NC_NOERR)
        return 0;
    if (fuzz_loads(ncid))
        fuzz_walk(ncid);
    if (nc_close(ncid) != NC_NOERR)
        abort();
    return 0;
}
