/* SPDX-License-Identifier: BSD-3-Clause */
/* Base64 for fill values. */
#ifndef NCZ_FORMAT_BASE64_H
#define NCZ_FORMAT_BASE64_H

#include "util/util.h"

/* False when text is not canonical base64 or gives more than cap bytes. */
bool ncz_format_base64_decode(const char *text, size_t len, unsigned char *out, size_t cap, size_t *used);
int  ncz_format_base64_encode(const void *data, size_t len, ncz_buf *out);

#endif /* NCZ_FORMAT_BASE64_H */
