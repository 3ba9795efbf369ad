/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xml: what S3 answers with, as a stream of events: a scanner for plain elements and text, not a parser of all XML.
 * Names lose their prefix, attributes are passed over, the five entities and numeric references are resolved; what
 * declares a type (`<!DOCTYPE`) is refused, so that nothing expands. Depth is bounded; the document's length is the
 * caller's to bound. No allocation but for `text`; no state beside the struct.
 */
#ifndef NCZ_S3_XML_H
#define NCZ_S3_XML_H

#include "util/util.h"

#define NCZ_S3_XML_DEPTH 16

typedef enum ncz_s3_xml_event {
    NCZ_S3_XML_OPEN,  /* `name` begins */
    NCZ_S3_XML_CLOSE, /* `name` ends; `text` is what stood in it behind its last child */
    NCZ_S3_XML_END,   /* the document was whole */
} ncz_s3_xml_event;

typedef struct ncz_s3_xml_name {
    const char *at; /* in the document */
    size_t      len;
} ncz_s3_xml_name;

typedef struct ncz_s3_xml {
    const char     *doc, *at, *end;
    ncz_s3_xml_name open[NCZ_S3_XML_DEPTH];
    size_t          depth; /* of what is open; after NCZ_S3_XML_CLOSE without what closed */
    ncz_s3_xml_name name;
    ncz_buf         text;           /* UTF-8, entities resolved */
    bool            begun, closing; /* the root was seen; an empty element's end comes next */
} ncz_s3_xml;

void ncz_s3_xml_init(ncz_s3_xml *x, const void *doc, size_t len);
void ncz_s3_xml_clear(ncz_s3_xml *x);
/* NC_ES3 with the position of what is wrong. */
int  ncz_s3_xml_next(ncz_s3_xml *x, ncz_s3_xml_event *event);
bool ncz_s3_xml_is(const ncz_s3_xml *x, const char *name); /* of the event's element */
/* Is the element of a CLOSE event right below `parent`? */
bool ncz_s3_xml_in(const ncz_s3_xml *x, const char *parent);

/* Appends a text as it stands in an element. */
int ncz_s3_xml_escape(ncz_buf *out, const char *text);

#endif /* NCZ_S3_XML_H */
