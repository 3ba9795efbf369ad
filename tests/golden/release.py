#!/usr/bin/env python3
"""Writes the datasets of a release, which every later one reads: what it makes of a few sources, in each format.

usage: release.py NCZGEN NCZDUMP FOLDER      FOLDER: tests/data/releases/nczarr-VERSION, which is not there yet

Each is NAME.zip, whose one folder is the dataset, or NAME.nc, and NAME.cdl what it reads as. Once, when the release is
made: never written again.
"""
import os, shutil, subprocess, sys, tempfile, zipfile

root = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SOURCES = "alltypes atts fills groups strings unlim safe_deflate".split()
CLASSIC = ["chars", "coords", "nan"]  # what such files can hold
MODES = {"nczarr2": "mode=nczarr", "nczarr3": "mode=nczarr,v3", "zarr2": "mode=zarr", "zarr3": "mode=zarr,v3",
         "consolidated": "mode=nczarr,consolidated", "old": "compat=4.9.2", "archive": "mode=nczarr,zip"}
RECORDS = """netcdf records {
dimensions:
	time = UNLIMITED ;
	x = 3 ;
variables:
	byte b(time) ;
	short s(time, x) ;
		s:_FillValue = -9s ;
	int fixed(x) ;
	double d(time) ;
		d:units = "days since 2026-01-01" ;
data:
	b = 1, 2 ;
	s = 1, 2, 3, 4, _, 6 ;
	fixed = 7, 8, 9 ;
	d = 0.5, 1.5 ;
}
"""
SHARDS = """netcdf sharded {
dimensions:
	y = 6 ;
	x = 8 ;
variables:
	int a(y, x) ;
		a:_Storage = "chunked" ;
		a:_ChunkSizes = 2, 2 ;
		a:_ShardSizes = 4, 4 ;
		a:_DeflateLevel = 5 ;
data:
	a = %s ;
}
""" % ", ".join(map(str, range(48)))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def store(folder, place, to):
    """A dataset as one file: an archive of its folder with one date, or a copy."""
    if os.path.isfile(place):
        shutil.copy(place, to)
        return
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as z:
        for base, folders, names in sorted(os.walk(place)):
            for name in sorted(names):
                path = os.path.join(base, name)
                with open(path, "rb") as f:
                    z.writestr(zipfile.ZipInfo(os.path.relpath(path, folder), (2026, 1, 1, 0, 0, 0)), f.read(), zipfile.ZIP_DEFLATED)


def make(nczgen, nczdump, source, name, options, ending, to):
    with tempfile.TemporaryDirectory() as tmp:
        place = os.path.join(tmp, name + (".nc" if ending == ".nc" else ""))
        run(nczgen, *(o.replace("PLACE", place) for o in options), source)
        dump = run(nczdump, "-n", name, place)
        store(tmp, place, os.path.join(to, name + ending))
    with open(os.path.join(to, name + ".cdl"), "w", encoding="utf-8") as f:
        f.write(dump)


def main():
    nczgen, nczdump, to = sys.argv[1:]
    os.makedirs(to)
    cdl = os.path.join(root, "tests", "data", "cdl")
    for case in SOURCES:
        source = os.path.join(cdl, case + ".cdl")
        for label, mode in MODES.items():
            make(nczgen, nczdump, source, "%s_%s" % (case, label), ["-o", "file://PLACE#" + mode], ".store" if "zip" in mode else ".zip", to)
        make(nczgen, nczdump, source, case + "_netcdf4", ["-k", "nc4", "-o", "PLACE"], ".nc", to)
    with tempfile.TemporaryDirectory() as tmp:
        sources = [os.path.join(cdl, case + ".cdl") for case in CLASSIC]
        for name, text in (("records", RECORDS), ("sharded", SHARDS)):
            with open(os.path.join(tmp, name + ".cdl"), "w", encoding="utf-8") as f:
                f.write(text)
        for source in sources + [os.path.join(tmp, "records.cdl")]:
            for label, kind in (("cdf1", "nc3"), ("cdf2", "nc6"), ("cdf5", "nc5")):
                name = "%s_%s" % (os.path.basename(source)[:-4], label)
                make(nczgen, nczdump, source, name, ["-k", kind, "-o", "PLACE"], ".nc", to)
        make(nczgen, nczdump, os.path.join(tmp, "sharded.cdl"), "sharded_zarr3", ["-o", "file://PLACE#mode=zarr,v3"], ".zip", to)


if __name__ == "__main__":
    main()
