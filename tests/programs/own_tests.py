"""The test programs of netcdf-fortran, netcdf-cxx4 and netCDF4-python on this library alone, in libnetcdf's place: their files
are netCDF-4 files of ours, where they ask for these. And those of h5netcdf, which write and read the same files by h5py, and by
netCDF4-python on this library. Those that want another thing that this library has differently are named
here with the reason; a program that fails without being named, or passes though it is, is a failure."""
import glob, os, re, shutil, subprocess

import cases

PLUGIN = "needs a filter of HDF5's"
CACHE = "expects netCDF-C's default size of the chunk cache"

FORTRAN = {"ftst_vars": CACHE, "f03tst_vars": CACHE}
CXX = {"tst_filter.sh": PLUGIN}
H5NETCDF = {"test_expanded_variables_netcdf4[netCDF4]": "expects a variable to end before its unlimited dimension"}
PYTHON = {"test_alignment.py": "expects nc_set_alignment to have an effect"}


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


def python_tests(bindings, tmp, env):
    folder = os.path.join(tmp, "netcdf4-python")
    shutil.copytree(os.path.join(bindings, "src", "netcdf4-python", "test"), folder)
    env = dict(env, NO_NET="1", PYTHONWARNINGS="ignore", PATH=netcdf_c_commands(tmp) + os.pathsep + env["PATH"])
    tests = sorted(n for n in os.listdir(folder) if re.match(r"te?st_.*\.py$", n))
    for name in tests:
        r = execute(os.path.join(bindings, "python", "bin", "python"), name, cwd=folder, env=env)
        judge("netCDF4-python", name, r.returncode == 0, r.stdout, PYTHON)
    if len(tests) < 40:
        cases.report("netCDF4-python", "it has only %d test programs" % len(tests))


def h5netcdf_tests(bindings, cache, tmp, env):
    packages = glob.glob(os.path.join(cache, "h5netcdf", "lib", "python3*", "site-packages"))
    if not packages:
        cases.report("h5netcdf", "it is not there: ./dev setup writers")
        return
    site = os.path.join(tmp, "h5netcdf")
    os.mkdir(site)
    for path in glob.glob(os.path.join(packages[0], "h5*")):
        os.symlink(path, os.path.join(site, os.path.basename(path)))
    env = dict(env, PYTHONPATH=site, NO_NET="1", PATH=os.path.join(tmp, "commands-of-netcdf-c") + os.pathsep + env["PATH"])
    r = execute(os.path.join(bindings, "python", "bin", "python"), "-m", "pytest", "-q", "-rA", "-W", "ignore", "-p", "no:cacheprovider",
                os.path.join(packages[0], "h5netcdf", "tests"), cwd=site, env=env)
    results = re.findall(r"^(PASSED|FAILED|ERROR) \S*::(\S+)", r.stdout, re.M)
    bad = {name for verdict, name in results if verdict != "PASSED"}
    cases.report("h5netcdf: %d tests pass, these do not: %s" % (len(results) - len(bad), H5NETCDF),
                 None if bad == set(H5NETCDF) and len(results) > 100 else "%s: %s" % (sorted(bad), r.stdout[-400:]))


def netcdf_c_commands(tmp):
    """A folder with those that tests start: they need netCDF-C, whose functions they call that are in no header."""
    folder = os.path.join(tmp, "commands-of-netcdf-c")
    os.mkdir(folder)
    for name in ("ncdump", "ncgen"):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\nunset LD_LIBRARY_PATH\nexec %s \"$@\"\n" % shutil.which(name))
        os.chmod(path, 0o755)
    return folder


def run(bindings, cache, prefix, tmp):
    env = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "NCZARR_NETCDF_LIBRARY")}
    env["LD_LIBRARY_PATH"] = "%s/lib:%s/lib" % (prefix, bindings)
    at = os.path.join(bindings, "build")
    for folder in ("nf_test", "nf03_test", "nf_test4", "nf03_test4", "examples"):
        make_check("netcdf-fortran", os.path.join(at, "netcdf-fortran", folder), env, FORTRAN)
    make_check("netcdf-cxx4", os.path.join(at, "netcdf-cxx", "cxx4"), env, CXX)
    make_check("netcdf-cxx4", os.path.join(at, "netcdf-cxx", "examples"), env, CXX)
    python_tests(bindings, tmp, env)
    h5netcdf_tests(bindings, cache, tmp, env)
