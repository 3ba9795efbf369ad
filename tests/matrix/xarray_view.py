"""What xarray sees of two datasets, and which refusals of a copy are documented."""
import json, os, warnings

import numpy as np
import xarray as xr
import zarr

warnings.simplefilter("ignore")


def open_either(path):
    """The dataset, or None, and why xarray does not open it, or not all of it."""
    if path.endswith((".json", ".icechunk")) or os.path.exists(path + ".nc4"):
        return None, "its data lie elsewhere"
    store = zarr.storage.ZipStore(path, mode="r") if path.endswith(".zip") else path
    engine = {"engine": "netcdf4"} if path.endswith(".nc") else {"engine": "zarr"}
    try:
        ds = xr.open_dataset(store, **engine)
        ds.load()
        return ds, ""
    except Exception as e:
        return None, "%s: %s" % (type(e).__name__, str(e)[:200])


def plain(attrs):
    return {k: plain_value(v) for k, v in attrs.items() if not k.startswith(("_nczarr", "_char_")) and k != "_NCProperties"}


def plain_value(value):
    """A list of one value and the value are one to netCDF; a text that is a JSON document is stored as that (docs/formats.md)."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list) and len(value) == 1:
        return plain_value(value[0])
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            pass
    return value


def same(a, b, default=None):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, default) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if default is not None and (a == default or b == default) and (a != a or b != b):
        return True # one of the formats says nothing of the default fill value, by which xarray masks in the other
    if a in ("", b"") and b != b or b in ("", b"") and a != a:
        return True # the empty text is the default fill value of texts
    if isinstance(a, bytes) and isinstance(b, str) or isinstance(a, str) and isinstance(b, bytes):
        a, b = (x if isinstance(x, bytes) else x.encode("utf-8", "surrogateescape") for x in (a, b))
    if isinstance(a, complex) and isinstance(b, complex):
        return same([a.real, a.imag], [b.real, b.imag])
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= 2e-7 * abs(a)
    return a == b


# What zarr-python 3.1 cannot read in version 3: records, and byte strings of some widths.
PEER_LIMITS = ("'name': 'struct'", "writeable void-scalar")
DEFAULTS = {("i", 4): -2147483647, ("u", 4): 4294967295, ("f", 4): np.float32(9.969209968386869e36), ("f", 8): 9.969209968386869e36}


def default_of(array):
    dtype = array.encoding.get("dtype", array.dtype)
    return DEFAULTS.get((np.dtype(dtype).kind, np.dtype(dtype).itemsize)) if dtype is not str else None


def values(array):
    """Packed ones in single precision: xarray computes with the type of scale_factor, and Zarr's attributes are doubles."""
    packed = array.encoding.keys() & {"scale_factor", "add_offset"}
    return (array.values.astype("f4") if packed else array.values).ravel().tolist()


def same_text(a, b):
    """A variable of one dimension is one text in Zarr v3."""
    if 1 not in (len(a), len(b)) or not all(isinstance(v, (str, bytes)) for v in a + b):
        return False
    a, b = ("".join(v if isinstance(v, str) else v.decode("utf-8", "surrogateescape") for v in side) for side in (a, b))
    return a == b


def same_flags(a, b):
    """Characters along a dimension that others have are numbers in Zarr v3."""
    if not all(isinstance(v, int) for v in a) and not all(isinstance(v, int) for v in b):
        return False
    a, b = ([ord(v) if isinstance(v, (str, bytes)) and len(v) == 1 else v for v in side] for side in (a, b))
    return a == b


def differences(source, target):
    (a, _), (b, why) = open_either(source), open_either(target)
    if a is None:
        return []
    if b is None and any(limit in why for limit in PEER_LIMITS):
        return []
    if b is None:
        return ["xarray opens the source, not the copy: " + why]
    out = []
    for name in a.variables:
        if name not in b.variables:
            out.append("xarray: %s is missing" % name)
            continue
        v, w = values(a[name]), values(b[name])
        if not same(v, w, default_of(a[name])) and not same_text(v, w) and not same_flags(v, w):
            out.append("xarray: %s is %s, not %s" % (name, w[:6], v[:6]))
        if not same(plain(a[name].attrs), plain(b[name].attrs)):
            out.append("xarray: attributes of %s are %s, not %s" % (name, plain(b[name].attrs), plain(a[name].attrs)))
    if not same(plain(a.attrs), plain(b.attrs)):
        out.append("xarray: attributes are %s, not %s" % (plain(b.attrs), plain(a.attrs)))
    return out


# What a format cannot hold: (target or "", content or "", part of the message that says so).
REFUSED = [
    ("classic", "", "classic"), ("classic", "", "CDF-"), ("classic", "", "--flatten"),
    ("classic", "", "does not begin with a letter"), ("netcdf4", "odd_names", "does not begin with a letter"),
    ("", "text_records", "has no type for elements"), ("", "document_name", "Zarr's documents have this name"),
]


def judge_refusal(case, said):
    if any(target in ("", case[1]) and content in ("", case[4]) and part in said for target, content, part in REFUSED):
        return []
    return ["refused: " + said]
