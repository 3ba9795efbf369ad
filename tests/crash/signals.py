#!/usr/bin/env python3
"""nczgen and nczcopy, ended by a signal anywhere on their way, and two of them at one place.

usage: signals.py TOOLS ASK [PLACE]     prints a line for each case, exit status 1 when one failed

After SIGINT or SIGTERM nczgen leaves nothing, and nczcopy nothing or what --resume continues, and says so. After any
signal, SIGKILL too, the same command succeeds, and so do --resume and nc_delete(). TOOLS is the folder of the commands,
ASK the program of place.c. With PLACE, a URL of S3 like http://host/bucket without a fragment, the targets are there
(tests/s3/real_run.py does that); else in directories and archives. When the signal comes follows from how long the
command takes; what is checked does not depend on it.
"""
import os, random, resource, shutil, signal, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools, ask = sys.argv[1:3]
place = sys.argv[3] if len(sys.argv) > 3 else None
nczgen, nczcopy, nczdump = (os.path.join(tools, t) for t in ("nczgen", "nczcopy", "nczdump"))
NPOINTS = 3 if place else 12 # of a run at which a signal comes
POINTS = list(range(NPOINTS))
if "NCZARR_TEST_SHORT" in os.environ and not place: # half of them, chosen by the seed
    POINTS = sorted(random.Random(int(os.environ.get("NCZARR_TEST_SEED", "0"))).sample(POINTS, NPOINTS // 2))
VARIABLES = 3 if place else 24
NC_ENOOBJECT = -141
tmp = tempfile.mkdtemp(prefix="nczarr-signals-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
source, cdl = os.path.join(tmp, "source.zarr"), os.path.join(tmp, "big.cdl")


def write_cdl():
    """Two records of each variable, in chunks of its own kind, so that there is something between the documents."""
    values = ", ".join(str(i % 1000 + 1) for i in range(4000))
    with open(cdl, "w") as f:
        f.write("netcdf big {\ndimensions: t = UNLIMITED ; x = 2000 ;\nvariables:\n")
        for i in range(VARIABLES):
            f.write("int v%d(t, x) ; v%d:_ChunkSizes = 1, 100 ;\n" % (i, i))
        f.write("data:\n")
        for i in range(VARIABLES):
            f.write("v%d = %s ;\n" % (i, values))
        f.write("}\n")


class Target:
    """A place, by the URL or path that the commands take."""

    def __init__(self, kind, name):
        self.kind, self.local = kind, kind != "bucket"
        end = ".zip" if kind == "archive" else ".zarr"
        self.path = os.path.join(tmp, name + end) if self.local else "%s/%s%s#mode=nczarr,s3" % (place, name, end)

    def ask(self, what):
        """The return code of nc_delete() or nc_open(), and its text."""
        r = programs.run([ask, what, self.path], capture_output=True, text=True, check=True)
        rc, _, text = r.stdout.strip().partition(" ")
        return int(rc), text

    def beside(self):
        """What lies about beside the target: all that is there but the source."""
        return sorted(n for n in os.listdir(tmp) if n not in ("source.zarr", "big.cdl", os.path.basename(self.path))) if self.local else []

    def is_there(self):
        return os.path.exists(self.path) if self.local else self.dump() is not None

    def dump(self, path=None):
        r = programs.run([nczdump, "-n", "big", path or self.path], capture_output=True, text=True)
        return r.stdout if r.returncode == 0 and not r.stderr else None

    def delete(self):
        rc, text = self.ask("delete")
        return "" if rc == 0 else "nc_delete: %d %s" % (rc, text)

    def is_absent_now(self):
        """NC_ENOOBJECT: nothing at all is there."""
        return self.ask("open")[0] == NC_ENOOBJECT


def run_until(command, sig, after):
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    p.send_signal(sig)
    err = p.communicate(timeout=120)[1]
    return p.returncode, err


def seconds_of(command, clean):
    clean.delete()
    begin = time.monotonic()
    r = programs.run(command, capture_output=True, text=True)
    took = time.monotonic() - begin
    if r.returncode:
        sys.exit("%s: %s" % (command, r.stderr))
    return took


def succeeds(command):
    r = programs.run(command, capture_output=True, text=True, timeout=300)
    return [] if r.returncode == 0 else ["then %s: exit %d: %s" % (" ".join(command[1:3]), r.returncode, r.stderr)]


def cut_off(kind, name, command, again, want):
    """`again`: what continues, of which each is tried in turn."""
    t = Target(kind, name)
    full = [a.replace("TARGET", t.path) for a in command]
    took = seconds_of(full, t)
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        problems, ended = [], 0
        for point in POINTS:
            t.delete()
            rc, err = run_until(full, sig, took * (point + 0.5) / NPOINTS)
            ended += rc != 0
            before = "point %d: " % point
            if rc not in (0, -sig):
                problems.append(before + "exit %d: %s" % (rc, err))
            if rc == -sig and sig != signal.SIGKILL:
                left = t.is_there() or bool(t.beside())
                if name == "gen" and left:
                    problems.append(before + "something is left: %s" % err)
                if "interrupted" in err and left != ("--resume" in err) and t.local:
                    problems.append(before + "left: %s, said: %s" % (left, err))
            if point % 3 == 2 and (not t.local or t.is_there()): # deleted, and made again
                gone = t.delete()
                if gone and not (not t.local and t.is_absent_now()):
                    problems.append(before + gone)
            problems += [before + p for p in succeeds([a.replace("TARGET", t.path) for a in again[point % len(again)]])]
            if t.dump() != want:
                problems.append(before + "the dataset differs in the end")
            if t.beside():
                problems.append(before + "in the end there is %s beside it" % t.beside())
        report("%s of nczgen and nczcopy: %s to %s, %d of %d cut off" % (sig.name, name, kind, ended, len(POINTS)), problems)
    problem = t.delete()
    report("%s to %s: what is there in the end can be deleted" % (name, kind), ([problem] if problem else []) + (
        [] if t.is_absent_now() else ["something is left"]))


def two_at_once(kind, want):
    """Whoever says that all is well is right; whoever loses says so."""
    t, problems, won = Target(kind, "race"), [], 0
    for i in range(len(POINTS)):
        both = [subprocess.Popen([nczcopy, *options, source, t.path], stderr=subprocess.PIPE, text=True)
                for options in (["-d", "1", "-c", "x/500"], ["-d", "0", "-c", "x/250"])]
        ends = [(p.communicate(timeout=300)[1], p.returncode) for p in both]
        good = sum(rc == 0 for _, rc in ends)
        won += good
        if good == 0:
            problems.append("both failed: %s" % ends)
        if any(rc != 0 and not err for err, rc in ends):
            problems.append("one failed and did not say why")
        if t.dump() != want:
            problems.append("round %d: the dataset is broken; they ended with %s" % (i, ends))
        if t.beside():
            problems.append("there is %s beside it" % t.beside())
        if i % 2:
            problems += [p for p in [t.delete()] if p]
    report("two nczcopy to one %s, %d times: %d succeeded" % (kind, len(POINTS), won), problems)


def unfinished(kind, want):
    """What an interrupted copy left is not taken for a dataset without a warning.

    Without one it is complete: the signal came after the last document and before the renaming.
    """
    t = Target(kind, "unfinished")
    took = seconds_of([nczcopy, "-c", "x/10", source, t.path], t)
    problems, seen = [], 0
    for point in POINTS:
        t.delete()
        rc, _ = run_until([nczcopy, "-c", "x/10", source, t.path], signal.SIGKILL, took * (point + 0.5) / NPOINTS)
        path = t.path + ".nczcopy" if t.local else t.path
        r = programs.run([nczdump, "-h", path], capture_output=True, text=True)
        if rc != 0 and r.returncode == 0:
            seen += "is not complete" in r.stderr
            if t.local and "is not complete" not in r.stderr and "v0" in r.stdout and t.dump(path) != want:
                problems.append("point %d: no warning, and not complete: %s" % (point, r.stderr))
            if not t.local and t.dump() is None:
                problems.append("point %d: what is not complete opens" % point)
        problems += succeeds([nczcopy, source, t.path])
    report("an unfinished copy in a %s is not taken for a dataset (%d warnings)" % (kind, seen), problems)
    t.delete()


def no_room(kind):
    """A dataset that fails at its end, when the last chunk is stored, does not stay."""
    t, small = Target(kind, "large"), os.path.join(tmp, "small.cdl")
    with open(small, "w") as f:
        f.write("netcdf large { dimensions: x = 100000 ; variables: int v(x) ; v:_ChunkSizes = 100000 ; data: v = 1, 2, 3 ; }")
    limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    r = programs.run([nczgen, "-o", t.path, small], capture_output=True, text=True, preexec_fn=limit)
    os.unlink(small)
    problems = [] if r.returncode == 1 and r.stderr else ["exit %d: %s" % (r.returncode, r.stderr)]
    report("nczgen without room for the last chunk of %s leaves nothing" % kind, problems + (
        ["it left something: %s" % t.beside()] if t.is_there() or t.beside() else []))


def main():
    write_cdl()
    r = programs.run([nczgen, "-o", source, cdl], capture_output=True, text=True)
    if r.returncode:
        sys.exit(r.stderr)
    want = programs.run([nczdump, "-n", "big", source], capture_output=True, text=True).stdout
    gen = [nczgen, "-o", "TARGET", cdl]
    copy, coded = [nczcopy, source, "TARGET"], [nczcopy, "-d", "1", source, "TARGET"]
    for kind in (["bucket"] if place else ["directory", "archive"]):
        cut_off(kind, "gen", gen, [gen], want)
        cut_off(kind, "copy", copy, [copy, [nczcopy, "--resume"] + copy[1:]], want)
        if kind != "archive":
            cut_off(kind, "coded", coded, [coded, [nczcopy, "--resume"] + coded[1:]], want)
            unfinished(kind, want)
            no_room(kind) if not place else None
        two_at_once(kind, want)
    shutil.rmtree(tmp)
    sys.exit(cases.status())


main()
