/* SPDX-License-Identifier: BSD-3-Clause */
/* var_inquiry: what the library tells of a variable in memory of the caller: here in new memory. */
#ifndef VAR_INQUIRY_H
#define VAR_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>

/* nczarr_inq_var_dtype(), nczarr_inq_var_encoding() and their like. */
typedef int (*var_text_inquiry)(int ncid, int varid, size_t *lenp, char *text);

/* The text that it gives, "" if there is none. NULL: it fails. */
char *var_text(var_text_inquiry inquire, int ncid, int varid);
/* The key of the object that holds a chunk, or would. NULL: the variable has no chunks of one length. */
char *var_chunk_key(int ncid, int varid, const size_t *index);
/* The lengths of the shards; NULL: it has none. */
int var_shards(int ncid, int varid, size_t **out);

/* Do chunks differ in length? Then their encoding has no text, and nc_inq_var_chunking() tells only the longest. */
bool var_has_equal_chunks(int ncid, int varid);

#endif /* VAR_INQUIRY_H */
