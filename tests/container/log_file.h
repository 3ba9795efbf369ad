/* SPDX-License-Identifier: BSD-3-Clause */
/* A file in memory, as a map of one object, that logs its changes: what a disk would have had after each of them. */
#ifndef NCZ_TESTS_LOG_FILE_H
#define NCZ_TESTS_LOG_FILE_H

#include "zmap/zmap.h"

typedef enum log_kind { LOG_PUT, LOG_RESIZE, LOG_SYNC } log_kind;

typedef struct log_change {
    log_kind kind;
    uint64_t at; /* of LOG_RESIZE: the size */
    size_t   len;
    char    *bytes; /* NULL if it is not logged */
} log_change;

typedef struct log_file {
    char       *data;
    size_t      len, cap;
    bool        logs;
    log_change *log;
    size_t      n, nalloc;
    size_t      changes, fail_at; /* changes so far, and the first that fails; 0: none does */
    size_t      fails;            /* how many in a row */
    bool        torn;             /* a put that fails writes half of its bytes, but at the file's begin */
    bool        halves;           /* a put is two, and other threads run in between */
} log_file;

/* The map does not own the file, which may outlive it. */
int  log_file_open(log_file *f, zmap **out);
void log_file_clear(log_file *f);
void log_file_apply(log_file *f, const log_change *change, size_t most); /* at most so many bytes of a put */

#endif /* NCZ_TESTS_LOG_FILE_H */
