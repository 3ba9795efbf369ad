"""The commands, as entry points: each becomes the program in bin/."""
import os
import sys


def _become(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", name)
    os.execv(path, [name] + sys.argv[1:])


def nczdump():
    _become("nczdump")


def nczgen():
    _become("nczgen")


def nczcopy():
    _become("nczcopy")


def nczmap():
    _become("nczmap")
