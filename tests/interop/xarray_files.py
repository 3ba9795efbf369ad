"""A netCDF file of xarray, copied into Zarr, is the same Dataset to xarray: values, types, masks, times, attributes. Called
by `run`.

Some things are not the same, on purpose (docs/formats.md): text of fixed width is `str` in Zarr v3, integers of four bytes are
numbers with a fraction, since xarray masks their default fill value, and NCZarr describes itself in attributes."""
import os, shutil

from meaning import peer_script

MAKE = """
import json, sys, numpy as np, xarray as xr
path, classic = sys.argv[1], sys.argv[2] == "classic"
n, few = 7, np.arange(7)
ds = xr.Dataset({
    "f4": (("time", "x"), (np.arange(35) / 7).reshape(5, 7).astype("f4")),
    "f8": (("x",), np.where(few % 3 == 0, np.nan, few * 1.5)),
    "i1": (("x",), few.astype("i1") - 3), "i2": (("x",), few.astype("i2") - 300), "i4": (("x",), few.astype("i4") * -70000),
    "text": (("x",), np.array(["a", "", "\\u00fc", "\\u6c34", "long " * 9, "e", "f"], dtype=object)),
    "fixed": (("x",), np.array([b"abc", b"de", b"", b"f", b"ghi", b"j", b"k"])),
    "when": (("time",), np.array(["2000-01-01", "2000-01-02", "2000-03-01", "2001-01-01", "2024-02-29"], dtype="M8[ns]")),
    "lasts": (("time",), np.arange(5).astype("m8[h]").astype("m8[ns]")),
    "true": (("x",), few % 2 == 0),
    "scalar": ((), np.float32(3.25)),
    "packed": (("time", "x"), (np.arange(35) * 3.0).reshape(5, 7)),
    "empty": (("z",), np.zeros(0)),
}, coords={"time": np.arange(5), "x": np.linspace(0, 1, n)},
   attrs={"title": "t", "n": np.int32(4), "v": np.array([1.5, 2.5]), "name": "\\u00fc", "none": ""})
ds["packed"].encoding = dict(dtype="i2", scale_factor=0.5, add_offset=5.0, _FillValue=-32768)
if not classic:
    ds["i8"] = ("x", few * 10**15 + 1)
    ds["u1"], ds["u2"], ds["u4"] = ("x", few.astype("u1") + 249), ("x", few.astype("u2") + 65529), ("x", few.astype("u4") + 3 * 10**9)
    ds["u8"] = ("x", few.astype("u8") + 2**63)
    ds.attrs["list"] = ["a", "bc"]
ds.to_netcdf(path, engine="netcdf4", format="NETCDF3_64BIT" if classic else "NETCDF4")
print("null")
"""
# What text there is in files of Argo and of WRF: of a dimension of its own, and flags along dimensions that others have.
KINDS = {"argo": """dimensions: N_PROF = 2 ; N_LEVELS = 4 ; N_PARAM = 2 ; N_CALIB = 1 ; STRING4 = 4 ; STRING16 = 16 ; STRING64 = 64 ; DATE_TIME = 14 ; variables:
  char DATA_TYPE(STRING16) ; char REFERENCE_DATE_TIME(DATE_TIME) ; char PLATFORM_NUMBER(N_PROF, STRING16) ;
  PLATFORM_NUMBER:long_name = "Float" ; char PI_NAME(N_PROF, STRING64) ; char STATION_PARAMETERS(N_PROF, N_PARAM, STRING16) ;
  char DIRECTION(N_PROF) ; char DATA_MODE(N_PROF) ; char POSITION_QC(N_PROF) ; int CYCLE_NUMBER(N_PROF) ;
  float TEMP(N_PROF, N_LEVELS) ; char TEMP_QC(N_PROF, N_LEVELS) ; TEMP_QC:_FillValue = " " ; char PROFILE_TEMP_QC(N_PROF) ;
  char CALIBRATION(N_PROF, N_CALIB, N_PARAM, STRING64) ; char VERTICAL(N_PROF, STRING4) ; char kind ;
data: DATA_TYPE = "Argo profile" ; REFERENCE_DATE_TIME = "19500101000000" ; PLATFORM_NUMBER = "1900001", "29" ; PI_NAME = "A", "" ;
  STATION_PARAMETERS = "PRES", "TEMP", "PRES", "PSAL" ; DIRECTION = "AD" ; DATA_MODE = "RD" ; POSITION_QC = "14" ; CYCLE_NUMBER = 1, 2 ;
  TEMP = 1, 2, 3, 4, 5, 6, 7, 8 ; TEMP_QC = "1144", "19  " ; PROFILE_TEMP_QC = "AF" ; CALIBRATION = "a", "b", "c", "d" ;
  VERTICAL = "xxxx", "y" ; kind = "k" ; }""",
         "wrf": """dimensions: Time = UNLIMITED ; DateStrLen = 19 ; south_north = 2 ; west_east = 3 ; variables:
  char Times(Time, DateStrLen) ; float XLAT(Time, south_north, west_east) ; char mask(south_north, west_east) ; int T(Time) ;
data: Times = "2000-01-24_12:00:00", "2000-01-24_13:00:00" ; XLAT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; mask = "abc", "def" ; T = 1, 2 ; }""",
         "own": """dimensions: x = 2 ; y = 3 ; name = 4 ; both = 2 ; c = 3 ; variables: char alone(y) ; char twice(x, y) ; char of_name(x, name) ;
  char name(name) ; char first(both, y) ; char last(both) ; char c(c) ;
data: alone = "abc" ; twice = "abc", "d" ; of_name = "abcd", "e" ; name = "wxyz" ; first = "abc", "d" ; last = "ef" ; c = "xyz" ; }"""}
DIMS = """
import json, sys, xarray as xr
a, b = xr.open_dataset(sys.argv[1], engine="netcdf4", decode_times=False), xr.open_zarr(sys.argv[2], decode_times=False)

def text(v): # a fill value is masked, and characters that are no texts are numbers
    v = "" if v != v else v.decode() if isinstance(v, bytes) else v if isinstance(v, str) else chr(int(v)).strip("\\0")
    return v.strip()

bad = ["%s: %s %s, not %s %s" % (n, b[n].dims, b[n].shape, a[n].dims, a[n].shape) for n in a.variables
       if n not in b.variables or b[n].dims != a[n].dims or b[n].shape != a[n].shape]
for n in a.variables:
    if a[n].dtype.kind in "SO" and not n in bad:
        v, w = [text(p) for p in a[n].values.ravel().tolist()], [text(p) for p in b[n].values.ravel().tolist()]
        if v != w:
            bad.append("%s: %s, not %s" % (n, w, v))
print(json.dumps(bad + ["%s: not in the file" % n for n in b.variables if n not in a.variables]))
"""
COMPARE = """
import json, sys, numpy as np, xarray as xr
a, b, mode = xr.open_dataset(sys.argv[1]), xr.open_zarr(sys.argv[2]), sys.argv[3]
bad = ["%s: not there" % n for n in a.variables if n not in b.variables]

def plain(attrs):
    return {k: v.tolist() if hasattr(v, "tolist") else v for k, v in attrs.items() if not k.startswith(("_nczarr", "_char_"))}

def text(v):
    return v.decode() if isinstance(v, bytes) and "v3" in mode else v

for n in a.variables:
    if n not in b.variables:
        continue
    x, y = a[n], b[n]
    integers = x.dtype.kind in "iu" and x.dtype.itemsize == 4
    if x.dtype != y.dtype and not integers and x.dtype.kind not in "OUT" and not (x.dtype.kind == "S" and "v3" in mode):
        bad.append("%s: %s, not %s" % (n, y.dtype, x.dtype))
    if x.dims != y.dims and not (n == "scalar" and mode == "nczarr"):
        bad.append("%s: %s, not %s" % (n, y.dims, x.dims))
    v, w = [text(p) for p in x.values.ravel().tolist()], y.values.ravel().tolist()
    if len(v) != len(w) or any(p != q and not (p != p and q != q) for p, q in zip(v, w)):
        bad.append("%s: %s, not %s" % (n, w, v))
    if plain(x.attrs) != plain(y.attrs):
        bad.append("%s: attributes %s, not %s" % (n, y.attrs, x.attrs))
if plain(a.attrs) != plain(b.attrs):
    bad.append("attributes %s, not %s" % (b.attrs, a.attrs))
print(json.dumps(bad))
"""


def run_all(h, tmp):
    for kind, cdl in KINDS.items():
        path, text = os.path.join(tmp, kind + ".nc"), os.path.join(tmp, kind + ".cdl")
        with open(text, "w") as f:
            f.write("netcdf t { " + cdl)
        r = h.run(h.nczgen, "-k", "nc3", "-o", path, text)
        for mode in ("nczarr,v3", "zarr,v3"):
            target = os.path.join(tmp, "file-copy.zarr")
            made = h.run(h.nczcopy, "--verify", path, "file://%s#mode=%s" % (target, mode)) if r.returncode == 0 else r
            bad, more = ([made.stderr], []) if made.returncode != 0 else peer_script(h.run, h.python, "zarr3", DIMS, path, target)
            h.check("text as in %s -> nczcopy %s -> xarray's dimensions of the file" % (kind, mode), (bad or []) + more)
            shutil.rmtree(target, ignore_errors=True)
    for kind in ("netCDF-4", "classic"):
        path = os.path.join(tmp, kind + ".nc")
        problems = peer_script(h.run, h.python, "zarr3", MAKE, path, kind)[1]
        for mode in ("nczarr", "zarr", "nczarr,v3", "zarr,v3"):
            target = os.path.join(tmp, "file-copy.zarr")
            r = h.run(h.nczcopy, path, "file://%s#mode=%s" % (target, mode))
            said = [r.stderr] if r.returncode != 0 or r.stderr != "" else []
            bad, more = ([], []) if problems or said else peer_script(h.run, h.python, "zarr3", COMPARE, path, target, mode)
            h.check("xarray's %s file -> nczcopy %s -> xarray" % (kind, mode), problems + said + more + (bad or []))
            shutil.rmtree(target, ignore_errors=True)
