/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * platform: the calls of the operating system. platform_posix.c is for Linux and macOS; platform_windows.c and
 * platform_windows_program.c are for Windows; platform_links.c, on top of them, is for all. No other file of the
 * library includes the system's headers for files, processes or memory, but in two modules that Windows does not have:
 * s3 (files with secrets, the program that prints credentials, the process's id) and forward.
 *
 * What C11 and POSIX threads offer is used directly: <pthread.h>, <stdatomic.h>, clock_gettime(), nanosleep(). On
 * Windows, MinGW-w64's winpthreads provides them.
 *
 * The lowest module: it knows nothing of errors or allocation. All functions may be called on any thread.
 */
#ifndef NCZ_PLATFORM_H
#define NCZ_PLATFORM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
#include "platform/platform_windows.h"
#else
#include <dirent.h>
#include <strings.h>
#include <unistd.h>
#include <sys/file.h>
#include <sys/uio.h>

#define NCZ_SYS_ECASE (-1) /* never: names with different cases are different here */

typedef struct stat   ncz_stat;
typedef struct dirent ncz_dirent;
typedef DIR           ncz_dir;

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif
#endif

#define NCZ_SYS_LOCKS 2 /* that a file has, beside flock()'s */

/* What a file is opened with to be passed to fsync(). */
#ifdef _WIN32
#define NCZ_O_FSYNC O_RDWR
#else
#define NCZ_O_FSYNC O_RDONLY
#endif

#ifndef O_PATH
#define O_PATH O_RDONLY /* without O_PATH, a directory must be readable to be traversed */
#endif

/* ---- files -----------------------------------------------------------------------------------------------------
 *
 * A table, so that a test can copy it, replace entries and pass it to zmap_file_use(). Calls report failures as POSIX
 * does: -1 (or NULL) and errno. A call that the system lacks fails with ENOSYS, and the stores then use another way.
 * Paths are UTF-8 and separated by '/'. A directory's descriptor is a base for further calls, as AT_FDCWD is.
 */

/* Of an open file. */
typedef struct ncz_file_calls {
    int (*close)(int fd);
    int (*dup)(int fd); /* not kept over exec */
    ssize_t (*read)(int fd, void *data, size_t len);
    ssize_t (*readv)(int fd, const struct iovec *to, int n);
    ssize_t (*pread)(int fd, void *data, size_t len, off_t off);
    ssize_t (*preadv)(int fd, const struct iovec *to, int n, off_t off);
    ssize_t (*write)(int fd, const void *data, size_t len);
    ssize_t (*pwritev)(int fd, const struct iovec *from, int n, off_t off);
    ssize_t (*copy_range)(int from, off_t *from_off, int to, off_t *to_off, size_t len); /* copy_file_range() */
    int (*clone)(int from, int to); /* all of a file, sharing its blocks: FICLONE */
    int (*ftruncate)(int fd, off_t len);
    int (*fchmod)(int fd, mode_t mode);
    /* Sets owner and group to those of another file; at least the group, or it fails. */
    int (*chown_as)(int fd, const ncz_stat *as);
    int (*set_time)(int fd); /* sets the time of change to now, in nanoseconds; the kernel's own is coarser */
    int (*fsync)(int fd);
    int (*start_write)(int fd); /* starts write-back of the file, and waits for nothing */
    int (*fstat)(int fd, ncz_stat *st);
} ncz_file_calls;

/* Of a name, in a directory that is open as `dir`. */
typedef struct ncz_name_calls {
    int (*openat)(int dir, const char *path, int flags, mode_t mode);
    int (*open_beneath)(int dir, const char *path, int flags); /* never leaves `dir`, whatever the links: openat2() */
    ssize_t (*readlinkat)(int dir, const char *path, char *text, size_t len);
    int (*fstatat)(int dir, const char *path, ncz_stat *st, int flags);
    int (*faccessat)(int dir, const char *path, int mode, int flags);
    int (*mkdirat)(int dir, const char *path, mode_t mode);
    int (*renameat)(int from_dir, const char *from, int to_dir, const char *to);
    int (*rename_new)(int from_dir, const char *from, int to_dir, const char *to);  /* EEXIST: renameat2(NOREPLACE) */
    int (*rename_swap)(int from_dir, const char *from, int to_dir, const char *to); /* renameat2(EXCHANGE) */
    int (*linkat)(int from_dir, const char *from, int to_dir, const char *to, int flags);
    int (*open_unnamed)(int dir, int flags, mode_t mode); /* a new file without a name: O_TMPFILE */
    int (*link_unnamed)(int fd, int dir, const char *to); /* its name; EEXIST: that is taken */
    int (*unlinkat)(int dir, const char *path, int flags);
} ncz_name_calls;

/* Of an open directory. */
typedef struct ncz_dir_calls {
    int (*syncfs)(int fd);         /* at least all that is below the directory */
    bool (*syncfs_tells)(void);    /* whether syncfs() reports write errors: Linux 5.8 and later */
    ncz_dir *(*fdopendir)(int fd); /* takes `fd` */
    ncz_dirent *(*readdir)(ncz_dir *d);
    int (*closedir)(ncz_dir *d);
} ncz_dir_calls;

/* Locks on an open file. */
typedef struct ncz_lock_calls {
    int (*flock)(int fd, int how);
    /* Locks, unlocks, or changes the lock of, one of NCZ_SYS_LOCKS things that a file stands for, at once: other opens
     * exclude each other, of this process and others. `how`: LOCK_SH (to read), LOCK_EX (to write), LOCK_UN.
     * EWOULDBLOCK: another open has it; a lock that was to be changed may then be lost, and is asked for again. */
    int (*lock_one)(int fd, int how, unsigned which);
    int (*sole)(int fd); /* 0: no other descriptor has the file open: a lease */
} ncz_lock_calls;

typedef struct ncz_syscalls {
    ncz_file_calls file;
    ncz_name_calls name;
    ncz_dir_calls  dir;
    ncz_lock_calls lock;
    ssize_t (*getrandom)(void *data, size_t len, unsigned flags); /* flags: 0 */
} ncz_syscalls;

extern const ncz_syscalls ncz_system; /* the system's own */

/* Why there is no file of this name here although it is a valid key, or NULL: a plain text. Any name of the path. */
const char *ncz_sys_bad_path(const char *path);

bool ncz_sys_is_slash(char c); /* does it separate the names of a path that a user gives? */

/* A local path as the library writes it, in place: on Windows with '/' for '\', and without the slash before the drive
 * of a URL's path, "/C:/x". */
void ncz_sys_tidy_path(char *path);
char *
ncz_sys_realpath(const char *path); /* absolute, links resolved, with '/'; NULL: errno. To be freed with free() */
/* The path without slashes at its end; where its last name is a link, the path that this leads to, also of one that
 * leads to nothing yet. NULL: errno, ELOOP for links in a circle. To be freed with free(). */
char *ncz_sys_follow(const char *path);
bool  ncz_sys_is_folder(const char *path); /* or a link to one */
FILE *ncz_sys_fopen(const char *path, const char *mode);

/* ---- temporary files, memory ------------------------------------------------------------------------------------ */

/* A new file in `dir` (NULL: where this system has them) that no name leads to, or that vanishes when it is closed;
 * -1: errno. `where` gets the path that was tried, for messages. */
int   ncz_sys_temp_file(const char *dir, char *where, size_t size);
void *ncz_sys_map(int fd, size_t nbytes); /* the file's bytes, to be read; NULL: errno */
void  ncz_sys_unmap(void *map, size_t nbytes);
void  ncz_sys_wipe(void *p, size_t nbytes); /* is not optimised away */

/* ---- the process ------------------------------------------------------------------------------------------------ */

typedef struct ncz_sys_process {
    char               machine[37]; /* one boot of one machine; digits a-f and '-' */
    unsigned long long space, began;
    long               pid;
    bool               ended; /* not yet waited for by its parent */
} ncz_sys_process;

long     ncz_sys_pid(void);
bool     ncz_sys_process_self(ncz_sys_process *out);           /* false: the system does not tell */
bool     ncz_sys_process_find(long pid, ncz_sys_process *out); /* sets began and ended; false: not found */
bool     ncz_sys_process_hidden(long pid);                     /* it exists, but the system tells nothing about it */
unsigned ncz_sys_cpus(void);                                   /* that the process may use; at least 1 */
size_t   ncz_sys_files_most(void);                             /* that the process may have open at a time */
size_t   ncz_sys_files_raise(size_t n);                        /* makes it n, or what the system allows */

/* A variable of the environment. NULL: it is not set, or the process has more rights than its user. */
const char *ncz_sys_getenv(const char *name);
bool        ncz_sys_privileged(void);
void        ncz_sys_empty_env(const char *name); /* sets it to nothing, if it is set */

const char *ncz_sys_error_text(int err, char *buf, size_t size); /* of an errno; in `buf` or constant */

/* Creates a thread that receives no signal: they are for the program's threads. Returns 0 or an errno. */
int  ncz_sys_thread_start(pthread_t *out, void *(*run)(void *), void *arg);
void ncz_sys_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* ---- commands --------------------------------------------------------------------------------------------------- */

typedef struct ncz_sys_size { /* of a terminal: in characters, and in pixels (0: not known) */
    size_t columns, rows, width, height;
} ncz_sys_size;

/* Called first in main(): arguments in UTF-8, standard streams without a translation of line ends. A file that
 * grows beyond the process's limit is an error (EFBIG) and not a signal. */
void ncz_sys_start(int *argc, char ***argv);

bool ncz_sys_terminal_size(int fd, ncz_sys_size *out);

/* Sends a request to the terminal and reads its answer, up to the character `last` behind an ESC. False: there is no
 * terminal of this program, or no answer in time. */
bool ncz_sys_terminal_ask(const char *request, char last, int wait_ms, char *answer, size_t size);

/* The first such signal calls `handler`, the next one ends the program. A signal that is ignored stays so. */
void ncz_sys_catch_signal(int number, void (*handler)(int));

#endif /* NCZ_PLATFORM_H */
