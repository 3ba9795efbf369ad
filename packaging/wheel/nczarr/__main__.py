"""Prints what compiles and links a C program with this library."""
import os

from nczarr import include, library

print("-I%s %s -Wl,-rpath,%s -Wl,--allow-shlib-undefined" % (include(), library(), os.path.dirname(library())))
