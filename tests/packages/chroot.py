"""A bare Debian or Ubuntu, of this system's release, in a folder: its C library, apt and certificates, no more.

tests/packages/setup packs it once, as DIR/base.tar. Each Chroot is a new copy. The packages that are fetched for one are
kept in DIR/packages for the next."""
import os, shutil, subprocess, tempfile, time

# In mounts of its own, which end with the command. $1: the folder, $2: DIR, $3: what it sees as /mnt; then a command that
# runs outside, or none: the script.
ENTER = """
mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --bind "$3" "$1/mnt" || exit 77
mount --bind "$2/packages" "$1/var/cache/apt/archives" && mount --bind "$2/lists" "$1/var/lib/apt/lists" || exit 77
[ $# -eq 3 ] || { shift 3; exec "$@"; }
exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -eu /mnt/script
"""
# dpkg need not sync each file of a system that does not last.
INSTALL = """
echo 'APT::Keep-Downloaded-Packages "true"; APT::Sandbox::User "root"; Acquire::Languages "none";' >/etc/apt/apt.conf.d/kept
echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/unsafe-io
apt-get -q update
apt-get -q install -y --no-install-recommends %s
"""


class Failed(Exception):
    pass


def missing(cache):
    """Why there can be none here; nothing: there can."""
    if os.geteuid() != 0:
        return "a chroot needs root"
    if not os.path.exists(os.path.join(cache, "base.tar")):
        return "no bare system: ./dev setup packages"
    r = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True)
    return r.stderr.strip() if r.returncode != 0 else ""


class Chroot:
    """`given`: files that are copied to its /mnt. install_seconds is what apt-get took."""

    def __init__(self, cache, given=()):
        self.cache, self.given, self.install_seconds = cache, given, 0.0

    def __enter__(self):
        self.tmp = tempfile.mkdtemp()
        self.folder, self.seen = os.path.join(self.tmp, "root"), os.path.join(self.tmp, "mnt")
        for path in (self.folder, self.seen, os.path.join(self.cache, "packages", "partial"), os.path.join(self.cache, "lists", "partial")):
            os.makedirs(path, exist_ok=True)
        os.chmod(self.tmp, 0o755)
        subprocess.run(["tar", "-xf", os.path.join(self.cache, "base.tar"), "-C", self.folder, "--exclude=./dev/*"], check=True)
        shutil.copy("/etc/resolv.conf", os.path.join(self.folder, "etc"))
        shutil.copy("/etc/hosts", os.path.join(self.folder, "etc"))
        for path in self.given:
            shutil.copy(path, self.seen)
        return self

    def __exit__(self, *what):
        shutil.rmtree(self.tmp)

    def run(self, script):
        """What the script writes to stdout; it ends with its first command that fails."""
        with open(os.path.join(self.seen, "script"), "w", encoding="utf-8") as f:
            f.write(script)
        return self.beside()

    def beside(self, *command):
        """The same of a command of this system, which sees the folder with its mounts."""
        r = subprocess.run(["unshare", "-m", "sh", "-c", ENTER, "sh", self.folder, self.cache, self.seen, *command],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if r.returncode != 0:
            raise Failed("exit %d: %s" % (r.returncode, (r.stdout[-2500:] + r.stderr[-1500:])))
        return r.stdout

    def install(self, *packages):
        """Packages of the distribution, or files: /mnt/NAME.deb."""
        began = time.monotonic()
        self.run(INSTALL % " ".join(packages))
        self.install_seconds += time.monotonic() - began
