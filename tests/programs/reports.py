"""What users reported of writing netCDF-4 files, by netCDF4-python on this library alone: netCDF-C's ncdump shows what they
expected. With netCDF-C itself the first three, and the records of strings, still fail."""
import os, re, subprocess

import cases

# name -> the program; what ncdump's text, with single blanks, has to contain
REPORTS = {
    "a coordinate variable renamed before its dimension keeps its values (netcdf4-python 1357, netcdf-c 597)": ("""
with netCDF4.Dataset("f.nc", "w") as d:
    d.createDimension("x", 3); d.createVariable("x", "f8", ("x",))[:] = [1.1, 2.2, 3.3]
with netCDF4.Dataset("f.nc", "r+") as d:
    d.renameVariable("x", "lon"); d.renameDimension("x", "lon")
""", ["double lon(lon)", "lon = 1.1, 2.2, 3.3 ;"]),
    "records of strings that were left out are read (netcdf-c 734, 1985)": ("""
with netCDF4.Dataset("f.nc", "w") as d:
    d.createDimension("d0", None); d.createDimension("d1", 2)
    d.createVariable("s", str, ("d0", "d1"))[1, 0] = "x"
""", ["d0 = UNLIMITED ; // (2 currently)", '"x", _ ;']),
    "a dimension with the name of a variable that is none of its coordinates, in another session (netcdf-c 1772)": ("""
with netCDF4.Dataset("f.nc", "w", format="NETCDF4_CLASSIC") as d:
    d.createDimension("a", 3); d.createVariable("b", "i4", ("a",))[:] = [1, 2, 3]
with netCDF4.Dataset("f.nc", "r+") as d:
    d.createDimension("b", 2); d.createVariable("c", "i4", ("b",))[:] = [4, 5]
""", ["int b(a)", "int c(b)", "b = 1, 2, 3 ;", "c = 4, 5 ;"]),
    "variables of several dimensions are renamed (netcdf-c 2070, 3124)": ("""
with netCDF4.Dataset("f.nc", "w") as d:
    for name, n in (("nx", 3), ("ny", 2), ("nz", 2)):
        d.createDimension(name, n)
    for name in ("T", "S"):
        d.createVariable(name, "f8", ("nz", "ny", "nx"))[:] = np.arange(12).reshape(2, 2, 3)
    d.createVariable("SSH", "f8", ("ny", "nx"))[:] = 1
with netCDF4.Dataset("f.nc", "r+") as d:
    d.renameVariable("T", "TT"); d.renameVariable("SSH", "S2")
""", ["nx = 3 ; ny = 2 ; nz = 2 ;", "double TT(nz, ny, nx)", "double S2(ny, nx)", "TT = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ;", "S2 = 1, 1, 1, 1, 1, 1 ;"]),
    "attributes that just fit into a header and just do not (netcdf4-python 635)": ("""
with netCDF4.Dataset("f.nc", "w", format="NETCDF4_CLASSIC") as d:
    d.createDimension("dim1", 1); v = d.createVariable("var", "f4")
    v.attr1 = "a" * 199; v.attr2 = ",".join(["123456"] * 4328 + ["12345678"] * 3908); v.attr3 = ",".join(["b" * 28] * 8236)
""", ["12345678,12345678", "b" * 28 + '" ;']),
    "a file in memory has no more bytes than it needs (netcdf-c 1488)": ("""
d = netCDF4.Dataset("memory", "w", memory=1); d.history = "x"; block = d.close()
assert len(block) < 1024, len(block)
open("f.nc", "wb").write(block)
""", [':history = "x" ;']),
    "a file of one sequence is small (netcdf4-python 547)": ("""
with netCDF4.Dataset("f.nc", "w") as d:
    d.createDimension("t", None); v = d.createVariable("v", d.createVLType("u1", "bytes_t"), ("t",)); v[0] = np.ones(100, "u1")
import os
assert os.path.getsize("f.nc") < 40000, os.path.getsize("f.nc")
""", ["t = UNLIMITED ; // (1 currently)", "v = {1, 1, 1,"]),
}


def run(bindings, prefix, tmp):
    python = os.path.join(bindings, "python", "bin", "python")
    system = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "NCZARR_NETCDF_LIBRARY")}
    for i, (name, (program, wanted)) in enumerate(REPORTS.items()):
        folder = os.path.join(tmp, "report%d" % i)
        os.mkdir(folder)
        r = subprocess.run([python, "-W", "ignore", "-c", "import netCDF4, numpy as np\n" + program], cwd=folder, capture_output=True, text=True,
                           env=dict(system, LD_LIBRARY_PATH=os.path.join(prefix, "lib")), timeout=120)
        text = subprocess.run(["ncdump", "f.nc"], cwd=folder, capture_output=True, text=True, env=system, timeout=120)
        shown = re.sub(r"\s+", " ", text.stdout)
        cases.report("reported: " + name, r.stderr[-400:] if r.returncode else [w for w in wanted if w not in shown] + ([text.stderr] if text.returncode else []))
