#!/usr/bin/env python3
"""The C libraries of NCAR's ParallelIO and of E3SM's SCORPIO, built on this library alone, in libnetcdf's place, with each MPI
library that is installed, and their own C tests with its mpirun. Their sources are not fetched: NCZARR_TEST_PARALLELIO and
NCZARR_TEST_SCORPIO name folders that have them; what has none is left out, with a line. Those tests that want another thing
are named here with the reason; one that fails without being named, or passes though it is, is a failure.

usage: parallelio.py [NAME ...]    ends with `N passed, N failed`; NAMEs of tests, openmpi, mpich: these alone
"""
import json, os, shutil, subprocess, sys, tempfile

root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(root, "tests", "support"))
import cases

MPIS = {"openmpi": "ompi-c", "mpich": "mpich"} # and what pkg-config calls them
COMMON = ["-DWITH_PNETCDF=OFF", "-DPIO_ENABLE_FORTRAN=OFF", "-DPIO_ENABLE_TIMING=OFF", "-DPIO_ENABLE_DOC=OFF", "-DPIO_ENABLE_EXAMPLES=OFF"]
# Of each: the options of its CMake beside these, what NC_NETCDF4 makes, the tests that fail with the reason, and how the
# names of those begin that call no netCDF, and are left out. SCORPIO deletes a directory itself, but for names that begin
# with a dot, which v3 has none of.
PACKAGES = {
    "SCORPIO": (["-DPIO_ENABLE_TESTS=ON", "-DPIO_ENABLE_TOOLS=OFF", "-DPIO_ENABLE_NCZARR=ON"], "nczarr,v3", {},
                ("test_req_", "test_sdecomp_", "test_spio_")),
    "ParallelIO": ([], "nczarr", {}, ()),
}
LIMIT = 1800 # seconds, of one test: five ranks may share two cores


def execute(*command, limit=3600, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit, **more)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(command, 124, "%s: not done after %d s" % (" ".join(command), e.timeout))


def install(mpi, folder):
    """The library with that MPI in folder/MPI; what failed, or nothing. One build serves all: only links differ."""
    build, prefix = os.path.join(folder, "build"), os.path.join(folder, mpi)
    options = ["-Dmpi-package=" + MPIS[mpi], "--prefix=" + prefix]
    if os.path.exists(build):
        first = ["meson", "configure", build] + options
    else:
        first = ["meson", "setup", "--buildtype=plain", "-Doptimization=1", "-Dtests=disabled", "-Dtools=false", "-Dforward=disabled", "-Ddefault_library=shared",
                 "--libdir=lib", "-Dnetcdf=true", "-Dmpi=enabled", build, root] + options
    for command in (first, ["meson", "install", "-C", build]):
        r = execute(*command)
        if r.returncode:
            return "%s: exit %d: %s" % (" ".join(command), r.returncode, r.stdout[-900:])
    return ""


def sleeping(folder):
    """The object that lets waiting ranks sleep, in the folder; None where it does not compile: all takes longer then."""
    made = os.path.join(folder, "sleeping_ranks.so")
    r = execute("cc", "-O2", "-shared", "-fPIC", os.path.join(root, "tests", "programs", "sleeping_ranks.c"), "-ldl", "-o", made)
    return made if r.returncode == 0 else None


def environment(name, prefix):
    """NC_NETCDF4 makes Zarr, which ranks can write."""
    env = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "NCZARR_THREADS")}
    return dict(env, LD_LIBRARY_PATH=prefix + "/lib", PKG_CONFIG_PATH=prefix + "/lib/pkgconfig", NCZARR_NETCDF4=PACKAGES[name][1], OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1", MPIR_CVAR_POLLS_BEFORE_YIELD="1")


def listed(name, at, only):
    """{name, which is the program's target, too: command} of its tests; no command before it is built."""
    out = execute("ctest", "--show-only=json-v1", cwd=os.path.join(at, "tests", "cunit")).stdout
    tests = {t["name"]: t.get("command") for t in json.loads(out or '{"tests": []}')["tests"]}
    return {t: command for t, command in tests.items() if (not only or t in only) and not t.startswith(PACKAGES[name][3])}


def build(name, mpi, source, at, prefix, only):
    """The package and its tests in `at`; what failed, or nothing."""
    mpirun = shutil.which("mpirun." + mpi)
    flags = "-w -DOMPI_OMIT_MPI1_COMPAT_DECLS=1 -DMPI_Type_hvector=MPI_Type_create_hvector" # SCORPIO calls what MPI 3 has removed
    options = ["-DCMAKE_C_COMPILER=mpicc." + mpi, "-DCMAKE_CXX_COMPILER=mpicxx." + mpi, "-DCMAKE_Fortran_COMPILER=mpifort." + mpi, "-DMPIEXEC=" + mpirun, "-DMPIEXEC_EXECUTABLE=" + mpirun,
               "-DNetCDF_PATH=" + prefix, "-DCMAKE_C_FLAGS=-w", "-DCMAKE_CXX_FLAGS=" + flags]
    r = execute("cmake", "-S", source, "-B", at, *options, *COMMON, *PACKAGES[name][0], env=environment(name, prefix))
    targets = r.returncode == 0 and listed(name, at, only)
    if targets:
        r = execute("cmake", "--build", at, "-j2", "--target", *targets, env=environment(name, prefix))
    return "exit %d: %s" % (r.returncode, r.stdout[-900:]) if r.returncode else ""


def run_tests(name, mpi, at, prefix, only):
    """Returns their names. They run in memory where it can be: on a disk what the library syncs takes most of the time."""
    known, patient = PACKAGES[name][2], sleeping(at)
    env = dict(environment(name, prefix), **({"LD_PRELOAD": patient} if patient else {}))
    tests = listed(name, at, only)
    if not tests and not only:
        cases.report("%s, %s" % (name, mpi), "no test is listed")
    with tempfile.TemporaryDirectory(prefix="nczarr-parallelio-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else at) as folder:
        for test, command in tests.items():
            r = execute(*command, limit=LIMIT, cwd=folder, env=env)
            title = "%s, %s: %s" % (name, mpi, test)
            if (r.returncode == 0) == (test not in known):
                cases.report(title + (" (fails: %s)" % known[test] if r.returncode else ""), None)
            else:
                problem = "exit %d: %s" % (r.returncode, r.stdout[-700:]) if r.returncode else "it passes: take it off the list (%s)" % known[test]
                cases.report(title, problem)
    return set(tests)


def run(tmp, only=()):
    sources = {name: os.environ.get("NCZARR_TEST_" + name.upper()) for name in PACKAGES}
    wanted, only = [m for m in MPIS if m in only] or MPIS, [n for n in only if n not in MPIS]
    mpis = [m for m in wanted if shutil.which("mpicc." + m) and shutil.which("mpirun." + m)]
    folder = os.path.join(tmp, "parallelio")
    for name in [n for n in sources if not sources[n]]:
        print("%s: NCZARR_TEST_%s names no folder with its source: left out" % (name, name.upper()))
    unknown = set(only)
    for mpi in mpis if any(sources.values()) else ():
        bad = install(mpi, folder)
        cases.report("libnetcdf.so with " + mpi, bad)
        for name in [n for n in sources if sources[n] and not bad]:
            at = os.path.join(folder, "%s-%s" % (name, mpi))
            problem = build(name, mpi, sources[name], at, os.path.join(folder, mpi), only)
            cases.report("%s, %s: it builds" % (name, mpi), problem)
            if not problem:
                unknown -= run_tests(name, mpi, at, os.path.join(folder, mpi), only)
    for test in sorted(unknown):
        cases.report(test, "no test of this name was run")


def main():
    with tempfile.TemporaryDirectory(prefix="nczarr-parallelio-") as tmp:
        run(tmp, sys.argv[1:])
    return cases.total()


if __name__ == "__main__":
    sys.exit(main())
