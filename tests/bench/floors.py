"""What a release must reach in tests/bench/run, whose tables page.py puts into docs/performance.md."""
# With two threads: at least this share of the limit, at most so many seconds, at least so
# many times as fast as a peer.
#
# A floor is judged by the least times; "CPU" is the processor time of ours and of the limit, for machines that others use, too.
FLOORS = {
    "W1r": {"limit": 0.80, "netcdf": 2, "tensorstore": 1.5, "zarrs": 1},
    "W1w": {"limit": 0.80, "netcdf": 2, "tensorstore": 3, "zarrs": 1},
    "W2r": {"limit": 0.90, "netcdf": 2.4, "tensorstore": 1.5, "zarrs": 1},
    "W2w": {"limit": 0.85, "netcdf": 2.8, "tensorstore": 3, "zarrs": 1},
    "W3r": {"limit": 0.90, "netcdf": 3.6, "zarrs": 2},
    "W3w": {"limit": 0.85, "netcdf": 3},
    "W3br": {"limit": 0.90, "netcdf": 5, "zarrs": 1.2},
    "W3bw": {"limit": 0.85, "netcdf": 2.5, "zarrs": 1.2},
    "W4": {"limit": 0.85, "netcdf": 2.5},
    "W4raw": {"limit": 0.70, "netcdf": 4},
    "W5": {"limit": 0.90, "netcdf": 2},
    "W5raw": {"limit": 0.70, "netcdf": 4},
    "W6": {"seconds": 0.020, "netcdf": 8},
    "W6o": {"seconds": 0.002, "netcdf": 50},
    "W6c": {"seconds": 0.008, "netcdf": 20},
    "W8": {"limit": 0.80, "netcdf": 5, "zarr2": 1.6},
    "W8raw": {"limit": 0.80, "netcdf": 8, "zarr2": 1.1},
    "W9": {"limit": 0.80, "netcdf": 4, "zarr2": 2},
    "W9n": {"limit": 0.80},
    "W10r": {"limit": 0.75, "netcdf": 6},
    "W10w": {"limit": 0.90, "netcdf": 1.2},
    "W11r": {"limit": 0.65, "netcdf": 1.8},
    "W11w": {"limit": 0.80, "netcdf": 1.5},
    "W12w": {"netcdf": 3},
    "W13w": {"netcdf": 3},
    "W7w": {"W2w": 0.91}, # of the time that the directory takes
    "W7r": {"W2r": 0.91},
    "W7s": {"W4": 0.91},
    **{w: {"limit": 0.85, "zarrs": 1, "tensorstore": 1} for w in ("S1", "S1z", "S2", "S2z")},
    **{w: {"zarrs": 1, "tensorstore": 1} for w in ("S3", "S3z", "S4", "S4z", "S5", "S5z", "S6", "S6r", "S7W1w", "S7W1r", "S7W2w", "S7W2r",
                                                   "S7W3w", "S7W3r", "S7W3bw", "S7W3br", "S7W4", "S7W4raw")},
    "S7W6": {"W6": 1}, # no slower than in version 2
    "S7W6c": {"W6c": 1},
}
