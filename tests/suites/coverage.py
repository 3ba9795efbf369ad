#!/usr/bin/env python3
"""Which lines and branches of src the tests execute, and which tests execute each file: what `./dev coverage` calls.

usage: ./dev coverage [--keep] [TEST ...]     TEST: only these tests of Meson. --keep: builds nothing anew

Each test of the gcc parts runs in a build with gcc's --coverage and leaves its counters in a folder of its own. The
percentages come from all of them together and go to the screen, by module; docs/tests.md is written from each alone.
A line is not counted where the source says so: `/* not covered: REASON */` at its end, or `/* not covered from here:
REASON */` and `/* covered again */` around lines.
"""
import collections, concurrent.futures, glob, gzip, json, os, re, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.join(ROOT, "build-coverage")
COUNTS = None  # a folder in memory where there is one: each process of each test writes some hundred files
PAGE = os.path.join(ROOT, "docs", "tests.md")
OPTIONS = ["-Db_coverage=true", "-Ddefault_library=static", "-Dtests=enabled", "-Doptimization=0", "-Dforward=disabled"]
LEFT_OUT = {"bench"}  # suites that say nothing of src
LEAST_OF_ALL, LEAST_OF_MODULE = 92, 85
HEAD = """# Which tests execute which file

`./dev coverage` writes this page from a run of all tests of the gcc build. Of a file that is not
executed by tests of its own module the page says which others do; where there are many, how many
tests in all. What each test is: [testing.md](testing.md).

"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def must(*command, **more):
    r = run(*command, **more)
    if r.returncode:
        sys.exit("%s:\n%s" % (" ".join(command), (r.stdout + r.stderr)[-3000:]))
    return r


# ---- running -----------------------------------------------------------------------------------------------------------

def build():
    env = dict(os.environ, CC="gcc")
    if os.path.isdir("/usr/lib/ccache"):
        env["PATH"] = "/usr/lib/ccache:" + env["PATH"]
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        must("meson", "setup", BUILD, *OPTIONS, env=env, cwd=ROOT)
    must("ninja", "-C", BUILD, env=env)


def tests(wanted):
    with open(os.path.join(BUILD, "meson-info", "intro-tests.json")) as f:
        found = json.load(f)
    for t in found:
        t["suite"] = [s.split(":")[-1] for s in t["suite"]]
        t["label"] = t["suite"][0] + "/" + t["name"]
    return [t for t in found if not LEFT_OUT & set(t["suite"]) and (not wanted or t["name"] in wanted)]


def run_test(t):
    """Its label, and whether it passed. Its counters are in a folder of its own."""
    folder = os.path.join(COUNTS, t["label"].replace("/", "-"))
    os.makedirs(folder)
    env = dict(os.environ, GCOV_PREFIX=folder, GCOV_PREFIX_STRIP=str(len(BUILD.strip("/").split("/"))), NCZARR_TEST_SHORT="1", NCZARR_TEST_SEED="0",
               **t["env"])
    try:
        r = run(*t["cmd"], env=env, cwd=BUILD, timeout=5 * t["timeout"])
        status = r.returncode
    except subprocess.TimeoutExpired:
        status = "late"
    if status not in (0, 77):
        print("%s: status %s: the lines of what failed are missing" % (t["label"], status), flush=True)
    return folder


# ---- counters ----------------------------------------------------------------------------------------------------------

def executed(path):
    """Whether a file of counters (gcc's .gcda) has one that is not zero. Negative lengths stand for zeros."""
    with open(path, "rb") as f:
        data = f.read()
    at = 16 if data[4:5] >= b"2" or data[7:8] in b"AB" and int.from_bytes(data[4:8], "little") >> 24 >= 0x42 else 12
    while at + 8 <= len(data):
        tag, length = int.from_bytes(data[at:at + 4], "little"), int.from_bytes(data[at + 4:at + 8], "little", signed=True)
        at += 8
        if tag == 0x01a10000 and length > 0 and any(data[at:at + length]):
            return True
        at += max(length, 0)
    return False


def source_of(path):
    """src/... of a .gcda of the library's objects: libncz_s3.a.p/client_s3_list.c.gcda is client/s3_list.c."""
    m = re.fullmatch(r"src/(\w+)/libncz_\w+\.a\.p/(.*)\.gcda", path)
    return (m.group(1), m.group(2)) if m else None


def sources():
    """{(module, the object's name): the path in the tree}"""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True):
        module, rest = os.path.relpath(path, os.path.join(ROOT, "src")).split("/", 1)
        found[module, rest.replace("/", "_")] = os.path.join("src", module, rest)
    return found


def who_executes(folders):
    """{path in the tree: labels of tests}"""
    paths, by = sources(), collections.defaultdict(set)
    for folder in folders:
        for path in glob.glob(os.path.join(folder, "src", "**", "*.gcda"), recursive=True):
            source = paths.get(source_of(os.path.relpath(path, folder)))
            if source and executed(path):
                by[source].add(os.path.basename(folder).replace("-", "/", 1))
    return by


def merge(folders):
    """One folder with the sums, by halves, which gcov-tool merges two at a time."""
    folders = [f for f in folders if glob.glob(os.path.join(f, "**", "*.gcda"), recursive=True)]
    tmp = os.path.join(COUNTS, "sums")
    n = 0
    while len(folders) > 1:
        pairs, rest = list(zip(folders[0::2], folders[1::2])), folders[len(folders) // 2 * 2:]
        outs = [os.path.join(tmp, str(n + i)) for i in range(len(pairs))]
        n += len(pairs)
        os.makedirs(tmp, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda p: must("gcov-tool", "merge", *p[0], "-o", p[1]), zip(pairs, outs)))
        folders = outs + rest
    return folders[0]


# ---- percentages -------------------------------------------------------------------------------------------------------

def left_out(path):
    """The lines that the source excepts, each with a reason."""
    out, off = set(), False
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            off = off or "/* not covered from here: " in line
            if off or "/* not covered: " in line:
                out.add(n)
            off = off and "/* covered again */" not in line
    return out


def measure(total):
    """{path in the tree: (lines, executed lines, branches, taken branches, lines that are not executed)}"""
    out = {}
    with tempfile.TemporaryDirectory() as tmp:
        for notes in glob.glob(os.path.join(BUILD, "src", "**", "*.gcno"), recursive=True):
            counts = os.path.join(total, os.path.relpath(notes, BUILD))[:-5] + ".gcda"
            key = source_of(os.path.relpath(counts, total))
            path = sources_by_key.get(key)
            if path is None:
                continue
            pair = os.path.join(tmp, "x.gcno")
            shutil.copy(notes, pair)
            if os.path.exists(counts):
                shutil.copy(counts, pair[:-5] + ".gcda")
            r = must("gcov", "--json-format", "--branch-probabilities", "--stdout", pair, cwd=tmp)
            out[path] = count(json.loads(r.stdout), path)
            for f in glob.glob(os.path.join(tmp, "*")):
                os.remove(f)
    return out


def count(report, path):
    excepted = left_out(path)
    lines = {}
    branches = taken = 0
    for f in report["files"]:
        if not f["file"].endswith("/" + path) and f["file"] != path:
            continue
        for line in f["lines"]:
            if line["line_number"] in excepted:
                continue
            lines[line["line_number"]] = lines.get(line["line_number"], 0) + line["count"]
            branches += len(line["branches"])
            taken += sum(b["count"] > 0 for b in line["branches"])
    return len(lines), sum(c > 0 for c in lines.values()), branches, taken, sorted(n for n, c in lines.items() if c == 0)


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def table(measured):
    """Prints the percentages; the number of modules, and of all together, that are below what they must reach."""
    modules = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, numbers in measured.items():
        for i in range(4):
            modules[path.split("/")[1]][i] += numbers[i]
    modules["src"] = [sum(m[i] for m in modules.values()) for i in range(4)]
    low = 0
    print("%-10s %8s %8s %8s %8s" % ("module", "lines", "%", "branches", "%"))
    for name, (lines, hit, branches, taken) in modules.items():
        bad = percent(hit, lines) < (LEAST_OF_ALL if name == "src" else LEAST_OF_MODULE)
        low += bad
        print("%-10s %8d %8.1f %8d %8.1f%s" % (name, lines, percent(hit, lines), branches, percent(taken, branches), "  too low" if bad else ""))
    return low


def least_covered(measured):
    print("\nfiles with most lines that no test executes:")
    for path, (lines, hit, _, _, missing) in sorted(measured.items(), key=lambda m: -len(m[1][4]))[:25]:
        print("%5d of %5d  %s: %s" % (lines - hit, lines, path, " ".join(map(str, missing[:40]))))


# ---- the page ----------------------------------------------------------------------------------------------------------

def page(by):
    out, module = [HEAD], None
    for path in sorted(set(sources_by_key.values())):
        mine = path.split("/")[1]
        if mine != module:
            module = mine
            out.append("## src/%s\n\n| file | tests |\n|---|---|\n" % module)
        out.append("| `%s` | %s |\n" % (path[len("src/" + module) + 1:], cell(by.get(path, set()), module)))
        following = [p for p in sorted(set(sources_by_key.values())) if p > path]
        if not following or following[0].split("/")[1] != module:
            out.append("\n")
    return "".join(out).rstrip("\n") + "\n"


def cell(labels, module):
    own = sorted(l.split("/")[1] for l in labels if l.startswith(module + "/"))
    others = sorted(l for l in labels if not l.startswith(module + "/"))
    if not labels:
        return "none: another system's, or a build's"
    names = ["`%s`" % n for n in own[:8]] or ["`%s`" % l for l in others[:4]]
    rest = len(labels) - len(names)
    return ", ".join(names) + (" and %d more" % rest if rest else "")


def main(words):
    global sources_by_key, COUNTS
    sources_by_key = sources()
    wanted = {w for w in words if not w.startswith("--")}
    if "--keep" not in words:
        build()
    COUNTS = tempfile.mkdtemp(prefix="nczarr-coverage-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        return work(wanted)
    finally:
        shutil.rmtree(COUNTS, ignore_errors=True)


def work(wanted):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = list(pool.map(run_test, sorted(tests(wanted), key=lambda t: -t["priority"])))
    measured = measure(merge(folders))
    low = table(measured)
    least_covered(measured)
    if not wanted:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(page(who_executes(folders)))
        print("\n%s" % os.path.relpath(PAGE, ROOT))
    return int(low > 0)


sys.exit(main(sys.argv[1:]))
