"""The library in a project of CMake's: from the archive of a release by FetchContent, from a checkout as a folder, and
installed. The project has flags of its own, warnings that are errors among them, and programs in C and in C++."""
import glob, os, resource, shutil, subprocess, sys, tarfile, tempfile, time

FETCHED = """cmake_minimum_required(VERSION 3.14)
project(model C CXX)
include(FetchContent)
FetchContent_Declare(nczarr URL file://%s)
FetchContent_MakeAvailable(nczarr)
foreach(name in_c.c in_cxx.cpp)
  add_executable(${name}.exe ${name})
  target_link_libraries(${name}.exe PRIVATE nczarr::nczarr)
endforeach()
"""
FOLDER = """cmake_minimum_required(VERSION 3.14)
project(model C CXX Fortran)
set(NCZARR_WITH OFF)
set(NCZARR_WITH_ZSTD ON)
set(NCZARR_FORTRAN ON)
add_subdirectory(%s nczarr)
foreach(name in_c.c in_cxx.cpp netcdf.c codecs.c)
  add_executable(${name}.exe ${name})
  target_link_libraries(${name}.exe PRIVATE nczarr::netcdf)
endforeach()
target_compile_definitions(codecs.c.exe PRIVATE _GNU_SOURCE)
add_executable(fortran.f90.exe fortran.f90)
target_link_libraries(fortran.f90.exe PRIVATE nczarr::fortran)
"""
TARGET = """cmake_minimum_required(VERSION 3.14)
project(model C)
find_library(ZSTD_FILE zstd REQUIRED)
add_library(their::zstd UNKNOWN IMPORTED)
set_target_properties(their::zstd PROPERTIES IMPORTED_LOCATION "${ZSTD_FILE}")
set(NCZARR_WITH OFF)
set(NCZARR_WITH_ZSTD ON)
set(NCZARR_ZSTD_LIBRARY their::zstd)
set(NCZARR_INSTALL ON)
add_subdirectory(%s nczarr)
"""
FOUND = """cmake_minimum_required(VERSION 3.14)
project(model C CXX)
find_package(nczarr 1.0 REQUIRED COMPONENTS netcdf %s)
foreach(name in_c.c in_cxx.cpp netcdf.c)
  add_executable(${name}.exe ${name})
  target_link_libraries(${name}.exe PRIVATE nczarr::%s nczarr::netcdf)
endforeach()
"""
PROGRAM = """#include <%s>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const unsigned char nan_bytes[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
    double                     nan, back;
    int                        id;

    memcpy(&nan, nan_bytes, sizeof nan);
    if (argc != 2 || nc_create(argv[1], NC_CLOBBER, &id) != NC_NOERR ||
        nc_put_att_double(id, NC_GLOBAL, "nan", NC_DOUBLE, 1, &nan) != NC_NOERR || nc_close(id) != NC_NOERR ||
        nc_open(argv[1], NC_NOWRITE, &id) != NC_NOERR || nc_get_att_double(id, NC_GLOBAL, "nan", &back) != NC_NOERR ||
        nc_close(id) != NC_NOERR || memcmp(&back, nan_bytes, sizeof back) != 0)
        return 1;
    return puts(nc_inq_libvers()) < 0;
}
"""
FORTRAN = """program in_fortran
  use netcdf
  implicit none
  character(len=512) :: path
  integer :: ncid
  call get_command_argument(1, path)
  if (nf90_create(path, nf90_netcdf4, ncid) /= nf90_noerr) error stop 1
  if (nf90_close(ncid) /= nf90_noerr) error stop 1
  print '(a)', trim(nf90_inq_libvers())
end program in_fortran
"""
CPU_SECONDS = 120  # that a project takes with the library in it, optimised: two cores, one minute
PARTS_OF_TREE = ("CMakeLists.txt", "LICENSE", "meson.build", "fortran", "include", "packaging", "src", "tools/amalgamate.py")


class Failed(Exception):
    pass


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def must(*cmd, **kw):
    r = run(*cmd, **kw)
    if r.returncode != 0:
        raise Failed("%s: %s" % (" ".join(cmd), (r.stdout + r.stderr)[-1500:]))
    return r.stdout


def pack(root, tmp):
    """An archive as packaging/release.py makes it, of what CMake reads."""
    made, path = os.path.join(tmp, "amalgamation"), os.path.join(tmp, "nczarr-packed.tar.gz")
    must(sys.executable, os.path.join(root, "tools", "amalgamate.py"), made)
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        for name in PARTS_OF_TREE:
            tar.add(os.path.join(root, name), "nczarr/" + name)
        tar.add(made, "nczarr/amalgamation")
    return path


def make_project(folder, lists, root):
    os.makedirs(folder)
    files = {"CMakeLists.txt": lists, "in_c.c": PROGRAM % "nczarr.h", "in_cxx.cpp": PROGRAM % "nczarr.h", "netcdf.c": PROGRAM % "netcdf.h", "fortran.f90": FORTRAN}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    shutil.copy(os.path.join(root, "tests", "package", "codecs.c"), folder)


def build(folder, generator, *options, warnings="-Wall -Wextra -pedantic -Werror -ffast-math"):
    """The folder of the project's programs. That no value is NaN may hold for the project; it does not for the library."""
    at = os.path.join(folder, "built")
    must("cmake", "-G", generator, "-S", folder, "-B", at, "-DCMAKE_C_FLAGS=" + warnings, "-DCMAKE_CXX_FLAGS=" + warnings, *options)
    must("cmake", "--build", at, "--parallel", "2")
    return at


def try_programs(at, shared, env=None):
    bad = []
    for program in sorted(glob.glob(os.path.join(at, "*.exe"))):
        name = os.path.basename(program)
        if name.startswith("codecs"):
            continue
        r = run(program, os.path.join(at, name + ".zarr"), env=env)
        if r.returncode != 0 or not r.stdout.startswith("4."):
            bad.append("%s: exit %d: %s" % (program, r.returncode, (r.stdout + r.stderr)[-600:]))
        if ("libnczarr.so" in run("readelf", "-d", program).stdout) != shared:
            bad.append("%s links the other kind of library" % program)
    return bad


def fetched(root, tmp, archive, name, generator, options, shared=False, **kw):
    folder = os.path.join(tmp, name)
    make_project(folder, FETCHED % archive, root)
    return try_programs(build(folder, generator, *options, **kw), shared)


def leaves_subnormals(library):
    """With -ffast-math gcc links in what takes subnormal numbers for 0 in each program that loads the library: not here."""
    return ["%s changes how programs compute" % library] if "set_fast_math" in must("nm", library) else []


def takes_a_minute(root, tmp, archive):
    """As the how-to says it, without a build type: the library is optimised all the same, and has what is installed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    bad = fetched(root, tmp, archive, "plain", "Unix Makefiles", ["-DBUILD_SHARED_LIBS=ON"], shared=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("    a project with the library in it: %.0f s of processor time, %.0f s by the clock" % (seconds, time.monotonic() - began))
    flags = open(os.path.join(tmp, "plain", "built", "_deps", "nczarr-build", "CMakeFiles", "nczarr.dir", "flags.make"), encoding="utf-8").read()
    bad += [] if "-O2" in flags else ["without a build type it is not optimised"]
    bad += leaves_subnormals(os.path.join(tmp, "plain", "built", "_deps", "nczarr-build", "libnczarr.so"))
    return bad + (["a build took %.0f s of processor time" % seconds] if seconds > CPU_SECONDS else [])


def installed(root, tmp, kind):
    """cmake --install; find_package and pkg-config find it where it was moved to."""
    at, staged, moved = (os.path.join(tmp, kind + end) for end in ("-built", "-staged", " moved"))
    must("cmake", "-G", "Ninja", "-S", root, "-B", at, "-DBUILD_SHARED_LIBS=" + ("ON" if kind == "shared" else "OFF"), "-DCMAKE_BUILD_TYPE=Debug",
         "-DNCZARR_WITH_S3=OFF", "-DCMAKE_INSTALL_PREFIX=" + staged)
    must("cmake", "--build", at)
    must("cmake", "--install", at)
    os.rename(staged, moved)
    folder = os.path.join(tmp, "finds-" + kind)
    make_project(folder, FOUND % (kind, kind), root)
    bad = try_programs(build(folder, "Ninja", "-DCMAKE_PREFIX_PATH=" + moved), kind == "shared")
    other = "static" if kind == "shared" else "shared"
    make_project(os.path.join(tmp, "finds-no-" + other), FOUND % (other, other), root)
    r = run("cmake", "-S", os.path.join(tmp, "finds-no-" + other), "-B", os.path.join(tmp, "nothing-" + other), "-DCMAKE_PREFIX_PATH=" + moved)
    bad += [] if r.returncode != 0 and "it has a %s library" % kind in r.stderr else ["find_package finds a kind that is not there"]
    lib = os.path.dirname(glob.glob(os.path.join(moved, "lib*", "**", "libnczarr.*"), recursive=True)[0])
    prefix = must("pkg-config", "--variable=prefix", "nczarr", env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig"))).strip()
    bad += [] if os.path.exists(prefix.replace("\\ ", " ") + "/share/nczarr/fortran/nczarr.f90") else ["%s: no Fortran source at nczarr.pc's prefix: %s" % (kind, prefix)]
    words = must("pkg-config", "--static", "--cflags", "--libs", "nczarr", env=dict(os.environ, PKG_CONFIG_PATH=os.path.join(lib, "pkgconfig")))
    program = os.path.join(tmp, "by-pkg-config-" + kind)
    must("sh", "-c", 'cc "$0" -o "$1" ' + words, os.path.join(folder, "in_c.c"), program)
    r = run(program, program + ".zarr", env=dict(os.environ, LD_LIBRARY_PATH=lib))
    return bad + ([] if r.returncode == 0 else ["by pkg-config, %s: %s" % (kind, r.stderr[-300:])])


def checkout(root, tmp):
    """As a folder of the project: the file is made, one library is chosen, <netcdf.h> is there."""
    folder = os.path.join(tmp, "folder")
    make_project(folder, FOLDER % root, root)
    at = build(folder, "Ninja", "-DCMAKE_BUILD_TYPE=Debug")
    r = run(os.path.join(at, "codecs.c.exe"), "write", at, "zstd")
    return try_programs(at, False) + ([] if r.returncode == 0 else ["the codecs: " + r.stdout[-300:]])


def target(root, tmp):
    """A library that is a target of the project around: nczarr.pc has the name that linkers know."""
    folder = os.path.join(tmp, "target")
    make_project(folder, TARGET % root, root)
    must("cmake", "-S", folder, "-B", os.path.join(folder, "built"))
    pc = open(os.path.join(folder, "built", "nczarr", "nczarr.pc"), encoding="utf-8").read()
    words = pc.split("Libs.private:")[1].splitlines()[0].split()
    return [] if "-lzstd" in words and not any(":" in w or "their" in w for w in words) else ["with a target nczarr.pc has: %s" % " ".join(words)]


def refusals(root, tmp):
    """A library that is asked for and not there ends the configuration, with what to do; then that is done. A misspelt value."""
    command = ["cmake", "-S", root, "-B", os.path.join(tmp, "refused"), "-DNCZARR_WITH=OFF", "-DNCZARR_WITH_ZSTD=ON"]
    r = run(*command, "-DNCZARR_ZSTD_LIBRARY=/nowhere/libzstd.so")
    text = " ".join(r.stderr.split())
    wanted = ("NCZARR_WITH_ZSTD is ON", "ZSTD_compress() of <zstd.h>", "NCZARR_ZSTD_LIBRARY", "NCZARR_WITH_ZSTD=OFF")
    bad = ["its absence is not told: %s" % text[-600:]] if r.returncode == 0 or not all(w in text for w in wanted) else []
    must(*command, "-UNCZARR_ZSTD_LIBRARY")
    r = run(*command, "-DNCZARR_WITH_LZ4=AUOT")
    return bad + (["a misspelt value is not refused"] if r.returncode == 0 or 'NCZARR_WITH_LZ4 is "AUOT"' not in r.stderr else [])


def problems(root, short):
    """All complaints; none: projects can take it. `short`: one of them, static, with zlib alone and not optimised."""
    if shutil.which("cmake") is None or shutil.which("g++") is None:
        return ["cmake or g++ is not installed: ./dev setup package"]
    tmp = tempfile.mkdtemp()
    try:
        archive = pack(root, tmp)
        bad = fetched(root, tmp, archive, "static", "Ninja", ["-DCMAKE_BUILD_TYPE=Debug", "-DNCZARR_WITH=OFF"])
        if not short:
            bad += takes_a_minute(root, tmp, archive)
            bad += fetched(root, tmp, archive, "sanitized", "Ninja", ["-DCMAKE_BUILD_TYPE=Debug"],
                           warnings="-fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Werror")
            bad += checkout(root, tmp) + target(root, tmp) + refusals(root, tmp) + installed(root, tmp, "static") + installed(root, tmp, "shared")
        return bad
    except Failed as why:
        return [str(why)]
    finally:
        shutil.rmtree(tmp)


if __name__ == "__main__":
    found = problems(os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")), "--short" in sys.argv)
    print("\n".join(found) or "all right")
    sys.exit(bool(found))
