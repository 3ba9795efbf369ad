/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the contract of all maps on the stores of this module: memory, the example, the fault wrapper without a fault,
 * and the file map and the zip map with and without the system calls that only some systems have.
 *
 * usage: test_zmap_contract [threads]
 */
#include "contract/store.h"
#include "zmap/zmap_mem.h"
#include "zmap/file/zmap_file.h"
#include "zip/zipdocs.h"
#include "zip/zip.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_example.h"
#include "support/scratch.h"
#include "zmap/zmap_sys.h"

#include <errno.h>
#include <stdlib.h>

static zmap *
make_memory(void *place)
{
    zmap *m = NULL;

    (void)place;
    return zmap_mem_open(&m) == NC_NOERR ? m : NULL;
}

static zmap *
make_example(void *place)
{
    zmap *m = NULL;

    (void)place;
    return zmap_example_open(&m) == NC_NOERR ? m : NULL;
}

static zmap_fault_plan no_fault;

static zmap *
make_fault(void *place)
{
    zmap *inner = make_memory(place), *m = NULL;

    return zmap_fault_open(inner, &no_fault, &m) == NC_NOERR ? m : NULL;
}

static void *
file_place(void)
{
    return scratch_new();
}

static zmap *
file_reopen(void *place, zmap_open_how how)
{
    zmap *m = NULL;

    return zmap_file_open(scratch_path(place, "store.zarr"), how, &m) == NC_NOERR ? m : NULL;
}

static zmap *
make_file(void *place)
{
    return file_reopen(place, ZMAP_CREATE_NEW);
}

static zmap *
make_file_sync_each(void *place)
{
    zmap *m = make_file(place);

    return zmap_file_sync_each(m) == NC_NOERR ? m : NULL;
}

static zmap *
make_fault_file(void *place)
{
    zmap *m = NULL;

    return zmap_fault_open(make_file(place), &no_fault, &m) == NC_NOERR ? m : NULL;
}

static void
file_clear(void *place)
{
    scratch_free(place);
}

/* ---- zip ---- */

static zmap *
zip_open(void *place, zmap_open_how how, const ncz_zip_opts *opts)
{
    zmap *m = NULL;

    return ncz_zip_open(scratch_path(place, "store.zip"), how, opts, &m) == NC_NOERR ? m : NULL;
}

static zmap *
zip_reopen(void *place, zmap_open_how how)
{
    return zip_open(place, how, &(ncz_zip_opts){.is_document = is_test_document, .prefix = ""});
}

static zmap *
make_zip(void *place)
{
    return zip_reopen(place, ZMAP_CREATE_NEW);
}

static zmap *
zip_below_reopen(void *place, zmap_open_how how)
{
    return zip_open(place, how, &(ncz_zip_opts){.is_document = is_test_document, .prefix = "top/of it"});
}

static zmap *
make_zip_below(void *place)
{
    return zip_below_reopen(place, ZMAP_CREATE_NEW);
}

static zmap *
make_zip_sorted(void *place)
{
    return zip_open(place, ZMAP_CREATE_NEW,
                    &(ncz_zip_opts){.is_document = is_test_document, .prefix = "", .sorted = true});
}

/* An archive that was there and committed before: what is put goes into a copy. */
static zmap *
make_zip_again(void *place)
{
    return zmap_close(make_zip(place), ZMAP_KEEP) == NC_NOERR ? zip_reopen(place, ZMAP_OPEN_WRITE) : NULL;
}

static zmap *
make_zip_memory(void *place)
{
    zmap *m = NULL;

    (void)place;
    return ncz_zip_mem_open(NULL, 0, ZMAP_CREATE_NEW, &test_zip_opts, &m) == NC_NOERR ? m : NULL;
}

static zmap *
make_fault_zip(void *place)
{
    zmap *m = NULL;

    return zmap_fault_open(make_zip(place), &no_fault, &m) == NC_NOERR ? m : NULL;
}

static int
no_open_beneath(int dir, const char *path, int flags)
{
    (void)dir, (void)path, (void)flags;
    errno = ENOSYS;
    return -1;
}

static int
no_rename_new(int from_dir, const char *from, int to_dir, const char *to)
{
    (void)from_dir, (void)from, (void)to_dir, (void)to;
    errno = EINVAL;
    return -1;
}

/* Reads and writes a few bytes at a time, with interruptions between. */
static ssize_t
slow_read(int fd, void *data, size_t len)
{
    static _Thread_local unsigned turn;

    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return ncz_system.file.read(fd, data, len < 4099 ? len : 4099);
}

static ssize_t
slow_readv(int fd, const struct iovec *to, int n)
{
    return to[0].iov_len > 4099 ? slow_read(fd, to[0].iov_base, to[0].iov_len) : ncz_system.file.readv(fd, to, n);
}

static ssize_t
slow_pread(int fd, void *data, size_t len, off_t off)
{
    return ncz_system.file.pread(fd, data, len < 3 ? len : 3, off);
}

static ssize_t
slow_write(int fd, const void *data, size_t len)
{
    static _Thread_local unsigned turn;

    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return ncz_system.file.write(fd, data, len < 4099 ? len : 4099);
}

/* The beginning of the first place that has room. */
static int
slow_places(const struct iovec *from, int n, struct iovec *to)
{
    int i = 0;

    while (i < n && from[i].iov_len == 0)
        i++;
    if (i == n)
        return 0;
    *to = (struct iovec){from[i].iov_base, from[i].iov_len < 4099 ? from[i].iov_len : 4099};
    return 1;
}

static ssize_t
slow_preadv(int fd, const struct iovec *to, int n, off_t off)
{
    struct iovec piece;

    return slow_places(to, n, &piece) ? ncz_system.file.preadv(fd, &piece, 1, off) : 0;
}

static ssize_t
slow_pwritev(int fd, const struct iovec *from, int n, off_t off)
{
    static _Thread_local unsigned turn;
    struct iovec                  piece;

    if (++turn % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return slow_places(from, n, &piece) ? ncz_system.file.pwritev(fd, &piece, 1, off) : 0;
}

static ssize_t
no_copy_range(int from, off_t *from_off, int to, off_t *to_off, size_t len)
{
    (void)from, (void)from_off, (void)to, (void)to_off, (void)len;
    errno = EXDEV;
    return -1;
}

/* No file system says the type of an entry here. */
static struct dirent *
readdir_unknown(DIR *d)
{
    struct dirent *e = ncz_system.dir.readdir(d);

    if (e != NULL)
        e->d_type = DT_UNKNOWN;
    return e;
}

int
main(int argc, char **argv)
{
    static const store_maker makers[] = {
        {.name = "memory", .make = make_memory},
        {.name = "example", .make = make_example},
        {.name = "fault", .make = make_fault},
        {"file", file_place, make_file, file_reopen, file_clear, 255},
        {"file, sync each", file_place, make_file_sync_each, file_reopen, file_clear, 255},
        {"fault over file", file_place, make_fault_file, file_reopen, file_clear, 255},
        {"zip", file_place, make_zip, zip_reopen, file_clear, 0},
        {"zip, below a directory", file_place, make_zip_below, zip_below_reopen, file_clear, 0},
        {"zip, sorted", file_place, make_zip_sorted, zip_reopen, file_clear, 0},
        {.name = "zip, changed", .place = file_place, .make = make_zip_again, .clear = file_clear},
        {.name = "zip in memory", .make = make_zip_memory},
        {"fault over zip", file_place, make_fault_zip, zip_reopen, file_clear, 0},
    };
    static const store_maker bare[] = {
        {"file, bare system", file_place, make_file, file_reopen, file_clear, 255},
        {"zip, bare system", file_place, make_zip, zip_reopen, file_clear, 0},
        {.name = "zip, changed, bare system", .place = file_place, .make = make_zip_again, .clear = file_clear},
    };
    ncz_syscalls table = ncz_system;
    int          failed = 0;

    store_contract_choose(argc, argv);
    for (size_t i = 0; i < NCZ_LEN(makers); i++)
        failed += store_contract(&makers[i]);

    table.name.open_beneath = no_open_beneath;
    table.name.rename_new = no_rename_new;
    table.file.read = slow_read;
    table.file.readv = slow_readv;
    table.file.pread = slow_pread;
    table.file.preadv = slow_preadv;
    table.file.write = slow_write;
    table.file.pwritev = slow_pwritev;
    table.file.copy_range = no_copy_range;
    table.dir.readdir = readdir_unknown;
    zmap_file_use(&table);
    for (size_t i = 0; i < NCZ_LEN(bare); i++)
        failed += store_contract(&bare[i]);
    zmap_file_use(NULL);
    return failed != 0;
}
