"""Debian's packages: dpkg-buildpackage makes them of a release's archive, lintian has nothing to say, apt-get installs them
in a bare system, where a program is compiled and runs, their own test passes by autopkgtest, and they go again."""
import glob, os, re, shutil, subprocess

import chroot

PACKAGES = "gcc libc6-dev pkg-config"
PROGRAM = """
cd /root
cc -Wall /mnt/program.c -o program $(pkg-config --cflags --libs nczarr)
./program >/mnt/output
nczdump program.zarr | grep -q 'v = 1, 2, 3'
dpkg -P $(for f in /mnt/*.deb; do dpkg-deb -f $f Package; done) >/dev/null
left=$(ls -d /usr/include/nczarr* /usr/lib/*/libnczarr* /usr/bin/ncz* /usr/share/doc/*nczarr* 2>/dev/null) || true
[ -z "$left" ] || { echo "not removed: $left"; exit 1; }
cat /mnt/output
"""


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def build(archive, folder, options):
    """Complaints of making the packages of this archive in the folder."""
    name, version = re.match(r"(\w+)-(.*)\.tar\.gz$", os.path.basename(archive)).groups()
    shutil.copy(archive, os.path.join(folder, "%s_%s.orig.tar.gz" % (name, version)))
    run("tar", "-xzf", archive, "-C", folder)
    tree = os.path.join(folder, "%s-%s" % (name, version))
    shutil.copytree(os.path.join(tree, "packaging", "debian"), os.path.join(tree, "debian"))
    env = dict(os.environ, DEB_BUILD_OPTIONS="nocheck parallel=%d %s" % (os.cpu_count(), options), DEB_BUILD_PROFILES="nocheck")
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
    ours = open(glob.glob(os.path.join(folder, "nczarr-*", "debian", "libnczarr0.symbols"))[0], encoding="utf-8").read()
    rows = [set(re.findall(r"^ (\w+)@", text, re.M)) for text in (made, ours)]
    return ["the library and libnczarr0.symbols differ: %s" % n for n in sorted(rows[0] ^ rows[1])]


def install(cache, folder, program):
    """What the program writes that is compiled in a bare system with the packages, and how long apt-get took."""
    debs = glob.glob(os.path.join(folder, "*.deb"))
    with chroot.Chroot(cache, [*debs, program]) as system:
        system.install(PACKAGES, "/mnt/*.deb")
        return system.run(PROGRAM).splitlines()[-1:], system.install_seconds


def autopkgtest(cache, folder):
    """debian/tests in another bare system; 2 of its exit status: a test was skipped, 8: there is none."""
    with chroot.Chroot(cache) as system:
        system.install("apt-utils") # which sets up apt, too
        return system.beside("autopkgtest", "-B", *glob.glob(os.path.join(folder, "*.deb")), glob.glob(os.path.join(folder, "*.dsc"))[0],
                             "--", "chroot", system.folder)


def missing(root):
    """What the system lacks to build the packages, as one line; nothing: it can."""
    for program in ("dpkg-buildpackage", "dh", "lintian", "autopkgtest"):
        if shutil.which(program) is None:
            return "%s is not installed" % program
    r = run("dpkg-checkbuilddeps", "-Pnocheck", os.path.join(root, "packaging", "debian", "control"))
    return r.stderr.strip()
