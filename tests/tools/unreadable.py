#!/usr/bin/env python3
"""Datasets that are broken in one place, as the commands show them: an error or a warning, never fill in silence.

usage: unreadable.py TOOLS     (the folder of the built commands)
"""
import os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases

tools = os.path.abspath(sys.argv[1])
NOBODY = 65534

CDL = """netcdf t { dimensions: n = 4 ; variables: int v(n) ; v:_ChunkSizes = 2 ; int w(n) ; data: v = 1, 2, 3, 4 ; w = 5, 6, 7, 8 ;
  group: g { variables: int x(n) ; data: x = 1, 2, 3, 4 ; } }
"""


def run(command, *args, nobody=False, **kw):
    def become_nobody():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)

    return subprocess.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120,
                          preexec_fn=become_nobody if nobody else None, **kw)


def edit(path, before, after):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if before not in text:
        raise ValueError("no %s in %s" % (before, text))
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(before, after))


def directory(d):
    os.remove(d + "/v/1")
    os.mkdir(d + "/v/1")


def dangling(d):
    os.remove(d + "/v/1")
    os.symlink("nowhere", d + "/v/1")


def negative(d):
    edit(d + "/v/.zarray", '"shape": [4]', '"shape": [-4]')


def no_chunks(d):
    edit(d + "/v/.zarray", '"chunks": [2]', '"chunks": [0]')


def huge_element(d):
    edit(d + "/v/.zarray", '"<i4"', '"<U1073741824"')
    edit(d + "/v/.zarray", "-2147483647", "null")


def link_out(d):
    os.rename(d + "/v", d + "-v")
    os.symlink("../" + os.path.basename(d) + "-v", d + "/v")


def write(name, text):
    def damage(d):
        with open(d + "/" + name, "w", encoding="utf-8") as f:
            f.write(text)

    return damage


def forbid(name):
    return lambda d: os.chmod(d + "/" + name, 0)


# What is done, the mode, options of nczdump, its status and what it says, what it still prints, and that of nczcopy.
ROWS = (
    ("a directory for a chunk", "nczarr", directory, [], 1, "/v: t.zarr/v/1: is a directory, where a file should be", "w = 5", 1),
    ("the same, its chunks", "nczarr", directory, ["--chunks"], 1, "/v: t.zarr/v/1: is a directory", "/w  int", 1),
    ("a link to nothing", "nczarr", dangling, [], 1, "/v: t.zarr/v/1: is a link to a file that does not exist", "w = 5", 1),
    ("a negative shape", "nczarr", negative, ["-h"], 1, '"shape" is missing or no list of lengths', "// left out", 1),
    ("chunks of nothing", "nczarr", no_chunks, ["-h"], 1, '"chunks" is missing or does not fit the shape', "// left out", 1),
    ("an element of 4 GiB", "nczarr", huge_element, [], 1, "(limit `element_bytes`)", "w = 5", 1),
    ("a variable's directory leads out", "zarr", link_out, [], 1, "/v: t.zarr/v/.zgroup: a link leads out of the dataset", "w = 5", 1),
    ("consolidated metadata", "nczarr,consolidated", write(".zmetadata", "{"), [], 0,
     "t.zarr: warning: .zmetadata: line 1 column 2", "v = 1, 2, 3, 4", 0),
    ("the root's .zgroup", "nczarr", write(".zgroup", "{"), [], 0, "t.zarr: warning: .zgroup: line 1", "v = 1, 2, 3, 4", 0),
    ("a group's document", "v3", write("g/zarr.json", "{"), [], 0, "t.zarr: warning: g/zarr.json: line 1", "x = 1", 0),
    ("no permission for .zarray", "nczarr", forbid("v/.zarray"), [], 1, "v/.zarray: cannot be opened: Permission", "w = 5", 1),
    ("no permission for a group", "zarr", forbid("g"), [], 1, "/g: t.zarr/g/.zgroup: cannot be opened: Permission", "w = 5", 1),
)


def check(at, name, mode, damage, options, status, says, prints, copied):
    problems = []
    path = at + "/t.zarr"
    nobody = "permission" in name and os.geteuid() == 0
    r = run("nczgen", "-o", "t.zarr#mode=" + mode, input=CDL, cwd=at)
    if r.returncode != 0:
        return [r.stderr]
    if nobody:
        os.chmod(at, 0o777)
    damage(path)
    try:
        r = run("nczdump", "-n", "t", *options, "t.zarr", cwd=at, nobody=nobody)
    except PermissionError:
        return []  # nobody may not run the commands where they are
    if r.returncode != status or says not in r.stderr.replace("/v: v/", "/v: t.zarr/v/") or prints not in r.stdout:
        problems.append("nczdump: %d, %r, %r" % (r.returncode, r.stderr, r.stdout))
    r = run("nczcopy", "t.zarr", "copy.zarr", cwd=at, nobody=nobody)
    if r.returncode != copied or (says.split("t.zarr")[-1] not in r.stderr.replace("/v: v/", "/v: t.zarr/v/")):
        problems.append("nczcopy: %d, %r" % (r.returncode, r.stderr))
    return problems


def zipped(at, damage, says):
    """The same in an archive that has links as links, and an entry for each directory."""
    r = run("nczgen", "-o", "t.zarr#mode=nczarr", input=CDL, cwd=at)
    damage(at + "/t.zarr")
    if shutil.which("zip") is None:
        return []
    subprocess.run(["zip", "-qry", "../t.zip", "."], cwd=at + "/t.zarr", check=True)
    r = run("nczdump", "t.zip", cwd=at)
    return [] if r.returncode == 1 and says in r.stderr and "w = 5" in r.stdout else ["%d, %r" % (r.returncode, r.stderr)]


for row in ROWS:
    with tempfile.TemporaryDirectory() as d:
        cases.report(row[0], check(d, *row))
for damage, says in ((directory, "v/1: is a directory, where a file should be"), (dangling, "v/1 is a link")):
    with tempfile.TemporaryDirectory() as d:
        cases.report("in an archive: " + damage.__name__, zipped(d, damage, says))
sys.exit(cases.total())
