#!/usr/bin/env python3
"""The commands around datasets: nczmap, nczdump --chunks; and that every command's options are the same in --help, in
its man page and in the completions of shells.

usage: commands.py TOOLS SOURCE     (the folder of the built commands, the source tree)
"""
import fcntl, json, os, pty, re, shutil, struct, subprocess, sys, tempfile, termios

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools, root = (os.path.abspath(a) for a in sys.argv[1:3])
data = os.path.join(root, "tests", "data", "golden", "netcdf-c-main")
COMMANDS = ["nczdump", "nczgen", "nczcopy", "nczmap"]


def run(command, *args, **kw):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120, **kw)


def versions():
    """The version is alone on the first line; what the library has follows."""
    problems = []
    want = re.search(r"version: '([^']+)'", open(os.path.join(root, "meson.build")).read()).group(1)
    for command in COMMANDS:
        r = run(command, "--version")
        first, *rest = r.stdout.splitlines()
        lists = {title: words.split() for title, words in (line.split(":") for line in rest)}
        if r.returncode != 0 or r.stderr or first != "%s %s" % (command, want) or list(lists) != ["codecs", "stores", "libraries"] or \
                not {"zlib", "shuffle", "vlen-utf8"} <= set(lists["codecs"]) or not {"directory", "zip", "memory"} <= set(lists["stores"]):
            problems.append(r.stdout + r.stderr)
    report("commands: --version", problems)


# ---- options everywhere ------------------------------------------------------------------------------------------------

OPTION = re.compile(r"(?:^|[\s,(|])(--?[A-Za-z0-9][A-Za-z0-9-]*)")


def in_help(command):
    return set(OPTION.findall(run(command, "--help").stdout))


def in_man(command):
    """Options of the page's OPTIONS: its fonts away, its minus signs as typed."""
    text = open(os.path.join(root, "docs", "man", command + ".1")).read()
    text = text[text.index(".SH OPTIONS"):text.index(".SH EXIT STATUS")]
    text = re.sub(r"\\f[A-Z]", "", text).replace("\\-", "-").replace('"', "")
    return {o for o in OPTION.findall(text) if not o.startswith("---")}


def in_bash(command, *words):
    """What bash completes behind these words."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _nczarr; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    r = programs.run(["bash", "-c", script, "bash", os.path.join(root, "completions", "nczarr.bash"), command, *words],
                       capture_output=True, text=True, timeout=60)
    return set(r.stdout.split()) if not r.stderr else {"stderr: " + r.stderr}


def options():
    """What each command's table of options makes is the same everywhere."""
    for command in COMMANDS:
        wanted, problems = in_help(command), []
        if len(wanted) < 5:
            problems.append("--help tells of %s only" % sorted(wanted))
        for place, found in (("man page", in_man(command)), ("bash", {w.split("=")[0] for w in in_bash(command, "-")})):
            problems += ["%s: lacks %s" % (place, o) for o in sorted(wanted - found)]
            problems += ["%s: has %s, which --help has not" % (place, o) for o in sorted(found - wanted)]
        wide = [l for l in run(command, "--help").stdout.splitlines() if len(l) > 108]
        report("commands: options of %s are the same everywhere" % command, problems + wide)
    r = programs.run([sys.executable, os.path.join(root, "completions", "generate.py"), "--check", tools], capture_output=True, text=True)
    report("commands: the completions are those of the tables of options", [r.stdout + r.stderr] if r.returncode else [])


def bash():
    tmp, problems = tempfile.mkdtemp(prefix="nczarr-bash-"), []
    cases = [
        (("nczcopy", "--de"), {"--deflate"}),
        (("nczcopy", "--mode", "z"), {"zarr", "zip"}),
        (("nczcopy", "-d", ""), set("0123456789")),
        (("nczdump", "--json"), {"--json", "--json=header"}),
        (("nczdump", "-b", ""), {"c", "f"}),
        (("nczmap", "x.zarr", "s"), {"stat"}),
        (("nczdump", os.path.join(tmp, "da")), {os.path.join(tmp, "data.zarr")}),
    ]
    os.mkdir(os.path.join(tmp, "data.zarr"))
    for words, wanted in cases:
        got = in_bash(*words)
        if got != wanted:
            problems.append("%s gives %s" % (" ".join(words), sorted(got)))
    shutil.rmtree(tmp)
    report("commands: words and paths in bash", problems)
    problems = []
    for shell, script in (("bash", "nczarr.bash"), ("zsh", "_nczarr"), ("fish", "nczarr.fish")):
        if shutil.which(shell):
            r = programs.run([shell, "-n", os.path.join(root, "completions", script)], capture_output=True, text=True)
            problems += [] if r.returncode == 0 else [r.stderr]
    report("commands: the shells that are here take their completions", problems)


def names():
    """--list, and what bash completes with it: in a dataset among the words, never in a URL or a pipe."""
    tmp, problems = tempfile.mkdtemp(prefix="nczarr-names-"), []
    os.environ["NCZDUMP"] = os.path.join(tools, "nczdump")
    try:
        path, fifo = os.path.join(tmp, "n.zarr"), os.path.join(tmp, "fifo")
        cdl = ("netcdf n { dimensions: time = 2 ; tile = 3 ; variables: int temp(time) ; int tide(tile) ; int a\\,b ; int odd\u202eeven ; "
               "group: deep { dimensions: z = 1 ; variables: int temp(z) ; } }")
        r = run("nczgen", "-o", path, "-", input=cdl)
        problems += [r.stderr] if r.returncode else []
        for what, want in (("vars", ["temp", "tide", "a\\,b", "deep/temp"]), ("dims", ["time", "tile", "deep/z"]), ("groups", ["/", "deep"])):
            r = run("nczdump", "--list=" + what, path)
            if r.stdout.splitlines() != want or r.returncode != 0:
                problems.append("--list=%s: %r %s" % (what, r.stdout, r.stderr))
        for name in run("nczdump", "--list=vars", path).stdout.splitlines():
            if run("nczdump", "-v", name, path).returncode != 0:
                problems.append("-v does not take %s" % name)
        os.mkfifo(fifo)
        for words, want in [
            (("nczdump", path, "-v", "t"), {"temp", "tide"}), (("nczdump", path, "-v", "temp,ti"), {"temp,tide"}),
            (("nczdump", path, "--show", "deep/"), {"deep/temp"}), (("nczdump", path, "-d", "ti"), {"time", "tile"}),
            (("nczdump", path, "-d", "time,"), set()), (("nczdump", path, "-g", "d"), {"deep"}),
            (("nczcopy", path, "out.zarr", "-V", "t"), {"temp", "tide"}), (("nczcopy", path, "--dim", "t"), {"time", "tile"}),
            (("nczdump", "-v", "t"), set()), (("nczdump", "s3://bucket/x.zarr", "-v", "t"), set()),
            (("nczdump", "http://192.0.2.1/x.zarr", "-v", "t"), set()), (("nczdump", fifo, "-v", "t"), set()),
        ]:
            got = in_bash(*words)
            if got != want:
                problems.append("%s gives %s" % (" ".join(words), sorted(got)))
        r = run("nczdump", "--list=all", path)
        if r.returncode != 2 or "--list: not vars, dims or groups: all" not in r.stderr:
            problems.append(r.stderr)
        tree = run("nczdump", "--tree", path).stdout
        if "\u202e" in tree or "odd?" not in tree:
            problems.append("--tree: %r" % tree)
    finally:
        shutil.rmtree(tmp)
    report("commands: names for completion", problems)


# ---- nczmap ------------------------------------------------------------------------------------------------------------

def nczmap():
    store = os.path.join(data, "coords")
    want = {}
    for base, _, names in os.walk(store):
        for n in names:
            p = os.path.join(base, n)
            want[os.path.relpath(p, store)] = os.path.getsize(p)
    problems = []
    r = run("nczmap", store)
    rows = [l.split(None, 1) for l in r.stdout.splitlines()]
    if {k: int(n) for n, k in rows[:-1]} != want or rows[-1][1] != "bytes in %d objects" % len(want):
        problems.append("list: " + r.stdout)
    if rows[:-1] != sorted(rows[:-1], key=lambda row: row[1].split("/")):
        problems.append("list is not sorted")
    keys = run("nczmap", "-k", store, "list", "lat").stdout.split()
    if keys != ["lat/.zarray", "lat/.zattrs", "lat/0"]:
        problems.append("list lat: %s" % keys)
    keys = run("nczmap", "--keys", store, "find", "*/.zarray", "lat/0").stdout.split()
    if keys != ["lat/.zarray", "lon/.zarray", "temp/.zarray", "time/.zarray", "lat/0"]:
        problems.append("find: %s" % keys)
    whole = open(os.path.join(store, "lat", "0"), "rb").read()
    r = programs.run([os.path.join(tools, "nczmap"), store, "cat", "lat/0", ".zgroup"], capture_output=True)
    if r.stdout != whole + open(os.path.join(store, ".zgroup"), "rb").read():
        problems.append("cat: %r" % r.stdout)
    r = programs.run([os.path.join(tools, "nczmap"), "-r", "6:3", store, "cat", "lat/0"], capture_output=True)
    if r.stdout != whole[6:9]:
        problems.append("cat -r: %r" % r.stdout)
    r = run("nczmap", "-x", "--range", "0:17", store, "cat", "lat/0")
    hexes = "".join(re.sub(r"^\w+ |\|.*", "", l) for l in r.stdout.splitlines())
    if bytes.fromhex(hexes) != whole[:17]:
        problems.append("cat -x: " + r.stdout)
    r = run("nczmap", store, "stat", "lat", "lat/0", "no")
    if r.stdout != "lat: prefix of 3\nlat/0: object of 24 bytes\nno: nothing\n" or r.returncode != 1:
        problems.append("stat: " + r.stdout)
    r = run("nczmap", store, "dump", "lat")
    if open(os.path.join(store, "lat", ".zarray")).read() not in r.stdout or "00000010  00 00 00 00 00 00 3e 40" not in r.stdout:
        problems.append("dump: " + r.stdout)
    report("commands: nczmap", problems)
    problems = []
    for args, status, text in [
        ((store, "cat", "no"), 1, "no such object"), ((store, "cat", "../x"), 1, "not a"), ((store, "list", "no"), 1, "no such object"),
        ((store, "find", "zz*"), 1, "no such object"), ((store, "cat"), 2, "an argument is needed"), ((store, "burn"), 2, "no such command: burn: list, find, dump, stat or cat"),
        ((), 2, "no store"), (("/nothing/at/all",), 1, "nothing"), (("-r", "x", store), 2, "range"), (("-r", "1:", store), 2, "range"),
        (("-r", "20:9", store, "cat", "lat/0"), 1, "only 24 bytes"), (("-L", "x", store), 2, "-L: not a number from -1 to 100: x"), (("-L", "", store), 2, "-L: not a number"),
        (("-r", "", store), 2, "-r: not a range"), (("-Z",), 2, "Z"),
    ]:
        r = run("nczmap", *args)
        if r.returncode != status or text not in r.stderr:
            problems.append("%s: exit %d, %s" % (" ".join(args), r.returncode, r.stderr.strip()))
    report("commands: nczmap's mistakes", problems)


def log():
    """The log of the commands, at each level: of a dump, a copy and a failed open."""
    problems = []
    with tempfile.TemporaryDirectory() as d:
        at = lambda name: os.path.join(d, name)
        run("nczgen", "-o", at("x.zarr"), "-", input="netcdf x { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }")
        open(at("x.zarr/v/.zattrs"), "a").write("more")
        lines = [(0, "nczarr: error: NC_ENOTVAR: "), (1, "nczarr: warning: v/.zattrs: 4 bytes after the document"),
                 (2, "nczarr: request: file: get v/0: 8 bytes"), (3, "nczarr: info: %s: opened for reading" % at("x.zarr")),
                 (4, "nczarr: chunk: v: chunk [0] read: 8 bytes stored")]
        copied = lines[1:] + [(2, "nczarr: request: file: put v/0: "), (3, "nczarr: info: %s.nczcopy: created (file): " % at("y.zarr"))]
        for level in range(-1, 5):
            shutil.rmtree(at("y.zarr"), ignore_errors=True)
            for what, command, wanted in (("a dump", ("nczdump", "-L", str(level), at("x.zarr")), lines[1:]),
                                          ("a dump of #log", ("nczdump", at("x.zarr") + "#log=%d" % max(level, 0)), [(2, lines[2][1]), (4, lines[4][1])]),
                                          ("a copy", ("nczcopy", "-d", "1", "-L", str(level), at("x.zarr"), at("y.zarr")), copied)):
                r = run(*command)
                for first, text in wanted:
                    if r.returncode != 0 or (text in r.stderr) != (level >= first):
                        problems.append("%s, level %d: exit %d, %r in %s" % (what, level, r.returncode, text, r.stderr))
                if level <= 0 and r.stderr:
                    problems.append("%s, level %d: %s" % (what, level, r.stderr))
            r = run("nczdump", "-L", str(level), at("none.zarr"))
            if r.stderr.count("\n") != (2 if level >= 0 else 1) or ("nczarr: error: NC_ENOOBJECT: " in r.stderr) != (level >= 0):
                problems.append("a failed open, level %d: %s" % (level, r.stderr))
    report("commands: the log", problems)


def wrong_values():
    """A wrong value of an option is exit status 2, what a dataset lacks is 1; the text is the same."""
    problems = []
    with tempfile.TemporaryDirectory() as d:
        open(os.path.join(d, "t.cdl"), "w").write("netcdf t { dimensions: x = 2 ; variables: int a(x) ; }")
        run("nczgen", "-o", "t.zarr", "t.cdl", cwd=d)
        before = sorted(os.listdir(d))
        for command, args, status, text in (
                ("nczgen", ["--mode", "v2,v3", "-o", "g.zarr", "t.cdl"], 2, "modes v2 and v3 exclude each other"),
                ("nczgen", ["--mode", "v2", "--zarr-format", "3", "-o", "g.zarr", "t.cdl"], 2, "modes v2 and v3 exclude each other"),
                ("nczgen", ["--mode", "zip,s3", "-o", "g.zarr", "t.cdl"], 2, "two different stores"),
                ("nczgen", ["--mode", "s3", "-o", "g.zarr", "t.cdl"], 2, "mode s3 needs an s3, http or https URL"),
                ("nczgen", ["--mode", "x=1", "-o", "g.zarr", "t.cdl"], 2, "unknown key #x="),
                ("nczgen", ["--mode", "nczarr&x=1", "-o", "g.zarr", "t.cdl"], 2, "--mode: nczarr&x=1: a key that is unknown"),
                ("nczgen", ["-o", "", "t.cdl"], 2, "the path is empty"), ("nczgen", ["-o", "g.zarr#mode=v2,v3", "t.cdl"], 2, "exclude"),
                ("nczgen", ["-b", "-N", "../g", "t.cdl"], 2, "cannot be the name of a dataset"),
                ("nczgen", ["--zarr-format", "4", "t.cdl"], 2, "neither 2 nor 3"), ("nczgen", ["-W", "-5", "t.cdl"], 2, "-W"),
                ("nczdump", ["-L", "5x", "t.zarr"], 2, "-L: not a number from -1 to 100: 5x"), ("nczdump", ["-l", "x", "t.zarr"], 2, "-l"),
                *(("nczdump", [*forms, "t.zarr"], 2, "%s and %s: one form of output at a time" % tuple(f.split("=")[0] for f in forms))
                  for forms in (("--tree", "--json"), ("--json=header", "-k"), ("-x", "--chunks=json"), ("--html", "--tree"), ("--check", "--json"),
                                ("--list=vars", "--check"), ("--s3-explain", "--tree"), ("--log", "--html"))),
                ("nczdump", ["--list=all", "t.zarr"], 2, "--list"), ("nczdump", ["-v", "b", "t.zarr"], 1, "b: no such variable"),
                ("nczdump", ["-d", "x,9", "t.zarr"], 1, "out of range")):
            r = run(command, *args, cwd=d)
            if r.returncode != status or text not in r.stderr or sorted(os.listdir(d)) != before:
                problems.append("%s %s: exit %d, %s" % (command, " ".join(args), r.returncode, r.stderr.strip()))
    report("commands: wrong values of options", problems)


# An option with a text of no length, and what the message says.
EMPTY_VALUES = [
    ("nczdump", "-v", "-v: an empty name"), ("nczdump", "-g", "-g: an empty name"), ("nczdump", "-d", "-d: : wanted: DIM,FIRST"),
    ("nczdump", "--bbox", "--bbox : wanted: WEST,SOUTH,EAST,NORTH"), ("nczcopy", "--bbox", "--bbox : wanted: WEST,SOUTH,EAST,NORTH"),
    ("nczdump", "-n", "-n: the name is empty"), ("nczdump", "-p", "-p: not F, F,D or ,D with numbers from 1 to 20"),
    ("nczdump", "-b", "-b: not c or f"), ("nczdump", "-f", "-f: not c or f"), ("nczdump", "-l", "-l: not a number from 10 to"),
    ("nczdump", "-X", "-X: not p, F or m"), ("nczdump", "-L", "-L: not a number from -1 to 100"),
    ("nczdump", "--json=", "--json: not header"), ("nczdump", "--chunks=", "--chunks: not json"),
    ("nczdump", "--list=", "--list: not vars, dims or groups"), ("nczdump", "--damaged=", "--damaged: not stop, fill or skip"),
    ("nczdump", "--sample=", "--sample: not a number from 1 to"), ("nczdump", "--show=", "--show: an empty name"),
    ("nczdump", "--plot", "--plot: "), ("nczdump", "--graphics=", "--graphics: not auto"), ("nczdump", "--color=", "--color: not auto"),
    ("nczdump", "--range=", "--range: not LO,HI"), ("nczdump", "--colors=", "--colors: not auto"), ("nczdump", "--size=", "--size: not WxH"),
    ("nczdump", "--member=", "--member: not a number from 0 to"),
    ("nczgen", "-o", "the path is empty"), ("nczgen", "--mode", "--mode: an empty mode (modes: "),
    ("nczgen", "--zarr-format", "neither 2 nor 3"), ("nczgen", "-k", "unknown kind of dataset"), ("nczgen", "-N", "-N: the name is empty"),
    ("nczgen", "-l", "no output language but b"), ("nczgen", "-W", "-W: not a number of bytes"), ("nczgen", "-L", "not a number"),
    ("nczgen", "-D", "not a number"),
    ("nczcopy", "--dim", "-d: : wanted: DIM,FIRST"), ("nczcopy", "-d", "-d: not a number from 0 to 9"), ("nczcopy", "-F", "wanted: VARIABLES,FILTER"),
    ("nczcopy", "-c", "nothing (wanted: DIM/LENGTH"), ("nczcopy", "--shards", "nothing (wanted: DIM/LENGTH"), ("nczcopy", "-M", "-M: not a size"),
    ("nczcopy", "-v", "-v: an empty name"), ("nczcopy", "-V", "-V: an empty name"), ("nczcopy", "-g", "-g: an empty name"),
    ("nczcopy", "-G", "-G: an empty name"), ("nczcopy", "-k", "nc4, nc7, nczarr or zarr"), ("nczcopy", "--mode", "--mode: an empty mode (modes: "),
    ("nczcopy", "--zarr-format", "neither 2 nor 3"), ("nczcopy", "--memory", "--memory: not a size"), ("nczcopy", "-m", "-m: not a size"),
    ("nczcopy", "-h", "-h: not a size"), ("nczcopy", "-e", "-e: not a number from 1"), ("nczcopy", "--damaged=", "stop, fill or skip"),
    ("nczcopy", "--progress=", "--progress: only json"), ("nczcopy", "-L", "-L: not a number from -1 to 100"),
    ("nczdump", "--along", "--along: the name is empty"), ("nczcopy", "--along", "--along: the name is empty"),
    ("nczcopy", "--concat", "--along: the name is empty"), ("nczcopy", "--prefix", "--prefix: the name is empty"),
    ("nczcopy", "--inline", "--inline: not a size"),
    ("nczmap", "-r", "-r: not a range"), ("nczmap", "-L", "-L: not a number from -1 to 100"),
]


def empty_values():
    """No option with a value takes an empty one, nor an empty name in a list: each is exit status 2, and writes nothing."""
    problems = []
    arguments = {"nczdump": ["t.zarr"], "nczgen": ["t.cdl"], "nczcopy": ["t.zarr", "c.zarr"], "nczmap": ["t.zarr"]}
    with tempfile.TemporaryDirectory() as d:
        open(os.path.join(d, "t.cdl"), "w").write("netcdf t { dimensions: x = 2 ; variables: int a(x) ; }")
        run("nczgen", "-o", "t.zarr", "t.cdl", cwd=d)
        before = sorted(os.listdir(d))
        for command in arguments:
            tried = {option.rstrip("=") for c, option, _ in EMPTY_VALUES if c == command}
            for letter, name, value in (line.split("\t")[:3] for line in run(command, "--list-options").stdout.splitlines()):
                if value != "" and not {"-" + letter, "--" + name} & tried:
                    problems.append("%s -%s --%s: not tried" % (command, letter, name))
        calls = [(command, [option] if option.endswith("=") else [option, ""], text) for command, option, text in EMPTY_VALUES]
        calls += [(command, [option, value], "-%s: %s: an empty name" % (option[1], value)) for command, option in
                  (("nczdump", "-v"), ("nczdump", "-g"), ("nczcopy", "-v"), ("nczcopy", "-V"), ("nczcopy", "-g"), ("nczcopy", "-G"))
                  for value in ("a,", ",a", "a,,a", ",")]
        calls += [("nczcopy", ["-V", "a", "-V", ""], "-V: an empty name"), ("nczdump", ["-v", "a[0],", "-h"], "-v: a[0],: an empty name"),
                  ("nczcopy", ["-F", "a&,zstd,3"], "empty name of a variable"), ("nczcopy", ["-F", "a,"], "no filter")]
        calls += [(command, ["--mode", value], "--mode: an empty mode (modes: ") for command in ("nczgen", "nczcopy")
                  for value in ("zarr,", ",zarr", "zarr,,v3", "zarr&")]
        for command, args, text in calls:
            r = run(command, *args, *arguments[command], cwd=d)
            if r.returncode != 2 or text not in r.stderr or r.stdout != "" or sorted(os.listdir(d)) != before:
                problems.append("%s %s: exit %d, %s" % (command, " ".join(args), r.returncode, r.stderr.strip()[:200]))
    report("commands: empty values of options", problems)


def file_limit():
    """A file that would grow beyond the process's limit is an error with a text; one line, from however many threads."""
    import resource, signal
    problems = []

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL) # Python ignores it
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

    with tempfile.TemporaryDirectory() as d:
        at = lambda name: os.path.join(d, name)
        open(at("a.cdl"), "w").write("netcdf a { dimensions: x = 100000 ; variables: double v(x) ; v:_ChunkSizes = 2000 ; v:_Codecs = \"[]\" ; data: v = %s ; }"
                                     % ", ".join(map(str, range(100000))))
        run("nczgen", "-o", at("a.zarr"), at("a.cdl"))
        run("nczgen", "-o", at("whole.zarr"), "-", input=open(at("a.cdl")).read().replace("2000", "100000"))
        for args in (["nczgen", "-o", at("b.zip"), at("a.cdl")], ["nczcopy", at("whole.zarr"), at("c.zarr")], ["nczcopy", at("a.zarr"), at("c.zip")],
                     ["nczdump", at("a.zarr")], ["nczmap", at("whole.zarr"), "cat", "v/0"]):
            with open(at("out"), "w") as out:
                r = programs.run([os.path.join(tools, args[0])] + args[1:], stdout=out, stderr=subprocess.PIPE, text=True, preexec_fn=limited)
            lines = [line for line in r.stderr.splitlines() if "--resume continues it" not in line]
            if r.returncode != 1 or len(lines) != 1 or "File too large" not in lines[0]:
                problems.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    report("commands: files that would be too large", problems)


def url_page():
    """nczarr_url(7) has every key and mode of the library's tables."""
    table = open(os.path.join(root, "src", "uri", "uri_fragment.c")).read()
    page = open(os.path.join(root, "docs", "man", "nczarr_url.7")).read().replace("\\-", "-")
    problems = []
    for name in ("own_keys", "s3_keys", "modes"):
        rows = re.search(r"\b%s\[\] = \{(.*?)\n\};" % name, table, re.S).group(1)
        words = [w for w in re.findall(r'"([^"\n]+)"', "\n".join(r for r in rows.split("\n") if "MODE_OTHER" not in r))]
        if len(words) < 10:
            problems.append("%s: only %s found" % (name, words))
        problems += ["lacks %s of %s" % (w, name) for w in words if not re.search(r"(?<![\w.])(aws\.)?%s(?![\w.-])" % re.escape(w), page)]
    report("commands: nczarr_url(7) has all keys", problems)


def checked_only():
    """nczgen says that it wrote nothing; a kind writes, as with ncgen; wrong modes are named."""
    problems = []
    with tempfile.TemporaryDirectory() as d:
        cdl = os.path.join(d, "t.cdl")
        open(cdl, "w").write("netcdf t { variables: int a ; }")
        for args, status, text, there in ((["t.cdl"], 0, "nothing was written: -o PATH writes", None), (["-4", "t.cdl"], 0, "", "t.nc"),
                                          (["-k", "nc4", "t.cdl"], 0, "", "t.nc"), (["-3", "t.cdl"], 0, "", "t.nc"), (["-b", "t.cdl"], 0, "", "t.zarr"),
                                          (["-k", "nc4", "--zarr-format", "3", "t.cdl"], 0, "", "t.zarr"), (["-4", "--mode", "zip", "t.cdl"], 0, "", "t.zip"),
                                          (["--mode", "zar", "-b", "t.cdl"], 2, 'nczgen: --mode: unknown mode "zar": did you mean zarr?', None)):
            r = programs.run([os.path.join(tools, "nczgen")] + args, capture_output=True, text=True, cwd=d)
            if r.returncode != status or text not in r.stderr or (text == "" and r.stderr) or sorted(os.listdir(d)) != sorted(["t.cdl"] + ([there] if there else [])):
                problems.append("%s: %d: %s%s" % (args, r.returncode, r.stderr, os.listdir(d)))
            shutil.rmtree(os.path.join(d, "t.zarr"), ignore_errors=True)
            for name in ("t.nc", "t.zip"):
                if os.path.exists(os.path.join(d, name)):
                    os.remove(os.path.join(d, name))
    report("commands: nczgen without -o", problems)


# ---- nczdump --chunks ----------------------------------------------------------------------------------------------------

SPARSE = """netcdf sparse {
dimensions: t = 300 ; y = 40 ; x = 6 ;
variables: int a(t, y, x) ; a:_ChunkSizes = 1, 10, 3 ;
  int line(t) ; line:_ChunkSizes = 2 ;
  int one ;
data: a = %s ;
  line = %s ;
  one = 1 ;
}
"""


def messages():
    """What commands say of a mistake: our words, without netCDF's phrase; other formats by name; what cannot be read."""
    problems = []

    def expect(what, r, code, *texts, absent=()):
        if r.returncode != code:
            problems.append("%s: exit %d, not %d: %s" % (what, r.returncode, code, r.stderr.strip()))
        for t in texts:
            if t not in r.stderr:
                problems.append("%s: no %r in %r" % (what, t, r.stderr.strip()))
        for t in absent:
            if t in r.stderr:
                problems.append("%s: %r in %r" % (what, t, r.stderr.strip()))

    with tempfile.TemporaryDirectory() as d:
        at = lambda name: os.path.join(d, name)
        for command in (["nczdump"], ["nczmap"], ["nczcopy"]):
            args = [at("none.zarr")] + ([at("out.zarr")] if command[0] == "nczcopy" else [])
            expect(command[0] + " of nothing", run(*command, *args), 1, "%s: %s: no file or directory; expected" % (command[0], at("none.zarr")),
                   absent=["NetCDF"])
        expect("a misspelt key", run("nczdump", "file://%s#dimension_seperator=/" % at("x.zarr")), 2, "did you mean dimension_separator=?")
        run("nczgen", "-o", at("x.zarr"), "-", input="netcdf x { variables: int a ; }")
        expect("a misspelt key after a plain path", run("nczdump", at("x.zarr") + "#mod=zarr"), 1,
               "no file or directory, but there is %s; unknown key #mod: did you mean mode=?" % at("x.zarr"))
        expect("an unknown key after a plain path", run("nczdump", at("x.zarr") + "#colour=red"), 1,
               "unknown key #colour: nczarr_url(7) lists the keys")
        for name, head, text in (("h.nc", b"\x89HDF\r\n\x1a\n", "superblock"), ("g.grb", b"GRIB", "GRIB"),
                                 ("u.nc", bytes(512) + b"\x89HDF\r\n\x1a\n", "superblock")):
            open(at(name), "wb").write(head + bytes(100))
            expect(name, run("nczdump", at(name)), 1, text, absent=["ncdump"])
        open(at("text"), "w").write("no dataset")
        expect("a text", run("nczdump", at("text")), 1, "not a zip archive")

        cdl = "netcdf t { dimensions: x = 4 ; variables: int good(x) ; int bad(x) ; int z(x) ; data: good = 1, 2, 3, 4 ; }"
        run("nczgen", "-o", "file://%s#mode=zarr" % at("t.zarr"), "-", input=cdl)
        doc = json.load(open(at("t.zarr/z/.zarray")))
        doc.update(dtype="<c32", fill_value=None)
        json.dump(doc, open(at("t.zarr/z/.zarray"), "w"))
        open(at("t.zarr/bad/.zarray"), "w").write("{garbage")
        open(at("t.zarr/z/0"), "wb").write(bytes(range(128)))
        for option in ([], ["-h"]):
            r = run("nczdump", *option, at("t.zarr"))
            expect("a broken variable", r, 1, "/bad: bad/.zarray: line 1", '/z: ', '"<c32"')
            for line in ("// left out: complex256 z: ", "// left out: unknown bad: "):
                if line not in r.stdout:
                    problems.append("no %r in %r" % (line, r.stdout))
        again = run("nczgen", "-o", at("again.zarr"), "-", input=run("nczdump", at("t.zarr")).stdout)
        expect("the dump is CDL", again, 0)
        tree = run("nczdump", "--tree", at("t.zarr")).stdout
        if "complex256" not in tree or "unknown_type" in tree:
            problems.append("--tree: " + tree)
        expect("nczcopy", run("nczcopy", at("t.zarr"), at("c.zarr")), 1, "--skip-unreadable leaves out such variables")
        expect("nczcopy --skip-unreadable", run("nczcopy", "--skip-unreadable", at("t.zarr"), at("c.zarr")), 0,
               "/bad: left out", absent=["/good", "/z"])  # whose chunks go as they are
        if open(at("c.zarr/z/0"), "rb").read() != bytes(range(128)):
            problems.append("the copy lacks what need not be read")
        expect("nczcopy --skip-unreadable", run("nczcopy", "--skip-unreadable", "--zarr-format", "3", at("t.zarr"), at("c3.zarr")), 0,
               "/z: left out", "/bad: left out", absent=["/good"])
        if "good = 1, 2, 3, 4 ;" not in run("nczdump", at("c.zarr")).stdout:
            problems.append("the copy lacks what can be read")
    report("messages: of mistakes, other formats and variables that cannot be read", problems)


def drawings(tmp):
    """Heights of blocks by bytes, rows that are merged, and equal rows, of stores whose chunks are files of chosen lengths."""
    problems = []

    def draw(shape, lengths, locale):
        """`lengths`: by the chunk's name. One line of what --chunks prints after another, without those of all drawings."""
        path = tempfile.mkdtemp(dir=tmp)
        os.mkdir(os.path.join(path, "v"))
        json.dump({"zarr_format": 2}, open(os.path.join(path, ".zgroup"), "w"))
        json.dump({"zarr_format": 2, "shape": shape, "chunks": [1] * len(shape), "dtype": "|u1", "compressor": {"id": "zlib", "level": 1},
                   "fill_value": 0, "order": "C", "filters": None}, open(os.path.join(path, "v", ".zarray"), "w"))
        for name, n in lengths.items():
            with open(os.path.join(path, "v", name), "wb") as f:
                f.truncate(n)
        r = run("nczdump", "--chunks", "file://%s#mode=zarr" % path, env={**os.environ, "LC_ALL": locale})
        if r.returncode != 0:
            problems.append(r.stderr)
        return [line.strip() for line in r.stdout.splitlines() if re.match("    [^ 0-9]", line)]

    def same(what, got, want):
        if got != want:
            problems.append("%s: %r, not %r" % (what, got, want))

    eighths = {"0.%d" % i: i * 10 for i in range(1, 9)}
    eighths["1.0"] = 1
    eighths["1.8"] = 41
    legend = "(\u2581 to \u2588 by bytes, \u2588 %d a chunk; . none stored)"
    same("eighths", draw([2, 9], eighths, "C.UTF-8"),
         [".\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", "\u2581.......\u2585", legend % 80])
    same("ASCII", draw([2, 9], eighths, "C"), [".########", "#.......#"])
    rows = {"%d.%d" % (i, j): 10 if i < 5 else 20 for i in range(9) for j in range(3) if (i, j) != (7, 1)}
    same("equal rows", draw([9, 3], rows, "C.UTF-8"),
         ["\u2584" * 3, "... 4 rows like the last", "\u2588" * 3, "\u2588" * 3, "\u2588.\u2588", "\u2588" * 3, legend % 20])
    every_third = {"%d.0" % i: 8 for i in range(0, 40, 3)}
    every_third["0.0"] = 24
    same("merged rows", draw([40, 1], every_third, "C.UTF-8"),
         ["\u2588", "\u2583", "... 11 rows like the last", "\u2588", legend.replace("(", "(each sign is 3\u00d71 chunks: ") % 8])
    same("merged rows in ASCII", draw([40, 1], every_third, "C"),
         ["+", "... 12 rows like the last", "#", "(each sign is 3x1 chunks: # all stored, + some)"])
    for side in (2**32, 2**32 + 1): # as a 64-bit product: 0, and more than 1
        path = tempfile.mkdtemp(dir=tmp)
        os.mkdir(os.path.join(path, "v"))
        json.dump({"zarr_format": 2}, open(os.path.join(path, ".zgroup"), "w"))
        json.dump({"zarr_format": 2, "shape": [side, side, 3], "chunks": [1, 1, 1], "dtype": "|u1", "compressor": None, "fill_value": 0,
                   "order": "C", "filters": None}, open(os.path.join(path, "v", ".zarray"), "w"))
        open(os.path.join(path, "v", "%d.%d.2" % (side - 1, side - 1)), "wb").write(b"x")
        for form in "--chunks", "--chunks=json", "--tree", "--html":
            r = run("nczdump", form, path)
            if r.returncode != (1 if form.startswith("--chunks") else 0) or form.startswith("--chunks") and "/v: there are places for more chunks" not in r.stderr:
                problems.append("%s: %d %s" % (form, r.returncode, r.stderr))
    same("nothing stored", draw([5000, 200], {}, "C.UTF-8"),
         ["." * 50, "... 2499 rows like the last", "(each sign is 2\u00d74 chunks: # all stored, + some)"])
    return problems


def tree_sizes():
    """--tree: bytes, ratio and sums of groups, in columns; an estimate where not all lengths are asked for."""
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "t.zarr")
        for group, name, shape, lengths in (("", "full", [4, 6], [8] * 2), ("", "part", [4, 60], [2048]), ("", "none", [4], []),
                                            ("g", "many", [600, 3], [4] * 600)):
            folder = os.path.join(path, group, name)
            os.makedirs(folder)
            json.dump({"zarr_format": 2}, open(os.path.join(path, group, ".zgroup"), "w"))
            chunk = [1, 3] if name == "many" else [2, 6][:len(shape)]
            json.dump({"zarr_format": 2, "shape": shape, "chunks": chunk, "dtype": "<i2", "compressor": None, "fill_value": 0, "order": "C",
                       "filters": None}, open(os.path.join(folder, ".zarray"), "w"))
            for i, n in enumerate(lengths):
                open(os.path.join(folder, "%d.0" % i), "wb").write(bytes(n))
        r = run("nczdump", "--tree", "file://%s#mode=zarr" % path)
    got = [re.sub(r"\([^)]*\)|\[[^]]*\]|  1 attribute$", "", line) for line in r.stdout.splitlines()]
    want = [r"t  +~4\.4 KiB", r"\S+ full  short +16 bytes  3\.0\u00d7  chunks 2\u00d76", r"\S+ none  short +0 bytes +chunks 2",
            r"\S+ part  short +2\.0 KiB +chunks 2\u00d76", r"\S+ g/ +~2\.3 KiB", r" +\S+ many  short +~2\.3 KiB  1\.5\u00d7  chunks 1\u00d73"]
    found = [line for line in want if any(re.fullmatch(line, g) for g in got)]
    ends = {r.stdout.splitlines()[i].index("  chunks") for i in range(1, 4)} if len(got) > 4 else set()
    report("commands: nczdump --tree", [] if found == want and len(ends) == 1 else [r.stdout + r.stderr] + [w for w in want if w not in found])


def on_terminal(env, *args, columns=0):
    """What the command prints on a terminal of its own; 0 columns: the terminal does not know how many it has."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
    keep = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
    process = subprocess.Popen([os.path.join(tools, args[0]), *args[1:]], stdout=end, env={**keep, "TERM": "xterm-256color", **env})
    os.close(end)
    got = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # Linux says so at the end
            more = b""
        if not more:
            break
        got += more
    os.close(terminal)
    assert process.wait() == 0
    return got.decode().replace("\r\n", "\n")


def tree_on_terminals():
    """--tree on terminals of all widths: no line is wider, and the words are those of the lines that have no end."""
    problems = []
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "t.zarr")
        run("nczgen", "-o", path, "-", input="""netcdf t { dimensions: Time = UNLIMITED ; south_north = 60 ; west_east_stag = 81 ; variables: float T2(Time, south_north, west_east_stag) ;
          T2:_ChunkSizes = 1, 30, 81 ; T2:units = "K" ; double U_10_of_a_name_that_is_long(Time, south_north, west_east_stag) ; int a ;
          group: g { dimensions: another_dimension = 5 ; group: h { variables: int b(another_dimension) ; string caf\u00e9(Time, another_dimension) ; } } }""")
        plain = run("nczdump", "--tree", path, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout
        words = lambda text: re.sub("[\u2502\u251c\u2514\u2500]", " ", text).split()
        for columns in list(range(38, 100, 7)) + [120, 200]:
            text = on_terminal({"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}, "nczdump", "--tree", path, columns=columns)
            wide = [line for line in text.splitlines() if len(line) >= columns]
            if wide:
                problems.append("%d columns: %r" % (columns, wide))
            if "".join(words(text)) != "".join(words(plain)) or columns > 60 and words(text) != words(plain):
                problems.append("%d columns: other words: %r" % (columns, text))
        if max(map(len, plain.splitlines())) < 80 or on_terminal({"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}, "nczdump", "--tree", path, columns=300) != plain:
            problems.append("a wide terminal: %r" % plain)
    report("commands: nczdump --tree on terminals", problems)


def colors():
    """Names in color on terminals alone, unless something says otherwise; without the colors the text is the same."""
    problems = []
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "t.zarr")
        run("nczgen", "-o", path, "-", input="netcdf t { dimensions: x = 2 ; variables: int a(x) ; a:long_name = \"n\" ; data: a = 1, 2 ; group: g { variables: int b ; } }")
        for form, name in (("--tree", "\033[1ma\033[0m"), ("--tree", "\033[1;34mg\033[0m/"), ("--chunks", "\033[1m/g/b\033[0m"),
                           ("-fc", "\033[32mint\033[0m \033[1ma\033[0m(x)"), ("-h", "group: \033[1;34mg\033[0m {"), ("-h", "\033[2m// group g\033[0m"),
                           ("-f c", "\033[2m// a(0)\033[0m"), ("-h", "\033[36mlong_name\033[0m = \"n\"")):
            plain = run("nczdump", *form.split(), path).stdout
            always = run("nczdump", *form.split(), "--color=always", path).stdout
            terminal = on_terminal({}, "nczdump", *form.split(), path)
            empty = on_terminal({"NO_COLOR": ""}, "nczdump", *form.split(), path)
            if "\033" in plain or name not in always or not always == terminal == empty or re.sub("\033\\[[0-9;]*m", "", always) != plain:
                problems.append("%s: %r, %r, %r, %r" % (form, plain, always, terminal, empty))
            for env, option in (({"NO_COLOR": "1"}, []), ({"TERM": "dumb"}, []), ({}, ["--color=never"])):
                if on_terminal(env, "nczdump", *form.split(), *option, path) != plain:
                    problems.append("%s %s %s has colors" % (form, env, option))
        r = run("nczdump", "--tree", "--color=sometimes", path)
        if r.returncode != 2 or "not auto, always or never: sometimes" not in r.stderr:
            problems.append(r.stderr)
        for form in ("--json", "--xml", "--list=vars", "--chunks=json"):
            if "\033" in run("nczdump", form, "--color=always", path).stdout:
                problems.append("%s has colors" % form)
        for form in ("--tree", "--chunks"):
            r = run("nczdump", form, path, env={**os.environ, "LC_ALL": "C"})
            if not r.stdout.isascii() or (form == "--tree" and "`- g/" not in r.stdout):
                problems.append("%s in ASCII: %r" % (form, r.stdout))
        r = run("nczdump", "--sizes", path)
        if r.returncode != 2 or "only with --tree" not in r.stderr:
            problems.append(r.stderr)
    report("commands: colors", problems)


def chunks():
    problems = []
    ascii = {**os.environ, "LC_ALL": "C"}
    r = run("nczdump", "--chunks", os.path.join(data, "partial"), env=ascii)
    want = ("/a  int 4x6, chunks 2x4\n    4 of 4 chunks stored: 128 bytes of 128, ratio 1.00; from 32 to 32 a chunk\n    ##\n    ##\n"
            "/never  int 4x6, chunks 2x4\n    0 of 4 chunks stored\n    4 missing: they read as fill\n    ..\n    ..\n")
    if not r.stdout.startswith(want) or not r.stdout.endswith("\n10 of 14 chunks stored in all, 256 bytes\n"):
        problems.append(r.stdout)
    doc = json.loads(run("nczdump", "--chunks=json", "-v", "/a,never", os.path.join(data, "partial")).stdout)
    first = doc["variables"][0]
    if (doc["total"], doc["stored"], doc["bytes"]) != (8, 4, 128) or first["grid"] != [2, 2] or \
            sorted(first["present"]) != [[i, j, 32] for i in range(2) for j in range(2)] or first["decoded_bytes"] != 128:
        problems.append(json.dumps(doc))
    tmp = tempfile.mkdtemp(prefix="nczarr-chunks-")
    try:
        cdl, path = os.path.join(tmp, "s.cdl"), os.path.join(tmp, "s.zarr")
        filled = ["1"] * (40 * 6 * 100)  # the first hundred of 300 planes
        open(cdl, "w").write(SPARSE % (", ".join(filled), ", ".join(["7"] * 130)))
        r = run("nczgen", "-o", path, cdl)
        assert r.returncode == 0, r.stderr
        r = run("nczdump", "--chunks", path, env=ascii)
        line = re.search(r"^/line.*\n    65 of 150 chunks stored.*\n    85 missing.*\n    (#{64})\n    #(\.{63})\n    (\.{22})$", r.stdout, re.M)
        equal = "    ##\n    ... 399 rows like the last\n    ..\n    ... 799 rows like the last\n"
        if not line or not re.search(r"^/a .*\n    800 of 2400 chunks stored.*\n.*missing.*\n" + re.escape(equal) + "/line", r.stdout, re.M):
            problems.append(r.stdout)
        if "/one  int\n    1 of 1 chunk stored: 4 bytes of 4" not in r.stdout:
            problems.append(r.stdout)
        r = run("nczcopy", "-d", "5", path, path + "z.zarr")
        doc = json.loads(run("nczdump", "--chunks=json", path + "z.zarr").stdout)
        v = next(v for v in doc["variables"] if v["variable"] == "/a")
        if v["stored"] != 800 or v["decoded_bytes"] != 800 * 120 or not 0 < v["bytes"] < 800 * 60:
            problems.append(json.dumps({k: v[k] for k in ("stored", "decoded_bytes", "bytes")}))
        problems += drawings(tmp)
    finally:
        shutil.rmtree(tmp)
    report("commands: nczdump --chunks", problems)


versions()
options()
bash()
names()
nczmap()
chunks()
tree_sizes()
tree_on_terminals()
colors()
messages()
log()
wrong_values()
empty_values()
file_limit()
url_page()
checked_only()
sys.exit(cases.status())
