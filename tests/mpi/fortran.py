"""netcdf-fortran on libnetcdf.so of -Dnetcdf=true -Dmpi=enabled, for one MPI library: both are built in a folder, then
mpi_fortran.f90 and the parallel programs that come with netcdf-fortran run with four ranks."""
import os, subprocess

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SOURCE = os.path.join(root, ".cache", "programs", "src", "netcdf-fortran") # tests/programs/setup brings it
PACKAGES = {"openmpi": "ompi-c", "mpich": "mpich"}
# Left out: f90tst_parallel_compressed writes 2.4 GB; f90tst_nc4_par wants eight ranks.
THEIRS = ("nf03_test4/f90tst_parallel.F90", "nf03_test4/f90tst_parallel2.F90", "nf03_test4/f90tst_parallel3.F90",
          "nf03_test4/f90tst_parallel_fill.f90", "examples/F90/simple_xy_par_wr.f90", "examples/F90/simple_xy_par_rd.f90",
          "examples/F90/simple_xy_par_wr2.f90")
FLAGS = "-O0 -w -fallow-argument-mismatch"


def build(mpi, folder):
    """The library and netcdf-fortran in folder/usr; what failed, or nothing."""
    prefix, fortran = os.path.join(folder, "usr"), os.path.join(folder, "fortran")
    env = dict(os.environ, PATH="%s/bin:%s" % (prefix, os.environ["PATH"]), LD_LIBRARY_PATH=prefix + "/lib", CC="mpicc." + mpi, FC="mpifort." + mpi,
               F77="mpifort." + mpi, CPPFLAGS="-I%s/include" % prefix, LDFLAGS="-L%s/lib" % prefix, CFLAGS="-O0", FCFLAGS=FLAGS, FFLAGS=FLAGS)
    os.makedirs(fortran)
    commands = [(["meson", "setup", "--buildtype=plain", "-Dtests=disabled", "-Dtools=false", "-Ddefault_library=shared", "--libdir=lib", "-Dnetcdf=true",
                  "-Dmpi=enabled", "-Dmpi-package=" + PACKAGES[mpi], "--prefix=" + prefix, folder + "/build", root], os.environ, root),
                (["meson", "install", "-C", folder + "/build"], os.environ, root),
                ([SOURCE + "/configure", "--prefix=" + prefix, "--disable-static", "--disable-doxygen"], env, fortran),
                (["make", "-C", "fortran", "install"], env, fortran)]
    for words, environment, at in commands:
        r = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=at, timeout=1200)
        if r.returncode:
            return "%s: exit %d: %s" % (" ".join(words), r.returncode, r.stdout[-900:])
    return ""


def compile_program(mpi, folder, source):
    """Its path, and what failed, or nothing."""
    out = os.path.join(folder, os.path.splitext(os.path.basename(source))[0])
    r = subprocess.run(["mpifort." + mpi, *FLAGS.split(), "-cpp", "-I%s/usr/include" % folder, source, "-o", out, "-L%s/usr/lib" % folder, "-lnetcdff",
                        "-lnetcdf", "-Wl,-rpath-link,%s/usr/lib" % folder], capture_output=True, text=True)
    return out, r.stderr[-600:] if r.returncode else ""


def programs():
    """Sources, with the arguments of each."""
    return [(os.path.join(root, "tests", "mpi", "mpi_fortran.f90"), ["field.zarr"])] + [(os.path.join(SOURCE, name), []) for name in THEIRS]
