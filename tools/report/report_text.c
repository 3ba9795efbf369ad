/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c: text and numbers of the page and of pictures.
 */
#include "report_int.h"

#include <math.h>
#include <string.h>

void
report_add_text(dump_text *t, const char *s)
{
    dump_text_add_xml(t, s, strlen(s));
}

void
report_add_number(dump_text *t, double value)
{
    dump_text_addf(t, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}
