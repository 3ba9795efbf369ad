"""Debian's packages: packaging/debian fits the tree; with NCZARR_TEST_ALL they are built from the archive of a release,
lintian has nothing to say, a program uses what they unpack to in a folder of their own, and, where file systems may be
mounted, they are installed and removed in a copy of the system."""
import glob, os, re, shutil, subprocess, sys, tempfile

EXAMPLES = "usr/share/doc/nczarr/examples"

# The system with a layer over it, which takes what is written, for the time of the command. 77: it cannot be had here.
OVER_THE_SYSTEM = """
mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" "$1/root" || exit 77
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root" && mount -t tmpfs tmpfs "$1/root/mnt" || exit 77
cp "$2"/*.deb "$3" "$1/root/mnt" || exit 1
exec chroot "$1/root" sh -c 'dpkg -i /mnt/*.deb && /mnt/build-program && dpkg -P $(for f in /mnt/*.deb; do dpkg-deb -f $f Package; done)'
"""


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def paragraphs(text):
    """The fields of each paragraph of a control file."""
    fields = (re.findall(r"^([\w-]+):((?:.*\n(?:[ \t].*\n)*))", p + "\n", re.M) for p in text.split("\n\n"))
    return [{name: value.strip() for name, value in f} for f in fields if f]


def names_of(field):
    """What a list of dependencies names, without versions, machines and profiles."""
    field = re.sub(r"\([^)]*\)|\[[^]]*\]|<[^>]*>", "", field)
    return {word.strip() for part in field.split(",") for word in part.split("|") if word.strip()}


def build_dependencies(root, source):
    """Debian's package of each library is what ./dev installs for the build."""
    developers = re.search(r'^build_packages="([^"]*)"', read(root, "dev"), re.M).group(1).split()
    want = {p for p in developers if p.endswith("-dev")}
    have = {p for p in names_of(source["Build-Depends"]) if p.endswith("-dev")} - {"libcmocka-dev", "mpi-default-dev"}
    return ["Build-Depends and ./dev differ: %s" % p for p in sorted(want ^ have)]


def options_of_rules(root):
    """debian/rules decides about every optional library by an option that exists."""
    known = dict(re.findall(r"^option\('([\w-]+)', type: '(\w+)'", read(root, "meson.options"), re.M))
    passed = set(re.findall(r"-D([\w-]+)=", read(root, "packaging", "debian", "rules"))) - {"default_library"}
    bad = ["debian/rules: no option is called %s" % o for o in sorted(passed - set(known))]
    return bad + ["debian/rules: nothing about %s" % o for o in sorted(o for o in known if known[o] == "feature" and o not in passed)]


def problems(root):
    """All complaints; none: the files fit the version, the SONAME, the exported functions and the options."""
    folder = os.path.join(root, "packaging", "debian")
    build = read(root, "meson.build")
    version = re.search(r"version: '([^']+)'", build).group(1)
    abi = re.search(r"^abi = (\d+)", build, re.M).group(1)
    source, *packages = paragraphs(read(folder, "control"))
    names = [p["Package"] for p in packages]
    bad = build_dependencies(root, source) + options_of_rules(root)
    if not read(folder, "changelog").startswith("nczarr (%s-" % version):
        bad.append("debian/changelog does not begin with %s" % version)
    for library in ("libnczarr", "libnczarr-mpi", "libnczarr-netcdf"):
        if library + abi not in names:
            bad.append("no package %s%s, but the SONAMEs end with %s" % (library, abi, abi))
    for path in glob.glob(os.path.join(folder, "*.install")):
        if os.path.basename(path)[:-len(".install")] not in names:
            bad.append("%s belongs to no package" % os.path.basename(path))
    bad += ["no %s.install" % n for n in names if not os.path.exists(os.path.join(folder, n + ".install"))]
    for place in [os.path.join(folder, "rules")] + glob.glob(os.path.join(folder, "tests", "build-*")):
        if not os.access(place, os.X_OK):
            bad.append("%s cannot be run" % os.path.relpath(place, root))
    text = re.sub(r"^ \.?", "", read(folder, "copyright"), flags=re.M)
    if " ".join(read(root, "LICENSE").split("\n\n", 2)[2].split()) not in " ".join(text.split()):
        bad.append("debian/copyright has another licence")
    r = run(sys.executable, os.path.join(root, "packaging", "debian_symbols.py"), "--check")
    return bad + ([r.stderr.strip()] if r.returncode != 0 else [])


def build_packages(root, folder):
    """Complaints of making the packages in this folder from an archive of the commit."""
    r = run("git", "clone", "-q", "--no-hardlinks", root, os.path.join(folder, "clone"))
    if r.returncode == 0:
        r = run(sys.executable, os.path.join(root, "packaging", "release.py"), os.path.join(folder, "clone"), os.path.join(folder, "release"))
    if r.returncode != 0:
        return [r.stderr[-600:]]
    archive = r.stdout.strip()
    name, version = re.match(r"(\w+)-(.*)\.tar\.gz$", os.path.basename(archive)).groups()
    shutil.copy(archive, os.path.join(folder, "%s_%s.orig.tar.gz" % (name, version)))
    run("tar", "-xzf", archive, "-C", folder)
    tree = os.path.join(folder, "%s-%s" % (name, version))
    shutil.copytree(os.path.join(tree, "packaging", "debian"), os.path.join(tree, "debian"))
    env = dict(os.environ, DEB_BUILD_OPTIONS="nocheck parallel=%d" % os.cpu_count(), DEB_BUILD_PROFILES="nocheck")
    r = run("dpkg-buildpackage", "-us", "-uc", cwd=tree, env=env)
    return ["dpkg-buildpackage: " + (r.stdout + r.stderr)[-1500:]] if r.returncode != 0 else []


def lint(folder):
    """lintian's errors and warnings but one: the bug that an upload closes is for whoever uploads to know."""
    r = run("lintian", "--fail-on", "error,warning", "--allow-root", "--suppress-tags", "initial-upload-closes-no-bugs", *glob.glob(os.path.join(folder, "*.changes")))
    said = [l for l in r.stdout.splitlines() if l[:2] in ("E:", "W:")]
    return said or ([r.stderr[-600:]] if r.returncode != 0 else [])


def symbols_are_current(folder):
    """dpkg-gensymbols says what is new or gone only in the log; the file that it made must be ours."""
    made = run("dpkg-deb", "-I", glob.glob(os.path.join(folder, "libnczarr0_*.deb"))[0], "symbols").stdout
    ours = read(glob.glob(os.path.join(folder, "nczarr-*", "debian", "libnczarr0.symbols"))[0])
    rows = [set(re.findall(r"^ (\w+)@", text, re.M)) for text in (made, ours)]
    return ["the library and libnczarr0.symbols differ: %s" % n for n in sorted(rows[0] ^ rows[1])]


def use_packages(folder):
    """A program is compiled with what the packages unpack to, runs, and the commands read what it wrote."""
    place = os.path.join(folder, "root")
    for deb in glob.glob(os.path.join(folder, "*.deb")):
        if run("dpkg-deb", "-x", deb, place).returncode != 0:
            return ["%s cannot be unpacked" % os.path.basename(deb)]
    lib = glob.glob(os.path.join(place, "usr/lib/*/pkgconfig"))[0]
    env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=place, PKG_CONFIG_PATH=lib, LD_LIBRARY_PATH=os.path.dirname(lib))
    flags = run("pkg-config", "--cflags", "--libs", "nczarr", env=env)
    # pkg-config leaves out the compiler's own folders, but these are below another root.
    words = ["-I" + os.path.join(place, "usr/include"), "-L" + os.path.dirname(lib)] + flags.stdout.split()
    program, data, cdl = (os.path.join(folder, n) for n in ("program", "example.zarr", "example.cdl"))
    r = run("cc", "-Wall", "-Werror", os.path.join(place, EXAMPLES, "write_read.c"), "-o", program, *words)
    if flags.returncode != 0 or r.returncode != 0:
        return [(flags.stderr + r.stderr)[-600:]]
    linked = run("ldd", program, env=env).stdout
    if os.path.dirname(lib) + "/libnczarr.so.0" not in linked:
        return ["the program does not use the package's library: " + linked[-400:]]
    os.mkdir(os.path.join(folder, "again"))
    again = os.path.join(folder, "again", "example.zarr")
    r = run(program, data, env=env)
    shown = run(os.path.join(place, "usr/bin/nczdump"), data, env=env)
    with open(cdl, "w") as f:
        f.write(shown.stdout)
    made = run(os.path.join(place, "usr/bin/nczgen"), "-o", again, cdl, env=env)
    if r.returncode or shown.returncode or made.returncode or "speed" not in shown.stdout:
        return [(r.stderr + shown.stderr + made.stderr)[-600:]]
    if run(os.path.join(place, "usr/bin/nczdump"), again, env=env).stdout != shown.stdout:
        return ["nczdump does not show what nczgen wrote"]
    return []


def install_packages(root, folder):
    """dpkg installs them, Debian's test of the installed packages passes, and it removes them again."""
    place = os.path.join(folder, "layer")
    os.mkdir(place)
    test = os.path.join(root, "packaging", "debian", "tests", "build-program")
    r = run("unshare", "-m", "sh", "-c", OVER_THE_SYSTEM, "sh", place, folder, test)
    if r.returncode == 77 or (r.returncode != 0 and r.stderr.startswith("unshare:")):
        print("skipped: Debian's packages are unpacked, not installed: no file system can be mounted here")
        return []
    return ["installation: " + (r.stdout + r.stderr)[-1500:]] if r.returncode != 0 else []


def missing(root):
    """What the system lacks to build the packages, as one line; nothing: it can."""
    for program in ("dpkg-buildpackage", "dh", "lintian"):
        if shutil.which(program) is None:
            return "%s is not installed" % program
    r = run("dpkg-checkbuilddeps", "-Pnocheck", os.path.join(root, "packaging", "debian", "control"))
    return r.stderr.strip()


def build_problems(root):
    """All complaints about the packages themselves."""
    folder = tempfile.mkdtemp()
    try:
        return build_packages(root, folder) or lint(folder) + symbols_are_current(folder) + use_packages(folder) + install_packages(root, folder)
    finally:
        shutil.rmtree(folder)
