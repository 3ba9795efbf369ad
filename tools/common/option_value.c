/* SPDX-License-Identifier: BSD-3-Clause */
/* option_value.c: the values of options. */
#include "common/message.h"
#include "common/options.h"
#include "common/size_text.h"
#include "common/text_buf.h"
#include "common/zarr_version.h"

#include <nczarr.h>
#include <stdlib.h>
#include <string.h>

bool
option_number(const char *option, const char *value, long least, long most, long *out)
{
    char *end;

    *out = strtol(value, &end, 10);
    if (end != value && *end == '\0' && *out >= least && *out <= most)
        return true;
    message_print("%s: not a number from %ld to %ld: %s", option, least, most, value);
    return false;
}

bool
option_size(const char *option, const char *value, size_t *out)
{
    if (size_parse(value, out))
        return true;
    message_print("%s: not a size (like 4096, 64K, 5M, 2G): %s", option, value);
    return false;
}

bool
option_name(const char *option, const char *value, const char **out)
{
    *out = value;
    if (*value != '\0')
        return true;
    message_print("%s: the name is empty", option);
    return false;
}

bool
option_names(const char *option, const char *value, name_list *list)
{
    if (name_list_add_all(list, value))
        return true;
    message_print("%s: %s%s" OPTION_EMPTY_NAME, option, value, *value != '\0' ? ": " : "");
    return false;
}

bool
option_word(const char *option, const char *value, const char *const *words, int n, int *out)
{
    text_buf all = TEXT_BUF_INIT;

    for (*out = 0; *out < n; ++*out)
        if (strcmp(value, words[*out]) == 0)
            return true;
    for (int i = 0; i < n; i++)
        text_addf(&all, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", words[i]);
    message_print("%s: not %s: %s", option, all.s, value);
    text_clear(&all);
    return false;
}

bool
option_zarr_format(const char *value, int *out)
{
    if (zarr_version_parse(value, out))
        return true;
    message_print("--zarr-format: neither 2 nor 3: %s", value);
    return false;
}

bool
option_log_level(const char *value)
{
    long level;

    if (!option_number("-L", value, -1, 100, &level))
        return false;
    (void)nc_set_log_level((int)level);
    return true;
}
