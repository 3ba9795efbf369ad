#!/usr/bin/env python3
"""netCDF-4 files of other writers, with what their users ask of them: h5netcdf, xarray, netCDF4-python, NCO, CDO, GDAL, Fortran.
A writer that is not installed is left out, with a line that says so.

usage: make_others.py CACHE DIRECTORY      (CACHE: where the Pythons of the tests are)
"""
import os, shutil, subprocess, sys, tempfile

SOURCE = """netcdf source {
dimensions:
    time = UNLIMITED ; lev = 3 ; lat = 18 ; lon = 36 ; len = 8 ;
variables:
    double time(time) ; time:units = "days since 2001-01-01" ; time:calendar = "noleap" ; time:standard_name = "time" ; time:axis = "T" ;
    double lev(lev) ; lev:units = "hPa" ; lev:positive = "down" ; lev:standard_name = "air_pressure" ; lev:axis = "Z" ;
    float lat(lat) ; lat:units = "degrees_north" ; lat:standard_name = "latitude" ; lat:axis = "Y" ;
    float lon(lon) ; lon:units = "degrees_east" ; lon:standard_name = "longitude" ; lon:axis = "X" ;
    float tas(time, lat, lon) ; tas:units = "K" ; tas:_FillValue = 1.e+20f ; tas:long_name = "air temperature" ;
    short pr(time, lat, lon) ; pr:units = "mm" ; pr:_FillValue = -32767s ; pr:scale_factor = 0.1 ; pr:add_offset = 5. ;
    double ta(time, lev, lat, lon) ; ta:units = "K" ;
    byte mask(lat, lon) ; mask:flag_values = 0b, 1b ; mask:flag_meanings = "sea land" ;
    char name(lev, len) ;
    :title = "source" ; :Conventions = "CF-1.8" ; :history = "made\\n" ; :n = 3 ;
data:
    time = %s ; lev = 1000, 500, 100 ; lat = %s ; lon = %s ;
    tas = %s ; pr = %s ; ta = %s ; mask = %s ; name = "surface", "middle", "top" ;
}
"""


def numbers(n, first=0.0, step=1.0, most=0):
    return ", ".join("%.6g" % (first + step * (i * 7 % most if most else i)) for i in range(n))


def source_text(times):
    return SOURCE % (numbers(times, 15, 30), numbers(18, -85, 10), numbers(36, 0, 10), numbers(times * 648, 250, 0.1, 601), numbers(times * 648, -300, 1, 613),
                     numbers(times * 3 * 648, 200, 0.01, 4099), numbers(648, 0, 1, 2))


NCO = {"ncks_4": "ncks -4 -O classic.nc", "ncks_7": "ncks -7 -O classic.nc", "ncks_deflate": "ncks -4 -O -L 5 classic.nc",
       "ncks_chunks": "ncks -4 -O --cnk_dmn lat,5 --cnk_dmn lon,7 --cnk_dmn time,2 classic.nc", "ncks_policy": "ncks -4 -O --cnk_plc=g3d -L 1 classic.nc",
       "ncks_digits": "ncks -7 -O -L 4 --ppc default=3 classic.nc", "ncks_part": "ncks -4 -O -d lat,-30.,30. -d time,1,2 -v tas,pr classic.nc",
       "ncks_fixed": "ncks -4 -O --fix_rec_dmn time classic.nc", "ncks_record": "ncks -4 -O --mk_rec_dmn lat classic.nc",
       "ncks_group": "ncks -4 -O -G deep/er classic.nc", "ncks_of_4": "ncks -O -L 2 -x -v ta ncks_group.nc",
       "ncrename": "ncrename -O -v tas,lat_air -d lat,y classic4.nc", "ncrename_coordinate": "ncrename -O -v lat,north classic4.nc",
       "ncatted": "ncatted -O -a units,tas,o,c,Kelvin -a added,global,c,f,1.5,2.5 -a added,tas,c,s,7 -a title,global,d,, classic4.nc",
       "ncatted_string": "ncatted -O -a text,global,c,sng,one -a name,tas,c,sng,two classic4.nc", "ncpdq": "ncpdq -4 -O -P all_new classic.nc",
       "ncpdq_order": "ncpdq -4 -O -a lon,lat classic.nc", "ncra": "ncra -4 -O classic.nc classic.nc", "ncrcat": "ncrcat -4 -O -L 1 classic.nc classic.nc",
       "ncwa": "ncwa -4 -O -a lat classic.nc", "ncap2": "ncap2 -4 -O -s twice=2*tas;flags[$lat,$lon]=7ull classic.nc", "ncecat": "ncecat -4 -O classic.nc classic.nc"}
CDO = {"cdo_nc4": "-f nc4 copy classic.nc", "cdo_nc4c": "-f nc4c copy classic.nc", "cdo_zip": "-f nc4 -z zip_6 copy classic.nc", "cdo_f64": "-f nc4 -b F64 copy classic.nc",
       "cdo_packed": "-f nc4 -b I16 -setmissval,-9999 -selname,tas,ta classic.nc", "cdo_bytes": "-f nc4 -b U8 -selname,mask classic.nc", "cdo_chunks": "-f nc4 -k lines -z zip copy classic.nc",
       "cdo_auto": "-f nc4 -k auto copy classic.nc", "cdo_mean": "-f nc4 timmean classic.nc", "cdo_ymon": "-f nc4c -z zip_1 ymonmean -selname,tas classic.nc",
       "cdo_remap": "-f nc4 remapbil,r12x6 -selname,tas,pr classic.nc", "cdo_gaussian": "-f nc4 -random,n16", "cdo_unstructured": "-f nc4 -setgridtype,unstructured -selname,tas classic.nc",
       "cdo_curvilinear": "-f nc4 -setgridtype,curvilinear -selname,tas classic.nc", "cdo_for": "-f nc4 -for,1,20", "cdo_szip": "-f nc4 -z szip copy classic.nc",
       "cdo_zonal": "-f nc4 zonmean classic.nc", "cdo_levels": "-f nc4 -sellevel,500 -selname,ta classic.nc"}
GRID = "ncols 9\nnrows 7\nxllcorner 10\nyllcorner 40\ncellsize 0.5\nNODATA_value -9\n" + "\n".join(" ".join(str(r * 9 + c) for c in range(9)) for r in range(7))
POINTS = "WKT,name,n,x,day\n\"POINT (1 2)\",one,1,1.5,2001/02/03\n\"POINT (3 4)\",second,2,-2.25,2001/02/04\n\"POINT (5 6)\",,3,,\n"
GDAL = {"gdal_nc4": "gdal_translate -q -of netCDF -co FORMAT=NC4 grid.asc", "gdal_nc4c": "gdal_translate -q -of netCDF -co FORMAT=NC4C grid.asc",
        "gdal_deflate": "gdal_translate -q -of netCDF -co FORMAT=NC4 -co COMPRESS=DEFLATE -co ZLEVEL=9 grid.asc",
        "gdal_byte": "gdal_translate -q -of netCDF -ot Byte -co FORMAT=NC4 grid.asc", "gdal_u2": "gdal_translate -q -of netCDF -ot UInt16 -co FORMAT=NC4 grid.asc",
        "gdal_f8": "gdal_translate -q -of netCDF -ot Float64 -a_srs EPSG:4326 -co FORMAT=NC4 -co WRITE_BOTTOMUP=NO grid.asc",
        "gdal_utm": "gdal_translate -q -of netCDF -a_srs EPSG:32632 -co FORMAT=NC4 -co WRITE_LONLAT=YES grid.asc", "gdal_bands": "gdal_translate -q -of netCDF -b 1 -b 1 -co FORMAT=NC4 grid.asc",
        "ogr_points": "ogr2ogr -f netCDF -dsco FORMAT=NC4 {} points.csv -nlt POINT -oo AUTODETECT_TYPE=YES -oo KEEP_GEOM_COLUMNS=NO -lco STRING_DEFAULT_WIDTH=10",
        "ogr_strings": "ogr2ogr -f netCDF -dsco FORMAT=NC4 {} points.csv -nlt POINT -oo AUTODETECT_TYPE=YES -oo KEEP_GEOM_COLUMNS=NO"}
FORTRAN = r"""
program make
  use netcdf
  implicit none
  integer :: f, x, t, c, v(8), g, i
  integer(1) :: bytes(5) = [1_1, -2_1, 3_1, 127_1, -127_1]
  integer(8) :: longs(5) = [1_8, -9223372036854775807_8, 3_8, 4_8, 5_8]
  real(8) :: table(5, 3)
  table = reshape([(i / 4d0, i = 1, 15)], [5, 3])
  call check(nf90_create("fortran.nc", ior(nf90_netcdf4, nf90_clobber), f))
  call check(nf90_def_dim(f, "x", 5, x))
  call check(nf90_def_dim(f, "t", nf90_unlimited, t))
  call check(nf90_def_dim(f, "c", 6, c))
  call check(nf90_def_var(f, "bytes", nf90_byte, [x], v(1), deflate_level=3, shuffle=.true., fletcher32=.true.))
  call check(nf90_def_var(f, "longs", nf90_int64, [x], v(2), contiguous=.true.))
  call check(nf90_def_var(f, "table", nf90_double, [x, t], v(3), chunksizes=[2, 2], deflate_level=9))
  call check(nf90_def_var(f, "text", nf90_char, [c], v(4)))
  call check(nf90_def_var(f, "big", nf90_float, [x], v(5), endianness=nf90_endian_big))
  call check(nf90_def_var_fill(f, v(5), 0, -1.5))
  call check(nf90_put_att(f, nf90_global, "title", "of Fortran  "))
  call check(nf90_put_att(f, v(3), "range", [0d0, 4d0]))
  call check(nf90_def_grp(f, "inner", g))
  call check(nf90_def_var(g, "scalar", nf90_int, v(6)))
  call check(nf90_put_var(f, v(1), bytes))
  call check(nf90_put_var(f, v(2), longs))
  call check(nf90_put_var(f, v(3), table))
  call check(nf90_put_var(f, v(4), "abcdef"))
  call check(nf90_put_var(f, v(5), [1.0, 2.0], start=[2], count=[2]))
  call check(nf90_put_var(g, v(6), 42))
  call check(nf90_close(f))
  call check(nf90_create("fortran_classic.nc", ior(nf90_netcdf4, nf90_classic_model), f))
  call check(nf90_def_dim(f, "x", 5, x))
  call check(nf90_def_dim(f, "t", nf90_unlimited, t))
  call check(nf90_def_var(f, "table", nf90_real, [x, t], v(3)))
  call check(nf90_enddef(f))
  call check(nf90_put_var(f, v(3), table))
  call check(nf90_close(f))
contains
  subroutine check(rc)
    integer, intent(in) :: rc
    if (rc /= nf90_noerr) then
      print *, trim(nf90_strerror(rc))
      stop 1
    end if
  end subroutine
end program
"""
# Of xarray's, by both of its engines.
XARRAY = r"""
import sys, warnings
import numpy as np, xarray as xr
warnings.simplefilter("ignore")
engine = sys.argv[1]
t = np.arange("2001-01-01", "2001-01-06", dtype="datetime64[D]").astype("datetime64[ns]")
base = xr.Dataset({"tas": (("time", "y", "x"), np.arange(60.0).reshape(5, 3, 4) / 8, {"units": "K"}), "n": (("y", "x"), np.arange(12, dtype="i8").reshape(3, 4)),
                   "scalar": ((), np.float32(1.5))}, {"time": t, "y": [10.0, 20, 30], "x": np.arange(4, dtype="i4")}, {"title": "xarray", "version": 2, "w": [1.5, 2.5]})
words = xr.Dataset({"s": ("x", np.array(["a", "bcd", "", "äö"], dtype=object)), "u": ("x", np.array(["one", "three", "x", ""])), "b": ("x", np.array([b"ab", b"c", b"", b"def"])),
                    "flag": ("x", np.array([True, False, True, True])), "delta": ("x", np.arange(4).astype("timedelta64[h]").astype("timedelta64[ns]"))})
words["s"].attrs["notes"] = ["first", "second"]
def write(name, d=base, **how):
    d.to_netcdf("%s_%s.nc" % (engine, name), engine=engine, **how)
write("plain")
write("zlib", encoding={"tas": {"zlib": True, "complevel": 5, "shuffle": True, "fletcher32": True}, "n": {"zlib": True, "shuffle": False}})
write("chunks", encoding={"tas": {"chunksizes": (2, 3, 2)}, "n": {"chunksizes": (1, 4)}})
write("packed", encoding={"tas": {"dtype": "i2", "scale_factor": 0.125, "add_offset": 3.0, "_FillValue": -9}, "time": {"units": "hours since 2000-01-01", "dtype": "i4"}})
write("unlimited", unlimited_dims=["time"])
write("two_unlimited", unlimited_dims=["time", "x"], encoding={"tas": {"_FillValue": None}})
write("words", words)
write("holes", base.where(base.tas > 2))
write("big", encoding={"tas": {"dtype": ">f4"}, "n": {"dtype": "u1"}})
base.to_netcdf(engine + "_groups.nc", engine=engine, group="a/b")
base[["n"]].to_netcdf(engine + "_groups.nc", engine=engine, group="a/c", mode="a")
write("contiguous", encoding={"tas": {"contiguous": True}})
"""
NETCDF4 = r"""
import netCDF4, numpy as np
def new(name, **how):
    d = netCDF4.Dataset("python_%s.nc" % name, "w", **how)
    d.createDimension("t", None); d.createDimension("x", 6); d.createDimension("y", 4)
    return d
values = np.arange(24.0).reshape(4, 6)
for name, how in (("zlib", {"compression": "zlib", "complevel": 6}), ("szip", {"compression": "szip"}), ("zstd", {"compression": "zstd"}), ("bzip2", {"compression": "bzip2"}),
                  ("blosc", {"compression": "blosc_lz4"}), ("digits", {"compression": "zlib", "least_significant_digit": 2}),
                  ("quantized", {"compression": "zlib", "significant_digits": 3, "quantize_mode": "BitGroom"}), ("endian", {"endian": "big"}), ("sum", {"fletcher32": True}),
                  ("chunks", {"chunksizes": (3, 5)}), ("contiguous", {"contiguous": True}), ("nofill", {"fill_value": False}), ("fill", {"fill_value": -1.5})):
    try:
        with new(name) as d:
            d.createVariable("v", "f8", ("y", "x"), **how)[:2] = values[:2]
            d.createVariable("f", "f4", ("y", "x"), **how)[...] = values
            d.createVariable("i", "i4", ("t", "x"), **{k: v for k, v in how.items() if k not in ("contiguous", "chunksizes", "significant_digits", "quantize_mode")})[3:5] = values[:2]
    except (RuntimeError, ValueError) as e:
        print(name, e)
with new("types") as d:
    pair = d.createCompoundType(np.dtype([("a", "i4"), ("b", "f8", (2,))]), "pair")
    ragged = d.createVLType(np.int16, "ragged")
    color = d.createEnumType(np.uint8, "color", {"red": 0, "green": 7})
    p = d.createVariable("pairs", pair, ("x",)); p[:] = np.array([(i, (i / 2, -i)) for i in range(6)], dtype=[("a", "i4"), ("b", "f8", (2,))])
    r = d.createVariable("rows", ragged, ("y",)); r[:] = np.array([np.arange(i, dtype="i2") for i in range(4)], dtype=object)
    c = d.createVariable("colors", color, ("x",), fill_value=0); c[:] = np.array([0, 7, 0, 7, 7, 0], "u1")
    s = d.createVariable("strings", str, ("y",)); s[:] = np.array(["a", "", "ccc", "é"], dtype=object)
    d.pair = np.array((3, (1.0, 2.0)), dtype=[("a", "i4"), ("b", "f8", (2,))])
with netCDF4.Dataset("python_renamed.nc", "w") as d:
    d.createDimension("x", 3); d.createVariable("x", "f4", ("x",))[:] = [1, 2, 3]; d.createVariable("v", "i2", ("x",))[:] = [4, 5, 6]
    d.renameVariable("x", "q"); d.renameDimension("x", "long_name_of_a_dimension")
with new("model", format="NETCDF4_CLASSIC") as d:
    d.createVariable("v", "i2", ("t", "x"))[:3] = values[:3]; d.title = ""; d.setncattr("n", np.arange(3, dtype="i1"))
with new("many") as d:
    for i in range(20):
        d.setncattr("a%02d" % i, "value %d" % i); d.createVariable("v%02d" % i, "i4", ("x",)).setncatts({"b%d" % k: k for k in range(12)})
"""
H5NETCDF = r"""
import h5netcdf, h5netcdf.legacyapi as old, numpy as np
for name, how in (("plain", {}), ("latest", {"libver": "latest"}), ("v110", {"libver": ("v108", "v110")})):
    with h5netcdf.File("h5netcdf_%s.nc" % name, "w", **how) as f:
        f.dimensions = {"t": None, "x": 5, "y": 3}
        f.resize_dimension("t", 2)
        v = f.create_variable("v", ("t", "x"), "f4", chunks=(1, 5), compression="gzip"); v[...] = np.arange(10).reshape(2, 5); v.attrs["units"] = "m"
        f.create_variable("x", ("x",), "i8", data=np.arange(5))
        f.create_variable("y", ("x", "y"), "i2", data=np.arange(15).reshape(5, 3))
        g = f.create_group("grid/inner"); g.dimensions["x"] = 2; g.create_variable("x", ("x",), "f8", data=[1.5, 2.5])
        g.create_variable("w", ("y", "x"), "u1", data=np.arange(6).reshape(3, 2), fillvalue=9)
        f.attrs["title"] = "h5netcdf"; f.attrs["numbers"] = np.arange(3)
with h5netcdf.File("h5netcdf_invalid.nc", "w", invalid_netcdf=True) as f:
    f.dimensions = {"x": 4}
    f.create_variable("flags", ("x",), bool, data=[True, False, True, True]); f.create_variable("z", ("x",), "c16", data=np.arange(4) * 1j)
    f.create_variable("squeezed", ("x",), "i4", data=np.arange(4), chunks=(4,), compression="lzf")
with old.Dataset("h5netcdf_legacy.nc", "w") as d:
    d.createDimension("t", None); d.createDimension("x", 3)
    v = d.createVariable("v", "i4", ("t", "x"), zlib=True, complevel=4, fletcher32=True, fill_value=-1); d.variables["v"].units = "1"
    d.createVariable("s", str, ("x",))[:] = np.array(["a", "bb", ""], dtype=object)
"""


def run(command, folder, what, **more):
    r = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **more)
    if r.returncode:
        print("       left out: %s: %s" % (what, r.stdout.strip()[-200:]))
    return r.returncode == 0


def by_commands(table, folder, first=()):
    for name, line in table.items():
        words = [*first, *line.split()]
        if shutil.which(words[0]) is None:
            return print("       left out: " + words[0])
        words = [w.replace("{}", name + ".nc") for w in words] if "{}" in line else words + [name + ".nc"]
        run(words, folder, name)


def by_python(python, text, folder, *args):
    if os.path.exists(python):
        run([python, "-W", "ignore", "-c", text, *args], folder, " ".join((os.path.basename(os.path.dirname(os.path.dirname(python))),) + args))
    else:
        print("       left out: " + python)


def main():
    cache, to = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("source.cdl", source_text(4)), ("grid.asc", GRID), ("points.csv", POINTS), ("make.f90", FORTRAN)):
            with open(os.path.join(work, name), "w") as f:
                f.write(text)
        if shutil.which("ncgen") and run(["ncgen", "-o", "classic.nc", "source.cdl"], work, "ncgen"):
            run(["ncgen", "-4", "-o", "classic4.nc", "source.cdl"], work, "ncgen -4")
            by_commands(NCO, work)
            by_commands(CDO, work, ("cdo", "-s"))
        by_commands(GDAL, work)
        python = [os.path.join(cache, n, "bin", "python") for n in ("short", "h5netcdf")]
        by_python(python[0], NETCDF4, work)
        by_python(python[0], XARRAY, work, "netcdf4")
        by_python(python[1], XARRAY, work, "h5netcdf")
        by_python(python[1], H5NETCDF, work)
        if shutil.which("gfortran") and shutil.which("nf-config"):
            flags = [subprocess.run(["nf-config", o], stdout=subprocess.PIPE, text=True).stdout.split() for o in ("--fflags", "--flibs")]
            if run(["gfortran", *flags[0], "make.f90", "-o", "make", *flags[1]], work, "gfortran"):
                run(["./make"], work, "Fortran")
        for name in sorted(os.listdir(work)):
            with open(os.path.join(work, name), "rb") as f:
                if name.endswith(".nc") and f.read(4) == b"\x89HDF":
                    shutil.copy(os.path.join(work, name), to)


if __name__ == "__main__":
    main()
