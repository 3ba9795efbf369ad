/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/version_text.h"

#include "nczarr.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void
print_features(const char *title, const char *kind, const char *more)
{
    const char *name, *of;
    bool        any = false;

    printf("%s:", title);
    for (size_t i = 0; (name = nczarr_feature(i, &of)) != NULL; i++)
        if (strcmp(of, kind) == 0) {
            printf(" %s", name);
            any = true;
        }
    if (more != NULL || !any)
        printf(" %s", more != NULL ? more : "none");
    fputc('\n', stdout);
}

void
print_version(const char *command, const char *more)
{
    printf("%s %s\n", command, NCZARR_VERSION);
    if (strcmp(nczarr_version(), NCZARR_VERSION) != 0)
        printf("library: %s\n", nczarr_version());
    print_features("codecs", "codec", NULL);
    print_features("stores", "store", NULL);
    print_features("libraries", "library", more);
}
