#!/usr/bin/env python3
"""Which lines and branches the tests execute, and which tests execute each file: what `./dev coverage` calls.

usage: ./dev coverage [--keep] [TEST ...]

Runs the gcc parts of `./dev test` in a build with gcc's --coverage, in build-coverage. Prints lines and branches by module,
and the lines that no test executes; writes build-coverage/tests.md. Ends with an error when a module is below its floor, no
test executes a file, or a test fails. TEST: runs these alone; what the others execute is known from the last run, of
functions that have not changed since. --keep: builds nothing anew.
"""
import collections, concurrent.futures, json, os, re, shutil, signal, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
import counters, parts, schedule, tests_page
from outcome import SKIPPED

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.path.join(ROOT, "build-coverage")
COUNTS = None  # a folder in memory where there is one: each process of each test writes some hundred files
OPTIONS = ["-Db_coverage=true", "-Dtests=enabled", "-Doptimization=0", "-Dmpi=disabled"]
PARTS = "modules tools golden random threads parallel crash memory s3 browser".split()
SHORT = "NCZARR_TEST_SHORT"  # what the part `browser` takes out of its tests' environment
WHOLE, MODULE = 92, 85  # percent of the lines: of src, of each module and of the commands
LEFT_OUT = re.compile(r"/\* not covered( from here)?: \S.* \*/")
SHOWN = 25  # files in the list of what is least covered


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def must(*command, **more):
    r = run(*command, **more)
    if r.returncode:
        sys.exit("%s:\n%s" % (" ".join(command), (r.stderr.strip() or r.stdout)[-3000:]))
    return r


# ---- running -----------------------------------------------------------------------------------------------------------

def build():
    env = dict(os.environ, CC="gcc")
    if os.path.isdir("/usr/lib/ccache"):
        env["PATH"] = "/usr/lib/ccache:" + env["PATH"]
    if os.path.exists(os.path.join(BUILD, "build.ninja")):
        must("meson", "configure", BUILD, *OPTIONS, env=env, cwd=ROOT)
    else:
        must("meson", "setup", BUILD, *OPTIONS, env=env, cwd=ROOT)
    must("ninja", "-C", BUILD, env=env)
    must("ninja", "-C", BUILD, "-t", "cleandead")


class Test:
    def __init__(self, suite, name, command, timeout, env=None, expected=0, short=True):
        self.label, self.name, self.command, self.timeout, self.env = suite + "/" + name, name, command, timeout, env or {}
        self.expected, self.processor, self.short = expected, 0.0, short


def meson_tests(step):
    with open(os.path.join(BUILD, "meson-info", "intro-tests.json")) as f:
        for t in json.load(f):
            suites = {s.split(":")[-1]: 0 for s in t["suite"]}
            if suites.keys() & set(step.suites) and not suites.keys() & set(step.without) and not re.fullmatch(step.but or "(?!)", t["name"]):
                yield Test(next(iter(suites)), t["name"], t["cmd"], t["timeout"], t["env"], t["priority"], SHORT not in step.env)


def script(part, step):
    python = os.path.join(ROOT, ".cache", "s3", "bin", "python")
    words = [w.format(gcc=BUILD, python=python) for w in step.command.split()]
    words[1] = os.path.join(ROOT, words[1])
    return Test(part.name, os.path.basename(words[1]), words, 3600, expected=30)


def all_tests():
    """Each once, as the last part has it. Of the scripts those that run something of the build."""
    found = {}
    for part in parts.PARTS:
        for step in part.steps:
            if part.name not in PARTS or step.build != "gcc" or step.when == parts.SHORT:
                continue
            if isinstance(step, parts.Meson):
                found.update((t.label, t) for t in meson_tests(step))
            elif "{gcc}" in step.command and not step.after:
                t = script(part, step)
                found[t.label] = t
    return sorted(found.values(), key=lambda t: -t.expected)


def kept_counters(label):
    return os.path.join(BUILD, "counters", re.sub(r"[^\w.-]+", "_", label))


def run_test(t, seen):
    """Whether it passed. Its counters go to `seen`; if it passed they are kept for later runs."""
    folder = tempfile.mkdtemp(dir=COUNTS)
    os.chmod(folder, 0o777)  # one test goes on as another user
    env = dict(os.environ, GCOV_PREFIX=folder, GCOV_PREFIX_STRIP=str(len(BUILD.strip("/").split("/"))), NCZARR_TEST_SEED="0", **t.env)
    env.update({SHORT: "1"} if t.short else {})
    log = os.path.join(BUILD, "coverage-logs", os.path.basename(kept_counters(t.label)) + ".log")
    began = time.monotonic()
    ran = schedule.run_command(t.command, log, 5 * t.timeout, cwd=BUILD, env=env)
    seconds, t.processor = time.monotonic() - began, ran.processor
    found = counters.collect(folder)
    shutil.rmtree(folder, ignore_errors=True)
    seen.take(found, t.label)
    good = ran.status in (0, SKIPPED) and not ran.late
    if good:
        counters.keep(found, kept_counters(t.label))
    how = "" if ran.status == 0 else ": skipped" if good else ": FAILED (%s)" % os.path.relpath(log, ROOT)
    print("%7.1f s  %s%s" % (seconds, t.label, how), flush=True)
    return good


def run_tests(tests, seen):
    """How many failed."""
    for folder in ("coverage-logs", "counters"):
        os.makedirs(os.path.join(BUILD, folder), exist_ok=True)
    for path in counters.files(BUILD, ".gcda"):
        os.remove(path)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            good = list(pool.map(lambda t: run_test(t, seen), tests))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            schedule.end_all()
            raise
    stray = counters.collect(BUILD)  # of programs that were started with an environment of their own
    seen.take(stray, None)
    return good.count(False)


def take_kept(tests, seen):
    """Adds what the last run of these tests left; how many of them lack something of it."""
    lacking = 0
    for t in tests:
        try:
            found, changed = counters.kept(kept_counters(t.label), BUILD)
        except FileNotFoundError:
            found, changed = {}, True
        seen.take(found, t.label)
        lacking += changed
    return lacking


# ---- lines and branches ------------------------------------------------------------------------------------------------

class Source:
    """Of one file: {line: how often}, {line: [how often each branch]}, the tests, and the lines that it leaves out."""

    def __init__(self, path):
        self.path, self.lines, self.branches, self.tests = path, {}, {}, {}
        self.excepted = excepted_lines(path)
        self.bits = []  # of each object's masks in `tests`

    def add_object(self, lines, masks, bits):
        # A file that is compiled twice, with other names, has the same counters in both objects.
        at = next((sum(self.bits[:i]) for i, n in enumerate(self.bits) if n == bits), sum(self.bits))
        for number, (count, branches) in lines.items():
            self.lines[number] = self.lines.get(number, 0) + count
            mine = self.branches.get(number, [])
            self.branches[number] = [a + b for a, b in zip(mine, branches)] if len(mine) == len(branches) else mine or branches
        for label, mask in masks.items():
            if label:
                self.tests[label] = self.tests.get(label, 0) | mask << at
        self.bits += [bits] if bits not in self.bits else []

    def numbers(self):
        """Lines, those executed, branches, those taken."""
        counts = [c for n, c in self.lines.items() if n not in self.excepted]
        taken = [c for n, b in self.branches.items() if n not in self.excepted for c in b]
        return len(counts), sum(c > 0 for c in counts), len(taken), sum(c > 0 for c in taken)

    def missing(self):
        return sorted(n for n, c in self.lines.items() if c == 0 and n not in self.excepted)


def excepted_lines(path):
    out, off = set(), False
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            mark = LEFT_OUT.search(line)
            off = off or bool(mark and mark.group(1))
            if off or mark:
                out.add(n)
            off = off and "/* covered again */" not in line
    return out


def object_lines(notes, seen):
    """Of one object: {source file: {line: (how often, [how often each branch])}}"""
    out = {}
    with tempfile.TemporaryDirectory(dir=COUNTS) as tmp:
        shutil.copy(notes, os.path.join(tmp, "x.gcno"))
        seen.write(os.path.relpath(notes, BUILD)[:-5] + ".gcda", os.path.join(tmp, "x.gcda"), notes)
        report = json.loads(must("gcov", "--json-format", "--branch-probabilities", "--stdout", "x.gcno", cwd=tmp).stdout)
    for f in report["files"]:
        path = os.path.relpath(os.path.join(report["current_working_directory"], f["file"]), ROOT)
        lines = out.setdefault(path, {})
        for line in f["lines"]:
            count, branches = lines.get(line["line_number"], (0, []))
            lines[line["line_number"]] = (count + line["count"], branches + [b["count"] for b in line["branches"]])
    return out


def of_sources(notes):
    """Whether an object is still built, and has something of src or tools: some tests compile a file of src again."""
    if not os.path.exists(notes[:-4] + "o"):
        return False
    with open(notes, "rb") as f:
        return not notes.startswith(os.path.join(BUILD, "tests")) or re.search(rb"/src/[\w/]+\.(c|inc)\0", f.read()) is not None


def measure(seen):
    """{path in the tree: Source}. A file may be in several objects."""
    sources = {p: Source(p) for p in tests_page.sources(ROOT)}
    notes = [n for n in counters.files(BUILD, ".gcno") if of_sources(n)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, found in zip(notes, pool.map(lambda n: object_lines(n, seen), notes)):
            name = os.path.relpath(path, BUILD)[:-5] + ".gcda"
            for source in found.keys() & sources.keys():
                sources[source].add_object(found[source], seen.executed.get(name, {}), seen.size(name))
    return sources


# ---- what is printed and written ---------------------------------------------------------------------------------------

def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def table(sources):
    """Prints the percentages by module; how many are below their floor."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for s in sources.values():
        names = [tests_page.section(s.path)] + (["src"] if s.path.startswith("src/") else [])
        for name in names:
            rows[name] = [a + b for a, b in zip(rows[name], s.numbers())]
    low = 0
    print("\n%-14s %8s %8s %9s %8s" % ("", "lines", "%", "branches", "%"))
    for name in sorted(rows, key=lambda n: (n == "tools", n == "src", n)):
        lines, hit, branches, taken = rows[name]
        if not lines:
            print("%-14s not in this build" % name)
            continue
        floor = WHOLE if name == "src" else MODULE
        bad = percent(hit, lines) < floor
        low += bad
        print("%-14s %8d %8.1f %9d %8.1f%s" % (name, lines, percent(hit, lines), branches, percent(taken, branches),
                                              "  below its floor, %d %%" % floor if bad else ""))
    return low


def list_missing(sources):
    with open(os.path.join(BUILD, "missing.txt"), "w") as f:
        for s in sources.values():
            f.write("".join("%s:%d\n" % (s.path, n) for n in s.missing()))
    print("\nfiles with most lines that no test executes (all: build-coverage/missing.txt):")
    for s in sorted(sources.values(), key=lambda s: -len(s.missing()))[:SHOWN]:
        print("%5d of %5d  %s" % (len(s.missing()), s.numbers()[0], s.path))
    for s in sources.values():
        wrong = sorted(n for n in s.excepted if s.lines.get(n, 0) > 0 and LEFT_OUT.search(line_of(s.path, n)))
        for n in wrong:
            print("%s:%d says that no test executes it, but one does" % (s.path, n))


def list_untouched(sources):
    """Prints the files of which no test executes a line; how many."""
    untouched = [s.path for s in sources.values() if s.lines and not s.tests]
    for path in untouched:
        print("%s: no test executes it" % path)
    return len(untouched)


def line_of(path, number):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read().splitlines()[number - 1]


def write_page(sources, tests):
    often = collections.Counter(t.name for t in tests)
    with open(os.path.join(BUILD, "compile_commands.json")) as f:
        compiled = {os.path.relpath(os.path.join(c["directory"], c["file"]), ROOT) for c in json.load(f)}
    short = {t.label: t.name if often[t.name] == 1 else t.label for t in tests}
    rows = {}
    for path, s in sources.items():
        lines, hit = s.numbers()[:2]
        if not s.lines:
            rows[path] = ("–", "no statements" if path in compiled else tests_page.elsewhere(path))
        elif not s.tests:
            rows[path] = ("0 %", "none")
        else:
            module = path.split("/")[1] if path.startswith("src/") else "tools"
            rows[path] = ("%d %%" % percent(hit, lines), tests_page.tests_cell(s.tests, module, short))
    tests_page.write(ROOT, rows)
    print("\nwritten: " + tests_page.PLACE)


def main(words):
    global COUNTS
    if {"-h", "--help"} & set(words):
        print(__doc__.rstrip())
        return 0
    bad = [w for w in words if w.startswith("-") and w != "--keep"]
    if bad:
        sys.exit("there is no option %s\n%s" % (bad[0], __doc__.split("\n\n")[1]))
    wanted = set(words) - {"--keep"}
    if "--keep" not in words:
        build()
    tests = all_tests()
    unknown = wanted - {t.name for t in tests}
    if unknown:
        sys.exit("there is no test %s: see `meson test -C build-coverage --list`" % sorted(unknown)[0])
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    COUNTS = tempfile.mkdtemp(prefix="nczarr-coverage-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    os.chmod(COUNTS, 0o755)
    try:
        return work(tests, [t for t in tests if not wanted or t.name in wanted])
    finally:
        shutil.rmtree(COUNTS, ignore_errors=True)


def work(tests, chosen):
    began = time.monotonic()
    seen = counters.Counters()
    failed = run_tests(chosen, seen)
    lacking = take_kept([t for t in tests if t not in chosen], seen)
    sources = measure(seen)
    low = table(sources) + list_untouched(sources)
    list_missing(sources)
    if lacking or failed:
        print("\n%s is left as it is: %d tests failed, and of %d others there are no counters, or some are out of date" % (
            tests_page.PLACE, failed, lacking))
    else:
        write_page(sources, tests)
    print("\n%d tests in %d s (%d s of a processor), %d failed; %d below the floor" % (
        len(chosen), time.monotonic() - began, sum(t.processor for t in chosen), failed, low))
    return int(failed > 0 or low > 0)


sys.exit(main(sys.argv[1:]))
