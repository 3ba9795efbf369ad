"""The wheel: built and repaired as a release has it, then installed in an environment that has nothing else. Its commands
write, show and copy a dataset, a C program links its library, and the licences of what is inside are there."""
import os, shutil, subprocess, sys, tempfile, zipfile


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def python_of(root):
    """A Python that has auditwheel, or None."""
    path = os.path.join(root, ".cache", "wheel", "bin", "python")
    return path if os.path.exists(path) else None


def contents(path):
    """Complaints about the names in it."""
    with zipfile.ZipFile(path) as z:
        names = z.namelist()
    bad = [] if "manylinux" in os.path.basename(path) and "-py3-none-" in path else ["its name is %s" % os.path.basename(path)]
    wanted = ["nczarr/bin/nczdump", "nczarr/bin/nczgen", "nczarr/bin/nczcopy", "nczarr/bin/nczmap", "nczarr/lib/libnczarr.so.0",
              "nczarr/include/nczarr.h", "nczarr/include/nczarr/compat/netcdf.h"]
    bad += ["it lacks %s" % n for n in wanted if n not in names]
    inside = sum(n.startswith("nczarr.libs/") and ".so" in n for n in names)
    licences = sum("/licenses/" in n for n in names)
    return bad + ([] if licences > 1 or inside == 0 else ["%d libraries, %d licences" % (inside, licences)])


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


def problems(root):
    """All complaints; none: the wheel is in order."""
    tmp = tempfile.mkdtemp()
    try:
        r = run(python_of(root), os.path.join(root, "packaging", "wheel", "build.py"), os.path.join(tmp, "dist"))
        if r.returncode != 0:
            return [(r.stdout + r.stderr)[-1500:]]
        path = r.stdout.strip()
        return contents(path) + installed(root, path, tmp)
    finally:
        shutil.rmtree(tmp)
