"""The wheels: built and repaired as a release has them. That for glibc is installed by pip in a root folder that has a
Python and nothing else, and in an environment with a compiler; that for musl runs in a root folder with musl alone. The
commands write, show and copy a dataset, a C program links the library, and the licences of what is inside are there."""
import glob, os, re, shutil, subprocess, sys, tempfile, zipfile

COMMANDS = ("nczgen", "nczcopy", "nczdump", "nczmap")
DATA = "netcdf bare { dimensions: x = 3 ; variables: int v(x) ; v:_Storage = \"chunked\" ; v:_DeflateLevel = 1 ; data: v = 1, 2, 3 ; }\n"
STEPS = "%(at)snczgen -o /tmp/bare.zarr /tmp/bare.cdl && %(at)snczcopy --verify /tmp/bare.zarr /tmp/bare.nc && " \
    "%(at)snczdump /tmp/bare.nc && %(at)snczmap /tmp/bare.zarr && ! %(at)snczdump -h https://127.0.0.1:1/a.nc"


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def python_of(root):
    """A Python that has auditwheel, or None."""
    path = os.path.join(root, ".cache", "wheel", "bin", "python")
    return path if os.path.exists(path) else None


def zig_of(root):
    """The folder of Zig's compiler, or None: there is no wheel for musl."""
    return next(iter(glob.glob(os.path.join(root, ".cache", "zig", "lib", "python3*", "site-packages", "ziglang"))), None)


def contents(path, system):
    """Complaints about the names in it."""
    with zipfile.ZipFile(path) as z:
        names = z.namelist()
    bad = [] if system in os.path.basename(path) and "-py3-none-" in path else ["its name is %s" % os.path.basename(path)]
    wanted = ["nczarr/bin/" + c for c in COMMANDS] + ["nczarr/lib/libnczarr.so.0", "nczarr/include/nczarr.h", "nczarr/include/nczarr/compat/netcdf.h"]
    bad += ["it lacks %s" % n for n in wanted if n not in names]
    licences = {re.sub(r"\.txt$", "", os.path.basename(n)) for n in names if "/licenses/" in n}
    inside = sum(n.startswith("nczarr.libs/") and ".so" in n for n in names)
    return bad + ["it lacks the licence of %s" % n for n in ("LICENSE", "curl", "libzip") if n not in licences] + (
        ["%d libraries, %d licences" % (inside, len(licences))] if inside and len(licences) < 8 else [])


# ---- root folders with next to nothing ----

def put(path, root):
    """A file and the libraries that it is linked with, at their places below the root."""
    told = run("ldd", path).stdout
    for name in {path, *re.findall(r"(/\S+) \(0x", told)}:
        at = os.path.join(root, name.lstrip("/"))
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if not os.path.exists(at):
            shutil.copy(os.path.realpath(name), at)


def bare_root(tmp):
    """With a shell, the system's Python and pip, and the C library."""
    root = os.path.join(tmp, "root")
    python = os.path.realpath("/usr/bin/python3")
    library = run(python, "-c", "import os; print(os.path.dirname(os.__file__))").stdout.strip()
    for program in (python, os.path.realpath("/bin/sh")):
        put(program, root)
    for name, source in (("usr/bin/python3", python), ("bin/sh", os.path.realpath("/bin/sh"))):
        at = os.path.join(root, name)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if not os.path.exists(at):
            os.symlink(source, at)
    shutil.copytree(library, os.path.join(root, library.lstrip("/")), ignore=shutil.ignore_patterns("__pycache__", "test", "idlelib", "dist-packages"), symlinks=False,
                    ignore_dangling_symlinks=True)
    for module in glob.glob(library + "/lib-dynload/*.so"):
        put(module, root)
    os.makedirs(root + "/tmp")
    return root


def chroot(root, script):
    """With /proc, which the dynamic linker asks where a program lies."""
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp"}
    os.makedirs(root + "/proc", exist_ok=True)
    r = run("unshare", "-m", "sh", "-c", 'mount --rbind /proc "$1/proc" && exec chroot "$1" /bin/sh -c "$2"', "sh", root, script, env=env)
    if r.returncode != 0 and r.stderr.startswith(("unshare:", "mount:")):
        print("skipped: the wheel in a root folder of its own: %s" % r.stderr.strip())
        return None
    return r if r.returncode == 0 else "exit %d: %s" % (r.returncode, (r.stdout + r.stderr)[-900:])


def shows(r):
    """What a run of STEPS says."""
    if r is None:
        return []
    return [] if not isinstance(r, str) and "v = 1, 2, 3 ;" in r.stdout else [r if isinstance(r, str) else r.stdout[-500:]]


def in_bare_root(root, path, tmp):
    """pip, without numpy and without any library of the system that it does not name."""
    if os.geteuid() != 0 or not os.path.exists("/usr/bin/python3"):
        print("skipped: the wheel in a root folder of its own: it needs root, and the system's Python")
        return []
    place = bare_root(tmp)
    pip = next(iter(glob.glob(os.path.join(root, ".cache", "wheel", "lib", "python3*", "site-packages", "pip")) + glob.glob(tmp + "/bare/lib/python3*/site-packages/pip")), None)
    shutil.copytree(pip, place + "/pip/pip")
    shutil.copy(path, place + "/tmp")
    with open(place + "/tmp/bare.cdl", "w") as f:
        f.write(DATA)
    install = "PYTHONPATH=/pip python3 -m pip -q install --no-index --break-system-packages --root-user-action=ignore /tmp/%s" % os.path.basename(path)
    return shows(chroot(place, "%s && %s" % (install, STEPS % {"at": ""})))


def with_musl_alone(root, path, tmp):
    """musl's loader, and what the wheel has."""
    place = os.path.join(tmp, "musl")
    script = 'set -eu; dir=$1; mkdir -p "$dir"; . "$2/tests/support/packages.sh"; fetch_packages "$dir/root" musl busybox-static; remove_apt'
    r = run("bash", "-c", script, "bash", place, root)
    if r.returncode != 0 or os.geteuid() != 0:
        print("skipped: the wheel for musl is not run: %s" % (r.stderr.strip() or "that needs root"))
        return []
    place += "/root"
    with zipfile.ZipFile(path) as z:
        z.extractall(place)
    for name in os.listdir(place + "/nczarr/bin"):
        os.chmod(os.path.join(place, "nczarr", "bin", name), 0o755)
    os.makedirs(place + "/bin", exist_ok=True)
    os.makedirs(place + "/tmp", exist_ok=True)
    os.symlink("busybox", place + "/bin/sh")
    with open(place + "/tmp/bare.cdl", "w") as f:
        f.write(DATA)
    return shows(chroot(place, STEPS % {"at": "/nczarr/bin/"}))


def installed(root, path, tmp):
    """It works, outside the tree, without numpy and without the system's copy of anything it carries."""
    place = os.path.join(tmp, "bare")
    env = {n: v for n, v in os.environ.items() if n not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    cdl = os.path.join(root, "docs", "examples", "climate.cdl")
    commands = os.path.join(place, "bin")
    python = os.path.join(commands, "python")
    steps = [[sys.executable, "-m", "venv", place], [python, "-m", "pip", "-q", "install", "--no-index", path],
             [os.path.join(commands, "nczgen"), "-o", "climate.zarr", cdl], [os.path.join(commands, "nczcopy"), "--verify", "climate.zarr", "climate.nc"],
             [os.path.join(commands, "nczdump"), "-h", "climate.nc"], [os.path.join(commands, "nczmap"), "climate.zarr"],
             ["sh", "-c", 'cc "$0" -o prog $("$1" -m nczarr) && ./prog prog.zarr', os.path.join(root, "docs", "examples", "write_read.c"), python]]
    for step in steps:
        r = run(*step, cwd=tmp, env=env)
        if r.returncode != 0:
            return ["%s: exit %d: %s" % (" ".join(step), r.returncode, (r.stdout + r.stderr)[-900:])]
    return []


def problems_of(root, system, tmp):
    env = dict(os.environ, PATH="%s:%s" % (zig_of(root) or "", os.environ["PATH"]))
    r = run(python_of(root), os.path.join(root, "packaging", "wheel", "build.py"), os.path.join(tmp, "dist"), system,
            os.path.join(root, ".cache", "wheel-libraries"), env=env)
    if r.returncode != 0:
        return [(r.stdout + r.stderr)[-1500:]]
    path = r.stdout.strip()
    bad = contents(path, system)
    if system == "musllinux":
        return bad + with_musl_alone(root, path, tmp)
    return bad + installed(root, path, tmp) + in_bare_root(root, path, tmp)


def problems(root):
    """All complaints; none: the wheels are in order."""
    tmp, bad = tempfile.mkdtemp(), []
    try:
        bad += problems_of(root, "manylinux", tmp)
        if zig_of(root):
            bad += problems_of(root, "musllinux", tmp)
        else:
            print("skipped: the wheel for musl: Zig's compiler is not installed (./dev setup zig)")
    finally:
        shutil.rmtree(tmp)
    return bad
