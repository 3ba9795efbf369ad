"""The cases of a test that is a script: a line for each, the first problems of one that failed, and the totals."""
import os, sys, threading

MOST_PROBLEMS, MOST_LENGTH = 20, 900
# Of Pythons that a script starts: where modules that were compiled are kept, which is not beside the sources.
BYTECODE = {n: v for n, v in [("PYTHONPYCACHEPREFIX", os.environ.get("PYTHONPYCACHEPREFIX"))] if v} or {"PYTHONDONTWRITEBYTECODE": "1"}
_lock = threading.Lock()
_passed = _failed = 0


def report(name, problems, more=0):
    """`problems`: a list, a text, or nothing when the case passed. `more`: other cases that this one includes."""
    global _passed, _failed
    lines = [problems] if problems and isinstance(problems, str) else [str(p) for p in problems or ()]
    with _lock:
        _passed += more + (not lines)
        _failed += bool(lines)
        print("[%s] %s" % ("  FAILED  " if lines else "       OK ", name))
        for line in lines[:MOST_PROBLEMS]:
            print("    " + line[:MOST_LENGTH])
        sys.stdout.flush()


def drawn(items, parts, more=0):
    """In a short run every `parts`-th, chosen by the seed, so that as many runs have all; else all. `more`: what else
    moves the first of them."""
    items = list(items)
    if "NCZARR_TEST_SHORT" not in os.environ:
        return items
    return items[(int(os.environ.get("NCZARR_TEST_SEED", "0")) // 2 + more) % parts::parts]


def status():
    """The exit status of the script so far."""
    return int(_failed != 0)


def total():
    """Prints `N passed, N failed`, and returns the exit status."""
    print("%d passed, %d failed" % (_passed, _failed))
    return status()
