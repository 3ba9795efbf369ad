"""What the benchmarks share: where the peers are, how many rounds a budget of time leaves, and the JSON of a part.

Times are the least of the runs in turn: what other programs cost is not ours.
"""
import glob, json, os, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
CACHE = os.path.join(root, ".cache")
TROUBLE = (RuntimeError, OSError, ValueError, LookupError, subprocess.SubprocessError)  # of one contender: the others go on
FAR = 3  # with a budget, who takes so many times our time runs once: no noise turns that round


def python(venv):
    exe = os.path.join(CACHE, venv, "bin", "python")
    return exe if os.access(exe, os.X_OK) else None


def site_packages(venv):
    found = glob.glob(os.path.join(CACHE, venv, "lib", "python3*", "site-packages"))
    return found[0] if found else None


def netcdf_wheel():
    """Folder of the libraries and of the plug-ins of the netCDF4 wheel."""
    site = site_packages("bench") or ""
    libs = os.path.join(site, "netcdf4.libs")
    return (libs, os.path.join(site, "netCDF4", "plugins")) if os.path.isdir(libs) else (None, None)


def netcdf_environment():
    _, plugins = netcdf_wheel()
    return {"HDF5_PLUGIN_PATH": plugins} if plugins else {}


def compile_netcdf(out, *sources):
    """A program of ours on netCDF-C. The header is ours: the functions that the programs call are the same. False: it is left out."""
    libs, _ = netcdf_wheel()
    library = glob.glob(os.path.join(libs, "libnetcdf-*.so*")) if libs else []
    if not library:
        print("netCDF-C is not there, and is left out", file=sys.stderr)
        return False
    r = subprocess.run([os.environ.get("CC", "cc").split()[-1], "-O2", "-std=c11", "-D_GNU_SOURCE", "-DBENCH_NETCDF",
                        "-I" + os.path.join(root, "include", "compat"), "-I" + os.path.join(root, "include"),
                        *(os.path.join(here, s) for s in sources), "-o", out, library[0],
                        "-Wl,--disable-new-dtags,-rpath," + libs, "-Wl,--allow-shlib-undefined"], capture_output=True, text=True)
    if r.returncode:
        print("netCDF-C is left out: " + r.stderr[-500:], file=sys.stderr)
    return r.returncode == 0


def least(figures, key="seconds"):
    return min(f[key] for f in figures)


def mib(figures):
    """The least memory of the runs, beyond what was there at the start. None: it was not measured."""
    known = [f["extra_kb"] for f in figures if "extra_kb" in f]
    return max(0, min(known)) / 1024 if known else None


def measure(words, out=2, **more):
    """Of a whole command: time, the processor time of its children, too, and the memory of the largest. By a process of its own: a child
    counts what its parent had. out: the descriptor that the command's output goes to."""
    script = ("import json, resource, subprocess, sys, time; began = time.monotonic(); r = subprocess.run(sys.argv[2:], stdout=int(sys.argv[1])); "
              "seconds = time.monotonic() - began; u = resource.getrusage(resource.RUSAGE_CHILDREN); "
              "print(json.dumps({'seconds': seconds, 'cpu': u.ru_utime + u.ru_stime, 'sum': None, 'extra_kb': u.ru_maxrss})); "
              "sys.exit(r.returncode)")
    r = subprocess.run([sys.executable, "-c", script, str(out), *map(str, words)], capture_output=True, text=True,
                       pass_fds=(out,) if out > 2 else (), **more)
    if r.returncode:
        raise RuntimeError("%s: %s" % (os.path.basename(str(words[0])), r.stderr.strip()[-250:] or "status %d" % r.returncode))
    return json.loads(r.stdout)


class Rounds:
    """How often the contenders of each row run: `most` times, or, with a budget of minutes for all rows, as often as fits, at least
    once, and mostly twice."""

    def __init__(self, most, minutes, rows):
        self.most, self.rows_left = most, rows
        self.end = time.monotonic() + 60 * minutes if minutes else None

    def of_row(self):
        began = time.monotonic()
        share = (self.end - began) / max(1, self.rows_left) if self.end else None
        self.rows_left -= 1
        for turn in range(self.most):
            start = time.monotonic()
            yield turn
            now = time.monotonic()
            if self.end and now - began + (now - start) > share and (turn > 0 or now > self.end):
                return

    def again(self, figures, name):
        """Whether one that has run runs again."""
        return (self.end is None or name in ("ours", "limit") or not figures.get("ours") or not figures.get(name)
                or least(figures[name]) < FAR * least(figures["ours"]))


def save(path, how, rows, verdicts):
    """The JSON of a part. how: how it was run, in words. rows: {row: {contender: [figures of each run]}}. verdicts: {row: (the floors
    that do not hold, in words, and how many there are)}."""
    with open(path, "w") as f:
        json.dump({"how": how, "rows": rows, "missed": {w: bad for w, (bad, _) in verdicts.items() if bad},
                   "floors": sum(n for _, n in verdicts.values())}, f, indent=1)
