#!/usr/bin/env python3
"""Brings packaging/debian/libnczarr0.symbols in line with tests/package/symbols.txt.

usage: debian_symbols.py [--check]

A function that is new gets the version of meson.build, as the one that programs with it need; the others keep theirs.
--check: writes nothing, and fails if there is something to write.
"""
import os, re, sys

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
listed = os.path.join(root, "tests", "package", "symbols.txt")
symbols = os.path.join(root, "packaging", "debian", "libnczarr0.symbols")
HEAD = "libnczarr.so.0 libnczarr0 #MINVER#\n* Build-Depends-Package: libnczarr-dev\n"
NODE = "NCZARR_0"  # in src/nczarr.map
DATA = ["ncerr", "ncopts"]  # netCDF 2's variables


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def make():
    version = re.search(r"version: '([^']+)'", read(os.path.join(root, "meson.build"))).group(1)
    since = dict(re.findall(r"^ (\w+)@%s (\S+)$" % NODE, read(symbols), re.M))
    names = [l for l in read(listed).splitlines() if not l.startswith("#")] + DATA + [NODE]
    return HEAD + "".join(" %s@%s %s\n" % (n, NODE, since.get(n, version)) for n in sorted(names))


def main(args):
    if args not in ([], ["--check"]):
        sys.exit(__doc__)
    text = make()
    if text == read(symbols):
        return
    if args:
        sys.exit("packaging/debian/libnczarr0.symbols is not what tests/package/symbols.txt gives: run packaging/debian_symbols.py")
    with open(symbols, "w", encoding="utf-8") as out:
        out.write(text)


main(sys.argv[1:])
