/* SPDX-License-Identifier: BSD-3-Clause */
/* What signals.py asks of the library: place delete|open PATH. Prints the return code, and the text of a failure. */
#include <stdio.h>
#include <string.h>

#include "nczarr.h"

int
main(int argc, char **argv)
{
    int rc = NC_EINVAL, ncid;

    if (argc == 3 && strcmp(argv[1], "delete") == 0)
        rc = nc_delete(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "open") == 0 && (rc = nc_open(argv[2], NC_NOWRITE, &ncid)) == NC_NOERR)
        rc = nc_close(ncid);
    printf("%d %s\n", rc, rc != NC_NOERR ? nczarr_errmsg() : "");
    return 0;
}
