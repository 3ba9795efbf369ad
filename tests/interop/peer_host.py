#!/usr/bin/env python3
"""Runs scripts with one peer's Python, each in a child of its own. The libraries are imported once, before: that takes
longer than most of the scripts.

usage: peer_host.py OUTPUT ERRORS      run with the peer's Python. A line of stdin is a list in JSON, as after `python`:
["-W", "ignore", "-c", CODE, ...] or [SCRIPT, ...]. What the script prints is then in the two files, and a line of
stdout is its exit status (negative: the signal that ended it).
"""
import json, os, runpy, signal, sys, traceback, warnings

MODULES = ("numpy", "numcodecs", "zarr", "netCDF4", "xarray")  # none of them starts a thread that a child would lack
LIMIT = 300  # seconds


def run_words(words):
    if words[0] == "-W":
        warnings.simplefilter(words[1])
        words = words[2:]
    sys.argv = words[1:] if words[0] == "-c" else words
    if words[0] == "-c":
        sys.argv[0] = "-c"
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")


def in_child(words, output, errors):
    status = 1
    signal.alarm(LIMIT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for fd, path in ((1, output), (2, errors)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), fd)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
    try:
        run_words(words)
        status = 0
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else int(e.code is not None)
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main():
    for name in MODULES:
        try:
            __import__(name)
        except ImportError:
            pass
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            in_child(json.loads(line), *sys.argv[1:3])
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


main()
