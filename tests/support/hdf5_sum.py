"""The checksum of HDF5's structures."""
import struct

M = 0xffffffff


def lookup3(data):
    def rot(x, k):
        return ((x << k) | (x >> (32 - k))) & M
    a = b = c = (0xdeadbeef + len(data)) & M
    while len(data) > 12:
        x, y, z = struct.unpack("<III", data[:12])
        a, b, c = (a + x) & M, (b + y) & M, (c + z) & M
        a = (a - c) & M; a ^= rot(c, 4); c = (c + b) & M
        b = (b - a) & M; b ^= rot(a, 6); a = (a + c) & M
        c = (c - b) & M; c ^= rot(b, 8); b = (b + a) & M
        a = (a - c) & M; a ^= rot(c, 16); c = (c + b) & M
        b = (b - a) & M; b ^= rot(a, 19); a = (a + c) & M
        c = (c - b) & M; c ^= rot(b, 4); b = (b + a) & M
        data = data[12:]
    if data:
        x, y, z = struct.unpack("<III", data + bytes(12 - len(data)))
        a, b, c = (a + x) & M, (b + y) & M, (c + z) & M
        c ^= b; c = (c - rot(b, 14)) & M
        a ^= c; a = (a - rot(c, 11)) & M
        b ^= a; b = (b - rot(a, 25)) & M
        c ^= b; c = (c - rot(b, 16)) & M
        a ^= c; a = (a - rot(c, 4)) & M
        b ^= a; b = (b - rot(a, 14)) & M
        c ^= b; c = (c - rot(b, 24)) & M
    return c
