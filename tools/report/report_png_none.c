/* SPDX-License-Identifier: BSD-3-Clause */
/* report_png_none.c: without libpng the page has no pictures, and says so. */
#include "report_int.h"

const bool report_has_png = false;

void
report_add_png(text_buf *t, const report_picture *pic)
{
    (void)t;
    (void)pic;
}

void
report_add_png_bytes(text_buf *t, const report_picture *pic)
{
    (void)t;
    (void)pic;
}
