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
option_number(const char *option, const char *value, int least, int most, int *out)
{
    char *end;
    long  n = strtol(value, &end, 10);

    *out = (int)n;
    if (end != value && *end == '\0' && n >= least && n <= most)
        return true;
    return message_refuse("%s: not a number from %d to %d: %s", option, least, most, value);
}

bool
option_count(const char *option, const char *value, int least, int most, size_t *out)
{
    int n;

    if (!option_number(option, value, least, most, &n))
        return false;
    *out = (size_t)n;
    return true;
}

bool
option_size(const char *option, const char *value, size_t *out)
{
    if (size_parse(value, out))
        return true;
    return message_refuse("%s: not a size (like 4096, 64K, 5M, 2G): %s", option, value);
}

bool
option_size_or_0(const char *option, const char *value, size_t *out)
{
    *out = 0;
    return strcmp(value, "0") == 0 || option_size(option, value, out);
}

bool
option_name(const char *option, const char *value, const char **out)
{
    *out = value;
    if (*value != '\0')
        return true;
    return message_refuse("%s: the name is empty", option);
}

bool
option_names(const char *option, const char *value, name_list *list)
{
    if (name_list_add_all(list, value))
        return true;
    return message_refuse("%s: %s%s" OPTION_EMPTY_NAME, option, value, *value != '\0' ? ": " : "");
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
    return message_refuse("--zarr-format: neither 2 nor 3: %s", value);
}

bool
option_log_level(const char *value)
{
    int level;

    if (!option_number("-L", value, -1, 100, &level))
        return false;
    (void)nc_set_log_level(level);
    return true;
}

bool
option_damaged(const char *value, damage_policy *out)
{
    static const char *const words[] = {[DAMAGE_STOP] = "stop", [DAMAGE_FILL] = "fill", [DAMAGE_SKIP] = "skip"};
    int                      n;

    if (!option_word("--damaged", value, words, 3, &n))
        return false;
    *out = (damage_policy)n;
    return true;
}

bool
option_limits(const char *value, hyperslab_limits *limits)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (hyperslab_parse(limits, value, why))
        return true;
    return message_refuse("-d: %s", why);
}

bool
option_box(const char *value, hyperslab_limits *limits)
{
    char why[HYPERSLAB_WHY_SIZE];

    if (hyperslab_parse_box(limits, value, why))
        return true;
    return message_refuse("%s", why);
}
