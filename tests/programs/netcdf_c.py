"""netCDF-C's own test programs, of the release that the system packages, compiled against our headers and run on this
library alone, in libnetcdf's place: with NC_NETCDF4 their files are netCDF-4 files of ours. Those that want another thing
that this library has differently are named here with the reason; a program that fails without being named, or passes though
it is, is a failure. Some make a file with libhdf5, or read one that comes with them. All such files are dumped as ncdump
dumps them.
"""
import concurrent.futures, glob, os, re, shutil, subprocess

import cases

ARGUMENT = "wants the arguments or files of a script"
WEB = "reads from a web server"

NC_TEST = {"tst_formats": "expects a fill value to be refused after nc_enddef where nothing was put",
           "tst_addvar": ARGUMENT, "tst_diskless3": ARGUMENT, "tst_diskless5": ARGUMENT, "tst_byterange": WEB}
NC_TEST4 = {"tst_types": "expects NC_EHDFERR where types are compared that are not stored yet",
            "tst_fillonly": ARGUMENT, "test_filter_order": ARGUMENT,
            "tst_fills2": "expects NULL of a _FillValue that is NULL, and of strings that were never written then",
            "tst_chunks": "expects the cache of a variable to grow with its chunks",
            "tst_vars3": "expects szip to be refused beside deflate",
            "tst_grps": "uses the id of a group after its file was closed and opened again",
            "tst_enums": "expects nc_close to leave a dataset open that has an enum without members",
            "tst_files": "opens a file three times at once to write it",
            "tst_utf8": "expects nc_rename_var not to normalise a name"}
# Those in nc_test4 that make a file with libhdf5 and read or change it with netCDF, or fail to.
WITH_HDF5 = {"tst_h_refs": None, "tst_h_strbug": None, "tst_interops": None, "tst_interops6": None, "tst_interops_dims": None,
             "tst_h_scalar": "expects NULL of a string that was never written", "tst_files6": "expects a file with a circle of links not to open",
             "tst_interops5": "expects a file without an order of creation not to be changed",
             "tst_virtual_datasets": "reads a virtual dataset"}
# Files of the source whose dump is another one than that of ncdump 4.9.0, which is wrong there.
ROWS = "a newline within a row begins a string for ncdump, which ncgen takes for the next row"
OTHER_DUMPS = {("", "ref_nctest_64bit_offset.nc"): ROWS, ("", "ref_nctest_classic.nc"): ROWS, ("", "nctest_netcdf4_classic.nc"): ROWS,
               ("", "f03tst_open_mem.nc"): "ncdump prints values of an array that has no bytes in the file",
               ("", "ref_tst_irish_rover.nc"): "ncdump fails at a value that is no constant of its enum",
               ("-hs", "nctest_netcdf4_classic.nc"): "_IsNetcdf4 is 0 of each file of the classic model"}
# Functions of the conformance program that fail, in its part on netCDF-4; in those on classic files none does.
CONFORMANCE = {"nc_abort": "expects what was put after nc_enddef to stay after nc_abort, which goes back to the last commit here"}
# They write gigabytes. Large classic files, which are holes for the most part, are written by the others.
LARGE = ("tst_large", "tst_large2", "tst_large3", "tst_large_cdf5", "tst_big_var2", "tst_big_var6")
ARGUMENTS = {"tst_open_cdf5": ["nc_test/bad_cdf5_begin.nc"]} # files of the source

# What configure would find out, and what it defines for the tests.
CONFIG = r"""
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#define USE_NETCDF4 1
#define USE_HDF5 1
#define ENABLE_CDF5 1
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRDUP 1
#define HAVE_SSIZE_T 1
#define HAVE_SYS_STAT_H 1
#define HAVE_FCNTL_H 1
#define HAVE_DIRENT_H 1
#define HAVE_LIMITS_H 1
#define TEMP_LARGE "."
#define DEFAULT_CHUNK_SIZE 16777216
#define HAVE_H5Z_SZIP 1
#define CHUNK_CACHE_SIZE 67108864
#define CHUNK_CACHE_NELEMS 1000
#define CHUNK_CACHE_PREEMPTION 0.75
typedef signed char schar;
typedef unsigned char uchar;
typedef long long longlong;
typedef unsigned long long ulonglong;
"""

# They remove what they wrote with remove() and unlink().
REMOVE = r"""
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
int __real_remove(const char *path);
int __wrap_remove(const char *path);
int __wrap_unlink(const char *path);
static int
remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return __real_remove(path);
}
int
__wrap_remove(const char *path)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
int
__wrap_unlink(const char *path)
{
    return __wrap_remove(path);
}
"""

FOREIGN = re.compile(r'#\s*include\s*[<"](hdf5|mpi|pnetcdf|mpe|H5|nc4internal|nc4dispatch|ncdispatch|netcdf_dispatch|netcdf_f\b)')


def execute(*command, timeout=300, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout, **more)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(command, 124, (e.stdout or b"").decode(errors="replace") + "\nit takes longer than %d s" % timeout)


def fetch(support, folder):
    script = 'set -eu; dir=$1; mkdir -p "$dir"; . "$2/packages.sh"; fetch_source netcdf; remove_apt'
    r = execute("bash", "-c", script, "fetch", folder, support, timeout=600)
    return None if r.returncode == 0 else r.stdout[-500:]


def programs(source, folder):
    """Those that its Makefile builds, and that need neither HDF5's nor MPI's headers, nor its own internal ones."""
    listed = open(os.path.join(source, folder, "Makefile.am")).read()
    for path in sorted(glob.glob(os.path.join(source, folder, "*.c"))):
        name, text = os.path.basename(path)[:-2], open(path, errors="replace").read()
        if name not in LARGE and re.search(r"\bmain\s*\(", text) and re.search(r"\b%s\b" % name, listed) and not FOREIGN.search(text):
            yield name, [path] + ([os.path.join(source, folder, p + ".c") for p in ("error", "test_get", "test_put", "test_read", "test_write", "util")]
                                  if name == "nc_test" else [])


def flags_of_hdf5(name):
    return execute("pkg-config", "--cflags", "--libs", "hdf5-serial").stdout.split() + ["-lhdf5_hl"] if name in WITH_HDF5 else []


def compile_program(source, folder, name, files, prefix, tmp):
    """None, the compiler's words, or False for one that cannot be compiled without what configure would have switched off."""
    out = os.path.join(tmp, folder, name)
    r = execute("gcc", "-w", "-O0", "-DTOPSRCDIR=" + source, "-DTOPBINDIR=" + tmp, "-I" + tmp, "-I%s/include" % prefix, "-I%s/include" % source,
                "-I%s/%s" % (source, folder), *files, os.path.join(tmp, "remove.c"), "-Wl,--wrap=remove", "-Wl,--wrap=unlink", "-L%s/lib" % prefix,
                "-lnetcdf", *flags_of_hdf5(name), "-lm", "-o", out)
    if r.returncode and re.search(r"MPI_|mpi\.h|NC_memio|‘ERR’|'ERR'", r.stdout):
        return False # for parallel HDF5, or no longer compiled by netCDF-C itself
    return r.stdout if r.returncode else None


def conformance(text):
    """For each format that it goes through: its functions, and those that fail."""
    formats, name = {}, None
    for line in text.splitlines():
        m = re.match(r"Switching to (.*) format", line)
        if m:
            functions, failed = formats.setdefault(m.group(1), (set(), set()))
        m = re.match(r"\*\*\* testing (\w+)", line)
        if m and formats:
            name = m.group(1)
            functions.add(name)
        if name and re.search(r"### \d+ FAILURE", line):
            failed.add(name)
    return formats


def dumps(build, source):
    """Each file of the source: as ncdump prints it."""
    paths = sorted(os.path.join(at, n) for at, _, names in os.walk(source) for n in names if n.endswith((".nc", ".nc4", ".h5", ".hdf5")))
    for options in ("", "-hs"):
        bad = [] if len(paths) > 50 else ["only %d files" % len(paths)]
        for path in paths:
            theirs, ours = (subprocess.run([tool, *options.split(), path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                            for tool in ("ncdump", os.path.join(build, "tools", "nczdump")))
            known = OTHER_DUMPS.get((options, os.path.basename(path)))
            if (theirs.stdout == ours.stdout) != (known is None):
                bad.append("%s: %s" % (path, "the dump is the same: take it off the list" if known else "another dump, exit %d" % ours.returncode))
        cases.report("netCDF-C: nczdump%s of %d files of its source" % (options and " " + options, len(paths)), bad)


def run(build, cache, prefix, support, tmp):
    problem = fetch(support, cache)
    if problem:
        cases.report("netCDF-C's source", problem)
        return
    source, tmp = os.path.join(cache, "src", "netcdf"), os.path.join(tmp, "netcdf-c")
    os.makedirs(tmp)
    for name, text in (("config.h", CONFIG), ("remove.c", REMOVE)):
        with open(os.path.join(tmp, name), "w") as f:
            f.write(text)
    env = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "NCZARR_NETCDF_LIBRARY")}
    env["LD_LIBRARY_PATH"] = os.path.join(prefix, "lib")

    def one(what):
        folder, name, files = what
        at = os.path.join(tmp, folder, "in-" + name)
        os.makedirs(at)
        for path in glob.glob(os.path.join(source, folder, "ref_*.nc")):
            shutil.copy(path, at)
        why = compile_program(source, folder, name, files, prefix, tmp)
        return (folder, name, why) if why is not None else (folder, name, execute(
            os.path.join(tmp, folder, name), *[os.path.join(source, a) for a in ARGUMENTS.get(name, ())], cwd=at, env={**env, "srcdir": os.path.join(source, folder)}))

    todo = [(folder, name, files) for folder in ("nc_test", "nc_test4") for name, files in programs(source, folder)]
    todo += [("nc_test4", name, [os.path.join(source, "nc_test4", name + ".c")]) for name in WITH_HDF5]
    dumps(build, source)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(one, todo))
    ran = 0
    for folder, name, r in results:
        label, known = "netCDF-C: %s/%s" % (folder, name), (NC_TEST if folder == "nc_test" else {**NC_TEST4, **WITH_HDF5}).get(name)
        if r is False:
            continue
        ran += 1
        if isinstance(r, str):
            cases.report(label, "does not compile: " + r[-500:])
        elif name == "nc_test":
            formats = conformance(r.stdout)
            for form, (functions, failed) in sorted(formats.items()):
                expected = set(CONFORMANCE) if "netCDF-4" in form else set()
                cases.report("%s: %s: %d functions%s" % (label, form, len(functions), ", all but " + ", ".join(sorted(expected)) if expected else ""),
                             None if failed == expected and len(functions) > 180 else "%s fail: %s" % (", ".join(sorted(failed)), r.stdout[-500:]))
            if len(formats) != 4:
                cases.report(label, "formats: " + ", ".join(sorted(formats)))
        elif (r.returncode == 0) != (known is None):
            cases.report(label, r.stdout[-500:] if r.returncode else "it passes: take it off the list (%s)" % known)
        else:
            cases.report(label + (" (fails: %s)" % known if known else ""), None)
    if ran < 80:
        cases.report("netCDF-C", "only %d programs were compiled" % ran)
