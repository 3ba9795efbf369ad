"""What there is to test: parts, each with a name, what it needs, and what it builds and runs.

A part is a list of steps. Meson(...) is tests that meson.build lists; Script(...) a command that ends with
`N passed, N failed`. {gcc} and the like stand for the folder of a build, {python} for one with peers.
"""
from dataclasses import dataclass, field

ALL, SHORT, ALWAYS = "all", "short", "always"

MODULES = "platform util json uri grid filter s3 hdf5 zmap zip references places icechunk container model format cells object chunk dataset api forward".split()
# Memory that was freed and is kept from reuse: a program of a test frees less in all, and fresh memory costs time.
ASAN = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
# Tests that let each system call fail, or the process die there: gcc's build runs them whole, sanitizers and other machines a sample.
DRAWN = {"NCZARR_TEST_ALL": "", "NCZ_TEST_FEW": "1"}
TSAN = {"TSAN_OPTIONS": "halt_on_error=1:allocator_may_return_null=1:second_deadlock_stack=1"}
STRICT = ["-Dwerror=true", "-Dtests=enabled"]
# What is found ends the program, which makes less code than going on. Lines are enough to say where.
# The tests that take longest under a sanitizer; of the others, which are many, a short run has all.
LONG_ASAN = "codec_blosc_frame|codec_contract|deflate_levels|format_hostile|references|zmap_(contract|contract_threads|file_faults|s3|s3_threads|single)"
LONG_TSAN = "chunk_(parallel|read_ahead)|classic|decompose|in_place|object_(draft|indexes|merge|read_kept)|zmap_(contract|s3)_threads"
SANITIZED = STRICT + ["-Db_lundef=false", "-Ddefault_library=static", "-Doptimization=1",
                      "-Dc_args=-fno-sanitize-recover=all -gline-tables-only"]


# What a test of these names takes of a processor, in seconds, until a run here has measured it: the longest begin first.
SECONDS = {"api_alloc": 9, "api_errors": 15, "api_netcdf4_fault": 9, "chunk_read_ahead": 9, "classic": 9, "classic_copy": 8, "codec_contract": 7,
           "copy_peak": 7, "netcdf4": 11, "object_indexes": 10, "object_merge": 6, "peak": 11, "repack": 8, "zip_libzip": 5}


@dataclass(frozen=True)
class Build:
    """A folder in which Meson builds. `cross`: its cross files; {machines} is where tests/machines/setup puts things."""
    folder: str
    compiler: str = ""
    options: tuple = ()
    cross: tuple = ()
    env: dict = field(default_factory=dict)  # what its tests run with
    path: tuple = ()  # folders before PATH
    stamp: str = ""  # it is made anew when this file is newer
    emulator: str = ""  # what runs its programs here; the exe_wrapper of its cross file


def other_machine(name, *options, emulator=""):
    return Build("build-" + name, options=(*STRICT, "-Ddebug=false", *options), stamp="{machines}/%s.stamp" % name, emulator=emulator,
                 cross=("{machines}/place.ini", "tests/machines/%s.ini" % name))


def other_system(name, cross, path=(), *options):
    return Build("build-" + name, options=("-Dauto_features=disabled", "-Dwerror=true", *options), cross=(cross,), path=path)


BUILDS = {
    "gcc": Build("build", "gcc", STRICT),
    "asan": Build("build-asan", "clang", SANITIZED + ["-Db_sanitize=address,undefined", "-Dfuzz=true", "-Dfuzz-coverage=false"], env=ASAN),
    "fuzz": Build("build-fuzz", "clang", SANITIZED + ["-Db_sanitize=address,undefined", "-Dfuzz=true", "-Dfuzz-coverage=true"], env=ASAN),
    "tsan": Build("build-tsan", "clang", SANITIZED + ["-Db_sanitize=thread"], env=TSAN),
    "bare": Build("build-bare", "gcc", STRICT + ["-Dauto_features=disabled", "-Doptimization=1"]),
    # Optimised where that is what differs (excess precision on i386) or where an emulator makes all slow.
    "i386": other_machine("i386", "-Doptimization=1"),
    "musl": other_machine("musl", "-Doptimization=0"),
    "s390x": other_machine("s390x", "-Doptimization=1", emulator="qemu-s390x"),
    "windows": other_system("windows", "packaging/cross/windows-x86_64.ini"),
    "macos": other_system("macos", "packaging/cross/macos-aarch64.ini", ("packaging/cross", "{zig}"), "-Dpkg_config_path={machines}/macos/lib/pkgconfig"),
}


@dataclass(frozen=True)
class Meson:
    build: str
    suites: tuple
    without: tuple = ()  # suites whose tests are left out, and
    but: str = ""  # tests that are left out (a regular expression)
    when: str = ALWAYS
    env: dict = field(default_factory=dict)
    drawn: int = 1  # every so manieth test, chosen by the seed
    alone: str = ""  # of the suites only these tests (a regular expression)


@dataclass(frozen=True)
class Script:
    name: str
    command: str
    build: str = "gcc"
    targets: tuple = ("all",)  # of its build, that must be there before
    also: tuple = ()  # more builds, whole
    waits: bool = False  # it waits more than it computes
    after: str = ""  # the part that must have ended before
    when: str = ALWAYS
    env: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    name: str
    shows: str
    minutes: tuple  # of one processor, with its build: in `./dev test` (0: not in it), with --all
    steps: tuple
    needs: tuple = ()  # what `./dev setup NAME` installs, beside a compiler
    needs_all: tuple = ()  # and with --all


FORK_SERVER = "tests/support/libfork_server.so"
S3_OPS = ("tests/s3/s3_ops", "tests/s3/s3_steps")


def s3(name, command, **more):
    return Script(name, "{python} tests/s3/" + command, waits=True, **more)


PARTS = (
    Part("check", "format of C, widths of lines, linters of Python and the shell", (1, 1), (
        Script("check", "./dev check", "", ()),
    ), ("check",)),
    Part("modules", "each module alone, with gcc; error paths; every allocation failing once", (2, 3), (
        Meson("gcc", MODULES, ("tools",), env={"NCZARR_TEST_CALLS": "{root}/{gcc}/calls.log"}),
        Script("errors that are listed and seen", "python3 tests/api/errors_calls.py --check {gcc}/calls.log", after="modules"),
    )),
    Part("tools", "the commands: copies, dumps, subsets, pictures, pages", (2, 3), (
        Meson("gcc", ["tools"]),
    ), ("tools",), ("browser",)),
    Part("golden", "datasets of every netCDF-C, and CDL to dataset to CDL in every dialect", (1, 1), (
        Meson("gcc", ["golden"]),
    )),
    Part("random", "random programs of nc_* calls against a naive model", (1, 1), (
        Meson("gcc", ["random"]),
    )),
    Part("threads", "many threads on the same datasets; the history is checked", (1, 1), (
        Meson("gcc", ["threads"], ["parallel"]),
    )),
    Part("parallel", "processes and ranks without MPI; histories with deaths", (1, 15), (
        Meson("gcc", ["parallel"]),
    )),
    Part("crash", "the process dies at its system calls, the dataset opens", (1, 20), (
        Meson("gcc", ["crash"]),
    ), ("tools",)),
    Part("memory", "memory stays bounded with arrays that are larger", (1, 1), (
        Meson("gcc", ["memory"]),
    )),
    Part("bench", "the benchmark programs find the right sums; nothing is timed", (1, 1), (
        Meson("gcc", ["bench"], but="bench_memory.*", when=SHORT),
        Meson("gcc", ["bench"], alone="bench_memory.*", when=SHORT, drawn=3),
        Meson("gcc", ["bench"], when=ALL),
    ), ("short",)),
    Part("asan", "AddressSanitizer and UndefinedBehaviorSanitizer over what reads foreign bytes", (6, 60), (
        Meson("asan", ["json", "uri", "format", "filter", "zmap", "references", "s3"], ("tools",), but=LONG_ASAN, when=SHORT),
        Meson("asan", ["format", "filter", "zmap", "references"], ("tools",), alone=LONG_ASAN, when=SHORT, drawn=2),
        Meson("asan", ["hdf5", "hdf4", "container", "icechunk", "zip"], ("tools",), when=SHORT, drawn=3),
        Meson("asan", ["tools"], when=SHORT, drawn=6),
        # A sanitizer needs more addresses than the tests of memory leave, and its own memory would be measured, too; it may
        # stop a process that was forked beside threads; V4 loads the shared library.
        Meson("asan", [], ("golden",), but="bench_memory.*|bench_virtual|(copy_|open_)?peak|bombs|history", when=ALL, env=DRAWN),
        Meson("asan", ["golden"], when=ALL),
    ), ("clang", "tools"), ("llvm", "browser")),
    Part("fuzz", "the corpora of all fuzz targets; --all: and each target for a minute", (1, 20), (
        Script("fuzz", "tests/fuzz/run {asan} 0", "asan", ("fuzz",), when=SHORT),
        Script("fuzz", "tests/fuzz/run {fuzz} 60", "fuzz", ("fuzz",), when=ALL),
    ), ("clang",), ("llvm",)),
    Part("tsan", "ThreadSanitizer over threads, stores and chunks", (4, 8), (
        Meson("tsan", ["threads", "cells", "object", "chunk"], but=LONG_TSAN, when=SHORT),
        Meson("tsan", ["threads", "object", "chunk"], alone=LONG_TSAN, when=SHORT, drawn=2),
        Meson("tsan", ["threads", "util", "cells", "object", "chunk", "api", "s3"], when=ALL, env=DRAWN),
    ), ("clang",), ("llvm",)),
    Part("bare", "the library with zlib alone", (0, 2), (
        Meson("bare", ["platform", "util", "json", "uri", "grid", "zmap", "references", "model", "cells", "object", "chunk"]),
    )),
    Part("s3", "buckets: requests, refusals, chaos, credentials; a real server (--all: two)", (2, 10), (
        s3("versitygw", "real_run.py {gcc} --server versitygw", when=SHORT),
        s3("processes", "real_run.py {gcc} --server chaos", when=SHORT),
        s3("real servers", "real_run.py {gcc} --all", when=ALL),
        s3("chaos", "chaos_run.py {asan}/tests/s3/s3_ops", build="asan", targets=S3_OPS, env=ASAN),
        s3("chaos, shards", "chaos_shards.py {asan}/tests/s3/s3_steps", build="asan", targets=S3_OPS, env=ASAN),
        s3("credentials, regions, endpoints", "creds_run.py {gcc}"),
        s3("signatures against botocore's", "sigv4.py"),
        s3("requests", "count_run.py {gcc}"),
        s3("netCDF-4 files in buckets", "netcdf4_run.py {gcc}"),
        s3("requests of ranks", "ranks_run.py {gcc}"),
        s3("late requests of a killed writer", "late_run.py {gcc}"),
        s3("certificates", "tls_run.py {gcc}"),
        s3("a set-user-id program", "setuid_run.py {gcc}"),
        s3("bodies, redirects, tries, memory", "edge_run.py {gcc}/tests/s3/s3_ops"),
    ), ("clang", "short", "versitygw"), ("s3", "minio", "browser")),
    Part("peers", "zarr-python 3 and netCDF-C (--all: zarr-python 2, 3.0 and newest, xarray, GDAL, TensorStore, zarrs)", (1, 3), (
        Script("interoperability", "python3 tests/interop/run {gcc}"),
    ), ("short", "netcdf"), ("peers",)),
    Part("virtual", "sets of references by kerchunk and VirtualiZarr, aggregations by cfdm, read as their writers read them", (1, 1), (
        Meson("gcc", ["places", "kerchunk"]),
        Script("sets of references", "tests/virtual/run {gcc}", targets=("tools/nczdump", "tools/nczcopy")),
        Script("CF aggregations", "tests/virtual/aggregations {gcc}", targets=("tools/nczdump", "tools/nczcopy", "src/libnczarr.so.0.1.0")),
    ), ("virtual", "cfdm")),
    Part("icechunk", "repositories of icechunk 1 and 2, read as zarr-python reads them; requests are counted", (1, 4), (
        Meson("gcc", ["icechunk"]),
        Script("Icechunk repositories", "tests/icechunk/run {gcc}", targets=("tools/nczdump", "tools/nczgen", "tools/nczcopy")),
    ), ("icechunk",)),
    Part("matrix", "copies where features meet: sources x targets x options x what is there x contents; invariants", (1, 30), (
        Script("matrix", "tests/matrix/run {gcc}", targets=("tools/nczdump", "tools/nczgen", "tools/nczcopy", FORK_SERVER)),
    ), ("short",)),
    Part("h5py", "the structure and values of HDF5 files of each version, as h5py sees them", (0, 2), (
        Script("structure of HDF5 files", "tests/hdf5/run {gcc}", targets=("tests/hdf5/hdf5_dump", "tools/nczdump", "src/libnczarr.so.0.1.0")),
    ), ("short",), ("writers",)),
    Part("hdf4", "HDF4 files that libhdf4 makes, as libhdf4 reads them; copies, requests", (1, 1), (
        Script("HDF4 files", "tests/hdf4/run {gcc}", targets=("tools/nczdump", "tools/nczcopy", "src/libnczarr.so.0.1.0")),
    ), ("hdf4",), ("hdf4_netcdf",)),
    Part("netcdf4", "random programs write netCDF-4 files by netCDF-C and by this library; netCDF-C changes ours", (1, 15), (
        Script("netCDF-4 files by random programs", "tests/netcdf4/run {gcc}", targets=("tools/nczdump", "src/libnczarr.so.0.1.0", FORK_SERVER)),
        Script("netCDF-4 files read by others", "tests/netcdf4/readers {gcc}", targets=("tools/nczdump", "tools/nczgen", "src/libnczarr.so.0.1.0")),
        Script("requests for strings", "{python} tests/hdf5/requests.py {gcc}/src/libnczarr.so", targets=("src/libnczarr.so.0.1.0",), when=SHORT),
        Script("netCDF-4 files changed by libhdf5 with assertions", "tests/netcdf4/libhdf5 {gcc}", when=ALL,
               targets=("tools/nczdump", "tools/nczgen", "src/libnczarr.so.0.1.0")),
    ), ("netcdf", "short"), ("readers", "hdf5")),
    Part("package", "symbols, headers, installation, static link, one-file library", (1, 12), (
        Script("package", "tests/package/run {gcc}", env={"MALLOC_PERTURB_": ""}), # most of it is compilers
    ), ("clang", "netcdf", "package"), ("package_all", "conda")),
    Part("packages", "from a bare Debian to a program's output, each way; packages built by their own tools", (0, 25), (
        Script("packages", "tests/packages/run", "", ()),
    ), ("packages",)),
    Part("fortran", "nf90_... in Fortran: kinds, ranks, definitions; --all: flang, ranks, netcdf-fortran's programs", (1, 3), (
        Script("Fortran", "tests/fortran/run {gcc}"),
    ), ("fortran",), ("fortran_all",)),
    Part("docs", "links and samples of the documents; --all: the site, and pages that need more programs", (1, 2), (
        Script("documents", "python3 tests/docs/run {gcc}"),
    ), ("netcdf", "versitygw"), ("peers", "site", "languages", "browser")),
    Part("browser", "nczdump's pages in headless Chromium", (0, 1), (
        Meson("gcc", ["tools"], but="(?!(html|page)$).*", env={"NCZARR_TEST_SHORT": ""}),
    ), ("browser",)),
    Part("forward", "packaged programs with libnczarr_netcdf.so in front of libnetcdf", (0, 1), (
        Script("in front of libnetcdf", "python3 tests/forward/run {gcc}"),
    ), ("netcdf", "forward", "zarr3")),
    Part("programs", "programs of four languages, linked and preloaded; return codes", (0, 15), (
        Script("programs of four languages", "python3 tests/programs/run {gcc}"),
    ), ("netcdf", "languages", "peers", "s3", "versitygw", "writers")),
    Part("mpi", "four ranks under the mpirun of Open MPI and of MPICH", (0, 4), (
        Script("MPI", "tests/mpi/run {gcc}"),
    ), ("mpi",)),
    Part("i386", "32 bits; x87, which computes with more precision than a double has", (0, 4), (
        Meson("i386", [m for m in MODULES if m not in ("s3", "forward")], but="api_errors", env=DRAWN),
        Meson("i386", ["golden"]),
    ), ("machines",)),
    Part("musl", "another C library, no kernel headers", (0, 5), (
        Meson("musl", [m for m in MODULES if m not in ("s3", "forward")], but="api_errors", env=DRAWN),
        Meson("musl", ["golden"]),
    ), ("machines",)),
    Part("s390x", "big-endian, under an emulator; gcc computes floats as doubles", (0, 8), (
        # Long under an emulator, and about nothing that depends on the byte order; codec_array_v3 has its input in the
        # machine's byte order, where it says little.
        Meson("s390x", [m for m in MODULES if m not in ("s3", "forward")], env=DRAWN,
              but="codec_array_v3|chunk_read_ahead|(api_)?alloc|api_errors|api_caller_state|zmap_contract|chunk_parallel"),
        Meson("s390x", ["golden"], env={"NCZ_GOLDEN_MODES": "0,1"}),
    ), ("machines",)),
    Part("windows", "the commands for Windows under Wine", (0, 4), (
        Script("windows", "tests/systems/windows {windows} {gcc}", "windows", also=("gcc",)),
    ), ("systems",)),
    Part("macos", "compiled and linked for macOS; nothing is run", (0, 2), (
        Script("macos", "tests/systems/macos {macos}", "macos"),
    ), ("systems",)),
)
# The suite of one module alone, which is in the part `modules`.
BY_MODULE = tuple(Part(m, "the module " + m, (1, 1), (Meson("gcc", [m]),)) for m in MODULES if m not in {p.name for p in PARTS})
GROUPS = {"machines": ("i386", "musl", "s390x"), "systems": ("windows", "macos")}
