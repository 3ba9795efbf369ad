#!/usr/bin/env python3
"""CF aggregations: those that cfdm writes, others that it reads, and what it reads of them. Run by tests/virtual/aggregations
with the Python of `./dev setup cfdm`.

usage: aggregate.py make FOLDER       prints a line of JSON for each: its name, and the values of its variables, null if missing
       aggregate.py read FILE ...     prints the values that cfdm reads, a line for each file
"""
import json, os, sys

import cfdm, netCDF4, numpy as np

cfdm.log_level("DISABLE")


# ---- what cfdm reads ----

def plain(array):
    """Missing values are None. Texts of characters, too, are texts."""
    flat = np.ma.masked_array(array).ravel()
    return [None if m else v.item() if hasattr(v, "item") else v for v, m in zip(flat.data, np.ma.getmaskarray(flat))]


def values(path):
    """{variable: its values}. A path within the file is relative to the working directory, as cfdm has it."""
    found, here = {}, os.getcwd()
    os.chdir(os.path.dirname(os.path.abspath(path)))
    try:
        for field in cfdm.read(os.path.basename(path)):
            for construct in (field, *field.constructs.filter_by_data().values()):
                name = construct.nc_get_variable(None)
                if name is not None and construct.has_data():
                    found[name.replace("_nc4_non_coord_", "").lstrip("/")] = plain(construct.array)
    finally:
        os.chdir(here)
    return found


def report(name, want=None):
    """`want`: where cfdm cannot read it (it takes shapes to be whole and lists without a gap)."""
    print(json.dumps({"set": name, "want": want if want is not None else values(name)}))


# ---- fragments ----

def fragment(path, number, shape=(2, 3), first=0, units="K", dtype="f4", fill=-9, groups=(), base="days since 2026-01-01",
             calendar="standard", **packing):
    """A file with tas(time, lat), `number` in its values, and their coordinates."""
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions = "CF-1.13"
        for name, length in zip(("time", "lat"), shape):
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units, time.calendar, time.standard_name = base, calendar, "time"
        time[:] = first + np.arange(shape[0])
        lat = file.createVariable("lat", "f8", ("lat",))
        lat.units, lat.standard_name = "degrees_north", "latitude"
        lat[:] = np.arange(shape[1]) * 10.
        at = file
        for name in groups: # of the variable alone: cfdm fails with dimensions in groups
            at = at.createGroup(name)
        tas = at.createVariable("tas", dtype, ("time", "lat"), fill_value=fill)
        tas.units, tas.standard_name = units, "air_temperature"
        tas.setncatts(packing)
        tas[:] = np.ma.masked_equal(100 * number + np.arange(shape[0] * shape[1]).reshape(shape), 100 * number + 1)


def fields(names):
    return [cfdm.read(name, cfa_write="all")[0] for name in names]


# ---- those that cfdm writes ----

def write(field, name, constructs="field", uri="relative"):
    cfdm.write(field, name, cfa={"constructs": constructs, "uri": uri, "strict": False})
    report(name)


def by_cfdm():
    for i in range(3):
        fragment("t%d.nc" % i, i, first=2 * i)
        fragment("g%d.nc" % i, i, first=2 * i, groups=("run", "day"))
        fragment("c%d.nc" % i, i, first=2 * i, calendar="360_day")
        fragment("i%d.nc" % i, i, first=2 * i, dtype="i2", fill=-99)
        fragment("p%d.nc" % i, i, first=2 * i, dtype="i2", fill=-99, scale_factor=0.5, add_offset=10. * i)
    series = cfdm.Field.concatenate(fields("t%d.nc" % i for i in range(3)), axis=0)
    write(series, "one_dimension.nc")
    write(series, "absolute.nc", uri="absolute")
    write(series, "coordinates.nc", "all")
    for row in range(2):
        for i in range(3):
            fragment("s%d%d.nc" % (row, i), 3 * row + i, first=2 * i)
    rows = [cfdm.Field.concatenate(fields("s%d%d.nc" % (row, i) for i in range(3)), axis=0) for row in range(2)]
    both = cfdm.Field.concatenate(rows, axis=1)
    write(both, "two_dimensions.nc")
    write(both, "two_dimensions_all.nc", "all")
    write(cfdm.Field.concatenate(fields("g%d.nc" % i for i in range(3)), axis=0), "groups.nc")
    write(cfdm.Field.concatenate(fields("c%d.nc" % i for i in range(3)), axis=0), "calendar.nc", "all")
    write(cfdm.Field.concatenate(fields("i%d.nc" % i for i in range(3)), axis=0), "integers.nc")
    write(fields(["t1.nc"])[0], "single.nc", "all")
    write(fields(["p1.nc"])[0], "packed.nc")
    again = cfdm.read("one_dimension.nc")[0]
    cfdm.write(again, "again.nc")
    report("again.nc")


# ---- those of the convention's text, which cfdm reads ----

def aggregation(name, dims, lengths, uris=None, identifier="/tas", unique=None, dtype="f4", format="NETCDF4", **attributes):
    """A file with the aggregation `tas`. `lengths`: of the fragments along each dimension."""
    with netCDF4.Dataset(name, "w", format=format) as file:
        file.Conventions = "CF-1.13"
        for d, row in zip(dims, lengths):
            file.createDimension(d, sum(row))
        tas = file.createVariable("tas", str if dtype == "str" else dtype, (), fill_value=None if dtype == "str" else attributes.pop("fill", None))
        tas.standard_name = "air_temperature"
        tas.setncatts(attributes)
        tas.aggregated_dimensions = " ".join(dims)
        tas.aggregated_data = "map: fragment_map " + ("unique_values: fragment_values" if uris is None else
                                                      "uris: fragment_uris identifiers: fragment_identifiers")
        for d, row in zip(dims, lengths):
            file.createDimension("f_" + d, len(row))
        if dims:
            file.createDimension("j", len(dims))
            file.createDimension("i", max(map(len, lengths)))
            values = np.ma.masked_all((len(dims), max(map(len, lengths))), "i4")
            for k, row in enumerate(lengths):
                values[k, :len(row)] = row
            file.createVariable("fragment_map", "i4", ("j", "i"))[:] = values
        else:
            file.createVariable("fragment_map", "i4", ())[...] = 1
        places = tuple("f_" + d for d in dims)
        if uris is None:
            kind = str if np.asarray(unique).dtype.kind in "UO" else np.asarray(unique).dtype
            file.createVariable("fragment_values", kind, places)[...] = np.array(unique, dtype=object) if kind is str else np.ma.asarray(unique)
        elif format == "NETCDF4":
            file.createVariable("fragment_uris", str, places)[...] = np.array(uris, dtype=object)
            file.createVariable("fragment_identifiers", str, ())[...] = np.array(identifier, dtype=object)
        else:
            file.createDimension("letters", 16)
            texts = netCDF4.stringtochar(np.array(uris, dtype="S16"))
            file.createVariable("fragment_uris", "S1", (*places, "letters"))[...] = texts
            file.createVariable("fragment_identifiers", "S1", ("letters",))[...] = netCDF4.stringtochar(np.array(identifier, dtype="S16"))


def by_hand():
    lengths, files = [[2, 2, 2], [3]], [["t0.nc"], ["t1.nc"], ["t2.nc"]]
    want = [v for i in range(3) for v in (100. * i, None, *(100. * i + k for k in range(2, 6)))]
    aggregation("plain.nc", ["time", "lat"], lengths, files, fill=-9, units="K")
    report("plain.nc")
    for i, units in enumerate(("degC", "degF", "K")):
        fragment("u%d.nc" % i, i, units=units)
    aggregation("units.nc", ["time", "lat"], lengths, [["u0.nc"], ["u1.nc"], ["u2.nc"]], dtype="f8", fill=-9, units="K")
    report("units.nc")
    for i, base in enumerate(("days since 2026-01-01", "hours since 2026-01-01 06:00", "seconds since 2025-12-31")):
        fragment("d%d.nc" % i, i, first=3 * i, base=base)
    aggregation("dates.nc", ["time"], [[2, 2, 2]], ["d0.nc", "d1.nc", "d2.nc"], "/time", dtype="f8", units="days since 2026-01-01",
                calendar="standard")
    report("dates.nc")
    aggregation("packed_each.nc", ["time", "lat"], lengths, [["p0.nc"], ["p1.nc"], ["p2.nc"]], fill=-9, units="K")
    report("packed_each.nc")
    aggregation("unique.nc", ["time", "lat"], [[2, 3], [1, 2]], unique=np.array([[1, 2], [3, 4]], "i4"), dtype="i4")
    report("unique.nc")
    aggregation("unique_texts.nc", ["time"], [[2, 3]], unique=["cold", "warm"], dtype="str")
    report("unique_texts.nc")
    aggregation("scalar_value.nc", [], [], unique=np.array(2.5, "f4"))
    report("scalar_value.nc")
    aggregation("classic.nc", ["time", "lat"], lengths, files, fill=-9, units="K", format="NETCDF3_CLASSIC")
    report("classic.nc")
    # What the text has and cfdm does not read.
    with netCDF4.Dataset("names.nc", "w") as file:
        file.createDimension("n", 2)
        file.createVariable("names", str, ("n",))[:] = np.array(["B\u00e4r", "a b"], dtype=object)
    aggregation("texts.nc", ["n"], [[2, 2]], ["names.nc", "names.nc"], "/names", dtype="str")
    report("texts.nc", {"tas": ["B\u00e4r", "a b"] * 2})
    aggregation("missing.nc", ["time", "lat"], lengths, [["t0.nc"], [""], ["t2.nc"]], fill=-9)
    report("missing.nc", {"tas": want[:6] + [None] * 6 + want[12:]})
    aggregation("nested.nc", ["time", "lat"], [[6, 2], [3]], [["plain.nc"], ["t1.nc"]], fill=-9)
    report("nested.nc", {"tas": want + want[6:12]})
    aggregation("leading.nc", ["run", "time", "lat"], [[1, 1], [2], [3]], [[["t0.nc"]], [["t2.nc"]]], fill=-9)
    report("leading.nc", {"tas": want[:6] + want[12:]})
    aggregation("unique_gap.nc", ["time"], [[2, 3]], unique=np.ma.masked_equal(np.array([7, 0], "i4"), 0), dtype="i4")
    report("unique_gap.nc", {"tas": [7, 7, None, None, None]})


def series():
    """Files as reports of other software have them, that are joined: other units of time, chunks and filters in each
    (fsspec/kerchunk#218, #282, #302, #430), a variable and a dimension that only one has, variables without the
    dimension (pydata/xarray#438)."""
    for i, (units, chunks, level) in enumerate((("days since 1975-01-01", (1, 4), 0), ("days since 2000-01-01", (2, 2), 4),
                                                ("hours since 2000-01-03", (2, 3), 9))):
        with netCDF4.Dataset("r%d.nc" % i, "w") as file:
            file.createDimension("time", None)
            file.createDimension("x", 4)
            time = file.createVariable("time", "f8", ("time",))
            time.units, time.calendar = units, "standard"
            time[:] = np.arange(3 if i < 2 else 2) * (1 if i < 2 else 24)
            w = file.createVariable("w", "i4", ("time", "x"), zlib=level > 0, complevel=level, chunksizes=chunks, fill_value=-1)
            w[:] = 100 * i + np.arange(4 * len(time)).reshape(-1, 4)
            file.createVariable("mask", "i1", ("x",))[:] = [1, 0, 1, 0]
            if i == 1:
                file.createDimension("expver", 2)
                file.createVariable("expver", "i4", ("expver",))[:] = [1, 5]
                file.createVariable("more", "f4", ("time",))[:] = [1, 2, 3]


def main():
    if sys.argv[1] == "read":
        for path in sys.argv[2:]:
            print(json.dumps(values(path)))
        return
    os.chdir(sys.argv[2])
    by_cfdm()
    by_hand()
    series()


main()
