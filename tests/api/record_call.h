/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where NCZARR_TEST_CALLS names a file, the tests add "function code" to it for each call whose result they check.
 * errors_calls.py --check compares that with include/errors.txt.
 */
#ifndef NCZ_TEST_RECORD_CALL_H
#define NCZ_TEST_RECORD_CALL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `call` is the text of the call, "nc_open(path, ...)". */
static inline void
record_call(const char *call, int code)
{
    const char *file = getenv("NCZARR_TEST_CALLS");
    FILE       *f = file != NULL && strncmp(call, "nc", 2) == 0 ? fopen(file, "a") : NULL;

    if (f == NULL)
        return;
    fprintf(f, "%.*s %d\n", (int)strcspn(call, "("), call, code);
    fclose(f);
}

#endif /* NCZ_TEST_RECORD_CALL_H */
