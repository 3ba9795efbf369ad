#!/usr/bin/env python3
"""Reads a dataset with the netcdf-c inside netCDF4's wheel, through its C functions, and prints for each variable its
dimensions as {"/path": {"dims": [[full name of the group, name, length], ...], "values": [as doubles]}}.

netCDF4 itself looks for a variable's dimensions in the groups around it only.

usage: peer_dims.py URL      run with the Python that has netCDF4
"""
import ctypes, glob, json, os, sys

import netCDF4

folder = os.path.join(os.path.dirname(os.path.dirname(netCDF4.__file__)), "netcdf4.libs")
lib = ctypes.CDLL(glob.glob(os.path.join(folder, "libnetcdf-*"))[0])
lib.nc_strerror.restype = ctypes.c_char_p
Ints = ctypes.POINTER(ctypes.c_int)


def call(name, *args):
    rc = getattr(lib, name)(*args)
    if rc != 0:
        sys.exit("%s: %d: %s" % (name, rc, lib.nc_strerror(rc).decode()))


def number(name, *args):
    out = ctypes.c_int()
    call(name, *args, ctypes.byref(out))
    return out.value


def ids(name, ncid, *more):
    """What a function lists: first its count, then the numbers."""
    n = ctypes.c_int()
    call(name, ncid, ctypes.byref(n), None, *more)
    out = (ctypes.c_int * max(n.value, 1))()
    call(name, ncid, ctypes.byref(n), out, *more)
    return list(out)[:n.value]


def name_of(function, *args):
    out = ctypes.create_string_buffer(1024)
    call(function, *args, out)
    return out.value.decode()


def full_name(ncid):
    length = ctypes.c_size_t()
    out = ctypes.create_string_buffer(4096)
    call("nc_inq_grpname_full", ncid, ctypes.byref(length), out)
    return out.value.decode()


def groups(ncid):
    found = [ncid]
    for child in ids("nc_inq_grps", ncid):
        found += groups(child)
    return found


def main():
    root = number("nc_open", sys.argv[1].encode(), 0)
    every = groups(root)
    home = {d: full_name(g) for g in every for d in ids("nc_inq_dimids", g, 0)}
    out = {}
    for g in every:
        for v in ids("nc_inq_varids", g):
            rank = number("nc_inq_varndims", g, v)
            dims = (ctypes.c_int * max(rank, 1))()
            call("nc_inq_vardimid", g, v, dims)
            entry, count = [], 1
            for d in list(dims)[:rank]:
                length = ctypes.c_size_t()
                call("nc_inq_dimlen", g, d, ctypes.byref(length))
                entry.append([home[d], name_of("nc_inq_dimname", g, d), length.value])
                count *= length.value
            values = (ctypes.c_double * max(count, 1))()
            call("nc_get_var_double", g, v, values)
            path = full_name(g).rstrip("/") + "/" + name_of("nc_inq_varname", g, v)
            out[path] = {"dims": entry, "values": list(values)[:count]}
    call("nc_close", root)
    print(json.dumps(out))


main()
