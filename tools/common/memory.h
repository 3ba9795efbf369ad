/* SPDX-License-Identifier: BSD-3-Clause */
/* memory: memory that is never NULL. When it is out, a message says so and the command ends with status 1. */
#ifndef MEMORY_H
#define MEMORY_H

#include <nczarr.h>
#include <stddef.h>

void *memory_need(void *p);                           /* p, if it is not NULL */
void *memory_alloc(size_t n, size_t size);            /* n * size bytes, zeroed */
void *memory_grow(void *list, size_t n, size_t size); /* room for one item after the n that it has */
/* That for a list that gets long: *cap says how many items there is room for. Returns the list. */
void *memory_room(void *list, size_t n, size_t *cap, size_t size);
char *memory_textf(const char *fmt, ...) NCZARR_PRINTF(1, 2);

/* What is said after the message that memory is out; NULL: nothing. Set once, before threads are started. */
void memory_set_last_words(void (*say)(void));

#endif /* MEMORY_H */
