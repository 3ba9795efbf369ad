"""The back end that pyproject.toml declares: builds the library and its commands with Meson and packs them as a wheel for
any Python 3. It needs no Python package but Meson and Ninja.

The wheel holds the package nczarr: bin/ with the commands, lib/ with the shared library, include/ with the headers, and
entry points that start the commands. Libraries of the system stay outside: packaging/wheel/build.py has auditwheel put
them in.
"""
import base64, hashlib, io, os, re, shutil, subprocess, sysconfig, tarfile, tempfile, time, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
COMMANDS = ("nczdump", "nczgen", "nczcopy", "nczmap")
OPTIONS = ["--buildtype=release", "-Dtests=disabled", "-Dmpi=disabled", "-Dforward=disabled", "-Dcairo=disabled", "--strip", "--prefix=/usr", "--libdir=lib"]
SHARED = ["-Ddefault_library=shared", "-Dc_link_args=-Wl,-rpath,$ORIGIN/../lib,--gc-sections"]
DESCRIPTION = "packaging/wheel/README.md"


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def version():
    return re.search(r"^  version: '([^']+)'", read("meson.build"), re.M).group(1)


def dist_info():
    return "nczarr-%s.dist-info" % version()


def metadata():
    return "\n".join(["Metadata-Version: 2.3", "Name: nczarr", "Version: " + version(), "Summary: netCDF on Zarr: four commands and a C library",
                      "License: BSD-3-Clause", "Requires-Python: >=3.8", "Description-Content-Type: text/markdown",
                      "Classifier: License :: OSI Approved :: BSD License", "Classifier: Programming Language :: C",
                      "Classifier: Topic :: Scientific/Engineering"]) + "\n\n" + read(DESCRIPTION)


def tag():
    return "py3-none-" + re.sub(r"[.-]", "_", sysconfig.get_platform())


def info_files():
    """The files of the wheel's .dist-info, but for RECORD."""
    points = "[console_scripts]\n" + "".join("%s = nczarr.commands:%s\n" % (c, c) for c in COMMANDS)
    wheel = "Wheel-Version: 1.0\nGenerator: nczarr\nRoot-Is-Purelib: false\nTag: %s\n" % tag()
    return {"METADATA": metadata(), "WHEEL": wheel, "entry_points.txt": points, "licenses/LICENSE": read("LICENSE")}


def run(*command):
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if r.returncode != 0:
        raise RuntimeError("%s: exit %d\n%s" % (" ".join(command), r.returncode, r.stdout[-3000:]))


def install(tmp, options):
    """Builds this tree within the folder tmp, and returns the folder /usr of what it installs."""
    at, staged = os.path.join(tmp, "build"), os.path.join(tmp, "staged")
    run("meson", "setup", *OPTIONS, *options, at, ROOT)
    run("meson", "compile", "-C", at)
    run("meson", "install", "-C", at, "--destdir", staged)
    return os.path.join(staged, "usr")


def build(options):
    """The files of the package: {name in the wheel: (bytes, whether it is run)}."""
    with tempfile.TemporaryDirectory() as tmp:
        usr = install(tmp, SHARED + options)
        places = {"bin/" + c: os.path.join(usr, "bin", c) for c in COMMANDS}
        places["lib/libnczarr.so.0"] = os.path.realpath(os.path.join(usr, "lib", "libnczarr.so.0"))
        for base, _, names in os.walk(os.path.join(usr, "include")):
            for name in names:
                path = os.path.join(base, name)
                places[os.path.relpath(path, usr)] = path
        files = {}
        for name, path in places.items():
            with open(path, "rb") as f:
                files["nczarr/" + name] = (f.read(), not name.startswith("include"))
    for name in ("__init__.py", "__main__.py", "commands.py"):
        files["nczarr/" + name] = (read("packaging", "wheel", "nczarr", name).replace("@VERSION@", version()).encode(), False)
    return files


def dated():
    """The date of each file in what is packed, in seconds."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600")), 315532800)


def write_wheel(path, files):
    record = []
    date = tuple(time.gmtime(dated())[:6])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(files):
            data, executable = files[name]
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            z.writestr(entry, data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append("%s,sha256=%s,%d" % (name, digest, len(data)))
        name = dist_info() + "/RECORD"
        entry = zipfile.ZipInfo(name, date)
        entry.external_attr = 0o100644 << 16
        z.writestr(entry, "\n".join(record + [name + ",,"]) + "\n", zipfile.ZIP_DEFLATED)


# ---- PEP 517 ----

def get_requires_for_build_wheel(config_settings=None):
    return [name for name, program in (("meson>=1.0", "meson"), ("ninja", "ninja")) if shutil.which(program) is None]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """config_settings: `setup-args`, more of `meson setup`."""
    more = (config_settings or {}).get("setup-args", [])
    files = build([more] if isinstance(more, str) else list(more))
    files.update({"%s/%s" % (dist_info(), n): (text.encode(), False) for n, text in info_files().items()})
    name = "nczarr-%s-%s.whl" % (version(), tag())
    write_wheel(os.path.join(wheel_directory, name), files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files of the commit, or of the archive that this is, with the metadata."""
    top = "nczarr-" + version()
    r = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True)
    names = r.stdout.decode().rstrip("\0").split("\0") if r.returncode == 0 else [
        os.path.relpath(os.path.join(base, n), ROOT) for base, _, found in os.walk(ROOT) for n in found]
    with tarfile.open(os.path.join(sdist_directory, top + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(names):
            tar.add(os.path.join(ROOT, name), "%s/%s" % (top, name), recursive=False)
        data = metadata().encode()
        entry = tarfile.TarInfo(top + "/PKG-INFO")
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))
    return top + ".tar.gz"
