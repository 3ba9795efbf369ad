#!/usr/bin/env python3
"""The tutorial's datasets by netCDF4-python: simple_xy, sfc_pres_temp and pres_temp_4D.

usage: tutorial.py (create|open|change DATASET FORMAT PATH)...    see tutorial.c
"""
import sys

import netCDF4
import numpy as np

NLAT, NLON, NLEVEL, NRECORD = 6, 12, 2, 2
FORMATS = {"netcdf4": "NETCDF4", "classic": "NETCDF4_CLASSIC", "clobber": "NETCDF3_CLASSIC"}
MODELS = {"1": "NETCDF3_CLASSIC", "3": "NETCDF4", "4": "NETCDF4_CLASSIC"}
LATITUDE = 25 + 5 * np.arange(NLAT, dtype="f4")
LONGITUDE = -125 + 5 * np.arange(NLON, dtype="f4")
SURFACE = np.arange(NLAT)[:, None] + NLAT * np.arange(NLON)
FIRST = {"pressure": ("hPa", 900), "temperature": ("celsius", 9)}


def equal(got, want):
    assert np.array_equal(np.ma.getdata(got), want), "%s for %s" % (got, want)


def coordinates(d):
    for name, units, values in (("latitude", "degrees_north", LATITUDE), ("longitude", "degrees_east", LONGITUDE)):
        d.createDimension(name, len(values))
        d.createVariable(name, "f4", (name,))[:] = values
        d[name].units = units


class simple_xy:
    def create(d, form):
        d.createDimension("x", 6)
        d.createDimension("y", 12)
        d.createVariable("data", "i4", ("x", "y"))[:] = np.arange(72).reshape(6, 12)
        if form == "netcdf4":
            d.createGroup("more").createVariable("sum", "i8", ("x",))[:] = (144 * np.arange(6) + 66) * 10**9

    def open(d):
        equal(d["data"][:], np.arange(72).reshape(6, 12))
        equal(d["data"][0:5:2, 1:11:3], np.arange(72).reshape(6, 12)[0:5:2, 1:11:3])
        if d.groups:
            assert d["more/sum"][5] == 786 * 10**9

    def change(d):
        d.changed = "yes"
        d["data"][2, :] = 1000 + np.arange(12)


class sfc_pres_temp:
    def create(d, form):
        coordinates(d)
        for name, (units, first) in FIRST.items():
            more = {} if form == "clobber" else {"zlib": True, "shuffle": True, "complevel": 4}
            v = d.createVariable(name, "f4", ("latitude", "longitude"), **more)
            v.units = units
            v[:] = first + (1 if name == "pressure" else .25) * SURFACE

    def open(d):
        equal(d["latitude"][:], LATITUDE)
        assert d["temperature"].units == "celsius"
        equal(d["temperature"][:], 9 + .25 * SURFACE)

    def change(d):
        v = d.createVariable("humidity", "i2", d["temperature"].dimensions)
        v.setncattr("scale_factor", np.float64(.01))
        v.set_auto_scale(False)
        v[:] = 10 * np.arange(72).reshape(NLAT, NLON)
        d["temperature"][-1, :] = -1.5


class pres_temp_4D:
    def put(d, record):
        for name, (_, first) in FIRST.items():
            d[name][record] = first + 1000 * record + np.arange(144, dtype="f4").reshape(NLEVEL, NLAT, NLON)

    def create(d, form):
        coordinates(d)
        d.createDimension("level", NLEVEL)
        d.createDimension("time", None)
        for name, (units, _) in FIRST.items():
            d.createVariable(name, "f4", ("time", "level", "latitude", "longitude")).units = units
        for record in range(NRECORD):
            pres_temp_4D.put(d, record)

    def open(d):
        assert d.dimensions["time"].isunlimited() and len(d.dimensions["time"]) == NRECORD
        equal(d["temperature"][:].reshape(-1), np.concatenate([9 + 1000 * r + np.arange(144) for r in range(NRECORD)]))

    def change(d):
        pres_temp_4D.put(d, NRECORD)


DATASETS = {c.__name__: c for c in (simple_xy, sfc_pres_temp, pres_temp_4D)}


def job(action, dataset, form, path):
    if action == "create":
        with netCDF4.Dataset(path, "w", format=FORMATS[form]) as d:
            return DATASETS[dataset].create(d, form)
    with netCDF4.Dataset(path, "a" if action == "change" else "r") as d:
        assert d.data_model == MODELS[form], d.data_model
        getattr(DATASETS[dataset], action)(d)


failed = False
for n in range(1, len(sys.argv), 4):
    try:
        job(*sys.argv[n:n + 4])
        print("ok")
    except Exception as e:
        failed = True
        print("failed: " + ("%s: %s" % (type(e).__name__, e)).replace("\n", " "))
sys.exit(failed)
