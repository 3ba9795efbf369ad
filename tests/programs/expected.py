"""What the datasets of the programs hold, computed once more: {path: (dimensions, values)} of each, as created and as changed."""

NX, NY, NLAT, NLON, NLEVEL = 6, 12, 6, 12, 2
RECORD = NLEVEL * NLAT * NLON
COORDINATES = {
    "latitude": (["latitude"], [25 + 5 * i for i in range(NLAT)]),
    "longitude": (["longitude"], [-125 + 5 * i for i in range(NLON)]),
}


def simple_xy(form, changed):
    data = list(range(NX * NY))
    if changed:
        data[2 * NY:3 * NY] = [1000 + y for y in range(NY)]
    arrays = {"data": (["x", "y"], data)}
    if form == "netcdf4":
        arrays["more/sum"] = (["x"], [(144 * x + 66) * 10**9 for x in range(NX)])
    return arrays


def sfc_pres_temp(form, changed):
    at = ["latitude", "longitude"]
    surface = [lat + NLAT * lon for lat in range(NLAT) for lon in range(NLON)]
    temperature = [9 + .25 * s for s in surface]
    arrays = dict(COORDINATES, pressure=(at, [900 + s for s in surface]), temperature=(at, temperature))
    if changed:
        temperature[-NLON:] = [-1.5] * NLON
        arrays["humidity"] = (at, [10 * i for i in range(NLAT * NLON)])
    return arrays


def pres_temp_4D(form, changed):
    at = ["time", "level", "latitude", "longitude"]
    steps = [i + 1000 * record for record in range(3 if changed else 2) for i in range(RECORD)]
    return dict(COORDINATES, pressure=(at, [900 + s for s in steps]), temperature=(at, [9 + s for s in steps]))


def spread(heat, nx, ny):
    def at(y, x):
        return heat[y % ny * nx + x % nx]
    return [at(y, x) / 2 + (at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x)) / 8 for y in range(ny) for x in range(nx)]


def model(form, changed):
    nx, ny, nsteps = 16, 8, 6 if changed else 3
    heat = [0.] * (nx * ny)
    heat[1 * nx + 2], heat[6 * nx + 8] = 4096., -1024.
    steps = []
    for _ in range(nsteps):
        heat = spread(heat, nx, ny)
        steps += heat
    times = "".join("2001-01-01_%02d:00:00" % (n + 1) for n in range(nsteps))
    return {"times": (["time", "stamp"], list(times)), "step": (["time"], list(range(1, nsteps + 1))), "heat": (["time", "y", "x"], steps)}


DATASETS = {f.__name__: f for f in (simple_xy, sfc_pres_temp, pres_temp_4D, model)}


def problem(dataset, form, changed, got, dims_known):
    """None, or in what `got`, as reader.py has it, differs from the dataset."""
    if got is None or "error" in got:
        return got["error"] if got else "it was not read"
    want = DATASETS[dataset](form, changed)
    if set(got["arrays"]) != set(want):
        return "it has %s, not %s" % (sorted(got["arrays"]), sorted(want))
    for path, (dims, values) in want.items():
        have = got["arrays"][path]
        if path == "times": # Zarr v3 has no characters: they are bytes there
            have["values"] = [chr(v) if isinstance(v, int) else v for v in have["values"]]
        if have["values"] != values:
            wrong = [i for i, v in enumerate(values) if i >= len(have["values"]) or have["values"][i] != v]
            return "%s: %d values for %d, the first other one: %s" % (path, len(have["values"]), len(values), wrong[:1])
        if dims_known and have["dims"] != dims:
            return "%s: dimensions %s for %s" % (path, have["dims"], dims)
    if dataset == "simple_xy" and (got["atts"].get("changed") == "yes") != changed:
        return "the attribute `changed`: %s" % got["atts"].get("changed")
    return None
