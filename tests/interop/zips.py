"""Archives: what we write, the archivers of the system, Python's zipfile, zarr-python's ZipStore and GDAL read; what they
write we read; and an archive holds, byte for byte, what a directory dataset of the same source holds."""
import glob, json, os, re, shutil, zipfile


def contents(folder):
    out = {}
    for where, _, files in os.walk(folder):
        for f in files:
            p = os.path.join(where, f)
            out[os.path.relpath(p, folder)] = open(p, "rb").read()
    return out


def archive_contents(path, prefix):
    """{key: bytes}, and what is wrong with the archive itself."""
    problems, out = [], {}
    with zipfile.ZipFile(path) as z:
        bad = z.testzip()
        if bad:
            problems.append("zipfile: %s is damaged" % bad)
        for i in z.infolist():
            if not i.filename.startswith(prefix):
                problems.append("%s is not below %s" % (i.filename, prefix))
            if i.compress_type != zipfile.ZIP_STORED or i.date_time != (1980, 1, 1, 0, 0, 0):
                problems.append("%s: method %d, date %s" % (i.filename, i.compress_type, i.date_time))
            if i.filename[len(prefix):] in out:
                problems.append("%s is there twice" % i.filename)
            out[i.filename[len(prefix):]] = z.read(i)
    return out, problems


def same_as_directory(h, tmp, source, case, mode):
    folder, archive = os.path.join(tmp, case + ".zarr"), os.path.join(tmp, case + ".zip")
    prefix = case + "/" if mode == "mode=nczarr" else ""
    for target, store in ((folder, "file"), (archive, "zip")):
        r = h.run(h.nczgen, "-o", "file://%s#%s,%s" % (target, mode, store), source)
        if r.returncode != 0:
            return None, [r.stderr.strip()]
    got, problems = archive_contents(archive, prefix)
    want = contents(folder)
    for key in sorted(set(want) | set(got)):
        if want.get(key) != got.get(key):
            problems.append("%s differs from the directory's" % key)
    return prefix, problems


def archivers(h, tmp, case, want, label):
    """unzip ours; zip what was unzipped in several ways."""
    archive, out = os.path.join(tmp, case + ".zip"), os.path.join(tmp, case + "-unzipped")
    r = h.run("unzip", "-q", archive, "-d", out)
    inner = os.path.join(out, case) if os.path.isdir(os.path.join(out, case)) else out
    mine, problems = h.ours(inner) if r.returncode == 0 else (None, [r.stdout + r.stderr])
    h.check(label + " -> unzip -> nczdump", problems or [] if mine == want else problems + ["other values"])
    for name, flags, where, what in (("zip -r dir", ["-r"], os.path.dirname(inner), os.path.basename(inner)),
                                     ("zip -0 -r .", ["-0", "-r"], inner, "."), ("zip -9 -D -r dir", ["-9", "-D", "-r"],
                                     os.path.dirname(inner), os.path.basename(inner))):
        again = os.path.join(tmp, "again.zip")
        if os.path.exists(again):
            os.remove(again)
        r = h.run("sh", "-c", 'cd "$1" && shift && zip -q "$@"', "sh", where, *flags[:-1], "-r", again, what)
        mine, problems = h.ours(again) if r.returncode == 0 else (None, [r.stdout + r.stderr])
        h.check("%s -> %s -> nczdump" % (label, name), problems or ([] if mine == want else ["other values"]))


def ours_by_others(h, tmp, sources):
    for mode in ("mode=nczarr", "mode=zarr"):
        for source in sources:
            case = os.path.basename(source)[:-4]
            label = "zip: %s %s" % (case, mode)
            here = os.path.join(tmp, mode[5:])
            os.makedirs(here, exist_ok=True)
            prefix, problems = same_as_directory(h, here, source, case, mode)
            h.check(label + " holds what the directory does", problems)
            if prefix is None:
                continue
            archive = os.path.join(here, case + ".zip")
            mine, problems = h.ours(archive)
            plain, _ = h.ours(os.path.join(here, case + ".zarr"))
            h.check(label + " -> nczdump", problems or ([] if mine == plain else ["other values than the directory's"]))
            if mine is None:
                continue
            for peer in h.PEERS:
                r = h.run(h.python(peer), os.path.join(h.here, "peer_zip.py"), "read", archive, prefix)
                h.check("%s -> ZipStore of %s" % (label, peer), [r.stderr.strip()[-300:]] if r.returncode != 0 else
                        h.compare(mine, json.loads(r.stdout), h.undefined, h.zarr_refuses))
            if case in ("coords", "groups", "climate"):
                archivers(h, here, case, mine, label)
                if h.few:
                    continue
                theirs, problems = h.gdal_read("/vsizip/%s/%s" % (archive, prefix.rstrip("/")))
                h.check(label + " -> GDAL", problems or h.compare(mine, theirs, h.gdal_cannot))


def others_by_us(h, tmp):
    for peer in h.PEERS:
        folder = os.path.join(tmp, "zipstore-" + peer)
        r = h.run(h.python(peer), os.path.join(h.here, "peer_zip.py"), "write", folder)
        if r.returncode != 0:
            h.check("ZipStore of %s writes" % peer, [r.stderr.strip()[-400:]])
            continue
        for expected in sorted(glob.glob(os.path.join(folder, "*.json"))):
            want, archive = json.load(open(expected)), expected[:-5] + ".zip"
            twice = len(zipfile.ZipFile(archive).namelist()) - len(set(zipfile.ZipFile(archive).namelist()))
            mine, problems = h.ours(archive)
            if mine is not None:
                problems = ["%s: not listed" % p for p in want if p not in mine] + h.compare(
                    {p: v for p, v in mine.items() if p in want}, want)
            if twice == 0:
                problems.append("no name is there twice: this proves less than it should")
            h.check("ZipStore of %s: %s -> nczdump" % (peer, os.path.basename(archive)), problems)


def with_code_page(path, files):
    """An archive as programs wrote it before names were UTF-8."""
    encode = zipfile.ZipInfo._encodeFilenameFlags
    zipfile.ZipInfo._encodeFilenameFlags = lambda i: (i.filename.encode("cp437"), i.flag_bits & ~0x800)
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for name, data in files.items():
                z.writestr(name, data)
    finally:
        zipfile.ZipInfo._encodeFilenameFlags = encode


def python_changes(h, tmp):
    """Python behind something else in one file, and Python adding to an archive, when it writes the directory again."""
    cdl, folder = os.path.join(tmp, "t.cdl"), os.path.join(tmp, "t.zarr")
    open(cdl, "w").write("netcdf t { dimensions: x = 3 ; variables: int temp\u00e9rature(x) ; data: temp\u00e9rature = 1, 2, 3 ; }")
    r = h.run(h.nczgen, "-o", folder, cdl)
    want, problems = h.ours(folder) if r.returncode == 0 else (None, [r.stderr])
    ways = {}
    plain = contents(folder)
    for label in ("after a program", "from a code page", "renamed"):
        path = ways[label] = os.path.join(tmp, label.replace(" ", "-") + ".bin")
        if label == "after a program":
            open(path, "wb").write(b"#!/bin/sh\nexit 1\n" * 5000)
            with zipfile.ZipFile(path, "a") as z:
                for name, data in plain.items():
                    z.writestr(name, data)
            continue
        with_code_page(path, plain)
        with zipfile.ZipFile(path, "a") as z:
            if label == "renamed":
                z.writestr("x", b"{}")
                z.filelist[-1].filename = "a/much/longer/name"
            else:
                z.writestr("unrelated/.zgroup", b'{"zarr_format": 2}')
    for label, path in ways.items():
        mine, bad = h.ours(path)
        h.check("zip: Python, %s -> nczdump" % label, problems or bad or ([] if mine == want else ["other values: %r" % mine]))


def other_methods(h, tmp):
    """What Python and zip write that is neither stored nor deflated, or encrypted: read through libzip, as far as that goes."""
    cdl, folder, path = os.path.join(tmp, "m.cdl"), os.path.join(tmp, "m.zarr"), os.path.join(tmp, "m.zip")
    open(cdl, "w").write("netcdf m { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }")
    r = h.run(h.nczgen, "-o", folder, cdl)
    want, problems = h.ours(folder) if r.returncode == 0 else (None, [r.stderr])
    for label, method, always in (("bzip2", zipfile.ZIP_BZIP2, True), ("lzma", zipfile.ZIP_LZMA, False)):
        with zipfile.ZipFile(path, "w", method) as z:
            for name, data in contents(folder).items():
                z.writestr(name, data)
        mine, bad = h.ours(path)
        told = not always and mine is None and re.search(r"\.z\w+ in .*m\.zip: .*compressed by lzma \(method 14\), .*libzip", bad[0])
        h.check("zip: Python with %s -> nczdump" % label, problems or ([] if mine == want or told else bad or ["other values"]))
    os.remove(path)
    r = h.run("sh", "-c", 'cd "$1" && zip -q -r -P "open sesame" "$2" .', "sh", folder, path)
    problems = problems or ([r.stderr] if r.returncode != 0 else [])
    mine, bad = h.ours(path)
    if mine is not None or "NCZARR_ZIP_PASSWORD" not in bad[0]:
        problems.append("without a password: %s" % bad)
    os.environ["NCZARR_ZIP_PASSWORD"] = "open sesame"
    try:
        mine, bad = h.ours(path)
    finally:
        del os.environ["NCZARR_ZIP_PASSWORD"]
    h.check("zip: encrypted by zip -> nczdump", problems or bad or ([] if mine == want else ["other values"]))


def run_all(h, top, sources):
    tmp = os.path.join(top, "zips")
    os.makedirs(tmp)
    ours_by_others(h, tmp, sources)
    others_by_us(h, tmp)
    python_changes(h, tmp)
    other_methods(h, tmp)
    shutil.rmtree(tmp)
