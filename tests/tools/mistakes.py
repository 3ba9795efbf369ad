#!/usr/bin/env python3
"""What is no dataset is named for what it is, a misspelt name is answered with the nearest one, and the same mistake has
the same exit status in all commands: 2 for what is wrong with the command line or a path, 1 for what is not there.

usage: mistakes.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # not copy.py of this folder
sys.dont_write_bytecode = True
import bz2, functools, gzip, http.server, lzma, re, subprocess, tempfile, threading
import cases

tools = os.path.abspath(sys.argv[1])
CDL = """netcdf a { dimensions: time = 4 ; lat = 2 ; variables: int temperature(time, lat) ; double time(time) ; :note = "x" ;
data: temperature = 1, 2, 3, 4, 5, 6, 7, 8 ; group: obs { variables: int wind(time) ; } }
"""
PAGE = b"\xef\xbb\xbf\n <!DOCTYPE HTML><html><head><title>Log in</title></head></html>"
FILES = {
    "empty.nc": (b"", "an empty file"),
    "page.nc": (PAGE, "a page of HTML, not data"),
    "error.nc": (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "an XML document, not data"),
    "zipped.nc": (gzip.compress(b"CDF\x01" + bytes(40)), "a file compressed by gzip: decompress it first (gunzip)"),
    "b.nc": (bz2.compress(b"CDF\x01"), "a file compressed by bzip2: decompress it first (bunzip2)"),
    "x.nc": (lzma.compress(b"CDF\x01"), "a file compressed by xz: decompress it first (unxz)"),
    "image.nc": (b"II*\0" + bytes(60), "a TIFF image, not a dataset"),
    "t.nc": (b"a" + bytes(256) + b"ustar" + bytes(250), "a tar archive: unpack it first"),
    "lfs.nc": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS, not the file itself"),
    "a.grib": (b"GRIB" + bytes(20), "a GRIB file, not a Zarr dataset"),
    "text.nc": (CDL.encode(), "CDL text: make a dataset of it with nczgen"),
    "other.nc": (b"hello" * 10, "a file, but not a zip archive"),
}


def tool(name, *args):
    return subprocess.run([os.path.join(tools, name), *args], capture_output=True, text=True, timeout=120)


def expect(problems, command, status, text):
    r = tool(*command)
    if r.returncode != status or text not in r.stderr:
        problems.append("%s: exit %d, %s" % (" ".join(command), r.returncode, r.stderr.strip()))


def other_files(folder):
    problems = []
    for name, (data, text) in FILES.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(data)
        expect(problems, ("nczdump", path), 1, "%s: %s" % (path, text))
        expect(problems, ("nczcopy", path, os.path.join(folder, "copy.zarr")), 1, text)
    cases.report("mistakes: files that are no datasets", problems)


def places(folder):
    """What is at a place without a dataset."""
    problems, nothing, here = [], os.path.join(folder, "nothing"), os.path.join(folder, "here")
    os.mkdir(nothing)
    os.makedirs(os.path.join(here, "deep", "notes"))
    open(os.path.join(here, "deep", "notes", "a.txt"), "w").close()
    expect(problems, ("nczdump", nothing), 1, "an empty directory (looked for ")
    expect(problems, ("nczdump", here), 1, "there are objects, but no dataset (looked for ")
    for mode in ("nczarr", "zarr,v3"):
        r = tool("nczgen", "-o", os.path.join(here, "deep", mode[:4]) + "#mode=" + mode, os.path.join(folder, "text.nc"))
        problems += [r.stderr] if r.returncode else []
    expect(problems, ("nczdump", here), 1, "no dataset at this place, but there is one at deep/")
    expect(problems, ("nczdump", os.path.join(folder, "absent.zarr")), 1, "no file or directory; expected a directory or archive with Zarr documents, or a netCDF file")
    expect(problems, ("nczdump", os.path.join(folder, "absent.nc")), 1, "no such file")
    cases.report("mistakes: places without a dataset", problems)


def web(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    problems, url = [], "http://127.0.0.1:%d/" % server.server_port
    if "built without" not in tool("nczdump", url + "absent.nc").stderr:
        for name, text in (("absent.nc", "there is no file of that name"), ("absent.zarr", "no Zarr dataset: none of zarr.json"),
                           ("page.nc", FILES["page.nc"][1]), ("zipped.nc", FILES["zipped.nc"][1]), ("empty.nc", "an empty file"),
                           ("nothing", "nor is there a Zarr dataset below it"), ("absent.nc#mode=zarr", "no Zarr dataset: none of zarr.json"),
                           ("zipped.nc#mode=bytes", FILES["zipped.nc"][1])):
            expect(problems, ("nczdump", url + name), 1, text)
    server.shutdown()
    cases.report("mistakes: places on a web server", problems)


def names(folder):
    problems, a, out = [], os.path.join(folder, "a.zarr"), os.path.join(folder, "out.zarr")
    subprocess.run([os.path.join(tools, "nczgen"), "-o", a, "-"], input=CDL, text=True, check=True)
    for command, text in (
            (("nczdump", "-v", "temprature", a), "temprature: no such variable; did you mean temperature?"),
            (("nczdump", "-v", "TEMPERATURE", a), "did you mean temperature?"), (("nczdump", "-v", "tmie", a), "did you mean time?"),
            (("nczdump", "-v", "obs/wnd", a), "did you mean obs/wind?"), (("nczdump", "-v", "/obs/wnd", a), "did you mean /obs/wind?"),
            (("nczdump", "-v", "humidity", a), "humidity: no such variable\n"),
            (("nczdump", "-v", "temprature[0,0]", a), "did you mean temperature?"),
            (("nczdump", "--show", "temprature", a), "did you mean temperature?"),
            (("nczdump", "-g", "ob", a), "ob: no such group; did you mean obs?"), (("nczdump", "-d", "tiem,1", a), "no such dimension; did you mean time?"),
            (("nczcopy", "-V", "temprature", a, out), "no such variable; did you mean temperature?"), (("nczcopy", "-G", "osb", a, out), "did you mean obs?"),
            (("nczcopy", "-d", "tiem,1", a, out), "did you mean time?"), (("nczcopy", "-c", "tiem/1", a, out), "did you mean time?"),
            (("nczcopy", "-F", "temprature,zstd", a, out), "did you mean temperature?")):
        expect(problems, command, 1, text)
    cases.report("mistakes: names of variables, dimensions and groups", problems)


def statuses(folder):
    """The same mistake, in each command that can make it."""
    problems, a, out = [], os.path.join(folder, "a.zarr"), os.path.join(folder, "out.zarr")
    source = os.path.join(folder, "text.nc")
    for fragment, text in (("#mode=zarr,cdf5", "exclude each other"), ("#mode=nczrar", 'unknown mode "nczrar": did you mean nczarr?')):
        for command in (("nczdump", a + fragment), ("nczmap", a + fragment), ("nczcopy", a + fragment, out), ("nczcopy", a, out + fragment),
                        ("nczcopy", "--in-place", "--zarr-format", "3", a + fragment), ("nczgen", "-o", out + fragment, source)):
            expect(problems, command, 2, text)
    for command in (("nczcopy", "--mode", "nczrar", a, out), ("nczgen", "--mode", "nczrar", "-o", out, source)):
        expect(problems, command, 2, 'unknown mode "nczrar": did you mean nczarr?')
    for command, option in (("nczdump", "--jsno"), ("nczmap", "--hlep"), ("nczcopy", "--verfy"), ("nczgen", "--mdoe=zarr")):
        expect(problems, (command, option, a), 2, "%s: did you mean --" % command)
    for command in (("nczdump", "https://x:y:z/"), ("nczmap", "https://x:y:z/"), ("nczcopy", "https://x:y:z/", out), ("nczcopy", a, "https://x:y:z/"), ("nczgen", "-o", "https://x:y:z/", source)):
        expect(problems, command, 2, "bad port")
    for command in (("nczdump", out), ("nczmap", out), ("nczcopy", out, out + "2")):
        expect(problems, command, 1, "no ")
    if os.path.exists(out):
        problems.append("something was made")
    cases.report("mistakes: exit statuses", problems)


TEXTS = """netcdf t { dimensions: x = 3 ; variables: short v(x) ; v:_FillValue = "-30000" ; string v:one = "a" ;
  double d(x) ; d:_FillValue = " 1e20 " ; float f(x) ; string f:_FillValue = "NaN" ; byte b(x) ; b:_FillValue = "x" ;
  int i(x) ; i:_FillValue = "1.5" ; string :title = "hello" ; string :none = "" ; data: v = 1, _, 3 ; }
"""


def texts(folder):
    """CDL that ncgen takes: strings in a classic file, numbers that are text."""
    problems = []
    for kind in ("nc3", "nc6", "nc5", "nczarr", "zarr"):
        out = os.path.join(folder, "texts-%s.nc" % kind) + ("#mode=" + kind if "zarr" in kind else "")
        r = subprocess.run([os.path.join(tools, "nczgen"), *(() if "zarr" in kind else ("-k", kind)), "-o", out, "-"], input=TEXTS, capture_output=True, text=True)
        said = re.findall("_FillValue of (.) is (text|left out)", r.stderr)
        header = tool("nczdump", out).stdout
        want = ["v:_FillValue = -30000s ;", "d:_FillValue = 1.e+20 ;", "f:_FillValue = NaNf ;", " v = 1, _, 3 ;"]
        want += ['\tv:one = "a" ;', '\t:title = "hello" ;', '\t:none = "" ;'] if kind.startswith("nc") and kind != "nczarr" else ['string :title = "hello" ;'] if kind == "nczarr" else []
        if r.returncode or said != [("v", "text"), ("d", "text"), ("f", "text"), ("b", "left out"), ("i", "left out")] or \
                [w for w in want if w not in header] or "b:_" in header or "i:_" in header:
            problems.append("%s: exit %d, %s, %s, %s" % (kind, r.returncode, r.stderr, said, header))
    for more, text in (('string :two = "a", "b" ;', "attribute two: CDF-1 does not have type string"), (":big = 5LL ;", "attribute big: CDF-1 does not have type int64")):
        r = subprocess.run([os.path.join(tools, "nczgen"), "-k", "nc3", "-o", os.path.join(folder, "no.nc"), "-"], input=TEXTS.replace("data:", more + " data:"), capture_output=True, text=True)
        if r.returncode != 1 or text not in r.stderr:
            problems.append("%s: exit %d, %s" % (more, r.returncode, r.stderr))
    cases.report("mistakes: text where netCDF has numbers, or no strings", problems)


with tempfile.TemporaryDirectory() as folder:
    texts(folder)
    other_files(folder)
    places(folder)
    web(folder)
    names(folder)
    statuses(folder)
sys.exit(cases.total())
