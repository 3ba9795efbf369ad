"""Real installations: of -Dnetcdf=true -Dforward=enabled, where libnetcdf.so is this library in front of the system's, and of
-Dnetcdf=true, where it is this library alone."""
import os, re, shutil, subprocess

import cases

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **more)


def install(build, alone=False):
    """Builds in BUILD/programs, and returns the prefix."""
    at, prefix = (os.path.join(build, "programs", name) for name in (("alone", "usr-alone") if alone else ("build", "usr")))
    options = ["-Dnetcdf=true"]
    if not alone:
        system = os.path.join(run("pkg-config", "--variable=libdir", "netcdf").stdout.strip(), "libnetcdf.so")
        options += ["-Dforward=enabled", "-Dforward-library=" + os.path.realpath(system)]
    if not os.path.exists(os.path.join(at, "build.ninja")):
        r = run("meson", "setup", "--buildtype=plain", "-Dtests=disabled", "-Dtools=false", "-Ddefault_library=shared", "--libdir=lib", *options,
                "--prefix=" + prefix, at, root)
        if r.returncode:
            raise RuntimeError(r.stdout[-900:] + r.stderr[-900:])
    r = run("meson", "install", "-C", at)
    if r.returncode:
        raise RuntimeError(r.stdout[-900:] + r.stderr[-900:])
    return prefix


# Both kinds in one process: an NCZarr dataset, a file of libnetcdf, and a copy of a variable from the one to the other.
PROGRAM = r"""
#include <netcdf.h>
#include <netcdf_meta.h>
#include <stdio.h>
#include <string.h>
#define TRY(call) do { int rc_ = (call); if (rc_ != NC_NOERR) { printf("%s: %s\n", #call, nc_strerror(rc_)); return 1; } } while (0)
int
main(int argc, char **argv)
{
    int zarr, file, dim, var, format, values[3] = {1, 2, 3}, got[3] = {0, 0, 0};
    if (argc != 3)
        return 2;
    TRY(nc_create(argv[1], NC_CLOBBER, &zarr));
    TRY(nc_create(argv[2], NC_NETCDF4, &file));
    TRY(nc_def_dim(zarr, "x", 3, &dim));
    TRY(nc_def_var(zarr, "v", NC_INT, 1, &dim, &var));
    TRY(nc_put_att_text(zarr, var, "units", 1, "m"));
    TRY(nc_enddef(zarr));
    TRY(nc_put_var_int(zarr, var, values));
    TRY(nc_def_dim(file, "x", 3, &dim));
    TRY(nc_copy_var(zarr, var, file));
    TRY(nc_close(file));
    TRY(nc_close(zarr));
    TRY(nc_open(argv[2], NC_NOWRITE, &file));
    TRY(nc_inq_varid(file, "v", &var));
    TRY(nc_get_var_int(file, var, got));
    TRY(nc_inq_format_extended(file, &format, NULL));
    TRY(nc_close(file));
    return memcmp(values, got, sizeof got) == 0 && format == NC_FORMATX_NC_HDF5 ? 0 : 3;
}
"""


def check_library(prefix):
    bad = []
    library = os.path.join(prefix, "lib", "libnetcdf.so.19")
    have = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).stdout.splitlines()}
    with open(os.path.join(root, "include", "compat", "functions.txt")) as f:
        want = set(re.findall(r"\b(nc\w+)\(", f.read()))
    bad += ["libnetcdf.so lacks %s" % n for n in sorted(want - have)] if len(want) > 300 else ["functions.txt names %d functions" % len(want)]
    if not re.search(r"SONAME.*\[libnetcdf\.so\.19\]", run("readelf", "-d", library).stdout):
        bad.append("its SONAME is another one")
    bad += ["%s is not installed" % n for n in ("bin/nc-config", "lib/pkgconfig/netcdf.pc", "include/netcdf.h", "include/netcdf_meta.h", "lib/libnetcdf.so")
            if not os.path.exists(os.path.join(prefix, n))]
    return bad


def check_programs(prefix, tmp):
    """A program built with nc-config and with netcdf.pc writes a dataset and a file; without libnetcdf the dataset alone."""
    bad = []
    source, exe = os.path.join(tmp, "both.c"), os.path.join(tmp, "both")
    with open(source, "w") as f:
        f.write(PROGRAM)
    env = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "NCZARR_NETCDF_LIBRARY")}
    env.update(PKG_CONFIG_PATH=prefix + "/lib/pkgconfig", LD_LIBRARY_PATH=prefix + "/lib")
    for ask in ([prefix + "/bin/nc-config", "--cflags", "--libs"], ["pkg-config", "--cflags", "--libs", "netcdf"]):
        zarr, nc = (os.path.join(tmp, "both-%s.%s" % (os.path.basename(ask[0]), kind)) for kind in ("zarr", "nc"))
        r = run("gcc", "-Wall", "-Wextra", "-Werror", source, "-o", exe, *run(*ask, env=env).stdout.split())
        r = r if r.returncode else run(exe, "file://%s#mode=nczarr" % zarr, nc, env=env)
        if r.returncode:
            bad.append("%s: exit %d: %s" % (ask[0], r.returncode, (r.stdout + r.stderr)[-400:]))
        elif not os.path.isdir(zarr) or open(nc, "rb").read(4) != b"\x89HDF":
            bad.append("%s: a file for each kind was expected" % ask[0])
    missing = dict(env, NCZARR_NETCDF_LIBRARY=os.path.join(tmp, "absent.so"))
    r = run(exe, "file://%s/alone.zarr#mode=nczarr" % tmp, os.path.join(tmp, "alone.nc"), env=missing)
    if r.returncode != 1 or "nc_create(argv[2]" not in r.stdout:
        bad.append("without libnetcdf: exit %d: %s" % (r.returncode, r.stdout + r.stderr))
    return bad


def check_command(prefix, tmp):
    """ncks, which was linked with the system's libnetcdf."""
    if not shutil.which("ncks"):
        return ["ncks is missing"]
    zarr, nc = "file://%s/both-nc-config.zarr#mode=nczarr" % tmp, os.path.join(tmp, "ncks.nc")
    env = dict(os.environ, LD_LIBRARY_PATH=prefix + "/lib")
    env.pop("LD_PRELOAD", None)
    r = run("ncks", "-O", zarr, nc, env=env)
    text = run("ncdump", nc).stdout
    return [] if r.returncode == 0 and "v = 1, 2, 3" in text and 'v:units = "m"' in text else [r.stderr[-400:] + text[-400:]]


def check(prefix, tmp):
    cases.report("installed with -Dforward=enabled: symbols, headers, descriptions", check_library(prefix))
    cases.report("installed with -Dforward=enabled: one program, both kinds", check_programs(prefix, tmp))
    cases.report("installed with -Dforward=enabled: ncks in its place", check_command(prefix, tmp))
