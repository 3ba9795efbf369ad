#!/usr/bin/env python3
"""The archive of a release, the same bytes on every machine that has the same commit and zlib.

usage: release.py TREE FOLDER [--check]

Writes into FOLDER, from the last commit of the checkout TREE:
  nczarr-VERSION.tar.gz    the files in the order of their names, dated SOURCE_DATE_EPOCH or when the commit was made, and
                           amalgamation/, the library in one file, which a build with CMake compiles
  nczarr-VERSION.symbols   the functions that the shared library exports
  nczarr-VERSION.sha256    for `sha256sum -c`
--check: the archive is unpacked and built, and its commands and an example run; it is removed if one of them fails.
A tree with changes that are not committed is refused: no commit would have what is in the archive.
"""
import glob, gzip, hashlib, io, json, os, re, subprocess, sys, tarfile, tempfile


class Refused(Exception):
    pass


def output(*cmd, **kw):
    """What a command writes to stdout, in bytes."""
    r = subprocess.run(cmd, capture_output=True, **kw)
    if r.returncode != 0:
        complaint = (r.stderr or r.stdout).decode(errors="replace")
        raise Refused("%s failed: %s" % (" ".join(cmd), complaint.strip()[-2000:]))
    return r.stdout


def refuse_changes(tree):
    if not os.path.exists(os.path.join(tree, ".git")):
        raise Refused("%s is no checkout of the repository" % tree)
    changes = output("git", "-C", tree, "status", "--porcelain").decode(errors="replace")
    if changes:
        raise Refused("there are changes that are not committed:\n%s" % changes.rstrip())


def read_version(tree):
    return json.loads(output("meson", "introspect", "--projectinfo", os.path.join(tree, "meson.build")))["version"]


def read_time(tree):
    text = os.environ.get("SOURCE_DATE_EPOCH") or output("git", "-C", tree, "log", "-1", "--format=%ct").decode().strip()
    if not text.isascii() or not text.isdigit():
        raise Refused("SOURCE_DATE_EPOCH is '%s', not a number of seconds" % text)
    return int(text)


def old_man_pages(tree):
    """Those whose date is older than the last change of their text, on the day when it was written: a commit that is moved keeps that."""
    bad = []
    for path in sorted(glob.glob(os.path.join(tree, "docs", "man", "*.[1-9]"))):
        with open(path, encoding="utf-8") as f:
            date = re.search(r'^\.TH \S+ \d "(\d{4}-\d\d-\d\d)"', f.read(), re.M)
        changed = output("git", "-C", tree, "log", "-1", "--format=%as", "--", path).decode().strip()
        if date is None or date.group(1) < changed:
            bad.append("%s: changed on %s, dated %s" % (os.path.relpath(path, tree), changed, date.group(1) if date else "never"))
    return bad


def one_file(tree):
    """The library in one file, and its header: {name: bytes}."""
    with tempfile.TemporaryDirectory() as folder:
        output(sys.executable, os.path.join(tree, "tools", "amalgamate.py"), folder)
        return {name: open(os.path.join(folder, name), "rb").read() for name in ("nczarr.c", "nczarr.h")}


def archive(tree, prefix, seconds):
    """A compressed tar file of the commit: nothing in it depends on the machine, the user or the release of Git."""
    committed = tarfile.open(fileobj=io.BytesIO(output("git", "-C", tree, "archive", "--format=tar", "HEAD")))
    packed, made = io.BytesIO(), one_file(tree)
    folder = tarfile.TarInfo("amalgamation")
    folder.type = tarfile.DIRTYPE
    files = [(m, committed.extractfile(m) if m.isfile() else None) for m in committed.getmembers()] + [(folder, None)]
    for name, data in made.items():
        member = tarfile.TarInfo("amalgamation/" + name)
        member.size = len(data)
        files.append((member, io.BytesIO(data)))
    with gzip.GzipFile("", "wb", 9, packed, mtime=seconds) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8") as out:
        for old, data in sorted(files, key=lambda f: f[0].name):
            new = tarfile.TarInfo("%s/%s" % (prefix, old.name))
            new.type, new.size, new.linkname, new.mtime = old.type, old.size, old.linkname, seconds
            new.mode = 0o755 if old.isdir() or old.mode & 0o100 else 0o644
            out.addfile(new, data)
    return packed.getvalue()


def exported_functions(tree):
    listed = output("git", "-C", tree, "show", "HEAD:tests/package/symbols.txt")
    return b"".join(line for line in listed.splitlines(True) if not line.startswith(b"#"))


def write_release(tree, folder):
    """The path of the archive."""
    refuse_changes(tree)
    name = "nczarr-" + read_version(tree)
    files = {name + ".tar.gz": archive(tree, name, read_time(tree)), name + ".symbols": exported_functions(tree)}
    sums = "".join("%s  %s\n" % (hashlib.sha256(data).hexdigest(), n) for n, data in files.items())
    files[name + ".sha256"] = sums.encode()
    os.makedirs(folder, exist_ok=True)
    for n, data in files.items():
        with open(os.path.join(folder, n), "wb") as f:
            f.write(data)
    return os.path.join(folder, name + ".tar.gz")


def check_release(path):
    """Builds what is in the archive with zlib alone, outside the repository, and uses it."""
    with tempfile.TemporaryDirectory() as tmp:
        output("tar", "-xzf", os.path.abspath(path), "-C", tmp)
        tree, build = os.path.join(tmp, os.listdir(tmp)[0]), os.path.join(tmp, "build")
        output("meson", "setup", "--buildtype=plain", "-Dtests=disabled", "-Dauto_features=disabled", "-Ddefault_library=shared", build, tree)
        output("meson", "compile", "-C", build)
        first, cdl, again = (os.path.join(tmp, n) for n in ("example.zarr", "example.cdl", "again/example.zarr"))
        output(os.path.join(build, "docs/examples/write_read"), first)
        shown = output(os.path.join(build, "tools/nczdump"), first)
        with open(cdl, "wb") as f:
            f.write(shown)
        os.mkdir(os.path.dirname(again))
        output(os.path.join(build, "tools/nczgen"), "-o", again, cdl)
        if b"speed" not in shown or output(os.path.join(build, "tools/nczdump"), again) != shown:
            raise Refused("nczdump does not show what nczgen wrote")


def main(args):
    check = "--check" in args
    places = [a for a in args if a != "--check"]
    if len(places) != 2 or places[1].startswith("-"):
        sys.exit(__doc__)
    path = None
    try:
        path = write_release(*places)
        if check:
            check_release(path)
    except Refused as why:
        if path is not None:
            os.remove(path)
        sys.exit("release: %s" % why)
    print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
