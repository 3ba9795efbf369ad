/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small files that may hold a secret. Within this module only.
 */
#ifndef NCZ_S3_SECRET_FILE_H
#define NCZ_S3_SECRET_FILE_H

#include "util/util.h"

/* Reads a whole file; the caller wipes the buffer. *absent: the file does not exist, which is no error. NC_EAUTH: the
 * file has `most` bytes or more. */
int ncz_s3_read_file(const char *path, size_t most, bool *absent, ncz_buf *out);

#endif /* NCZ_S3_SECRET_FILE_H */
