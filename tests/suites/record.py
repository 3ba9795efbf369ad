"""What ./dev test --all has found of each part, and whether that still holds for the last commit.

A run of --all notes each part in build/tested-all.json, which begins as a copy of tests/suites/tested.json: so the parts
may run on several days and machines, once the first file has been copied over the second and committed. What a part found
of one commit holds for a later one while no file has changed that the part looks at; of a C file comments do not count.
"""
import functools, json, os, re, subprocess

import parts

HERE, KEPT = ("build", "tested-all.json"), ("tests", "suites", "tested.json")
# Files that only some parts look at: the beginning of a path, or its end. What is in no row is looked at by all.
READERS = {"check", "docs", "package"}  # of the text of the whole tree
COMPILED = {p.name for p in parts.PARTS if any(isinstance(s, parts.Meson) for s in p.steps)} | {"fuzz", "s3"}
EVERY = {p.name for p in parts.PARTS}
BEGINNINGS = {
    "CMakeLists.txt": {"packages"}, "tools/amalgamate.py": {"packages", "windows"},
    "docs/examples/": EVERY, "docs/": set(), "tests/suites/record.py": set(), "src/platform/platform_windows": {"windows"}, "fortran/netcdf.inc": {"fortran"},
    "fortran/netcdf77.f90": {"fortran"}, "fortran/generate77.py": {"fortran"}, "fortran/": {"fortran", "programs", "mpi", "packages"},
    **{"packaging/%s/" % kind: {"packages"} for kind in ("conan", "conda", "debian", "spack", "wheel")},
    "packaging/": {"packages", "windows", "macos", "mpi", "fortran"},
    "tests/bench/": {"bench", "asan", "mpi"}, "tests/docs/": set(), "tests/fortran/": {"fortran"},
    "tests/interop/": {"peers", "programs"}, "tests/machines/": {"i386", "musl", "s390x", "macos"}, "tests/matrix/": {"matrix"},
    "tests/mpi/": {"mpi", "fortran", "programs"}, "tests/netcdf4/": {"netcdf4"}, "tests/package/": {"packages"}, "tests/packages/": {"packages"},
    "tests/programs/": {"programs", "fortran", "mpi"}, "tests/systems/": {"windows", "macos"}, "tests/virtual/": {"virtual", "hdf4"},
    **{"tests/%s/" % m: COMPILED for m in parts.MODULES if m != "s3"},
}
ENDS = {".md": set(), ".cff": set()}
# In C: blanks and comments; a text or a character, in which there are none.
COMMENT = r"/\*.*?\*/|//(?:\\\n|[^\n])*"
BETWEEN = re.compile(r'((?:\s|%s)+)|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'' % COMMENT, re.S)


def load(tree, *path):
    try:
        with open(os.path.join(tree, *path), encoding="utf-8") as f:
            return json.load(f)["parts"]
    except (OSError, ValueError, KeyError):
        return {}


def known(tree):
    """What is known of each part: its commit, how many checks passed and failed, and what was left out."""
    return {**load(tree, *KEPT), **load(tree, *HERE)}


def write(tree, found):
    parts_now = {**known(tree), **found}
    with open(os.path.join(tree, *HERE), "w", encoding="utf-8") as f:
        json.dump({"parts": parts_now}, f, indent=1, sort_keys=True)
        f.write("\n")


def compiled(text):
    """What a compiler sees of C: blanks and comments are one blank, or the end of a line."""
    def shorten(match):
        return "\n" if "\n" in re.sub(COMMENT, "", match[1], flags=re.S) else " "

    return BETWEEN.sub(lambda m: shorten(m) if m[1] else m[0], text).strip()


@functools.cache
def only_comments(tree, commit, path):
    """Whether it is a C file whose comments alone have changed since a commit."""
    if not path.endswith((".c", ".h")):
        return False
    then, now = (subprocess.run(["git", "-C", tree, "show", "%s:%s" % (c, path)], capture_output=True, text=True) for c in (commit, "HEAD"))
    return then.returncode == 0 and now.returncode == 0 and compiled(then.stdout) == compiled(now.stdout)


def readers(tree, commit, path):
    """The parts that look at what has changed of a file since a commit, or None: all do."""
    if path == "/".join(KEPT):
        return set()
    if only_comments(tree, commit, path):
        return READERS
    for words, match in ((BEGINNINGS, path.startswith), (ENDS, path.endswith)):
        for word, names in words.items():
            if match(word):
                return names | READERS
    return None


def changed(tree, commit):
    """The files that have changed since a commit that the last one follows, or None: it does not follow it."""
    git = ["git", "-C", tree]
    if subprocess.run(git + ["merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True).returncode != 0:
        return None
    r = subprocess.run(git + ["diff", "--name-only", "--no-renames", "-z", commit, "HEAD"], capture_output=True, text=True)
    return [path for path in r.stdout.split("\0") if path] if r.returncode == 0 else None


def problem(tree, name, found):
    """Why what was found of a part does not vouch for the last commit, or None."""
    part, call = found.get(name), "./dev test --all %s" % name
    if part is None:
        return "%s has not passed" % call
    if not part["passed"] and not part["failed"]:
        return "%s: nothing was run" % call
    if part["failed"]:
        return "%s: %d failed" % (call, part["failed"])
    if part["left_out"]:
        return "%s: left out: %s" % (call, ", ".join(part["left_out"]))
    paths = changed(tree, part["commit"])
    if paths is None:
        return "%s passed with another commit: %s" % (call, part["commit"])
    stale = [path for path in paths if (names := readers(tree, part["commit"], path)) is None or name in names]
    return "%s: %s has changed since it passed (%s)" % (call, stale[0], part["commit"][:12]) if stale else None


def problems(tree):
    """Why `./dev test --all`, whole or by parts, does not vouch for the last commit."""
    found = known(tree)
    return [why for part in parts.PARTS if (why := problem(tree, part.name, found))]
