/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xml: S3's answers as a stream of events: a scanner for elements and text, not a complete XML parser. It drops
 * prefixes of names, skips attributes, resolves the five entities and numeric references, and refuses declarations
 * (`<!DOCTYPE`), so that nothing expands. Depth is limited; the caller limits the length. Only `text` is allocated.
 */
#ifndef NCZ_S3_XML_H
#define NCZ_S3_XML_H

#include "util/util.h"

#define NCZ_S3_XML_DEPTH 16

typedef enum ncz_s3_xml_event {
    NCZ_S3_XML_OPEN,  /* `name` begins */
    NCZ_S3_XML_CLOSE, /* `name` ends; `text` is its text after its last child */
    NCZ_S3_XML_END,   /* the document is complete */
} ncz_s3_xml_event;

typedef struct ncz_s3_xml_name {
    const char *at; /* in the document */
    size_t      len;
} ncz_s3_xml_name;

typedef struct ncz_s3_xml {
    const char     *doc, *at, *end;
    ncz_s3_xml_name open[NCZ_S3_XML_DEPTH];
    size_t          depth; /* of open elements; after NCZ_S3_XML_CLOSE without the closed one */
    ncz_s3_xml_name name;
    ncz_buf         text;           /* UTF-8, entities resolved */
    bool            begun, closing; /* the root was seen; the end of an empty element comes next */
} ncz_s3_xml;

void ncz_s3_xml_init(ncz_s3_xml *x, const void *doc, size_t len);
void ncz_s3_xml_clear(ncz_s3_xml *x);
/* NC_ES3 with the position of what is wrong. */
int  ncz_s3_xml_next(ncz_s3_xml *x, ncz_s3_xml_event *event);
bool ncz_s3_xml_is(const ncz_s3_xml *x, const char *name); /* of the event's element */
/* Is the element of a CLOSE event right below `parent`? */
bool ncz_s3_xml_in(const ncz_s3_xml *x, const char *parent);

/* Appends a text escaped for an element. */
int ncz_s3_xml_escape(ncz_buf *out, const char *text);

#endif /* NCZ_S3_XML_H */
