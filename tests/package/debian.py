"""Debian's packages: packaging/debian fits the tree. tests/packages builds them."""
import glob, os, re, subprocess, sys


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
