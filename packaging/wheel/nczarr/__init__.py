"""nczarr: netCDF on Zarr. This package has the commands nczdump, nczgen, nczcopy and nczmap, the shared library and its
headers; it has no Python interface yet. What compiles and links a C program:

    cc prog.c $(python3 -m nczarr)
"""
import os

__version__ = "@VERSION@"
_HERE = os.path.dirname(os.path.abspath(__file__))


def include():
    """The folder of nczarr.h; netcdf.h is in nczarr/compat below it."""
    return os.path.join(_HERE, "include")


def library():
    """The path of the shared library."""
    return os.path.join(_HERE, "lib", "libnczarr.so.0")
