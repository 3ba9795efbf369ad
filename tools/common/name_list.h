/* SPDX-License-Identifier: BSD-3-Clause */
/* name_list: names as users give them in options: "a", "g/a" or "/g/a". */
#ifndef NAME_LIST_H
#define NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct name_list {
    char **name;
    size_t n;
} name_list;

/* Adds one name; those of a list with commas; those that `at` separates in a text of this length. In lists a backslash
 * keeps the next character as part of a name. False: a name of the list is empty. */
void name_list_add(name_list *list, const char *name);
bool name_list_add_all(name_list *list, const char *commas);
bool name_list_split(name_list *list, const char *text, size_t len, char at);

/* Is it the path of something that the list names? "*" names all: path_match(). */
bool name_list_match(const name_list *list, const char *path);
void name_list_clear(name_list *list);

#endif /* NAME_LIST_H */
