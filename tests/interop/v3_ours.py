"""What we write in version 3, read by the others. Called by v3.py."""
import struct


def float32(v):
    return struct.pack("f", v)


def flatten(v):
    if not isinstance(v, list):
        return [v]
    out = []
    for item in v:
        out += flatten(item)
    return out


def characters(v):
    """The values of a variable; text as one character each, as long as the last dimension is."""
    values = flatten(v["data"])
    if v["type"] != "char":
        return values
    width = v["shape"][-1] if v["shape"] else 1
    return [c for s in values for c in (list(s) + [""] * (width - len(s)))]


def run_all(h, tmp):
    pass
