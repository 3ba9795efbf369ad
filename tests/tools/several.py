#!/usr/bin/env python3
"""Several files as one, by the commands: more of them than a process may have open, sets of references to them, aggregations, and
what is refused by name.

usage: several.py TOOLS     (the folder of the built commands)
"""
import json, os, resource, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
FILES = 120


def run(command, *args, files=None):
    """`files`: how many the process may have open."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120,
                        **({"preexec_fn": limit} if files else {}))


def make(name, first, coordinate="time", step=1):
    text = """netcdf x { dimensions: %(c)s = UNLIMITED ; x = 4 ; variables: double %(c)s(%(c)s) ; float v(%(c)s, x) ;
      v:_ChunkSizes = 1, 4 ; v:_DeflateLevel = 1 ; data: %(c)s = %(a)d, %(b)d ; v = %(v)s ; }"""
    with open("x.cdl", "w") as f:
        f.write(text % {"c": coordinate, "a": first, "b": first + step, "v": ", ".join(str(8 * first + i) for i in range(8))})
    made = run("nczgen", "-k", "nc4", "-o", name, "x.cdl")
    assert made.returncode == 0, made.stderr


def values(path, name):
    r = run("nczdump", "-v", name, path)
    return r.stderr if r.returncode else [float(x) for x in r.stdout.split("data:")[-1].split("=")[-1].strip(" \n};").split(",")]


def many():
    """The same set, whatever may be open, and the same values."""
    names = ["f%03d.nc" % i for i in range(FILES)]
    for i, name in enumerate(names):
        make(name, 2 * i)
    want = [float(i) for i in range(2 * FILES)]
    texts = set()
    for files in (None, 256, 40):
        r = run("nczcopy", "--references", "--inline", "0", "--verify", "--concat", "time", *names, "all.json", files=files)
        report("%d files are a set, with %s open" % (FILES, files or "any"),
               r.stderr if r.returncode else None if values("all.json", "time") == want else "other times")
        with open("all.json") as f:
            texts.add(f.read())
        r = run("nczcopy", "--verify", "--along", "time", *names, "all.zarr", files=files)
        report("and a copy", r.stderr if r.returncode else None if values("all.zarr", "time") == want else "other times")
        shutil.rmtree("all.zarr", ignore_errors=True)
    refs = json.loads(texts.pop())["refs"]
    report("it is the same set", "%d more" % len(texts) if texts else None if refs["v/5.0"][0] == "f002.nc" else str(refs["v/5.0"]))
    report("and has the values", None if values("all.json", "v") == [float(16 * i + k) for i in range(FILES) for k in range(8)] else "others")
    os.remove(names[60])
    r = run("nczcopy", "--references", *names, "none.json")
    report("a file that is not there is named", None if r.returncode and names[60] in r.stderr and not os.path.exists("none.json") else r.stderr)


def refused():
    make("a.nc", 0)
    make("b.nc", 2)
    cdl = "netcdf x { dimensions: y = 2 ; variables: int v(y) ; data: v = 1, 2 ; }"
    for name in ("p.nc", "q.nc"):
        with open("y.cdl", "w") as f:
            f.write(cdl)
        run("nczgen", "-k", "nc4", "-o", name, "y.cdl")
    for args, said in (
            (("nczcopy", "--aggregate", "--verify", "a.nc", "b.nc", "ab.nc"), "--aggregate: says where values lie"),
            (("nczcopy", "--aggregate", "--references", "a.nc", "b.nc", "ab.nc"), "not with --references"),
            (("nczcopy", "p.nc", "q.nc", "pq.zarr"), "--along NAME"),
            (("nczcopy", "--references", "p.nc", "q.nc", "pq.json"), "--along NAME"),
            (("nczdump", "--tree", "p.nc", "q.nc"), "--along NAME"),
            (("nczmap", "a.nc", "b.nc"), "b.nc: a second store: nczmap shows the objects of one"),
            (("nczmap", "*.nc#mode=join"), "name one of them"),
            (("nczmap", "a.nc", "lst"), "no such command: lst")):
        r = run(*args)
        report(" ".join(args), None if r.returncode and said in r.stderr else "exit %d: %s" % (r.returncode, r.stdout + r.stderr))
    report("nothing is left of what was refused", [n for n in os.listdir(".") if n.startswith(("ab.", "pq."))])
    r = run("nczcopy", "--aggregate", "a.nc", "b.nc", "ab.nc")
    report("an aggregation is written", r.stderr if r.returncode else None if values("ab.nc", "time") == [0, 1, 2, 3] else "other times")


def trees():
    """--tree of a set of references: its kind, and the bytes that it holds and refers to, of files that are gone, too."""
    for n in (0, 2):
        make("t%d.nc" % n, n)
    array = json.dumps({"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "compressor": None, "filters": None, "fill_value": 0, "order": "C"})
    with open("own.json", "w") as f:
        json.dump({"version": 1, "refs": {".zgroup": '{"zarr_format": 2}', "g/.zgroup": '{"zarr_format": 2}', "g/a/.zarray": array, "b/.zarray": array,
                                          "g/a/0": ["gone.nc", 100, 8], "g/a/1": ["gone.nc", 8, 8], "b/0": "base64:AAAAAAAAAAA="}}, f)
    made = run("nczcopy", "--references", "--inline", "0", "t0.nc", "t2.nc", "t.json")
    report("a set of two files", made.stderr)
    for options in ((), ("--sizes",)):
        for name, lines in (("own.json", ("own (kerchunk)", "24 bytes", "a  int (_Anonymous_Dim_4=4)  16 bytes  1.0×", "b  int (_Anonymous_Dim_4=4)  8 bytes  chunks 2")),
                            ("t.json", ("t (kerchunk)", "time=4, x=4", "time  double (time=4)      32 bytes  1.0×  chunks 4", "v     float (time=4, x=4)", "chunks 1×4  zlib"))):
            r = run("nczdump", "--tree", *options, name)
            missing = [line for line in lines if line not in r.stdout]
            report("--tree %s %s" % (" ".join(options), name), None if r.returncode == 0 and not missing else "%s of\n%s%s" % (missing, r.stdout, r.stderr))


def descending():
    """Coordinates that descend within the files descend where these are joined."""
    for name, first in (("l1.nc", -10), ("l2.nc", 80), ("l3.nc", 40)):
        make(name, first, "lat", -10)
    want = [80, 70, 40, 30, -10, -20]
    report("descending latitudes", None if values("l?.nc#mode=join&along=lat", "lat") == want else str(values("l?.nc#mode=join&along=lat", "lat")))
    for options, name in ((("--references",), "l.json"), (("--aggregate",), "l.nc"), ((), "l.zarr")):
        r = run("nczcopy", *options, "--along", "lat", "l1.nc", "l2.nc", "l3.nc", name)
        got = r.stderr if r.returncode else values(name, "lat")
        report("and in " + name, None if got == want else str(got))


folder = tempfile.mkdtemp()
try:
    os.chdir(folder)
    for case in (many, refused, trees, descending):
        os.makedirs(case.__name__)
        os.chdir(case.__name__)
        case()
        os.chdir("..")
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(cases.total())
