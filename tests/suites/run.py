#!/usr/bin/env python3
"""Builds, tests and sums up: what `./dev test` calls. Parts are described in parts.py.

usage: ./dev test [--all] [--list] [--seed N] [--repeat N] [--jobs N] [PART ...]

Without a name: the parts of the short run. --all: every part, and each does all that it has. With names: these alone,
--all included or not. --seed: the number that random programs, histories and deaths are drawn with, which otherwise
follows from the commit. --repeat: the parts so many times, beside as many busy loops as there are processors.
"""
import argparse, fcntl, json, os, re, shutil, signal, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
import outcome, parts, record, schedule
from parts import ALL, ALWAYS, BUILDS, BY_MODULE, GROUPS, PARTS, SHORT

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
CACHE = os.path.join(ROOT, ".cache")
SECONDS = os.path.join(ROOT, "build", "test-seconds.json")  # what each job took of a processor last time
PYCACHE = os.path.join(ROOT, "build", "pycache")  # modules that Python has compiled: peers come without, and each start would compile them
BUSY = "while True: pass"


def say(text):
    print("%3d:%02d  %s" % (*divmod(int(time.monotonic() - BEGAN), 60), text), flush=True)


BEGAN = time.monotonic()


# ---- words of the command line -----------------------------------------------------------------------------------------

def commit_seed():
    """A number that changes with the commit."""
    r = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True)
    return int(r.stdout[:8], 16) % 1000000 if r.returncode == 0 else 1


def clean_commit():
    """The commit that the files are, or None: there are changes."""
    git = ["git", "-C", ROOT]
    head = subprocess.run(git + ["rev-parse", "HEAD"], capture_output=True, text=True)
    changes = subprocess.run(git + ["status", "--porcelain"], capture_output=True, text=True)
    return head.stdout.strip() if head.returncode == 0 and changes.returncode == 0 and not changes.stdout else None


def arguments():
    p = argparse.ArgumentParser(prog="./dev test", description=__doc__.split("\n\n")[2], formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--all", action="store_true", help="every part, and each does all that it has")
    p.add_argument("--list", action="store_true", help="the parts, and what each takes")
    p.add_argument("--seed", type=int, metavar="N", help="what random programs, histories and deaths are drawn with")
    p.add_argument("--repeat", type=int, metavar="N", help="so many times, beside busy loops")
    p.add_argument("--jobs", type=int, metavar="N", default=len(os.sched_getaffinity(0)), help="processors to use")
    p.add_argument("part", nargs="*")
    o = p.parse_args()
    known = {part.name for part in PARTS + BY_MODULE}
    for name in o.part:
        if name not in known and name not in GROUPS:
            p.error("there is no part %s: see ./dev test --list" % name)
    if o.seed is None:
        o.seed = commit_seed()
    if not 0 <= o.seed < 1000000:
        p.error("a seed is below 1000000")
    return o


def chosen(o):
    names = [n for word in o.part for n in GROUPS.get(word, (word,))]
    if names:
        return [part for part in PARTS + BY_MODULE if part.name in names]
    return [part for part in PARTS if o.all or part.minutes[0]]


def list_parts():
    print("%-10s %9s %9s  %s" % ("part", "minutes", "--all", "what it shows; what it installs"))
    for part in PARTS:
        short, whole = ("%d" % m if m else "-" for m in part.minutes)
        print("%-10s %9s %9s  %s" % (part.name, short, whole, part.shows))
        if part.needs or part.needs_all:
            more = "; --all: " + " ".join(part.needs_all) if part.needs_all else ""
            print("%-30s  installs %s" % ("", (" ".join(part.needs) or "nothing") + more))
    for group, names in GROUPS.items():
        print("%-30s  %s" % (group, " ".join(names)))
    print("%-30s  %s" % ("one module alone", " ".join(p.name for p in BY_MODULE)))
    print("Minutes are those of one processor, the builds of asan, tsan and the parts below included; that of gcc takes three. `./dev setup NAME` installs one of these things alone.")


# ---- places ------------------------------------------------------------------------------------------------------------

def zig():
    found = [os.path.join(d, "ziglang") for d, folders, _ in os.walk(os.path.join(CACHE, "zig")) if "ziglang" in folders]
    return found[0] if found else ""


def fill(text, **more):
    """The {…} of parts.py."""
    places = {name: b.folder for name, b in BUILDS.items()}
    places.update(root=ROOT, machines=os.path.join(CACHE, "machines"), **more)
    if "{zig}" in text:
        places["zig"] = zig()
    return text.format(**places)


# ---- builds ------------------------------------------------------------------------------------------------------------

class Builder:
    """One build folder: configured once, then what its parts need of it is built at one go."""

    def __init__(self, name, jobs, seed):
        self.name, self.what, self.jobs, self.seed = name, BUILDS[name], jobs, seed
        self.folder = os.path.join(ROOT, self.what.folder)
        self.targets, self.seconds, self.processor, self.tests, self.problem = set(), 0.0, 0.0, None, None
        self.wanted = []  # functions that add targets once the folder is configured

    def environment(self):
        env = dict(os.environ)
        if os.path.isdir("/usr/lib/ccache"):
            env["PATH"] = "/usr/lib/ccache:" + env["PATH"]
        if self.what.compiler:
            env["CC"] = self.what.compiler
        env["PATH"] = ":".join([os.path.join(ROOT, fill(p)) for p in self.what.path] + [env["PATH"]])
        return env

    def configure(self):
        made = os.path.join(self.folder, "build.ninja")
        stamp = fill(self.what.stamp)
        if stamp and os.path.exists(made) and os.path.getmtime(made) < os.path.getmtime(stamp):
            shutil.rmtree(self.folder)
        options = [fill(x) for x in self.what.options]
        if os.path.exists(made): # it may not know of a new option before it has been made anew
            command = ["meson", "configure", self.folder, *options]
            return self.call(command) or self.call(["ninja", "-C", self.folder, "build.ninja"]) and self.call(command)
        cross = [w for f in self.what.cross for w in ("--cross-file", fill(f))]
        return self.call(["meson", "setup", self.folder, *options, *cross])

    def call(self, command):
        with tempfile.NamedTemporaryFile(prefix="nczarr-build-", suffix=".log") as log:
            ran = schedule.run_command(command, log.name, cwd=ROOT, env=self.environment())
            self.processor += ran.processor
            self.problem = None
            if ran.status:
                lines = open(log.name, errors="replace").read().splitlines()
                at = next((i for i, line in enumerate(lines) if line.startswith("FAILED: ") or "ERROR" in line), max(0, len(lines) - 40))
                self.problem = lines[at:at + 40]
        return ran.status == 0

    def go(self):
        began = time.monotonic()
        good = self.configure() and self.introspect() and self.compile()
        self.seconds = time.monotonic() - began
        say("%s: %s in %d s (%d s of a processor)" % (self.what.folder, "built" if good else "does not build", self.seconds, self.processor))
        for line in self.problem or ():
            print("        " + line)
        return good

    def introspect(self):
        if not self.call(["ninja", "-C", self.folder, "build.ninja"]):
            return False
        info = os.path.join(self.folder, "meson-info")
        with open(os.path.join(info, "intro-tests.json")) as f:
            self.tests = json.load(f)
        with open(os.path.join(info, "intro-targets.json")) as f:
            self.files = {t["id"]: [os.path.relpath(p, self.folder) for p in t["filename"]] for t in json.load(f)}
        for want in self.wanted:
            want(self)
        return True

    def compile(self):
        targets = self.targets
        if "fuzz" in targets:
            targets = targets - {"fuzz"} | {p for files in self.files.values() for p in files if p.startswith("tests/fuzz/fuzz_")}
        goals = [] if "all" in targets else sorted(targets)
        return not targets or self.call(["ninja", "-C", self.folder, "-j", str(self.jobs), *goals])

    def find(self, step):
        """The tests of a step."""
        found = []
        for t in self.tests:
            suites = {s.split(":")[-1] for s in t["suite"]}
            if (not step.suites or suites & set(step.suites)) and not suites & set(step.without) and \
                    re.fullmatch(step.alone or ".*", t["name"]) and not re.fullmatch(step.but or "(?!)", t["name"]):
                found.append(t)
        # Of the seeds from one hundred to the next, which share this draw, tests draw in all ways.
        return sorted(found, key=lambda t: t["name"])[self.seed // 100 % step.drawn::step.drawn]


# ---- a run -------------------------------------------------------------------------------------------------------------

class Row:
    """What the table says of a part."""

    def __init__(self, part):
        self.part, self.passed, self.failed, self.seconds, self.processor, self.left_out = part, 0, 0, 0.0, 0.0, []
        self.jobs, self.open = [], 0


class Run:
    def __init__(self, o):
        self.o, self.parts = o, chosen(o)
        self.rows = {p.name: Row(p) for p in self.parts}
        self.builders = {}
        self.logs = os.path.join(ROOT, "build", "test-logs")
        self.places = o.jobs + 1  # a test waits now and then, for a disk or a child: there is one more than processors
        self.schedule = schedule.Schedule(self.places, self.finished)
        self.strict = bool(o.part) or bool(os.environ.get("CI"))
        self.fell = {}  # job name -> how often
        self.took = self.read_seconds()
        self.commit = None  # that --all vouches for
        self.lock = threading.Lock()
        self.setups, self.part_setups = {}, {}

    @staticmethod
    def read_seconds():
        try:
            with open(SECONDS) as f:
                return json.load(f)
        except (OSError, ValueError):
            return {}

    def steps(self, part):
        whole = self.o.all or not part.minutes[0]
        return [s for s in part.steps if s.when in (ALWAYS, ALL if whole else SHORT)]

    def environment(self, step):
        env = {n: v for n, v in os.environ.items() if n not in ("NCZARR_TEST_ALL", "NCZARR_TEST_SHORT", "PYTHONDONTWRITEBYTECODE")}
        env["PYTHONPYCACHEPREFIX"] = PYCACHE
        env.update(NCZARR_TEST_SEED=str(self.o.seed), MALLOC_PERTURB_=str(self.o.seed % 254 + 1))
        if self.strict:
            env["CI"] = "1"  # what is missing fails
        env["NCZARR_TEST_ALL" if self.o.all else "NCZARR_TEST_SHORT"] = "1"
        if step.build:
            env.update(BUILDS[step.build].env)
        for name, value in step.env.items():
            env[name] = fill(value)
            if value == "":
                del env[name]
        return env

    # -- set-up

    def install(self, name):
        log = os.path.join(self.logs, "setup-%s.log" % name)
        status = schedule.run_command([os.path.join(ROOT, "dev"), "setup", name], log, cwd=ROOT).status
        if status:
            say("%s could not be installed:" % name)
            print("".join("        " + line for line in open(log, errors="replace").readlines()[-6:]), end="", flush=True)
        return status == 0

    def add_setups(self):
        """One after the other, since package managers lock one another out; beside the builds."""
        last = []
        for part in self.parts:
            names = part.needs + (part.needs_all if self.o.all or not part.minutes[0] else ())
            for name in names:
                if name not in self.setups:
                    job = schedule.Job("setup " + name, lambda name=name: self.install(name), weight=0, first=True)
                    job.before = last
                    job.ready = lambda job=job: job.state == "waiting" and all(j.state not in ("waiting", "running") for j in job.before)
                    self.setups[name] = self.schedule.add(job)
                    last = [job]
            self.part_setups[part.name] = [self.setups[n] for n in names]

    # -- builds

    def builder(self, name):
        if name not in self.builders:
            b = self.builders[name] = Builder(name, self.o.jobs, self.o.seed)
            b.needs = set()
            b.job = schedule.Job("build " + name, b.go, weight=self.o.jobs, first=True, expected=1000 - len(self.builders))
        return self.builders[name]

    def add_builds(self):
        for part in self.parts:
            for step in self.steps(part):
                if not step.build:
                    continue
                b = self.builder(step.build)
                if isinstance(step, parts.Meson):
                    b.wanted.append(lambda b, step=step: b.targets.update(self.test_targets(b, step)))
                else:
                    b.targets.update(step.targets)
                    for other in step.also:
                        self.builder(other).targets.add("all")
                if step.build != "gcc":
                    b.needs |= set(self.compilers(part))
        for b in self.builders.values():
            b.job.after = [self.setups[n] for n in sorted(b.needs)]
            self.schedule.add(b.job)

    @staticmethod
    def compilers(part):
        return [n for n in part.needs if n in ("clang", "machines", "systems")]

    def test_targets(self, b, step):
        return [p for t in b.find(step) for d in t["depends"] for p in b.files[d]]

    # -- tests

    def add_tests(self):
        for part in self.parts:
            for step in self.steps(part):
                b = self.builders.get(step.build)
                after = ([b.job] if b else []) + self.part_setups[part.name]
                if isinstance(step, parts.Script):
                    self.add_script(part, step, after + [self.builders[n].job for n in step.also])
                else:
                    b.wanted.append(lambda b, part=part, step=step, after=after: self.add_meson(part, step, b, after))
                    self.add_keeper(part, step, after)

    def add_keeper(self, part, step, after):
        """Meson's tests are known once the folder is configured: until then this stands for them, and fails with it."""
        job = schedule.Job("%s: %s" % (part.name, step.build), lambda: True, after, weight=0)
        job.keeper = True
        self.put(part, job)

    def put(self, part, job):
        job.part = part
        row = self.rows[part.name]
        row.jobs.append(job)
        row.open += 1
        self.schedule.add(job)

    def add_meson(self, part, step, b, after):
        with self.schedule.changed:
            for t in b.find(step):
                name = "%s/%s" % (b.name, t["name"])
                env = self.environment(step)
                env.update(t["env"])
                command = t["cmd"][:]
                if b.what.emulator:
                    env["MESON_EXE_WRAPPER"] = b.what.emulator  # for scripts, as Meson calls it
                    if command[0].startswith(b.folder + os.sep):
                        command.insert(0, b.what.emulator)
                slower = 3 if "-Db_sanitize" in " ".join(b.what.options) else 1
                self.add_command(part, name, command, env, b.folder, t["timeout"], self.places if not t["is_parallel"] else 1, after,
                                 parts.SECONDS.get(t["name"], (t["priority"] + 1) * slower))

    def add_script(self, part, step, after):
        python = os.path.join(CACHE, "s3" if self.o.all else "short", "bin", "python")
        command = fill(step.command, python=python).split()
        if step.after and step.after in self.rows:
            after = after + [Later(self.rows[step.after])]
        self.add_command(part, step.name, command, self.environment(step), ROOT, 3600, 0 if step.waits else 1, after, 60)

    def add_command(self, part, name, command, env, folder, timeout, weight, after, expected):
        key = "%s/%s" % (part.name, name)
        log = os.path.join(self.logs, re.sub(r"[^\w.-]+", "_", key) + ".log")

        def go(job):
            limit = timeout * (5 if self.o.repeat else 3)
            ran = schedule.run_command(command, log, limit, cwd=folder, env=env)
            job.processor = ran.processor
            with open(log, errors="replace") as f:
                job.result = outcome.read(f.read(), ran.status, ran.late)
            job.result.command = " ".join(command)
            return True

        before = None
        for _ in range(self.o.repeat or 1):
            job = schedule.Job(key, None, after, weight, self.took.get(key, expected))
            job.go = lambda job=job: go(job)
            job.log, job.after_part = log, any(isinstance(a, Later) for a in after)
            if before:  # the same job never beside itself: they share a log
                job.after = [before]
            before = job
            self.put(part, job)

    # -- what comes of it

    def finished(self, job):
        part = getattr(job, "part", None)
        if part is None:
            return
        row = self.rows[part.name]
        row.open -= 1
        row.seconds += job.seconds
        if job.state == "given up":
            self.given_up(job, row)
        elif isinstance(job.result, outcome.Outcome):
            self.count(job, row)
        elif job.state == "failed":
            row.failed += 1
            say("%s: FAILED: %s" % (job.name, job.result))
        if row.open > 0:
            return
        self.note([row])
        if not getattr(job, "keeper", False):
            note = "; left out: " + ", ".join(row.left_out) if row.left_out else ""
            say("%s: %d passed, %d failed%s" % (part.name, row.passed, row.failed, note))

    def given_up(self, job, row):
        cause = next(j for j in job.after if j.state in ("failed", "given up"))
        if cause.name.startswith("setup ") or any(j.state == "failed" for j in getattr(cause, "after", ())):
            if cause.name not in row.left_out:
                row.left_out.append(cause.name)
                row.failed += self.strict
        elif cause.name not in row.left_out:
            row.left_out.append(cause.name)
            row.failed += 1

    def count(self, job, row):
        r = job.result
        row.passed += r.passed
        row.failed += r.failed
        row.processor += job.processor
        if not r.failed and not r.skipped:
            self.took[job.name] = round(max(job.processor, 0.1), 1)
        if r.skipped:
            row.left_out.append("%s (%s)" % (job.name.split("/", 1)[1], " ".join(r.why)[:100]))
        if r.failed:
            self.fell[job.name] = self.fell.get(job.name, 0) + 1
            kept = job.log
            if self.o.repeat:
                kept = "%s.%d" % (job.log, self.fell[job.name])
                shutil.copy(job.log, kept)
            say("%s: FAILED (%s; %s)" % (job.name, r.command, os.path.relpath(kept, ROOT)))
            for line in r.why:
                print("        " + line, flush=True)

    def go(self):
        shutil.rmtree(self.logs, ignore_errors=True)
        os.makedirs(self.logs)
        whole = self.o.all and not self.o.repeat
        self.commit = clean_commit() if whole else None
        calls = os.path.join(ROOT, "build", "calls.log")
        if os.path.exists(calls):
            os.remove(calls)
        how = "%d times, beside %d busy loops, " % (self.o.repeat, self.o.jobs) if self.o.repeat else ""
        say("%d parts, %sseed %d (repeat it with --seed %d)" % (len(self.parts), how, self.o.seed, self.o.seed))
        self.add_setups()
        self.add_builds()
        self.add_tests()
        loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(self.o.jobs if self.o.repeat else 0)]
        try:
            self.schedule.run()
        finally:
            for loop in loops:
                loop.kill()
        with open(SECONDS, "w") as f:
            json.dump(self.took, f, indent=0, sort_keys=True)
        status = self.table()
        self.note(self.rows.values())
        return status

    def note(self, rows):
        """What --all has found of parts that have ended, of a commit that is there as it was."""
        if self.commit is not None and clean_commit() == self.commit:
            record.write(ROOT, {r.part.name: {"commit": self.commit, "passed": r.passed, "failed": r.failed, "left_out": r.left_out} for r in rows})

    def table(self):
        shown = set()
        print("\n%-10s %8s %8s %9s %9s %9s" % ("suite", "passed", "failed", "seconds", "processor", "build"))
        for row in self.rows.values():
            mine = [b for s in self.steps(row.part) if (b := self.builders.get(s.build)) and b.name not in shown and not shown.add(b.name)]
            build = "%9.1f" % sum(b.seconds for b in mine) if mine else "%9s" % "-"
            note = "  left out: " + ", ".join(row.left_out) if row.left_out else ""
            print("%-10s %8d %8d %9.1f %9.1f %s%s" % (row.part.name, row.passed, row.failed, row.seconds, row.processor, build, note))
        for name, times in sorted(self.fell.items()):
            print("fell %d of %d times: %s" % (times, self.o.repeat or 1, name))
        passed, failed = sum(r.passed for r in self.rows.values()), sum(r.failed for r in self.rows.values())
        used = os.times()
        print("seed %d, %d s in all on %d processors, %d s of a processor" % (
            self.o.seed, time.monotonic() - BEGAN, self.o.jobs, used.children_user + used.children_system))
        print("%d passed, %d failed" % (passed, failed))
        return int(failed > 0 or passed == 0)


class Later:
    """Stands for the jobs of a part that wait for no Later: done when none of them is left."""

    def __init__(self, row):
        self.row, self.name, self.after = row, row.part.name, ()

    @property
    def state(self):
        others = [j for j in self.row.jobs if not j.after_part]
        if any(j.state in ("waiting", "running") for j in others):
            return "waiting"
        return "failed" if any(j.state == "given up" for j in others) else "done"


def main():
    o = arguments()
    if o.list:
        list_parts()
        return 0
    os.makedirs(os.path.join(ROOT, "build"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "test.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("./dev test: another one is running here")
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # not that of SIGINT: a background job of a script ignores it
        try:
            return Run(o).go()
        except KeyboardInterrupt:
            schedule.end_all()
            return 130


sys.exit(main())
