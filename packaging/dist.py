#!/usr/bin/env python3
"""Everything that a release offers, from the last commit, in one folder.

usage: dist.py TREE FOLDER [--draft]

  nczarr-VERSION.tar.gz, .symbols   the archive and the exported functions (release.py), built once before they count
  nczarr-VERSION-py3-none-....whl   the wheels, of the archive, with the Python that has auditwheel (.cache/wheel)
  nczarr-VERSION-linux-x86_64.tar.gz  the commands that need no library of the system (static.py), where Zig's compiler is
  *.deb                             Debian's packages of the archive, where dpkg-buildpackage is
  nczarr-VERSION.sha256             the sums of all of them

Refused: a commit that `./dev test --all`, whole or by parts, has not found good with nothing left out, or an earlier one
since which no file has changed that the part looks at; a changelog or a man page that still says that the version is not
released; a version that files disagree on; a binary interface that has lost something. With --draft they are only told.
"""
import glob, hashlib, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import release


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def untested(tree):
    """Why `./dev test --all` does not vouch for the commit: tests/suites/record.py."""
    sys.path.insert(0, os.path.join(tree, "tests", "suites"))
    import record

    return record.problems(tree)


def interface(tree):
    """What abi.py says: it needs clang."""
    if shutil.which("clang") is None:
        return ["clang is not installed: the binary interface is not checked"]
    r = subprocess.run([sys.executable, os.path.join(tree, "tests", "package", "abi.py")], capture_output=True, text=True)
    return [] if r.returncode == 0 else (r.stdout + r.stderr).strip().splitlines()


def unready(tree, version):
    """What a release would have to say otherwise."""
    bad = untested(tree) + interface(tree)
    heading = re.search(r"^## %s \((.*)\)$" % re.escape(version), read(tree, "CHANGELOG.md"), re.M)
    if heading is None or not re.fullmatch(r"\d{4}-\d\d-\d\d", heading.group(1)):
        bad.append("CHANGELOG.md: `## %s (YEAR-MONTH-DAY)` is not there" % version)
    if not re.search(r"^version: %s$" % re.escape(version), read(tree, "CITATION.cff"), re.M):
        bad.append("CITATION.cff has another version")
    debian = re.match(r"nczarr \((.*)-\d+\) (\S+);", read(tree, "packaging", "debian", "changelog"))
    if debian is None or debian.group(1) != version or debian.group(2) == "UNRELEASED":
        bad.append("packaging/debian/changelog: %s is not its newest entry, or that is not released" % version)
    return bad + release.old_man_pages(tree)


def write_binaries(source, folder, tree):
    """The wheels and the static commands; what needs musl where Zig's compiler is."""
    python, libraries = (os.path.join(tree, ".cache", *words) for words in (("wheel", "bin", "python"), ("wheel-libraries",)))
    zig = next(iter(glob.glob(os.path.join(tree, ".cache", "zig", "lib", "python3*", "site-packages", "ziglang"))), None)
    if zig is None:
        print("Zig's compiler is not installed (./dev setup zig): no wheel for musl, no static commands")
    env = dict(os.environ, PATH="%s:%s" % (zig, os.environ["PATH"]))
    wheel, static = (os.path.join(source, "packaging", *words) for words in (("wheel", "build.py"), ("static.py",)))
    commands = [(wheel, folder, "manylinux", libraries), (wheel, folder, "musllinux", libraries), (static, folder, libraries)]
    made = [release.output(python, *command, env=env) for command in commands[:3 if zig else 1]]
    return [os.path.basename(path.decode().strip()) for path in made]


def write_debian(archive, tmp, folder):
    name, version = re.match(r"(\w+)-(.*)\.tar\.gz$", os.path.basename(archive)).groups()
    at = os.path.join(tmp, "debian")
    os.mkdir(at)
    shutil.copy(archive, os.path.join(at, "%s_%s.orig.tar.gz" % (name, version)))
    release.output("tar", "-xzf", archive, "-C", at)
    source = os.path.join(at, "%s-%s" % (name, version))
    shutil.copytree(os.path.join(source, "packaging", "debian"), os.path.join(source, "debian"))
    release.output("dpkg-buildpackage", "-b", "-us", "-uc", cwd=source, env=dict(os.environ, DEB_BUILD_OPTIONS="nocheck", DEB_BUILD_PROFILES="nocheck"))
    made = sorted(glob.glob(os.path.join(at, "*.deb")))
    for path in made:
        shutil.copy(path, folder)
    return [os.path.basename(path) for path in made]


def write_sums(folder, name, files):
    with open(os.path.join(folder, name + ".sha256"), "w", encoding="utf-8") as f:
        for file in files:
            with open(os.path.join(folder, file), "rb") as data:
                f.write("%s  %s\n" % (hashlib.sha256(data.read()).hexdigest(), file))


def main(args):
    draft = "--draft" in args
    tree, folder = (os.path.abspath(a) for a in args if a != "--draft")
    try:
        version = release.read_version(tree)
        bad = unready(tree, version)
        for line in bad:
            print(line)
        if bad and not draft:
            raise release.Refused("this version is not ready (--draft makes its files all the same)")
        archive = release.write_release(tree, folder)
        release.check_release(archive)
        name = "nczarr-" + version
        files = [name + ".tar.gz", name + ".symbols"]
        with tempfile.TemporaryDirectory() as tmp:
            release.output("tar", "-xzf", archive, "-C", tmp)
            files += write_binaries(os.path.join(tmp, name), folder, tree)
            if shutil.which("dpkg-buildpackage"):
                files += write_debian(archive, tmp, folder)
            else:
                print("dpkg-buildpackage is not installed: no Debian packages")
        write_sums(folder, name, files)
    except release.Refused as why:
        sys.exit("release: %s" % why)
    for file in files:
        print("%10d  %s" % (os.path.getsize(os.path.join(folder, file)), file))


if __name__ == "__main__":
    places = [a for a in sys.argv[1:] if a != "--draft"]
    if len(places) != 2 or places[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
