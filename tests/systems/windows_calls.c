/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of platform_windows.c, one by one, where Windows differs from POSIX: windows_calls FOLDER. Prints a line
 * for each failure; exit status 1 if there was one. No test library is packaged for Windows, so it uses none.
 */
#include "platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define FAILS(call, code)                                                                                            \
    do {                                                                                                             \
        errno = 0;                                                                                                   \
        CHECK((call) < 0);                                                                                           \
        if (errno != (code))                                                                                         \
            fail(__LINE__, #call ": not " #code);                                                                    \
    } while (0)

static void
fail(int line, const char *what)
{
    printf("line %d: %s (errno %d)\n", line, what, errno);
    failures++;
}

static const ncz_syscalls *s = &ncz_system;

static void
write_file(int dir, const char *name, const char *text)
{
    int fd = s->name.openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

    CHECK(fd >= 0);
    CHECK(s->file.write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(s->file.fsync(fd) == 0);
    CHECK(s->file.close(fd) == 0);
}

static bool
has(int dir, const char *name, const char *text)
{
    char    back[64] = "";
    int     fd = s->name.openat(dir, name, O_RDONLY, 0);
    ssize_t n = fd >= 0 ? s->file.read(fd, back, sizeof back - 1) : -1;

    if (fd >= 0)
        (void)s->file.close(fd);
    return n == (ssize_t)strlen(text) && strcmp(back, text) == 0;
}

static void
test_text_is_bytes(int dir)
{
    write_file(dir, "lines", "a\nb\r\n\x1a z");
    CHECK(has(dir, "lines", "a\nb\r\n\x1a z"));
}

static void
test_renaming(int dir)
{
    char back[8] = "";
    int  fd;

    write_file(dir, "one", "1");
    write_file(dir, "two", "2");
    FAILS(s->name.rename_new(dir, "one", dir, "two"), EEXIST);
    CHECK(s->name.renameat(dir, "one", dir, "two") == 0);
    CHECK(has(dir, "two", "1"));
    FAILS(s->name.openat(dir, "one", O_RDONLY, 0), ENOENT);

    /* Over a file that is open, which keeps its bytes. */
    write_file(dir, "three", "3");
    CHECK((fd = s->name.openat(dir, "two", O_RDONLY, 0)) >= 0);
    CHECK(s->name.renameat(dir, "three", dir, "two") == 0);
    CHECK(has(dir, "two", "3"));
    CHECK(s->file.read(fd, back, 4) == 1 && back[0] == '1');
    CHECK(s->file.close(fd) == 0);

    CHECK(s->name.mkdirat(dir, "folder", 0777) == 0);
    FAILS(s->name.mkdirat(dir, "folder", 0777), EEXIST);
    FAILS(s->name.renameat(dir, "two", dir, "folder"), EISDIR);
    FAILS(s->name.renameat(dir, "none", dir, "two"), ENOENT);
    CHECK(s->name.linkat(dir, "two", dir, "link", 0) == 0);
    FAILS(s->name.linkat(dir, "two", dir, "link", 0), EEXIST);
    CHECK(has(dir, "link", "3"));
}

static void
test_removing(int dir)
{
    int fd;

    write_file(dir, "open", "bytes");
    CHECK((fd = s->name.openat(dir, "open", O_RDONLY, 0)) >= 0);
    CHECK(s->name.unlinkat(dir, "open", 0) == 0);
    CHECK(s->file.close(fd) == 0);
    FAILS(s->name.openat(dir, "open", O_RDONLY, 0), ENOENT);
    FAILS(s->name.unlinkat(dir, "open", 0), ENOENT);

    CHECK(s->name.mkdirat(dir, "full", 0777) == 0);
    CHECK((fd = s->name.openat(dir, "full", O_PATH | O_DIRECTORY, 0)) >= 0);
    write_file(fd, "x", "x");
    FAILS(s->name.unlinkat(dir, "full", AT_REMOVEDIR), ENOTEMPTY);
    FAILS(s->name.unlinkat(dir, "full", 0), EISDIR);
    FAILS(s->name.unlinkat(fd, "x", AT_REMOVEDIR), ENOTDIR);
    CHECK(s->name.unlinkat(fd, "x", 0) == 0);
    CHECK(s->file.close(fd) == 0);
    CHECK(s->name.unlinkat(dir, "full", AT_REMOVEDIR) == 0);
    FAILS(s->name.openat(dir, "full", O_PATH | O_DIRECTORY, 0), ENOENT);
}

/* A store's keys have a case, and some are no names of files. */
static void
test_names(int dir)
{
    static const char *const bad[] = {"a:b", "a\\b",    "a*",   "what?",  "\"",   "<",    "|",    "con",
                                      "AUX", "nul.txt", "com1", "Lpt9.x", "end.", "end ", "tab\t"};
    static const char *const good[] = {".zattrs", "console", "com0",     "com10", "a.b",
                                       "con1",    "0.0",     "\xc3\xa9", "a b"};
    int                      fd;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(ncz_sys_bad_path(bad[i]) != NULL);
        FAILS(s->name.openat(dir, bad[i], O_RDONLY, 0), ENOENT);
        FAILS(s->name.openat(dir, bad[i], O_WRONLY | O_CREAT | O_EXCL, 0666), EINVAL);
        FAILS(s->name.mkdirat(dir, bad[i], 0777), EINVAL);
        FAILS(s->name.renameat(dir, "two", dir, bad[i]), EINVAL);
    }
    CHECK(s->name.mkdirat(dir, "names", 0777) == 0);
    CHECK((fd = s->name.openat(dir, "names", O_RDONLY | O_DIRECTORY, 0)) >= 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(ncz_sys_bad_path(good[i]) == NULL);
        write_file(fd, good[i], good[i]);
        CHECK(has(fd, good[i], good[i]));
    }
    FAILS(s->name.openat(fd, "CONSOLE", O_RDONLY, 0), ENOENT);
    CHECK(s->name.mkdirat(fd, "Temp", 0777) == 0);
    FAILS(s->name.mkdirat(fd, "temp", 0777), NCZ_SYS_ECASE);
    FAILS(s->name.openat(fd, "temp", O_PATH | O_DIRECTORY, 0), ENOENT);
    FAILS(s->name.unlinkat(fd, "CONSOLE", 0), ENOENT);
    CHECK(s->file.close(fd) == 0);
}

static void
test_listing(int dir)
{
    ncz_dir          *d;
    const ncz_dirent *e;
    char              name[64];
    int               fd, files = 0, folders = 0, links = 0;

    CHECK(s->name.mkdirat(dir, "many", 0777) == 0);
    CHECK((fd = s->name.openat(dir, "many", O_RDONLY | O_DIRECTORY, 0)) >= 0);
    for (int i = 0; i < 500; i++) { /* more than one block of entries */
        snprintf(name, sizeof name, "\xe6\xb0\xb4 with a rather long name %d", i);
        write_file(fd, name, "");
    }
    CHECK(s->name.mkdirat(fd, "below", 0777) == 0);
    CHECK((d = s->dir.fdopendir(fd)) != NULL);
    for (errno = 0; d != NULL && (e = s->dir.readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        files += e->d_type == DT_REG && strncmp(e->d_name, "\xe6\xb0\xb4 with", 8) == 0;
        folders += e->d_type == DT_DIR && strcmp(e->d_name, "below") == 0;
        links += e->d_type != DT_REG && e->d_type != DT_DIR;
    }
    CHECK(errno == 0 && files == 500 && folders == 1 && links == 0);
    CHECK(s->dir.syncfs(fd) == 0);
    CHECK(s->dir.closedir(d) == 0);
}

static void
test_offsets_beyond_4_gib(int dir)
{
    const off_t  far = ((off_t)5 << 30) + 3;
    struct iovec from[2] = {{(void *)(uintptr_t) "ab", 2}, {(void *)(uintptr_t) "cde", 3}};
    char         one[2] = "", two[8] = "";
    struct iovec to[2] = {{one, 1}, {two, 7}};
    ncz_stat     st;
    int          fd = s->name.openat(dir, "far", O_RDWR | O_CREAT, 0666);

    CHECK(sizeof(off_t) == 8);
    CHECK(fd >= 0);
    CHECK(s->file.pwritev(fd, from, 2, far) == 5);
    CHECK(s->file.fstat(fd, &st) == 0 && st.st_size == far + 5 && S_ISREG(st.st_mode));
    CHECK(s->file.preadv(fd, to, 2, far) == 5 && one[0] == 'a' && memcmp(two, "bcde", 4) == 0);
    CHECK(s->file.pread(fd, two, 8, far + 5) == 0);
    CHECK(s->file.ftruncate(fd, 3) == 0 && s->file.fstat(fd, &st) == 0 && st.st_size == 3);
    CHECK(s->file.set_time(fd) == 0 && s->file.fstat(fd, &st) == 0 && st.st_mtime > 1600000000);
    CHECK(s->file.close(fd) == 0);
}

static void
test_locks(int dir)
{
    ncz_stat a, b;
    int      first, second;

    write_file(dir, "locked", "x");
    CHECK((first = s->name.openat(dir, "locked", O_RDONLY, 0)) >= 0);
    CHECK((second = s->name.openat(dir, "locked", O_RDWR, 0)) >= 0);
    CHECK(s->file.fstat(first, &a) == 0 && s->file.fstat(second, &b) == 0 && a.st_ino == b.st_ino &&
          a.st_dev == b.st_dev);
    CHECK(s->lock.flock(first, LOCK_EX | LOCK_NB) == 0);
    FAILS(s->lock.flock(second, LOCK_EX | LOCK_NB), EWOULDBLOCK);
    CHECK(has(dir, "locked", "x")); /* it excludes no reader */
    CHECK(s->file.close(first) == 0);
    CHECK(s->lock.flock(second, LOCK_EX | LOCK_NB) == 0);
    CHECK(s->file.close(second) == 0);

    CHECK((first = s->name.openat(dir, ".", O_RDONLY | O_DIRECTORY, 0)) >= 0);
    CHECK(s->lock.flock(first, LOCK_EX | LOCK_NB) == 0);
    FAILS(s->lock.flock(first, LOCK_EX | LOCK_NB), EWOULDBLOCK);
    CHECK(s->file.fsync(first) == 0);
    CHECK(s->name.faccessat(first, ".", W_OK, 0) == 0);
    CHECK(s->file.close(first) == 0);
}

static void
test_paths(const char *folder, int dir)
{
    char  url[] = "/C:/x\\y", plain[] = "D:\\a\\b", slash[] = "/usr/x", *real;
    char  where[4096], long_path[2048], text[128];
    char *map;
    int   fd;
    FILE *f;

    ncz_sys_tidy_path(url);
    ncz_sys_tidy_path(plain);
    ncz_sys_tidy_path(slash);
    CHECK(strcmp(url, "C:/x/y") == 0 && strcmp(plain, "D:/a/b") == 0 && strcmp(slash, "/usr/x") == 0);
    CHECK((real = ncz_sys_realpath(folder)) != NULL && real[1] == ':' && strchr(real, '\\') == NULL);

    /* Longer than the 260 characters of MAX_PATH. */
    snprintf(long_path, sizeof long_path, "%s", real);
    for (int i = 0; i < 6; i++) {
        size_t n = strlen(long_path);

        snprintf(long_path + n, sizeof long_path - n, "/%060d", i);
        CHECK(s->name.mkdirat(AT_FDCWD, long_path, 0777) == 0);
    }
    CHECK((fd = s->name.openat(AT_FDCWD, long_path, O_PATH | O_DIRECTORY, 0)) >= 0);
    write_file(fd, "deep", "d");
    CHECK(has(fd, "deep", "d"));
    CHECK(s->file.close(fd) == 0);
    free(real);

    CHECK((f = ncz_sys_fopen("\xc3\xbc-file", "wbe")) != NULL && fputs("u\n", f) >= 0 && fclose(f) == 0);
    CHECK(has(AT_FDCWD, "\xc3\xbc-file", "u\n"));
    CHECK(s->name.unlinkat(AT_FDCWD, "\xc3\xbc-file", 0) == 0);

    fd = ncz_sys_temp_file(folder, where, sizeof where);
    CHECK(fd >= 0 && s->file.ftruncate(fd, 100000) == 0 && s->file.write(fd, "map", 3) == 3);
    CHECK((map = ncz_sys_map(fd, 100000)) != NULL && memcmp(map, "map", 4) == 0);
    if (map != NULL)
        ncz_sys_unmap(map, 100000);
    CHECK(s->file.close(fd) == 0);
    FAILS(s->name.openat(AT_FDCWD, where, O_RDONLY, 0), ENOENT); /* it went when it was closed */
    CHECK((fd = ncz_sys_temp_file(NULL, where, sizeof where)) >= 0 && s->file.close(fd) == 0);
    CHECK(strcmp(ncz_sys_error_text(ELOOP, text, sizeof text), "Too many levels of symbolic links") == 0);
    CHECK(strstr(ncz_sys_error_text(ENOENT, text, sizeof text), "No such") != NULL);
    (void)dir;
}

static void
test_process(void)
{
    ncz_sys_process self = {.pid = 0}, found = {.pid = 0};
    unsigned char   chance[32] = {0};

    CHECK(s->getrandom(chance, sizeof chance, 0) == sizeof chance && memcmp(chance, chance + 16, 16) != 0);
    CHECK(ncz_sys_cpus() >= 1);
    CHECK(ncz_sys_process_self(&self) && self.pid == ncz_sys_pid() && strlen(self.machine) == 36 && !self.ended);
    CHECK(ncz_sys_process_find(self.pid, &found) && found.began == self.began);
    CHECK(!ncz_sys_process_find(0x7ffffff0, &found));
}

int
main(int argc, char **argv)
{
    int dir;

    ncz_sys_start(&argc, &argv);
    if (argc == 3 && strcmp(argv[1], "--echo") == 0) { /* what an argument looks like here */
        puts(argv[2]);
        return 0;
    }
    if (argc != 2 || (dir = s->name.openat(AT_FDCWD, argv[1], O_RDONLY | O_DIRECTORY, 0)) < 0) {
        puts("usage: windows_calls FOLDER");
        return 2;
    }
    test_text_is_bytes(dir);
    test_renaming(dir);
    test_removing(dir);
    test_names(dir);
    test_listing(dir);
    test_offsets_beyond_4_gib(dir);
    test_locks(dir);
    test_paths(argv[1], dir);
    test_process();
    CHECK(s->file.close(dir) == 0);
    return failures != 0;
}
