/* SPDX-License-Identifier: BSD-3-Clause */
/* text_buf: a growing text. It may hold any bytes; s[len] is a NUL once something was added. */
#ifndef TEXT_BUF_H
#define TEXT_BUF_H

#include <nczarr.h>
#include <stddef.h>

typedef struct text_buf {
    char  *s;
    size_t len, cap;
} text_buf;

#define TEXT_BUF_INIT ((text_buf){.s = NULL})

void text_addn(text_buf *t, const char *s, size_t n);
void text_add(text_buf *t, const char *s);
void text_addc(text_buf *t, char c);
void text_addf(text_buf *t, const char *fmt, ...) NCZARR_PRINTF(2, 3);
/* Room for n more bytes behind the text. The caller writes them there, and then says how many with text_end(). */
char *text_room(text_buf *t, size_t n);
void  text_end(text_buf *t, const char *end);
void  text_reset(text_buf *t); /* empty, keeps the memory */
void  text_clear(text_buf *t);

#endif /* TEXT_BUF_H */
