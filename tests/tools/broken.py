#!/usr/bin/env python3
"""Variables that cannot be read, and names that a terminal could take for a command: what nczdump prints of them, and
what counts for its exit status; what an interrupted nczcopy --in-place leaves.

usage: broken.py TOOLS     (the folder of the built commands)
"""
import json, os, pty, re, shutil, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-broken-")
os.chdir(tmp)


def run(tool, *args, **kw):
    return programs.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, timeout=300, **kw)


def on_terminal(tool, *args):
    """What the command prints on a terminal, both of its streams."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["LC_ALL"] = "C.UTF-8"
        os.execv(os.path.join(tools, tool), [tool] + list(args))
    out = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        out += more
    os.close(fd)
    os.waitpid(pid, 0)
    return out.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def expect(problems, what, got, wanted):
    if got != wanted:
        problems.append("%s: %r, not %r" % (what, got, wanted))


def put(path, doc):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(doc if isinstance(doc, str) else json.dumps(doc))


def make(name, variables, atts=None):
    """A pure Zarr v2 dataset; variables: name -> (changes of .zarray, .zattrs)."""
    shutil.rmtree(name, ignore_errors=True)
    put(name + "/.zgroup", {"zarr_format": 2})
    put(name + "/.zattrs", atts or {})
    for v, (change, own) in variables.items():
        doc = {"zarr_format": 2, "shape": [2, 3], "dtype": "<i4", "chunks": [1, 3], "fill_value": 0, "order": "C",
               "compressor": None, "filters": None}
        put("%s/%s/.zarray" % (name, v), change if isinstance(change, str) else dict(doc, **change))
        put("%s/%s/.zattrs" % (name, v), own or {"_ARRAY_DIMENSIONS": ["y", "x"]})


# ---- variables that cannot be read ----

CASES = {"a dtype that netCDF lacks": ({"dtype": "<f9"}, 'netCDF has no type for dtype "<f9"', True),
         "a codec that is not known": ({"compressor": {"id": "pcodec"}}, "codec 'pcodec'", True),
         "a negative length": ({"shape": [2, -3]}, '"shape"', False),
         "a chunk of no length": ({"chunks": [1, 0]}, '"chunks"', False),
         "a document that is no JSON": ('{"zarr_format"; 2}', "line 1", False)}
for name, (change, why, known) in CASES.items():
    bad = []
    make("b.zarr", {"good": ({}, None), "odd": (change, None)})
    r = run("nczdump", "--tree", "b.zarr")
    line = [l for l in r.stdout.splitlines() if "odd" in l][0]
    expect(bad, "--tree", (r.returncode, why in line, why in r.stderr), (1, True, True))
    expect(bad, "what is known", "chunks 1" in line or "bytes" in line, known)
    r = run("nczdump", "--chunks", "b.zarr")
    expect(bad, "--chunks", (r.returncode, why in r.stdout, "/good  int 2" in r.stdout), (1, True, True))
    expect(bad, "nothing is made up", "unknown" in r.stdout or "0 of 1 chunk " in r.stdout, False)
    r = run("nczdump", "--chunks=json", "b.zarr")
    odd = [v for v in json.loads(r.stdout)["variables"] if v["variable"] == "/odd"][0]
    expect(bad, "--chunks=json", (r.returncode, why in odd["error"], "shape" in odd), (1, True, known))
    for options in (["-v", "good"], ["-v", "good", "--json"], ["-h", "-v", "good"]):
        r = run("nczdump", *options, "b.zarr")
        expect(bad, " ".join(options), (r.returncode, r.stderr), (0, ""))
    r = run("nczdump", "-v", "odd", "b.zarr")
    expect(bad, "-v odd", (r.returncode, why in r.stderr), (1, True))
    report(name, bad)

bad = []
run("nczgen", "-o", "s.zarr", "-", input="netcdf s { dimensions: t = 2 ; y = 2 ; x = 3 ; variables: int t(t, y, x) ; "
    "data: t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; }")
for subscripts, wanted in (("1", [[[6, 7, 8], [9, 10, 11]]]), ("0,1", [[[3, 4, 5]]]),
                           (":,0", [[[0, 1, 2]], [[6, 7, 8]]]),
                           ("1,1,2", [[[11]]])):
    r = run("nczdump", "--json", "-v", "t[%s]" % subscripts, "s.zarr")
    expect(bad, subscripts, json.loads(r.stdout)["variables"]["t"]["data"] if r.returncode == 0 else r.stderr, wanted)
expect(bad, "too many", run("nczdump", "-v", "t[1,1,1,1]", "s.zarr").returncode, 1)
report("fewer subscripts than dimensions", bad)

# ---- names ----

ESC, CSI, RLO = "\x1b", "\u009b", "\u202e"
SAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORMS = [[], ["-h"], ["-t"], ["--stats"], ["--tree"], ["--chunks"], ["--json"], ["-x"], ["-b", "c"], ["-f", "c"],
         ["-s"], ["--chunks=json"], ["--list=vars"], ["--list=dims"], ["-v", "v", "--damaged=fill"], ["--check"]]
make("n.zarr", {"v": ({}, {"_ARRAY_DIMENSIONS": [ESC + "c", "x" + CSI + "y"], "u" + RLO: RLO + "value" + CSI}),
                "w" + CSI + "2J": ({"dtype": "<f9"}, {"_ARRAY_DIMENSIONS": ["p" + RLO, "q"], ESC + "[2J": 1})},
     {"g" + CSI: ["a" + RLO, "b"], "bell\x07": "x"})
os.makedirs("n.zarr/inner" + RLO)
put("n.zarr/inner" + RLO + "/.zgroup", {"zarr_format": 2})
for options in FORMS:
    text = on_terminal("nczdump", "--color", "never", *options, "n.zarr")
    hits = SAFE.findall(text)
    report("on a terminal: nczdump " + " ".join(options), "%r in %r" % (hits, text) if hits or not text else None)
text = on_terminal("nczcopy", "-q", "--zarr-format", "3", "n.zarr", "o.zarr")
hits = SAFE.findall(text)
report("on a terminal: messages of nczcopy", "%r in %r" % (hits, text) if hits or "--skip-unreadable" not in text else None)

bad = []
make("r.zarr", {"v" + CSI: ({}, {"_ARRAY_DIMENSIONS": ["a" + CSI + "0", "b" + RLO], "u" + RLO: "v" + CSI})},
     {"g" + CSI: "x" + RLO})
plain = run("nczdump", "-n", "r", "r.zarr").stdout
expect(bad, "not on a terminal", (CSI in plain, RLO in plain, "\\x" in plain), (True, True, False))
shown = on_terminal("nczdump", "--color", "never", "-n", "r", "r.zarr")
expect(bad, "on a terminal", ("\\xc2\\x9b" in shown, "\\xe2\\x80\\xae" in shown), (True, True))
for what, text in (("a file", plain), ("a terminal", shown)):
    shutil.rmtree("again.zarr", ignore_errors=True)
    r = run("nczgen", "-o", "again.zarr", "-", input=text)
    expect(bad, "nczgen takes what went to " + what, (r.returncode, r.stderr), (0, ""))
    expect(bad, "... and it is the same", run("nczdump", "-n", "r", "again.zarr").stdout, plain)
report("names are read back", bad)

bad = []
make("e.zarr", {"v": ({}, {"_ARRAY_DIMENSIONS": ["d" + ESC + "c", "x"]})})
text = run("nczdump", "e.zarr").stdout
expect(bad, "control bytes are escaped everywhere", ("d\\x1bc = 2" in text, ESC in text), (True, False))
r = run("nczgen", "-o", "again.zarr", "-", input=text)
expect(bad, "netCDF forbids them", (r.returncode, "has a control character" in r.stderr), (1, True))
report("control bytes in names", bad)

# ---- nczcopy --in-place ----

bad = []
shutil.copytree("s.zarr", "p.zarr")
old, young = "p.zarr/t/.nczarr-tmp-0123456789abcdef-0", "p.zarr/.nczarr-tmp-0123456789abcdef-1"
for path in (old, young):
    open(path, "w").write("left")
os.utime(old, (time.time() - 7200, time.time() - 7200))
r = run("nczcopy", "--in-place", "--zarr-format", "3", "--dry-run", "p.zarr")
expect(bad, "a dry run removes nothing", (r.returncode, os.path.exists(old)), (0, True))
r = run("nczcopy", "--in-place", "--zarr-format", "3", "--remove-old", "p.zarr")
expect(bad, "what a dead process left", (r.returncode, os.path.exists(old), os.path.exists(young)), (0, False, True))
r = run("nczcopy", "--in-place", "--zarr-format", "3", "p.zarr")
expect(bad, "twice", (r.returncode, r.stderr.strip()), (0, "nczcopy: p.zarr: already Zarr v3: nothing to do"))
report("--in-place: leftovers, and twice", bad)

bad = []
r = run("nczcopy", "--dry-run", "s.zarr", "o.zarr")
expect(bad, "grammar", ("1 objects" in r.stdout, "1 object, 48 B  /t" in r.stdout), (False, True))
text = on_terminal("nczcopy", "--progress", "--verify", "s.zarr", "labelled.zarr")
expect(bad, "the second bar", ("verify 100%" in text, "0 chunks" in text), (True, False))
report("what nczcopy says", bad)

shutil.rmtree(tmp)
sys.exit(cases.total())
