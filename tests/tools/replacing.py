#!/usr/bin/env python3
"""What a new dataset may replace: exactly the objects of the old one. Whatever else is there stays, and the commands name
it; --replace-all and #replace=all remove it. A target that is a symbolic link is written through.

usage: replacing.py TOOLS     (the folder of the built commands)
"""
import os, shutil, sys, tempfile, zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
CDL = "netcdf s { dimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = 1 ; data: v = 1, 2 ; }"
FORMS = {"nczarr": "mode=nczarr", "pure": "mode=zarr", "v3": "mode=nczarr,v3", "pure3": "mode=zarr,v3", "consolidated": "mode=zarr,consolidated"}
LISTED = ("nczarr", "v3", "consolidated")


def run(command, *args, **kw):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120, **kw)


def gen(path):
    r = run("nczgen", "-o", path, input=CDL)
    assert r.returncode == 0, r.stderr


def tree(top):
    """Every name below a folder, with the bytes of files and the text of links."""
    out = {}
    for base, folders, names in os.walk(top):
        for n in folders + names:
            p = os.path.join(base, n)
            out[os.path.relpath(p, top)] = os.readlink(p) if os.path.islink(p) else open(p, "rb").read() if os.path.isfile(p) else None
    return out


def put(path, data="mine"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write(data)


# What somebody may have put into the directory of a dataset, and the name in the message.
FOREIGN = {
    "a note": (lambda t: put(t + "/README.md"), "README.md"),
    "a folder": (lambda t: put(t + "/work/thesis.tex"), "work/thesis.tex"),
    "a hidden folder": (lambda t: put(t + "/.git/config"), ".git/config"),
    "a file of a variable's": (lambda t: put(t + "/v/0.bak"), "v/0.bak"),
    "a temporary of nobody's": (lambda t: put(t + "/notes.partial"), "notes.partial"),
    "a link to a file": (lambda t: os.symlink("/etc/hostname", t + "/link"), "link"),
    "a link to a folder": (lambda t: os.symlink("/", t + "/link"), "link"),
    "a link to nothing": (lambda t: os.symlink("nowhere", t + "/link"), "link"),
    "a pipe": (lambda t: os.mkfifo(t + "/pipe"), "pipe"),
    "a classic file": (lambda t: put(t + "/raw.nc", "CDF\1"), "raw.nc"),
}


def refuses(what, name, command, *args, **kw):
    """The command fails, names what is there, and changes nothing."""
    before, r = tree("."), run(command, *args, **kw)
    problems = []
    if r.returncode != 1 or name not in r.stderr:
        problems.append("%s: %s %s: exit %d, %s" % (what, command, " ".join(args), r.returncode, r.stderr.strip()))
    if tree(".") != before:
        problems.append("%s: %s %s changed %s" % (what, command, " ".join(args), [n for n in set(before) | set(tree(".")) if before.get(n, 0) != tree(".").get(n, 0)][:4]))
    return problems


def foreign_files():
    gen("s")
    for form, modes in FORMS.items():
        problems = []
        for what, (make, name) in cases.drawn(FOREIGN.items(), 2, len(form)):
            gen("t#" + modes)
            make("t")
            for args in ([], ["--resume"], ["--verify"], ["-d", "1"], ["-w"], ["--dry-run"]):
                problems += refuses(what, name, "nczcopy", *args, "s", "t")
            problems += refuses(what, name, "nczgen", "-o", "t#" + modes, input=CDL)
            problems += refuses(what, name, "nczgen", "-k", "nc5", "-o", "t", input=CDL)
            r = run("nczcopy", "--dry-run", "--replace-all", "s", "t")
            if r.returncode != 0 or "replaces " not in r.stdout:
                problems.append("%s: --dry-run --replace-all: exit %d, %s %s" % (what, r.returncode, r.stdout, r.stderr))
            r = run("nczcopy", "--replace-all", "--verify", "s", "t")
            if r.returncode != 0 or r.stderr or tree("t") != tree("s"):
                problems.append("%s: --replace-all: exit %d, %s, %s" % (what, r.returncode, r.stderr, sorted(tree("t"))))
            make("t")
            r = run("nczgen", "-o", "t#%s&replace=all" % modes, input=CDL)
            if r.returncode != 0 or name in tree("t"):
                problems.append("%s: #replace=all: exit %d, %s" % (what, r.returncode, r.stderr))
            problems += [n for n in os.listdir(".") if n not in ("s", "s.cdl", "t")]
            shutil.rmtree("t")
        report("replace: what is not of a dataset, %s" % form, problems)


def documents_alone():
    """A directory with a document of Zarr and somebody's files."""
    problems = []
    for name, text in ((".zgroup", '{"zarr_format": 2}'), (".zattrs", '{"a": 1}'), ("zarr.json", '{"zarr_format": 3, "node_type": "group"}')):
        put("t/" + name, text)
        put("t/work/thesis.tex")
        problems += refuses(name, "work/thesis.tex", "nczcopy", "s", "t") + refuses(name, "thesis.tex", "nczgen", "-o", "t", input=CDL)
        shutil.rmtree("t")
    put("t/file")
    problems += refuses("none", "file", "nczcopy", "s", "t")
    r = run("nczcopy", "--replace-all", "s", "t")
    problems += [] if r.returncode == 0 and tree("t") == tree("s") else ["none: --replace-all: %s" % r.stderr]
    shutil.rmtree("t")
    report("replace: a directory with a document and other files", problems)


def datasets_inside():
    """Another dataset below one that names its variables is not a part of it; below one that does not, it is a group."""
    problems = []
    for form, modes in FORMS.items():
        for inner in ("mode=nczarr", "mode=zarr", "mode=nczarr,v3"):
            gen("t#" + modes)
            gen("t/other.zarr#" + inner)
            if form in LISTED:
                problems += refuses(form + ", " + inner, "other.zarr/", "nczcopy", "s", "t")
                problems += refuses(form + ", " + inner, "other.zarr/", "nczgen", "-o", "t", input=CDL)
            else:
                r = run("nczcopy", "s", "t")
                problems += [] if r.returncode == 0 and tree("t") == tree("s") else ["%s, %s: exit %d, %s" % (form, inner, r.returncode, r.stderr)]
            shutil.rmtree("t")
    report("replace: a dataset inside of another one", problems)


def temporary_names():
    """What has the name under which a copy is made."""
    problems = []
    for form in ("file", "folder", "link"):
        {"file": lambda: put("./t.nczcopy"), "folder": lambda: put("t.nczcopy/notes"), "link": lambda: os.symlink("/etc", "t.nczcopy")}[form]()
        for args in ([], ["--resume"], ["--dry-run"]):
            problems += refuses(form, "t.nczcopy", "nczcopy", *args, "s", "t")
        r = run("nczcopy", "--replace-all", "s", "t")
        if r.returncode != 0 or tree("t") != tree("s") or os.path.lexists("t.nczcopy"):
            problems.append("%s: --replace-all: exit %d, %s" % (form, r.returncode, r.stderr))
        shutil.rmtree("t")
    for name, data in (("t.nc", "t.nc.nczcopy"), ("t.zip", "t.zip.nczarr.partial")):
        put("./" + data)
        problems += refuses("file", data, "nczcopy", "--flatten" if name == "t.nc" else "-q", "s", name)
        os.remove(data)
    for name, part in (("a.zip", "a.zip.nczarr.partial"), ("a.zip", "a.zip.nczarr-repack.partial"), ("a.zarr", "a.zarr.nczcopy"), ("a.nc", "a.nc.nczcopy")):
        run("nczcopy", "s", name)
        os.rename(name, part)
        for target in (name, "./" + name):
            problems += refuses("the source", "one", "nczcopy", "file://%s%s" % (os.path.abspath(part), "#mode=zip" if "zip" in part else ""), target)
        shutil.rmtree(part) if os.path.isdir(part) else os.remove(part)
    os.makedirs("d")
    run("nczcopy", "s", "d/a.zip")
    os.symlink("d/a.zip", "l.zip")
    os.rename("d/a.zip", "d/a.zip.nczarr.partial")
    problems += refuses("through a link", "one", "nczcopy", "file://%s/d/a.zip.nczarr.partial#mode=zip" % os.getcwd(), "l.zip")
    shutil.rmtree("d")
    os.remove("l.zip")
    report("replace: what has the name of a temporary file", problems)


def entries(path):
    return sorted(zipfile.ZipFile(path).namelist())


def archives():
    run("nczcopy", "s", "z.zip")
    wanted, problems = entries("z.zip"), []
    for what in ("an entry", "bytes before it"):
        run("nczcopy", "s", "z.zip")
        if what == "an entry":
            zipfile.ZipFile("z.zip", "a").writestr("notes.txt", "mine")
        else:
            data = open("z.zip", "rb").read()
            open("z.zip", "wb").write(b"#!/bin/sh\n" + data)
        name = "notes.txt" if what == "an entry" else "not part of a dataset"
        problems += refuses(what, name, "nczcopy", "s", "z.zip") + refuses(what, "--replace-all", "nczcopy", "s", "z.zip")
        problems += refuses(what, name, "nczcopy", "--dry-run", "s", "z.zip") + refuses(what, name, "nczgen", "-o", "z.zip", input=CDL)
        r = run("nczcopy", "--replace-all", "s", "z.zip")
        if r.returncode != 0 or entries("z.zip") != wanted:
            problems.append("%s: --replace-all: exit %d, %s" % (what, r.returncode, r.stderr))
    put("./f.zip")
    problems += refuses("a file", "f.zip", "nczcopy", "s", "f.zip")
    os.remove("f.zip")
    os.remove("z.zip")
    report("replace: archives with other entries", problems)


def links():
    """The link stays, and what it leads to is made or replaced; for each store, by nczcopy and nczgen."""
    problems = []
    for name, real, data in (("l", "real", True), ("l.zarr", "d/real.zarr", True), ("l.cdf", "d/real.cdf", False), ("l.nc4", "d/real.nc4", False), ("l.zip", "d/real.zip", False)):
        os.makedirs("d", exist_ok=True)
        os.symlink(real, name)
        for turn, command in enumerate((("nczcopy", "s", name), ("nczcopy", "-q", "s", name), ("nczcopy", "--resume" if data else "--verify", "s", name), ("nczgen", "-o", name, "s.cdl"))):
            r = run(*command)
            if r.returncode != 0 or r.stderr or not os.path.islink(name) or os.readlink(name) != real or os.path.isdir(real) != data:
                problems.append("%s, turn %d: exit %d, %s" % (" ".join(command), turn, r.returncode, r.stderr))
            left = [n for n in os.listdir(".") + os.listdir("d") if n not in ("s", "s.cdl", "d", name, os.path.basename(real))]
            problems += ["%s left %s" % (" ".join(command), left)] if left else []
            if run("nczdump", name).stdout.replace(name.split(".")[0], "s", 1).split("dimensions")[1:] != run("nczdump", "s").stdout.split("dimensions")[1:]:
                problems.append("%s: other data" % " ".join(command))
            if turn == 0:  # a link to nothing once more
                shutil.rmtree(real) if data else os.remove(real)
        problems += refuses("through the link", "", "nczcopy", "--no-clobber", "s", name)
        os.remove(name)
        shutil.rmtree("real", ignore_errors=True)
        shutil.rmtree("d")
    os.symlink("b", "a")
    os.symlink("a", "b")
    for command in (("nczcopy", "s", "a"), ("nczgen", "-o", "a", "s.cdl")):
        problems += refuses("a circle", "", *command)
    os.remove("a"), os.remove("b")
    gen("real")
    put("real/notes.txt")
    os.symlink("real", "l")
    problems += refuses("foreign files behind a link", "notes.txt", "nczcopy", "s", "l") + refuses("foreign files behind a link", "notes.txt", "nczgen", "-o", "l", "s.cdl")
    os.remove("l")
    shutil.rmtree("real")
    report("replace: through a symbolic link", problems)


def urls():
    """A name of a file or archive, where only Zarr is made."""
    problems = []
    for url in ("s3://b/file.nc", "s3://b/x.zip", "s3://b/x.nc4", "http://127.0.0.1:1/b/file.NC?v=1#mode=s3", "http://127.0.0.1:1/b/x.zip/#mode=s3"):
        problems += refuses("a URL", "--mode zarr", "nczcopy", "s", url) + refuses("a URL", "--mode zarr", "nczgen", "-o", url, "s.cdl")
    problems += refuses("a URL", "not at a URL", "nczcopy", "-k", "nc5", "s", "s3://b/file.nc")
    report("replace: at a URL a name of one object is refused", problems)


def working_directory():
    """A directory is replaced as a whole, so it needs a name of its own; nothing is made in it."""
    problems = []
    os.mkdir("here")
    for target in (".", "./", "..", "../here/."):
        r = run("nczcopy", "../s", target, cwd="here")
        problems += [] if r.returncode == 1 and "by its name" in r.stderr and os.listdir("here") == [] else \
            ["%s: exit %d, %s %s" % (target, r.returncode, r.stderr, os.listdir("here"))]
    os.rmdir("here")
    report("replace: the working directory is no name", problems)


def usage():
    problems = []
    for args in (("--replace-all", "--no-clobber", "s", "t"), ("--replace-all", "--in-place", "--zarr-format", "3", "s")):
        r = run("nczcopy", *args)
        problems += [] if r.returncode == 2 and "replace" in r.stderr and not os.path.exists("t") else ["%s: exit %d, %s" % (args, r.returncode, r.stderr)]
    r = run("nczcopy", "s", "t#replace=some")
    problems += [] if r.returncode == 2 and "only all" in r.stderr and not os.path.exists("t") else ["a value: exit %d, %s" % (r.returncode, r.stderr)]
    gen("t")
    r = run("nczcopy", "--dry-run", "s", "t")
    problems += [] if r.returncode == 0 and "replaces 6 objects at t" in r.stdout else ["--dry-run: %d %s %s" % (r.returncode, r.stdout, r.stderr)]
    shutil.rmtree("t")
    r = run("nczcopy", "--dry-run", "s", "t")
    problems += [] if r.returncode == 0 and "replaces" not in r.stdout else ["--dry-run: %d %s %s" % (r.returncode, r.stdout, r.stderr)]
    report("replace: options, and what --dry-run says", problems)


tmp = tempfile.mkdtemp(prefix="nczarr-replacing-")
os.chdir(tmp)
try:
    open("s.cdl", "w").write(CDL.replace(" v:_ChunkSizes = 1 ;", ""))
    for case in (foreign_files, documents_alone, datasets_inside, temporary_names, archives, links, urls, working_directory, usage):
        case()
finally:
    os.chdir("/")
    shutil.rmtree(tmp)
sys.exit(cases.status())
