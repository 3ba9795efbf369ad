"""The ways to the library from a bare Debian: what is installed first, and what a newcomer types. In /mnt are the archive
of a release and program.c; the last line that is written is the program's."""

OUTPUT = "1 2 3"
COMPILER = "gcc libc6-dev zlib1g-dev"

CMAKE = """
mkdir /root/model && cd /root/model && cp /mnt/program.c .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(model C)
include(FetchContent)
FetchContent_Declare(nczarr URL file:///mnt/{archive})
FetchContent_MakeAvailable(nczarr)
add_executable(program program.c)
target_link_libraries(program PRIVATE nczarr::nczarr)
END
cmake -B build
cmake --build build --parallel 2
build/program
"""

FORTRAN = """
mkdir /root/model && cd /root/model
cat >program.f90 <<'END'
program main
  use netcdf
  implicit none
  integer :: ncid, dim, var, values(3) = [1, 2, 3]
  call check(nf90_create('program.zarr', nf90_netcdf4, ncid))
  call check(nf90_def_dim(ncid, 'x', 3, dim))
  call check(nf90_def_var(ncid, 'v', nf90_int, [dim], var))
  call check(nf90_put_var(ncid, var, values))
  call check(nf90_close(ncid))
  values = 0
  call check(nf90_open('program.zarr', nf90_nowrite, ncid))
  call check(nf90_get_var(ncid, var, values))
  print '(i0, 1x, i0, 1x, i0)', values
contains
  subroutine check(status)
    integer, intent(in) :: status
    if (status /= nf90_noerr) error stop 1
  end subroutine check
end program main
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.14)
project(model C Fortran)
include(FetchContent)
set(NCZARR_FORTRAN ON)
FetchContent_Declare(nczarr URL file:///mnt/{archive})
FetchContent_MakeAvailable(nczarr)
add_executable(program program.f90)
target_link_libraries(program PRIVATE nczarr::fortran)
END
cmake -B build
cmake --build build --parallel 2
build/program
"""

ONE_FILE = """
cd /root && cp /mnt/program.c .
tar -xzf /mnt/{archive} --strip-components=1
cc ${CFLAGS:--O2} -Iinclude -Iamalgamation program.c amalgamation/nczarr.c -o program -lz -lm -lpthread
./program
"""

# Without dpkg-dev Meson takes lib64, where Debian's linker and pkg-config do not look.
MESON = """
cd /root && cp /mnt/program.c .
tar -xzf /mnt/{archive}
meson setup build {name} --libdir=lib
meson install -C build
ldconfig
cc program.c -o program $(pkg-config --cflags --libs nczarr)
./program
nczdump program.zarr | grep 'v = 1, 2, 3'
./program
"""

WRAP = """
mkdir -p /root/model/subprojects && cd /root/model && cp /mnt/program.c .
cat >subprojects/nczarr.wrap <<'END'
[wrap-file]
directory = {name}
source_url = file:///mnt/{archive}
source_filename = {archive}
source_hash = {sha256}

[provide]
dependency_names = nczarr
END
cat >meson.build <<'END'
project('model', 'c')
executable('program', 'program.c', dependencies: dependency('nczarr'))
END
meson setup build -Ddefault_library=static -Dnczarr:tools=false
ninja -C build program
build/program
"""

WAYS = (  # name, what it shows, packages, script
    ("cmake", "a project of CMake's fetches the archive", "cmake make " + COMPILER, CMAKE),
    ("fortran", "the same with the module netcdf, in Fortran", "cmake make gfortran " + COMPILER, FORTRAN),
    ("one-file", "the one file, with one line of cc", COMPILER, ONE_FILE),
    ("meson", "built and installed by Meson, found by pkg-config", "meson ninja-build pkg-config " + COMPILER, MESON),
    ("wrap", "a project of Meson's has a wrap of the archive", "meson ninja-build pkg-config " + COMPILER, WRAP),
)
