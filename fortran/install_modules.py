#!/usr/bin/env python3
"""Installs the modules of a compiler.

usage: install_modules.py BUILT FOLDER      from where they were built, as a script of `meson install`
"""
import glob, os, shutil, sys

built, folder = sys.argv[1:]
folder = os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], os.path.relpath(folder, os.environ["MESON_INSTALL_PREFIX"]))
os.makedirs(folder, exist_ok=True)
for path in glob.glob(os.path.join(built, "*.mod")):
    shutil.copy(path, folder)
