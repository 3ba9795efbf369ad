/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What platform.h takes from POSIX headers, for Windows with MinGW-w64, whose own headers have a part of it.
 */
#ifndef NCZ_PLATFORM_WINDOWS_H
#define NCZ_PLATFORM_WINDOWS_H
#ifdef _WIN32

#include <errno.h>
#include <io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Flags of openat(). Files are never text, never inherited, never terminals. */
#define O_CLOEXEC   0
#define O_NONBLOCK  0
#define O_NOCTTY    0
#define O_DIRECTORY 0x100000
#define O_NOFOLLOW  0x200000
#define O_PATH      0x400000

#define AT_FDCWD            (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR        0x200
#define AT_EACCESS          0x400

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

#define S_IFLNK    0xA000
#define S_ISLNK(m) (((m)&S_IFMT) == S_IFLNK)

#define DT_UNKNOWN 0
#define DT_DIR     4
#define DT_REG     8
#define DT_LNK     10

#ifndef NAME_MAX
#define NAME_MAX 255
#endif
#ifndef EDQUOT
#define EDQUOT 1133
#endif

#define NCZ_SYS_ECASE EADDRINUSE /* a name of another case is in the way */

/* MinGW-w64 declares it for those alone who define a macro before they include <time.h>. */
#define gmtime_r(seconds, tm) (gmtime_s(tm, seconds) == 0 ? (tm) : NULL)

struct iovec {
    void  *iov_base;
    size_t iov_len;
};

typedef struct ncz_stat { /* that of the C library has no file index and no fractions of seconds */
    uint64_t        st_dev, st_ino;
    int64_t         st_size, st_mtime;
    struct timespec st_mtim;
    mode_t          st_mode;
    unsigned long   st_nlink;
} ncz_stat;

typedef struct ncz_dirent {
    unsigned char d_type;
    char          d_name[3 * NAME_MAX + 1];
} ncz_dirent;

typedef struct ncz_dir ncz_dir;

#define flockfile   _lock_file
#define funlockfile _unlock_file

static inline char *
ncz_sys_strndup(const char *s, size_t most)
{
    size_t len = strnlen(s, most);
    char  *copy = malloc(len + 1);

    if (copy != NULL) {
        memcpy(copy, s, len);
        copy[len] = '\0';
    }
    return copy;
}
#define strndup ncz_sys_strndup

#endif
#endif /* NCZ_PLATFORM_WINDOWS_H */
