/* SPDX-License-Identifier: BSD-3-Clause */
/* document_name: names of documents by their kind. The library alone knows them. */
#ifndef DOCUMENT_NAME_H
#define DOCUMENT_NAME_H

/* The document of a version of Zarr that has these bits of nczarr_document(); NULL: there is none. */
const char *document_name(int zarr_format, int kind);

#endif /* DOCUMENT_NAME_H */
