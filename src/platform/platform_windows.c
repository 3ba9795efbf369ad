/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * platform_windows: the calls of Windows that deal with files; platform_windows_program.c has the others.
 *
 * Windows opens a path relative to an open directory too, but only by the calls below Win32 (NtCreateFile), so these
 * are used. Descriptors are those of the C library, around the system's handles. All files are opened so that others
 * may read, write, rename and delete them meanwhile, as on POSIX.
 *
 * Names below a directory's descriptor are keys of a store. They match with their case, although the file system
 * ignores it: "T" does not find "t", and cannot be made beside it (NCZ_SYS_ECASE). A key's name that Windows programs
 * could not use is refused (ncz_sys_bad_path()).
 */
#define WIN32_LEAN_AND_MEAN
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601
#endif
#include "platform/platform.h"

#include <stdlib.h>
#include <wchar.h>
#include <windows.h>
#include <winternl.h>

#define SHARE_ALL   (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define TRIES_MOST  50         /* while another program, such as a virus scanner, has a file open for itself */
#define NAP_MS      10         /* between two tries */
#define PIECE_MOST  0x40000000 /* bytes of one read or write */
#define WIDE_INLINE 300        /* units of a path that needs no allocation */

/* From the kernel's interface; winternl.h has only some. */
#define STATUS_CODE(n)         ((NTSTATUS)(n))
#define NT_INVALID_INFO_CLASS  STATUS_CODE(0xC0000003)
#define NT_INVALID_PARAMETER   STATUS_CODE(0xC000000D)
#define NT_NOT_IMPLEMENTED     STATUS_CODE(0xC0000002)
#define NT_NOT_SUPPORTED       STATUS_CODE(0xC00000BB)
#define NT_INVALID_REQUEST     STATUS_CODE(0xC0000010)
#define NT_SHARING_VIOLATION   STATUS_CODE(0xC0000043)
#define NT_DELETE_PENDING      STATUS_CODE(0xC0000056)
#define NT_FILE_IS_A_DIRECTORY STATUS_CODE(0xC00000BA)
#define NT_NOT_A_DIRECTORY     STATUS_CODE(0xC0000103)
#define NT_DIRECTORY_NOT_EMPTY STATUS_CODE(0xC0000101)
#define NT_NAME_COLLISION      STATUS_CODE(0xC0000035)
#define NT_NAME_INVALID        STATUS_CODE(0xC0000033)
#define NT_ACCESS_DENIED       STATUS_CODE(0xC0000022)
#define INFO_RENAME            10
#define INFO_LINK              11
#define INFO_DISPOSITION       13
#define INFO_DISPOSITION_EX    64
#define INFO_RENAME_EX         65
#define RENAME_REPLACE         0x01u
#define RENAME_POSIX           0x02u
#define RENAME_IGNORE_READONLY 0x40u
#define DELETE_NOW             0x01u
#define DELETE_POSIX           0x02u
#define DELETE_IGNORE_READONLY 0x10u
#define DISK_QUOTA_EXCEEDED    1295        /* ERROR_DISK_QUOTA_EXCEEDED */
#define OPEN_FOR_BACKUP        0x00004000u /* opens directories, too */
#define OPEN_REPARSE           0x00200000u
#define OPEN_DELETE_ON_CLOSE   0x00001000u

typedef struct name_change { /* FILE_RENAME_INFORMATION, FILE_LINK_INFORMATION */
    ULONG  flags;            /* in the older form, a BOOLEAN */
    HANDLE root;
    ULONG  nbytes;
    WCHAR  name[];
} name_change;

NTSTATUS NTAPI RtlDosPathNameToNtPathName_U_WithStatus(PCWSTR path, PUNICODE_STRING out, PWSTR *part, PVOID relative);
BOOLEAN NTAPI  SystemFunction036(PVOID data, ULONG len); /* RtlGenRandom */

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static int
errno_of_win32(DWORD err)
{
    switch (err) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_BAD_PATHNAME: return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_CANNOT_MAKE:
    case ERROR_PRIVILEGE_NOT_HELD: return EACCES;
    case ERROR_WRITE_PROTECT: return EROFS;
    case ERROR_SHARING_VIOLATION:
    case ERROR_BUSY:
    case ERROR_DELETE_PENDING:
    case ERROR_USER_MAPPED_FILE: return EBUSY;
    case ERROR_LOCK_VIOLATION:
    case ERROR_IO_PENDING: return EWOULDBLOCK;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: return EEXIST;
    case ERROR_DIR_NOT_EMPTY: return ENOTEMPTY;
    case ERROR_DIRECTORY: return ENOTDIR;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL: return ENOSPC;
    case DISK_QUOTA_EXCEEDED: return EDQUOT;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_COMMITMENT_LIMIT: return ENOMEM;
    case ERROR_TOO_MANY_OPEN_FILES: return EMFILE;
    case ERROR_INVALID_HANDLE: return EBADF;
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_PARAMETER: return EINVAL;
    case ERROR_FILENAME_EXCED_RANGE: return ENAMETOOLONG;
    case ERROR_NOT_SAME_DEVICE: return EXDEV;
    case ERROR_TOO_MANY_LINKS: return EMLINK;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION: return ENOTSUP;
    case ERROR_CANT_RESOLVE_FILENAME: return ELOOP;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: return EPIPE;
    default: return EIO;
    }
}

static int
fail_win32(void)
{
    errno = errno_of_win32(GetLastError());
    return -1;
}

static int
fail_status(NTSTATUS status)
{
    switch (status) {
    case NT_FILE_IS_A_DIRECTORY: errno = EISDIR; break;
    case NT_NOT_A_DIRECTORY: errno = ENOTDIR; break;
    case NT_DIRECTORY_NOT_EMPTY: errno = ENOTEMPTY; break;
    case NT_NAME_COLLISION: errno = EEXIST; break;
    case NT_NAME_INVALID: errno = EINVAL; break;
    case NT_DELETE_PENDING: errno = ENOENT; break;
    default: errno = errno_of_win32(RtlNtStatusToDosError(status));
    }
    return -1;
}

static int
fail_missing(void)
{
    errno = ENOSYS;
    return -1;
}

static ssize_t
sys_getrandom(void *data, size_t len, unsigned flags)
{
    (void)flags;
    if (SystemFunction036(data, (ULONG)len))
        return (ssize_t)len;
    errno = EIO;
    return -1;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* A path in UTF-16, with '\'. `s` is `room`, or allocated. */
typedef struct wide {
    WCHAR *s;
    size_t len;
    WCHAR  room[WIDE_INLINE];
} wide;

static void
wide_clear(wide *w)
{
    if (w->s != w->room)
        free(w->s);
    w->s = w->room;
}

/* False, with errno: not UTF-8, or out of memory. */
static bool
wide_init(wide *w, const char *path)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);

    w->s = w->room;
    if (n <= 0) {
        errno = EINVAL;
        return false;
    }
    if (n > WIDE_INLINE && (w->s = malloc((size_t)n * sizeof *w->s)) == NULL) {
        w->s = w->room;
        errno = ENOMEM;
        return false;
    }
    (void)MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, w->s, n);
    w->len = (size_t)n - 1;
    for (size_t i = 0; i < w->len; i++)
        if (w->s[i] == L'/')
            w->s[i] = L'\\';
    return true;
}

static bool
is_device(const char *name, size_t len)
{
    static const char *const words[] = {"con", "prn", "aux", "nul", "com", "lpt"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (len >= 3 && strncasecmp(name, words[i], 3) == 0) {
            if (i < 4)
                return len == 3 || name[3] == '.';
            return len >= 4 && name[3] >= '1' && name[3] <= '9' && (len == 4 || name[4] == '.');
        }
    return false;
}

static const char *
bad_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < 0x20 || strchr("<>:\"\\|?*", name[i]) != NULL)
            return "Windows allows none of < > : \" \\ | ? * and no control character in a name";
    if (len > 0 && (name[len - 1] == '.' || name[len - 1] == ' '))
        return "on Windows no name ends in a dot or a space";
    if (is_device(name, len))
        return "on Windows this is the name of a device";
    return NULL;
}

const char *
ncz_sys_bad_path(const char *path)
{
    for (;;) {
        size_t      len = strcspn(path, "/");
        const char *why = bad_name(path, len);

        if (why != NULL || path[len] == '\0')
            return why;
        path += len + 1;
    }
}

bool
ncz_sys_is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Whether each name of a path below a directory's descriptor can be one here. */
static bool
names_allowed(const char *path)
{
    return strcmp(path, ".") == 0 || ncz_sys_bad_path(path) == NULL;
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void
ncz_sys_tidy_path(char *path)
{
    for (char *p = path; *p != '\0'; p++)
        if (*p == '\\')
            *p = '/';
    if (path[0] == '/' && is_letter(path[1]) && path[2] == ':' && (path[3] == '/' || path[3] == '\0'))
        memmove(path, path + 1, strlen(path));
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static HANDLE
handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

/* Where a call applies: a handle and a path from it. The path is in `relative` or in `full`. */
typedef struct place {
    HANDLE         root;
    UNICODE_STRING name;
    wide           relative;
    bool           is_full;
} place;

static void
place_clear(place *p)
{
    wide_clear(&p->relative);
    if (p->is_full)
        RtlFreeUnicodeString(&p->name);
}

/* A path from the working directory or a drive. "C:" is the root of the drive here, not its working directory. */
static bool
find_full(place *p)
{
    WCHAR   *s = p->relative.s;
    size_t   len = p->relative.len;
    WCHAR    drive[4] = L"";
    NTSTATUS status;

    while (len > 1 && s[len - 1] == L'\\' && s[len - 2] != L':')
        s[--len] = L'\0';
    if (len == 2 && s[1] == L':') {
        drive[0] = s[0];
        drive[1] = L':';
        drive[2] = L'\\';
        s = drive;
    }
    status = RtlDosPathNameToNtPathName_U_WithStatus(s, &p->name, NULL, NULL);
    p->is_full = NT_SUCCESS(status);
    return p->is_full || fail_status(status) == 0;
}

static bool
place_init(place *p, int dir, const char *path)
{
    *p = (place){.root = NULL};
    if (!wide_init(&p->relative, path))
        return false;
    if (dir == AT_FDCWD)
        return find_full(p);
    p->root = handle_of(dir);
    if (wcscmp(p->relative.s, L".") == 0)
        p->relative.len = 0; /* the directory itself */
    if (p->relative.len > 0x7FFF) {
        wide_clear(&p->relative);
        errno = ENAMETOOLONG;
        return false;
    }
    p->name = (UNICODE_STRING){.Buffer = p->relative.s,
                               .Length = (USHORT)(p->relative.len * sizeof(WCHAR)),
                               .MaximumLength = (USHORT)(p->relative.len * sizeof(WCHAR))};
    return true;
}

static NTSTATUS
create_file(const place *p, ACCESS_MASK access, ULONG how, ULONG options, HANDLE *out)
{
    OBJECT_ATTRIBUTES at;
    IO_STATUS_BLOCK   io;
    UNICODE_STRING    name = p->name;
    NTSTATUS          status;

    InitializeObjectAttributes(&at, &name, OBJ_CASE_INSENSITIVE, p->root, NULL);
    for (int tries = 0;; tries++) {
        status = NtCreateFile(out, access | SYNCHRONIZE, &at, &io, NULL, FILE_ATTRIBUTE_NORMAL, SHARE_ALL, how,
                              options | FILE_SYNCHRONOUS_IO_NONALERT | OPEN_FOR_BACKUP, NULL, 0);
        if (status != NT_SHARING_VIOLATION || tries == TRIES_MOST)
            return status;
        Sleep(NAP_MS);
    }
}

/* Whether the file that a name led to has that very name. A system that does not tell is believed. */
static bool
same_case(HANDLE h, const wide *asked)
{
    WCHAR  text[1024], *last;
    DWORD  n = GetFinalPathNameByHandleW(h, text, sizeof text / sizeof text[0], VOLUME_NAME_NT);
    size_t at = asked->len;

    while (at > 0 && asked->s[at - 1] != L'\\')
        at--;
    if (n == 0 || n >= sizeof text / sizeof text[0] || (last = wcsrchr(text, L'\\')) == NULL)
        return true;
    last++;
    /* A different name altogether: a link, or a short name. */
    return wcscmp(last, asked->s + at) == 0 || _wcsicmp(last, asked->s + at) != 0;
}

/* Whether the handle is that of a link itself: OPEN_REPARSE was among the options. Other kinds of reparse points, such
 * as files that are fetched from a server when they are read, are not links. */
static bool
is_link(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO info = {.FileAttributes = 0};

    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &info, sizeof info) != 0 &&
           (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && IsReparseTagNameSurrogate(info.ReparseTag);
}

static bool
is_reparse(HANDLE h)
{
    FILE_ATTRIBUTE_TAG_INFO info = {.FileAttributes = 0};

    return GetFileInformationByHandleEx(h, FileAttributeTagInfo, &info, sizeof info) != 0 &&
           (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

/* Opens a path; NULL: errno. With OPEN_REPARSE a link is opened itself. */
static HANDLE
open_path(int dir, const char *path, ACCESS_MASK access, ULONG how, ULONG options)
{
    place    p;
    HANDLE   h = NULL;
    NTSTATUS status;

    if (dir != AT_FDCWD && !names_allowed(path)) {
        errno = how == FILE_OPEN ? ENOENT : EINVAL;
        return NULL;
    }
    if (!place_init(&p, dir, path))
        return NULL;
    status = create_file(&p, access, how, options, &h);
    if (NT_SUCCESS(status) && (options & OPEN_REPARSE) != 0 && is_reparse(h) && !is_link(h)) {
        (void)CloseHandle(h);
        status = create_file(&p, access, how, options & ~OPEN_REPARSE, &h);
    }
    if (!NT_SUCCESS(status)) {
        (void)fail_status(status);
        h = NULL;
    } else if (p.root != NULL && p.relative.len > 0 && how != FILE_CREATE && !same_case(h, &p.relative)) {
        (void)CloseHandle(h);
        errno = how == FILE_OPEN ? ENOENT : NCZ_SYS_ECASE;
        h = NULL;
    }
    place_clear(&p);
    return h;
}

static int
descriptor_of(HANDLE h, int flags)
{
    int fd = _open_osfhandle((intptr_t)h, _O_BINARY | _O_NOINHERIT | (flags & (O_WRONLY | O_RDWR)));

    if (fd < 0) {
        (void)CloseHandle(h);
        errno = EMFILE;
    }
    return fd;
}

static int
sys_openat(int dir, const char *path, int flags, mode_t mode)
{
    ACCESS_MASK access = FILE_READ_ATTRIBUTES;
    ULONG       options = 0;
    ULONG       how = (flags & O_CREAT) == 0 ? FILE_OPEN : (flags & O_EXCL) != 0 ? FILE_CREATE : FILE_OPEN_IF;
    HANDLE      h;

    (void)mode;
    if ((flags & O_DIRECTORY) != 0) {
        access |= FILE_LIST_DIRECTORY | FILE_TRAVERSE;
        options |= FILE_DIRECTORY_FILE;
    } else if ((flags & (O_WRONLY | O_RDWR)) != 0) {
        access |= FILE_GENERIC_WRITE | ((flags & O_RDWR) != 0 ? FILE_GENERIC_READ : 0);
        options |= FILE_NON_DIRECTORY_FILE;
    } else if ((flags & O_PATH) == 0) {
        access |= FILE_GENERIC_READ;
    }
    if ((flags & O_NOFOLLOW) != 0)
        options |= OPEN_REPARSE;
    if ((h = open_path(dir, path, access, how, options)) == NULL)
        return -1;
    if ((flags & O_NOFOLLOW) != 0 && is_link(h)) {
        (void)CloseHandle(h);
        errno = ELOOP;
        return -1;
    }
    return descriptor_of(h, flags);
}

static int
sys_open_beneath(int dir, const char *path, int flags)
{
    (void)dir, (void)path, (void)flags;
    return fail_missing();
}

/* Targets are not followed below a store: each link counts as one that leads out. */
static ssize_t
sys_readlinkat(int dir, const char *path, char *text, size_t len)
{
    (void)dir, (void)path, (void)text, (void)len;
    errno = EXDEV;
    return -1;
}

/* ---- reading, writing ------------------------------------------------------------------------------------------- */

/* off < 0: at the file's position. */
static ssize_t
read_at(int fd, void *data, size_t len, int64_t off)
{
    OVERLAPPED at = {.Offset = (DWORD)((uint64_t)off & 0xFFFFFFFF), .OffsetHigh = (DWORD)((uint64_t)off >> 32)};
    DWORD      n = 0;

    if (ReadFile(handle_of(fd), data, (DWORD)(len < PIECE_MOST ? len : PIECE_MOST), &n, off >= 0 ? &at : NULL))
        return (ssize_t)n;
    return GetLastError() == ERROR_HANDLE_EOF || GetLastError() == ERROR_BROKEN_PIPE ? 0 : fail_win32();
}

static ssize_t
write_at(int fd, const void *data, size_t len, int64_t off)
{
    OVERLAPPED at = {.Offset = (DWORD)((uint64_t)off & 0xFFFFFFFF), .OffsetHigh = (DWORD)((uint64_t)off >> 32)};
    DWORD      n = 0;

    if (WriteFile(handle_of(fd), data, (DWORD)(len < PIECE_MOST ? len : PIECE_MOST), &n, off >= 0 ? &at : NULL))
        return (ssize_t)n;
    return fail_win32();
}

static ssize_t
sys_read(int fd, void *data, size_t len)
{
    return read_at(fd, data, len, -1);
}

static ssize_t
sys_pread(int fd, void *data, size_t len, off_t off)
{
    return read_at(fd, data, len, off);
}

static ssize_t
read_each(int fd, const struct iovec *to, int n, int64_t off)
{
    ssize_t all = 0;

    for (int i = 0; i < n; i++) {
        ssize_t got = read_at(fd, to[i].iov_base, to[i].iov_len, off < 0 ? -1 : off + all);

        if (got < 0)
            return all > 0 ? all : -1;
        all += got;
        if ((size_t)got < to[i].iov_len)
            break;
    }
    return all;
}

static ssize_t
sys_readv(int fd, const struct iovec *to, int n)
{
    return read_each(fd, to, n, -1);
}

static ssize_t
sys_preadv(int fd, const struct iovec *to, int n, off_t off)
{
    return read_each(fd, to, n, off);
}

static ssize_t
sys_write(int fd, const void *data, size_t len)
{
    return write_at(fd, data, len, -1);
}

static ssize_t
sys_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    ssize_t all = 0;

    for (int i = 0; i < n; i++) {
        ssize_t done = from[i].iov_len > 0 ? write_at(fd, from[i].iov_base, from[i].iov_len, off + all) : 0;

        if (done < 0)
            return all > 0 ? all : -1;
        all += done;
        if ((size_t)done < from[i].iov_len)
            break;
    }
    return all;
}

static ssize_t
sys_copy_range(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
    (void)from, (void)from_off, (void)to, (void)to_off, (void)len;
    return fail_missing();
}

static int
sys_clone(int from, int to)
{
    (void)from, (void)to;
    return fail_missing();
}

static int
sys_ftruncate(int fd, off_t len)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile = {.QuadPart = len}};

    return SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end, sizeof end) ? 0 : fail_win32();
}

/* Access is a matter of the directory's lists of rights, which new files take over. */
static int
sys_fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    return 0;
}

static int
sys_chown_as(int fd, const ncz_stat *as)
{
    (void)fd, (void)as;
    return 0;
}

static int
sys_set_time(int fd)
{
    FILETIME now;

    GetSystemTimeAsFileTime(&now);
    return SetFileTime(handle_of(fd), NULL, NULL, &now) ? 0 : fail_win32();
}

/* Directories have no locks here: a mutex stands for one, by the directory's number. The first that asks has it until
 * its process ends. */
static int
lock_directory(const BY_HANDLE_FILE_INFORMATION *info)
{
    WCHAR  name[64];
    HANDLE mutex;

    swprintf(name, sizeof name / sizeof name[0], L"Local\\nczarr-%08lx-%08lx%08lx", info->dwVolumeSerialNumber,
             info->nFileIndexHigh, info->nFileIndexLow);
    if ((mutex = CreateMutexW(NULL, FALSE, name)) == NULL)
        return fail_win32();
    if (GetLastError() != ERROR_ALREADY_EXISTS)
        return 0;
    (void)CloseHandle(mutex);
    errno = EWOULDBLOCK;
    return -1;
}

/* Locks exclude reads and writes of the locked bytes here, so one byte is locked that no file has. */
static int
sys_flock(int fd, int how)
{
    BY_HANDLE_FILE_INFORMATION info;
    OVERLAPPED                 at = {.Offset = 0xFFFFFFFE, .OffsetHigh = 0x7FFFFFFF};
    DWORD                      flags = (how & LOCK_EX) != 0 ? LOCKFILE_EXCLUSIVE_LOCK : 0;

    if ((how & LOCK_UN) != 0)
        return UnlockFileEx(handle_of(fd), 0, 1, 0, &at) ? 0 : fail_win32();
    if (GetFileInformationByHandle(handle_of(fd), &info) && (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0)
        return lock_directory(&info);
    if ((how & LOCK_NB) != 0)
        flags |= LOCKFILE_FAIL_IMMEDIATELY;
    return LockFileEx(handle_of(fd), flags, 0, 1, 0, &at) ? 0 : fail_win32();
}

/* A lock cannot be changed: it is given back before. */
static int
sys_lock_one(int fd, int how, unsigned which)
{
    OVERLAPPED at = {.Offset = 0xFFFFFFFD - which, .OffsetHigh = 0x7FFFFFFF};
    DWORD      flags = LOCKFILE_FAIL_IMMEDIATELY | ((how & LOCK_EX) != 0 ? LOCKFILE_EXCLUSIVE_LOCK : 0);

    (void)UnlockFileEx(handle_of(fd), 0, 1, 0, &at);
    return (how & LOCK_UN) != 0 || LockFileEx(handle_of(fd), flags, 0, 1, 0, &at) ? 0 : fail_win32();
}

static int
sys_sole(int fd)
{
    (void)fd;
    return fail_missing();
}

/* ---- durability ------------------------------------------------------------------------------------------------- */

static bool
is_directory(HANDLE h)
{
    BY_HANDLE_FILE_INFORMATION info;

    return GetFileInformationByHandle(h, &info) && (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

/* The names in a directory cannot be flushed by themselves: the file system's journal keeps them consistent. */
static int
sys_fsync(int fd)
{
    HANDLE h = handle_of(fd);

    if (FlushFileBuffers(h))
        return 0;
    return is_directory(h) ? 0 : fail_win32();
}

/* There is no such call for a program without an administrator's rights: flushes each file below the directory. */
static int
sys_syncfs(int fd)
{
    int         own = sys_openat(fd, ".", O_RDONLY | O_DIRECTORY, 0), rc = 0;
    ncz_dir    *d = own >= 0 ? ncz_system.dir.fdopendir(own) : NULL;
    ncz_dirent *e;

    if (d == NULL)
        return -1;
    while (rc == 0 && (e = ncz_system.dir.readdir(d)) != NULL) {
        bool is_dir = e->d_type == DT_DIR;
        int  child;

        if (e->d_type == DT_LNK || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if ((child = sys_openat(own, e->d_name, is_dir ? O_RDONLY | O_DIRECTORY : O_RDWR, 0)) < 0)
            continue; /* removed meanwhile, or read-only */
        rc = is_dir ? sys_syncfs(child) : sys_fsync(child);
        (void)close(child);
    }
    (void)ncz_system.dir.closedir(d);
    return rc;
}

static bool
sys_syncfs_tells(void)
{
    return false;
}

static int
sys_start_write(int fd)
{
    (void)fd;
    return fail_missing();
}

/* ---- what a file is --------------------------------------------------------------------------------------------- */

static int64_t
ticks_of(FILETIME t) /* of 100 ns, since 1970 */
{
    return (int64_t)((uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime) - INT64_C(116444736000000000);
}

static int
stat_handle(HANDLE h, ncz_stat *st)
{
    BY_HANDLE_FILE_INFORMATION info;
    int64_t                    ticks;

    if (GetFileType(h) != FILE_TYPE_DISK) {
        *st = (ncz_stat){.st_mode = S_IFCHR};
        return 0;
    }
    if (!GetFileInformationByHandle(h, &info))
        return fail_win32();
    ticks = ticks_of(info.ftLastWriteTime);
    *st = (ncz_stat){
        .st_dev = info.dwVolumeSerialNumber,
        .st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
        .st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow),
        .st_mtime = ticks / 10000000,
        .st_mtim = {.tv_sec = ticks / 10000000, .tv_nsec = (long)(ticks % 10000000 * 100)},
        .st_mode = (mode_t)((info.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0444 : 0644),
        .st_nlink = info.nNumberOfLinks,
    };
    if ((info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 && is_link(h))
        st->st_mode |= S_IFLNK;
    else
        st->st_mode |= (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? S_IFDIR : S_IFREG;
    return 0;
}

static int
sys_fstat(int fd, ncz_stat *st)
{
    return stat_handle(handle_of(fd), st);
}

static int
sys_fstatat(int dir, const char *path, ncz_stat *st, int flags)
{
    ULONG  options = (flags & AT_SYMLINK_NOFOLLOW) != 0 ? OPEN_REPARSE : 0;
    HANDLE h = open_path(dir, path, FILE_READ_ATTRIBUTES, FILE_OPEN, options);
    int    rc;

    if (h == NULL)
        return -1;
    rc = stat_handle(h, st);
    (void)CloseHandle(h);
    return rc;
}

/* Of a directory: whether files can be made in it. */
static int
sys_faccessat(int dir, const char *path, int mode, int flags)
{
    ACCESS_MASK access = FILE_READ_ATTRIBUTES;
    HANDLE      h;

    (void)flags;
    if ((mode & W_OK) != 0)
        access |= FILE_ADD_FILE | FILE_ADD_SUBDIRECTORY;
    if ((h = open_path(dir, path, access, FILE_OPEN, 0)) == NULL)
        return -1;
    (void)CloseHandle(h);
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int
sys_mkdirat(int dir, const char *path, mode_t mode)
{
    HANDLE h = open_path(dir, path, FILE_READ_ATTRIBUTES, FILE_CREATE, FILE_DIRECTORY_FILE);

    (void)mode;
    if (h == NULL && errno == EEXIST && dir != AT_FDCWD) {
        /* Of that very name? */
        if ((h = open_path(dir, path, FILE_READ_ATTRIBUTES, FILE_OPEN, OPEN_REPARSE)) != NULL) {
            (void)CloseHandle(h);
            errno = EEXIST;
            return -1;
        }
        errno = errno == ENOENT ? NCZ_SYS_ECASE : EEXIST;
        return -1;
    }
    if (h == NULL)
        return -1;
    (void)CloseHandle(h);
    return 0;
}

/* Whether the call failed because this system or file system does not know it. */
static bool
means_unknown(NTSTATUS status)
{
    return status == NT_INVALID_INFO_CLASS || status == NT_INVALID_PARAMETER || status == NT_NOT_IMPLEMENTED ||
           status == NT_NOT_SUPPORTED || status == NT_INVALID_REQUEST;
}

static NTSTATUS
set_info(HANDLE h, void *info, size_t len, ULONG class)
{
    IO_STATUS_BLOCK io;
    NTSTATUS        status;

    for (int tries = 0;; tries++) {
        status = NtSetInformationFile(h, &io, info, (ULONG)len, (FILE_INFORMATION_CLASS) class);
        if (status != NT_SHARING_VIOLATION || tries == TRIES_MOST)
            return status;
        Sleep(NAP_MS);
    }
}

/* A file that is open elsewhere loses its name at once where the system can do that: Windows 10 and later. */
static int
sys_unlinkat(int dir, const char *path, int flags)
{
    ULONG    kind = (flags & AT_REMOVEDIR) != 0 ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE;
    HANDLE   h = open_path(dir, path, DELETE | FILE_READ_ATTRIBUTES, FILE_OPEN, kind | OPEN_REPARSE);
    ULONG    how = DELETE_NOW | DELETE_POSIX | DELETE_IGNORE_READONLY;
    BOOLEAN  now = TRUE;
    NTSTATUS status;

    if (h == NULL)
        return -1;
    status = set_info(h, &how, sizeof how, INFO_DISPOSITION_EX);
    if (means_unknown(status))
        status = set_info(h, &now, sizeof now, INFO_DISPOSITION);
    (void)CloseHandle(h);
    return NT_SUCCESS(status) ? 0 : fail_status(status);
}

/* Gives an open file another name, or one more. */
static NTSTATUS
change_name(HANDLE h, const place *to, ULONG flags, ULONG class)
{
    size_t       nbytes = to->name.Length, len = sizeof(name_change) + nbytes;
    name_change *c = malloc(len);
    NTSTATUS     status;

    if (c == NULL)
        return STATUS_CODE(0xC0000017); /* STATUS_NO_MEMORY */
    *c = (name_change){.flags = flags, .root = to->root, .nbytes = (ULONG)nbytes};
    memcpy(c->name, to->name.Buffer, nbytes);
    status = set_info(h, c, len, class);
    free(c);
    return status;
}

static bool
path_is_directory(int dir, const char *path)
{
    ncz_stat st;

    return sys_fstatat(dir, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static NTSTATUS
give_name(HANDLE h, const place *to, bool replace)
{
    ULONG    flags = replace ? RENAME_REPLACE | RENAME_POSIX | RENAME_IGNORE_READONLY : RENAME_POSIX;
    NTSTATUS status = change_name(h, to, flags, INFO_RENAME_EX);

    return means_unknown(status) ? change_name(h, to, replace, INFO_RENAME) : status;
}

/*
 * Replaces a file that somebody has open, where the system cannot do that at once (before Windows 10, FAT): gives the
 * old file another name, which is that of a temporary, then removes it. For a moment nothing has the name.
 */
static NTSTATUS
replace_open(HANDLE h, int to_dir, const char *to, const place *p)
{
    uint64_t chance = 0;
    char     temp[64];
    HANDLE   old;
    place    aside;
    NTSTATUS status = NT_ACCESS_DENIED;

    (void)sys_getrandom(&chance, sizeof chance, 0);
    snprintf(temp, sizeof temp, ".nczarr-tmp-%016llx-old", (unsigned long long)chance);
    if (!place_init(&aside, to_dir, temp))
        return status;
    if ((old = open_path(to_dir, to, DELETE | FILE_READ_ATTRIBUTES, FILE_OPEN,
                         FILE_NON_DIRECTORY_FILE | OPEN_REPARSE)) != NULL) {
        if (NT_SUCCESS(give_name(old, &aside, false))) {
            status = give_name(h, p, false);
            if (!NT_SUCCESS(status))
                (void)give_name(old, p, false);
        }
        (void)CloseHandle(old);
    }
    place_clear(&aside);
    if (NT_SUCCESS(status))
        (void)sys_unlinkat(to_dir, temp, 0);
    return status;
}

static int
move_file(int from_dir, const char *from, int to_dir, const char *to, bool replace)
{
    HANDLE   h;
    place    p;
    NTSTATUS status;

    if (to_dir != AT_FDCWD && !names_allowed(to)) {
        errno = EINVAL;
        return -1;
    }
    if ((h = open_path(from_dir, from, DELETE | FILE_READ_ATTRIBUTES, FILE_OPEN, OPEN_REPARSE)) == NULL)
        return -1;
    if (!place_init(&p, to_dir, to)) {
        (void)CloseHandle(h);
        return -1;
    }
    status = give_name(h, &p, replace);
    if (status == NT_ACCESS_DENIED && replace && to_dir != AT_FDCWD && strchr(to, '/') == NULL)
        status = replace_open(h, to_dir, to, &p);
    place_clear(&p);
    (void)CloseHandle(h);
    if (NT_SUCCESS(status))
        return 0;
    if (replace && (status == NT_ACCESS_DENIED || status == NT_NAME_COLLISION) && path_is_directory(to_dir, to)) {
        errno = EISDIR;
        return -1;
    }
    return fail_status(status);
}

static int
sys_renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return move_file(from_dir, from, to_dir, to, true);
}

static int
sys_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
    return move_file(from_dir, from, to_dir, to, false);
}

static int
sys_rename_swap(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    return fail_missing();
}

static int
sys_open_unnamed(int dir, int flags, mode_t mode)
{
    (void)dir, (void)flags, (void)mode;
    return fail_missing();
}

static int
sys_link_unnamed(int fd, int dir, const char *to)
{
    (void)fd, (void)dir, (void)to;
    return fail_missing();
}

static int
sys_dup(int fd)
{
    (void)fd;
    return fail_missing();
}

static int
sys_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    HANDLE   h;
    place    p;
    NTSTATUS status;

    (void)flags;
    if (to_dir != AT_FDCWD && !names_allowed(to)) {
        errno = EINVAL;
        return -1;
    }
    if ((h = open_path(from_dir, from, FILE_WRITE_ATTRIBUTES, FILE_OPEN, OPEN_REPARSE)) == NULL)
        return -1;
    if (!place_init(&p, to_dir, to)) {
        (void)CloseHandle(h);
        return -1;
    }
    status = change_name(h, &p, 0, INFO_LINK);
    place_clear(&p);
    (void)CloseHandle(h);
    return NT_SUCCESS(status) ? 0 : fail_status(status);
}

char *
ncz_sys_realpath(const char *path)
{
    HANDLE h = open_path(AT_FDCWD, path, FILE_READ_ATTRIBUTES, FILE_OPEN, 0);
    WCHAR  small[1], *text = NULL;
    DWORD  n;
    char  *out = NULL;
    int    len, skip = 0;

    if (h == NULL)
        return NULL;
    if ((n = GetFinalPathNameByHandleW(h, small, 0, VOLUME_NAME_DOS)) == 0) {
        (void)fail_win32();
    } else if ((text = malloc(((size_t)n + 1) * sizeof *text)) == NULL ||
               GetFinalPathNameByHandleW(h, text, n + 1, VOLUME_NAME_DOS) == 0) {
        errno = ENOMEM;
    } else {
        if (wcsncmp(text, L"\\\\?\\UNC\\", 8) == 0) { /* \\?\UNC\server\share: //server/share */
            text[6] = L'\\';
            skip = 6;
        } else if (wcsncmp(text, L"\\\\?\\", 4) == 0) {
            skip = 4;
        }
        len = WideCharToMultiByte(CP_UTF8, 0, text + skip, -1, NULL, 0, NULL, NULL);
        if (len <= 0 || (out = malloc((size_t)len)) == NULL)
            errno = ENOMEM;
        else {
            (void)WideCharToMultiByte(CP_UTF8, 0, text + skip, -1, out, len, NULL, NULL);
            ncz_sys_tidy_path(out);
        }
    }
    free(text);
    (void)CloseHandle(h);
    return out;
}

FILE *
ncz_sys_fopen(const char *path, const char *mode)
{
    wide   w;
    WCHAR  how[8];
    size_t n = 0;
    FILE  *f;

    if (!wide_init(&w, path))
        return NULL;
    for (; *mode != '\0' && n + 1 < sizeof how / sizeof how[0]; mode++)
        if (*mode != 'e') /* files are not inherited anyway */
            how[n++] = (WCHAR)*mode;
    how[n] = L'\0';
    f = _wfopen(w.s, how);
    wide_clear(&w);
    return f;
}

/* ---- listing ---------------------------------------------------------------------------------------------------- */

struct ncz_dir {
    int        fd;
    bool       begun, ended;
    size_t     at; /* of the next entry in `block`; SIZE_MAX: none */
    ncz_dirent entry;
    union {
        FILE_ID_BOTH_DIR_INFO first; /* for its alignment */
        char                  bytes[32768];
    } block;
};

static ncz_dir *
sys_fdopendir(int fd)
{
    ncz_dir *d = malloc(sizeof *d);

    if (d == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    d->fd = fd;
    d->begun = d->ended = false;
    d->at = SIZE_MAX;
    return d;
}

static bool
read_block(ncz_dir *d)
{
    FILE_INFO_BY_HANDLE_CLASS class = d->begun ? FileIdBothDirectoryInfo : FileIdBothDirectoryRestartInfo;

    if (!GetFileInformationByHandleEx(handle_of(d->fd), class, &d->block, sizeof d->block)) {
        if (GetLastError() != ERROR_NO_MORE_FILES && GetLastError() != ERROR_FILE_NOT_FOUND)
            (void)fail_win32();
        d->ended = true;
        return false;
    }
    d->begun = true;
    d->at = 0;
    return true;
}

/* Names that are not UTF-16 cannot be keys: they are left out. */
static ncz_dirent *
sys_readdir(ncz_dir *d)
{
    for (;;) {
        const FILE_ID_BOTH_DIR_INFO *e;
        int                          n;

        if (d->at == SIZE_MAX && (d->ended || !read_block(d)))
            return NULL;
        e = (const FILE_ID_BOTH_DIR_INFO *)(const void *)(d->block.bytes + d->at);
        d->at = e->NextEntryOffset != 0 ? d->at + e->NextEntryOffset : SIZE_MAX;
        n = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, e->FileName, (int)(e->FileNameLength / sizeof(WCHAR)),
                                d->entry.d_name, sizeof d->entry.d_name - 1, NULL, NULL);
        if (n <= 0)
            continue;
        d->entry.d_name[n] = '\0';
        d->entry.d_type = (e->FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? DT_UNKNOWN
                          : (e->FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0   ? DT_DIR
                                                                                  : DT_REG;
        return &d->entry;
    }
}

static int
sys_closedir(ncz_dir *d)
{
    int rc = close(d->fd);

    free(d);
    return rc;
}

const ncz_syscalls ncz_system = {
    .name.openat = sys_openat,
    .name.open_beneath = sys_open_beneath,
    .name.readlinkat = sys_readlinkat,
    .file.close = close,
    .file.read = sys_read,
    .file.readv = sys_readv,
    .file.pread = sys_pread,
    .file.preadv = sys_preadv,
    .file.write = sys_write,
    .file.pwritev = sys_pwritev,
    .file.copy_range = sys_copy_range,
    .file.clone = sys_clone,
    .file.ftruncate = sys_ftruncate,
    .file.fchmod = sys_fchmod,
    .file.chown_as = sys_chown_as,
    .file.set_time = sys_set_time,
    .lock.flock = sys_flock,
    .lock.lock_one = sys_lock_one,
    .lock.sole = sys_sole,
    .file.fsync = sys_fsync,
    .dir.syncfs = sys_syncfs,
    .dir.syncfs_tells = sys_syncfs_tells,
    .file.start_write = sys_start_write,
    .file.fstat = sys_fstat,
    .name.fstatat = sys_fstatat,
    .name.faccessat = sys_faccessat,
    .name.mkdirat = sys_mkdirat,
    .name.renameat = sys_renameat,
    .name.rename_new = sys_rename_new,
    .name.rename_swap = sys_rename_swap,
    .name.linkat = sys_linkat,
    .name.open_unnamed = sys_open_unnamed,
    .name.link_unnamed = sys_link_unnamed,
    .file.dup = sys_dup,
    .name.unlinkat = sys_unlinkat,
    .dir.fdopendir = sys_fdopendir,
    .dir.readdir = sys_readdir,
    .dir.closedir = sys_closedir,
    .getrandom = sys_getrandom,
};

/* ---- temporary files, memory ------------------------------------------------------------------------------------ */

/* The system's folder for temporary files, in UTF-8. */
static bool
find_temp_folder(char *out, size_t size)
{
    WCHAR path[MAX_PATH + 1];

    return GetTempPathW(MAX_PATH + 1, path) > 0 &&
           WideCharToMultiByte(CP_UTF8, 0, path, -1, out, (int)size, NULL, NULL) > 0;
}

int
ncz_sys_temp_file(const char *dir, char *where, size_t size)
{
    char     folder[3 * MAX_PATH + 1] = ".";
    uint64_t chance = 0;
    HANDLE   h;
    int      n;

    if (dir == NULL && find_temp_folder(folder, sizeof folder))
        dir = folder;
    (void)sys_getrandom(&chance, sizeof chance, 0);
    n = snprintf(where, size, "%s/nczarr-%lu-%016llx", dir != NULL ? dir : ".", (unsigned long)GetCurrentProcessId(),
                 (unsigned long long)chance);
    if (n < 0 || (size_t)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    h = open_path(AT_FDCWD, where, FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE, FILE_CREATE,
                  FILE_NON_DIRECTORY_FILE | OPEN_DELETE_ON_CLOSE);
    return h != NULL ? descriptor_of(h, O_RDWR) : -1;
}

void *
ncz_sys_map(int fd, size_t nbytes)
{
    HANDLE mapping = CreateFileMappingW(handle_of(fd), NULL, PAGE_READONLY, 0, 0, NULL);
    void  *map = mapping != NULL ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, nbytes) : NULL;

    if (map == NULL)
        (void)fail_win32();
    if (mapping != NULL)
        (void)CloseHandle(mapping);
    return map;
}

void
ncz_sys_unmap(void *map, size_t nbytes)
{
    (void)nbytes;
    (void)UnmapViewOfFile(map);
}
