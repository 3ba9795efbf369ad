"""The test programs of netcdf-fortran, netcdf-cxx4 and netCDF4-python on this library alone: their files are our
directories. Those that need a file of another format, or another thing that this library has differently, are named here
with the reason; a program that fails without being named, or passes though it is, is a failure."""
import os, re, shutil, subprocess

import cases

NCGEN = "makes an HDF5 file with netCDF's ncgen"
ONE_FILE = "takes the dataset for one file: its size, its bytes, its existence"
PLUGIN = "needs a filter of HDF5's"
CACHE = "expects netCDF-C's default size of the chunk cache"

FORTRAN = {"ftst_vars": CACHE, "f03tst_vars": CACHE, "f03tst_open_mem": ONE_FILE}
CXX = {"tst_filter.sh": PLUGIN}
PYTHON = {"test_cdl.py": NCGEN, "test_compression.py": ONE_FILE, "test_compression_bzip2.py": ONE_FILE, "test_compression_quant.py": ONE_FILE,
          "test_compression_zstd.py": ONE_FILE, "test_diskless.py": ONE_FILE}

# netCDF4-python's tests remove what they wrote with os.remove().
REMOVE = """
import os, shutil
remove_file = os.remove
os.remove = os.unlink = lambda path, **more: shutil.rmtree(path) if os.path.isdir(path) else remove_file(path, **more)
"""


def execute(*command, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600, **more)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(command, 124, "it takes longer than %d s" % e.timeout)


def judge(package, name, passed, text, known):
    if passed == (name not in known):
        cases.report("%s: %s%s" % (package, name, "" if passed else " (fails: %s)" % known[name]), None)
    else:
        cases.report("%s: %s" % (package, name), text[-500:] if not passed else "it passes: take it off the list (%s)" % known[name])


def make_check(package, folder, env, known):
    """Automake's tests: one at a time, since some write the same files."""
    r = execute("make", "-C", folder, "check", "-k", env=env)
    for verdict, name in re.findall(r"^(PASS|FAIL|ERROR|XPASS): (\S+)$", r.stdout, re.M):
        log = os.path.join(folder, re.sub(r"\.sh$", "", name) + ".log")
        text = open(log, errors="replace").read() if os.path.exists(log) else ""
        judge(package, name, verdict == "PASS", text, known)
    if not re.search(r"^PASS: ", r.stdout, re.M):
        cases.report("%s: %s" % (package, os.path.basename(folder)), "no test ran: " + r.stdout[-500:])


def python_tests(build, bindings, tmp, env):
    folder, site = os.path.join(tmp, "netcdf4-python"), os.path.join(tmp, "site")
    shutil.copytree(os.path.join(bindings, "src", "netcdf4-python", "test"), folder)
    os.mkdir(site)
    with open(os.path.join(site, "sitecustomize.py"), "w") as f:
        f.write(REMOVE)
    env = dict(env, PYTHONPATH=site, NO_NET="1", PYTHONWARNINGS="ignore", PATH=ncdump_by_nczdump(build, tmp) + os.pathsep + env["PATH"])
    tests = sorted(n for n in os.listdir(folder) if re.match(r"te?st_.*\.py$", n))
    for name in tests:
        r = execute(os.path.join(bindings, "python", "bin", "python"), name, cwd=folder, env=env)
        judge("netCDF4-python", name, r.returncode == 0, r.stdout, PYTHON)
    if len(tests) < 40:
        cases.report("netCDF4-python", "it has only %d test programs" % len(tests))


def ncdump_by_nczdump(build, tmp):
    """A folder with an ncdump for those that start one: libnetcdf's cannot read what they wrote."""
    folder = os.path.join(tmp, "bin")
    os.mkdir(folder)
    os.symlink(os.path.join(build, "tools", "nczdump"), os.path.join(folder, "ncdump"))
    return folder


def run(build, bindings, tmp):
    libs = os.path.join(tmp, "alone")
    os.mkdir(libs)
    os.symlink(os.path.realpath(os.path.join(build, "src", "libnczarr.so.0")), os.path.join(libs, "libnetcdf.so.19"))
    env = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "NCZARR_NETCDF_LIBRARY")}
    env["LD_LIBRARY_PATH"] = "%s:%s/lib" % (libs, bindings)
    at = os.path.join(bindings, "build")
    for folder in ("nf_test", "nf03_test", "nf_test4", "nf03_test4", "examples"):
        make_check("netcdf-fortran", os.path.join(at, "netcdf-fortran", folder), env, FORTRAN)
    make_check("netcdf-cxx4", os.path.join(at, "netcdf-cxx", "cxx4"), env, CXX)
    make_check("netcdf-cxx4", os.path.join(at, "netcdf-cxx", "examples"), env, CXX)
    python_tests(build, bindings, tmp, env)
