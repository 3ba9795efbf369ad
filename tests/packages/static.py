"""The static commands, in a root folder that holds nothing else: no C library, no shell, no /dev and /proc. They write a
dataset to each store with each codec and read it back; they find the certificates of each make of system."""
import glob, os, shutil, subprocess, sys, tarfile, zipfile

import chroot

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "s3"))

COMMANDS = ("nczcopy", "nczdump", "nczgen", "nczmap")
STORES = {"directory", "zip", "memory", "s3", "http"}
CODECS = {"blosc": "blosc,0,0,0,0,5,1,1", "zstd": "zstd,3", "lz4": '{"id": "lz4"}', "lzma": "lzma", "bz2": "bzip2,9", "zlib": "zlib,5",
          "szip": "szip,32,8", "zfpy": '{"id": "zfpy", "mode": 5}'} # the last two where their sources were found
OPTIONAL = {"szip", "zfpy"}
TARGETS = ("/tmp/b.zarr#mode=nczarr,v3", "file:///tmp/c.zip#mode=nczarr,zip", "/tmp/d.nc", "s3://bucket/e.zarr", "s3://bucket/f.zarr#mode=nczarr,v3")
BUNDLES = ("etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem")
HOST = "store.example" # found by the file /etc/hosts alone


def zig_folder(root):
    return next(iter(glob.glob(os.path.join(root, ".cache", "zig", "lib", "python3*", "site-packages", "ziglang"))), None)


def missing(root):
    """What the system lacks, as one line; nothing: it can."""
    if os.geteuid() != 0:
        return "a chroot needs root"
    return "" if zig_folder(root) else "Zig's compiler is not installed: ./dev setup zig"


def run(*command, **more):
    r = subprocess.run(command, capture_output=True, text=True, **more)
    if r.returncode != 0:
        raise chroot.Failed("%s: exit %d: %s" % (" ".join(command), r.returncode, (r.stdout + r.stderr)[-1500:]))
    return r.stdout


def build(tree, folder, options):
    """The archive of the commands."""
    path = zig_folder(ROOT) + os.pathsep + os.environ["PATH"]
    return run(sys.executable, os.path.join(tree, "packaging", "static.py"), folder, os.path.join(ROOT, ".cache", "wheel-libraries"), *options,
               env=dict(os.environ, PATH=path)).strip()


class Bare:
    """A root folder with the commands of the archive."""

    def __init__(self, archive, folder, tree):
        self.root, self.env = folder, {"HOME": "/tmp", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"} # for chroot itself
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        top = os.path.join(folder, os.listdir(folder)[0])
        for name in os.listdir(top):
            shutil.move(os.path.join(top, name), folder)
        os.rmdir(top)
        os.mkdir(self.path("tmp"))
        shutil.copy(os.path.join(tree, "docs", "examples", "climate.cdl"), folder)

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, command, *words, **env):
        return run("chroot", self.root, "/bin/" + command, *words, env=dict(self.env, **env))

    def refused(self, *words):
        r = subprocess.run(["chroot", self.root, *words], capture_output=True, text=True, env=self.env)
        return r.stderr if r.returncode != 0 else ""

    def dump(self, place, **env):
        """Without the name."""
        return self.run("nczdump", place, **env).partition("\n")[2]


def is_static(bare):
    bad = []
    for command in COMMANDS:
        told = subprocess.run(["ldd", bare.path("bin/" + command)], capture_output=True, text=True)
        if "not a dynamic executable" not in told.stdout + told.stderr and "statically linked" not in told.stdout:
            bad.append("%s: ldd says %s" % (command, told.stdout + told.stderr))
    return bad


def holds_all(bare):
    """Complaints, and the codecs that are in it."""
    said = dict(line.split(": ", 1) for line in bare.run("nczdump", "--version").splitlines() if ": " in line)
    codecs = set(said["codecs"].split())
    bad = ["it has not: %s" % " ".join(sorted(lacks)) for lacks in (set(CODECS) - OPTIONAL - codecs, STORES - set(said["stores"].split())) if lacks]
    if not os.path.exists(bare.path("share/doc/nczarr/licenses/openssl.txt")) or not os.path.exists(bare.path("share/man/man1/nczdump.1")):
        bad.append("licences or man pages are not there")
    return bad, codecs


def each_store(bare, endpoint):
    """From CDL to each of them, and back."""
    bare.env.update(AWS_ENDPOINT_URL=endpoint)
    bare.run("nczgen", "-o", "/tmp/a.zarr", "/climate.cdl")
    first, bad = bare.dump("/tmp/a.zarr"), []
    for target in TARGETS:
        bare.run("nczcopy", "--verify", "/tmp/a.zarr", target)
        if bare.dump(target).partition("data:")[2] != first.partition("data:")[2]:
            bad.append("%s has other values" % target)
        if not target.endswith(".nc") and not bare.run("nczmap", target):
            bad.append("%s has no objects" % target)
    # Whose entries only libzip reads.
    with zipfile.ZipFile(bare.path("tmp/g.zip"), "w", zipfile.ZIP_BZIP2) as z:
        for base, _, names in os.walk(bare.path("tmp/a.zarr")):
            for name in names:
                z.write(os.path.join(base, name), os.path.relpath(os.path.join(base, name), bare.path("tmp/a.zarr")))
    return bad + ([] if bare.dump("/tmp/g.zip") == first else ["the archive by another program has other values"])


def each_codec(bare, codecs):
    bad, values = [], bare.run("nczdump", "-v", "temperature", "/tmp/a.zarr").partition("data:")[2]
    for name in sorted(set(CODECS) & codecs):
        target = "/tmp/%s.zarr" % name
        bare.run("nczcopy", "--verify", "-F", "/temperature," + CODECS[name], "/tmp/a.zarr", target)
        if bare.run("nczdump", "-v", "temperature", target).partition("data:")[2] != values:
            bad.append("%s: other values" % name)
    return bad


def certificate(folder):
    """(its file, that of its key); whoever trusts it trusts itself."""
    files = [os.path.join(folder, "server." + kind) for kind in ("crt", "key")]
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=nczarr test",
        "-addext", "subjectAltName=DNS:%s" % HOST, "-out", files[0], "-keyout", files[1])
    return files


def each_bundle(bare, url, pem):
    """Refused without certificates, read with those of each make of system, and with those that are named."""
    want, bad = bare.dump("/tmp/a.zarr"), []
    told = bare.refused("/bin/nczdump", "-h", url)
    if "certificate" not in told.lower():
        bad.append("without certificates: %s" % (told or "it read the dataset"))
    for place in BUNDLES:
        bare.put(place, pem)
        if bare.dump(url) != want:
            bad.append("%s: other values" % place)
        os.remove(bare.path(place))
    bare.put("tmp/own.pem", pem)
    return bad + ([] if bare.dump(url, SSL_CERT_FILE="/tmp/own.pem") == want else ["SSL_CERT_FILE: other values"])


def problems(tree, folder, options):
    """All complaints, and a remark."""
    import chaos

    archive = build(tree, os.path.join(folder, "dist"), options)
    bare = Bare(archive, os.path.join(folder, "root"), tree)
    bare.put("etc/hosts", "127.0.0.1 %s\n" % HOST)
    bare.env.update(AWS_ACCESS_KEY_ID=chaos.KEY_ID, AWS_SECRET_ACCESS_KEY=chaos.SECRET, AWS_REGION="us-east-1")
    bad, codecs = holds_all(bare)
    pair = certificate(folder)
    plain, safe = chaos.Server(), chaos.Server(pair)
    try:
        bucket = plain.add(chaos.Bucket("bucket"))
        bad += is_static(bare) + each_store(bare, "http://%s:%d" % (HOST, plain.port)) + each_codec(bare, codecs)
        shown = safe.add(chaos.Bucket("bucket", public=True))
        for key, kept in bucket.objects.items():
            shown.load(key, kept.data)
        with open(pair[0], encoding="ascii") as f:
            bad += each_bundle(bare, "https://%s:%d/bucket/e.zarr" % (HOST, safe.port), f.read())
    finally:
        plain.stop()
        safe.stop()
    lacks = ", without " + " ".join(sorted(set(CODECS) - codecs)) if set(CODECS) - codecs else ""
    return bad, "%.1f MB, nczdump %.1f MB%s" % (os.path.getsize(archive) / 1e6, os.path.getsize(bare.path("bin/nczdump")) / 1e6, lacks)
