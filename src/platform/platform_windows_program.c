/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * platform_windows_program: the calls of Windows that deal with processes, threads, error texts and the terminal.
 */
#define WIN32_LEAN_AND_MEAN
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601
#endif
#include "platform/platform.h"

#include <signal.h>
#include <stdlib.h>
#include <windows.h>

#define REGISTRY_64 0x00010000u /* RRF_SUBKEY_WOW6464KEY */

const char *
ncz_sys_error_text(int err, char *buf, size_t size)
{
    static const struct {
        int         err;
        const char *text;
    } rows[] = {
        /* those that the C library has no text for */
        {EDQUOT, "Disk quota exceeded"},
        {ELOOP, "Too many levels of symbolic links"},
        {ENOTSUP, "Operation not supported"},
        {EOPNOTSUPP, "Operation not supported"},
        {EOVERFLOW, "Value too large for defined data type"},
        {EWOULDBLOCK, "Resource temporarily unavailable"},
        {ETIMEDOUT, "Connection timed out"},
        {EBUSY, "Another program has it open"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].err == err)
            return rows[i].text;
    return strerror_s(buf, size, err) == 0 ? buf : "system error";
}

void
ncz_sys_wipe(void *p, size_t nbytes)
{
    (void)SecureZeroMemory(p, nbytes);
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

long
ncz_sys_pid(void)
{
    return (long)GetCurrentProcessId();
}

static bool
read_times(HANDLE h, ncz_sys_process *p)
{
    FILETIME began, ended, kernel, user;
    DWORD    code = 0;

    if (!GetProcessTimes(h, &began, &ended, &kernel, &user) || !GetExitCodeProcess(h, &code))
        return false;
    p->began = (unsigned long long)began.dwHighDateTime << 32 | began.dwLowDateTime;
    p->ended = code != STILL_ACTIVE;
    return true;
}

bool
ncz_sys_process_find(long pid, ncz_sys_process *p)
{
    HANDLE h = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);
    bool   found = h != NULL && read_times(h, p);

    if (h != NULL)
        (void)CloseHandle(h);
    return found;
}

/* The number that Windows gives a machine when it is installed. A later boot's processes have later times. */
bool
ncz_sys_process_self(ncz_sys_process *p)
{
    DWORD size = sizeof p->machine;

    if (RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Cryptography", "MachineGuid",
                     RRF_RT_REG_SZ | REGISTRY_64, NULL, p->machine, &size) != ERROR_SUCCESS ||
        strlen(p->machine) != 36 || strspn(p->machine, "0123456789abcdef-") != 36)
        return false;
    p->space = 0;
    p->pid = ncz_sys_pid();
    return read_times(GetCurrentProcess(), p);
}

bool
ncz_sys_process_hidden(long pid)
{
    HANDLE h = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)pid);

    if (h != NULL)
        (void)CloseHandle(h);
    return h == NULL && GetLastError() == ERROR_ACCESS_DENIED;
}

size_t
ncz_sys_files_most(void)
{
    return (size_t)1 << 13; /* _open() has no more */
}

size_t
ncz_sys_files_raise(size_t n)
{
    (void)n;
    return ncz_sys_files_most();
}

unsigned
ncz_sys_cpus(void)
{
    DWORD_PTR own = 0, all = 0;
    unsigned  n = 0;

    if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
        for (; own != 0; own &= own - 1)
            n++;
    return n > 0 ? n : 1;
}

bool
ncz_sys_privileged(void)
{
    return false; /* no program has more rights than the user who starts it */
}

const char *
ncz_sys_getenv(const char *name)
{
    return getenv(name);
}

void
ncz_sys_empty_env(const char *name)
{
    if (getenv(name) != NULL)
        (void)_putenv_s(name, "");
}

int
ncz_sys_thread_start(pthread_t *out, void *(*run)(void *), void *arg)
{
    return pthread_create(out, NULL, run, arg);
}

void
ncz_sys_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before, (void)in_parent, (void)in_child;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

/* The next argument of a command line, by the rules of Microsoft's C library: 2n backslashes before a quote are n, and
 * the quote begins or ends a part with spaces; 2n + 1 are n and a plain quote; "" within such a part is a quote. */
static const WCHAR *
next_argument(const WCHAR *s, WCHAR *out)
{
    bool quoted = false;

    while (*s == L' ' || *s == L'\t')
        s++;
    while (*s != L'\0' && (quoted || (*s != L' ' && *s != L'\t'))) {
        size_t n = 0;

        while (s[n] == L'\\')
            n++;
        if (s[n] == L'"') {
            for (size_t i = 0; i < n / 2; i++)
                *out++ = L'\\';
            s += n + 1;
            if (n % 2 != 0) {
                *out++ = L'"';
            } else if (quoted && *s == L'"') {
                *out++ = L'"';
                s++;
            } else {
                quoted = !quoted;
            }
        } else {
            for (size_t i = 0; i < n; i++)
                *out++ = L'\\';
            s += n;
            if (n == 0)
                *out++ = *s++;
        }
    }
    *out = L'\0';
    return s;
}

/* The arguments of the command line, one after the other in one block. Out of memory: those of main() stay. */
void
ncz_sys_start(int *argc, char ***argv)
{
    const WCHAR *line = GetCommandLineW();
    size_t       len = wcslen(line) + 1;
    WCHAR       *one = malloc(len * sizeof *one);
    char        *text = malloc(len * 4);
    char       **list = malloc((len / 2 + 2) * sizeof *list);
    int          n = 0;

    (void)_setmode(STDIN_FILENO, _O_BINARY);
    (void)_setmode(STDOUT_FILENO, _O_BINARY);
    (void)_setmode(STDERR_FILENO, _O_BINARY);
    (void)SetConsoleOutputCP(CP_UTF8);
    if (one == NULL || text == NULL || list == NULL) {
        free(text);
        free(list);
    } else {
        char *to = text;

        while (line += wcsspn(line, L" \t"), *line != L'\0') {
            line = next_argument(line, one);
            list[n++] = to;
            to += WideCharToMultiByte(CP_UTF8, 0, one, -1, to, (int)(len * 4 - (size_t)(to - text)), NULL, NULL);
        }
        list[n] = NULL;
        *argc = n;
        *argv = list; /* for as long as the program runs */
    }
    free(one);
}

bool
ncz_sys_terminal_size(int fd, ncz_sys_size *out)
{
    CONSOLE_SCREEN_BUFFER_INFO info;

    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info))
        return false;
    *out = (ncz_sys_size){.columns = (size_t)(info.srWindow.Right - info.srWindow.Left + 1),
                          .rows = (size_t)(info.srWindow.Bottom - info.srWindow.Top + 1)};
    return out->columns > 0 && out->rows > 0;
}

bool
ncz_sys_terminal_ask(const char *request, char last, int wait_ms, char *answer, size_t size)
{
    (void)request, (void)last, (void)wait_ms, (void)answer, (void)size;
    return false;
}

/* The C library calls a handler once. */
void
ncz_sys_catch_signal(int number, void (*handler)(int))
{
    void (*old)(int) = signal(number, handler);

    if (old == SIG_IGN)
        (void)signal(number, SIG_IGN);
}
