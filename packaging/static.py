#!/usr/bin/env python3
"""The four commands for any Linux on x86-64: they need no library of the system, not even its C library.

usage: static.py FOLDER LIBRARIES [OPTION ...]

Writes FOLDER/nczarr-VERSION-linux-x86_64.tar.gz: bin, share with the man pages and what completes in the shells, and the
licences of all that is linked in. LIBRARIES is the folder that wheel/libraries fills first, with musl; options are of
`meson setup`. Needs cmake, make and Zig's C compiler (./dev setup zig). Refused: a command that needs the system's.
"""
import glob, gzip, os, subprocess, sys, tarfile, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "wheel"))
import backend

OPTIONS = ["-Ddefault_library=static", "-Db_pie=true", "-Dc_link_args=-static -Wl,--gc-sections"] + [
    "-D%s=enabled" % name for name in ("blosc", "zstd", "lz4", "lzma", "bzip2", "libdeflate", "utf8proc", "libzip", "s3")]
WANTED = ("bin", "share/man/man1", "share/man/man5", "share/man/man7", "share/bash-completion", "share/fish", "share/zsh")
LICENCES = "share/doc/nczarr/"  # beside those of other programs, where all of it is unpacked into a prefix


def run(*command):
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if r.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (" ".join(command), r.returncode, r.stdout[-3000:]))
    return r.stdout


def refuse_needs(path):
    """Neither a loader nor a library."""
    for line in run("readelf", "-l", "-d", path).splitlines():
        if "INTERP" in line or "(NEEDED)" in line:
            sys.exit("%s is not static: %s" % (os.path.basename(path), line.strip()))


def packed_files(usr, licences):
    """{name: path}"""
    files = {LICENCES + "LICENSE": os.path.join(backend.ROOT, "LICENSE")}
    for place in WANTED:
        for base, _, names in os.walk(os.path.join(usr, place)):
            files.update((os.path.relpath(os.path.join(base, name), usr), os.path.join(base, name)) for name in names)
    files.update((LICENCES + "licenses/" + os.path.basename(path), path) for path in glob.glob(os.path.join(licences, "*.txt")))
    return files


def write_archive(path, top, files):
    """The same bytes of the same files."""
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=backend.dated()) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo("%s/%s" % (top, name))
            member.size, member.mtime = os.path.getsize(files[name]), backend.dated()
            member.mode = 0o755 if name.startswith("bin/") else 0o644
            with open(files[name], "rb") as data:
                tar.addfile(member, data)


def main(folder, libraries, *options):
    run(os.path.join(HERE, "wheel", "libraries"), libraries, "musllinux")
    os.makedirs(folder, exist_ok=True)
    at = os.path.join(os.path.abspath(libraries), "musllinux")
    top = "nczarr-%s-linux-x86_64" % backend.version()
    target = os.path.join(os.path.abspath(folder), top + ".tar.gz")
    with tempfile.TemporaryDirectory() as tmp:
        usr = backend.install(tmp, ["--cross-file=" + os.path.join(at, "cross.ini"), *OPTIONS, *options])
        for command in backend.COMMANDS:
            refuse_needs(os.path.join(usr, "bin", command))
        write_archive(target, top, packed_files(usr, os.path.join(at, "licences")))
    print(target)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
