"""The workloads through zarr-python 2 or 3, whichever this Python has; with the option `zarrs`, through its pipeline."""
import os, sys

import numcodecs, zarr

from common import V3_CODECS, Run, attributes_of

run = Run()
three = int(zarr.__version__.split(".")[0]) >= 3
if "zarrs" in run.options:
    import zarrs # noqa: F401  registers the pipeline
    zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
elif three:
    import zarr.core.codec_pipeline
    if hasattr(zarr.core.codec_pipeline, "FusedCodecPipeline"):
        zarr.config.set({"codec_pipeline.path": "zarr.core.codec_pipeline.FusedCodecPipeline"})
if three:
    from zarr.core.buffer.cpu import NDBuffer

BLOSC = numcodecs.Blosc("lz4", 5, numcodecs.Blosc.SHUFFLE)
V2_CODECS = {"none": (None, None), "blosc": (None, BLOSC), "deflate": ([numcodecs.Shuffle(4)], numcodecs.Zlib(1)),
             "zstd": ([numcodecs.Shuffle(4)], numcodecs.Zstd(1))}


def create(group, name, shape, chunks, dtype, codec="none", shard=None, attributes=None):
    if run.version == 3:
        return group.create_array(name, shape=shape, chunks=chunks or "auto", shards=shard, dtype=dtype, compressors=V3_CODECS[codec], fill_value=0,
                                  attributes=attributes)
    filters, compressor = V2_CODECS[codec]
    if not three:
        a = group.create_dataset(name, shape=shape, chunks=chunks or False, dtype=dtype, compressor=compressor, filters=filters,
                                 fill_value=0)
        if attributes:
            a.attrs.put(attributes)
        return a
    kw = {"filters": filters} if filters else {}
    return group.create_array(name, shape=shape, chunks=chunks or "auto", dtype=dtype, compressors=compressor, fill_value=0,
                              attributes=attributes, **kw)


def open_group(path, mode):
    extra = {"zarr_format": run.version} if three else {}
    if str(path).endswith(".zip"):
        path = zarr.storage.ZipStore(path, mode=mode)
    if three and mode == "r":
        extra["use_consolidated"] = False
    return zarr.open_group(path, mode=mode, **extra)


def get(a, selection, out):
    """Into memory that is there, as far as the library can."""
    if out.dtype != a.dtype:
        out[...] = a[selection]
    else:
        a.get_basic_selection(selection, out=NDBuffer.from_numpy_array(out) if three else out)


def write(path, data):
    group = open_group(path, "w")
    a = create(group, "field", data.shape, run.chunks, data.dtype, run.codec, run.shard)
    a[...] = data
    if run.store == "zip":
        group.store.close()


def append(path, data):
    a = create(open_group(path, "w"), "field", (0,) + data.shape[1:], run.chunks, data.dtype, run.codec, run.shard)
    for step in run.steps():
        a.resize((step[0].stop,) + data.shape[1:])
        a[step] = data[step]


def read(path, selections, results):
    a = open_group(path, "r")["field"]
    for selection, out in zip(selections, results):
        get(a, selection, out)


def define(path):
    root = open_group(path, "w")
    for g in range(run.d["groups"]):
        group = root.create_group("group%03d" % g)
        for i in range(run.d["variables"]):
            v = g * run.d["variables"] + i
            shape = (4, 8)[:v % 3]
            create(group, "variable%02d" % i, shape, shape, "<f8", attributes=attributes_of(v))
    if run.consolidated:
        zarr.consolidate_metadata(path)


def inquire(path, attributes):
    root = zarr.open_consolidated(path, mode="r") if run.consolidated else open_group(path, "r")
    if attributes:
        for _, group in root.groups():
            for _, a in group.arrays():
                for name, value in dict(a.attrs).items():
                    if not name.startswith("_"):
                        run.sum.attribute(value)


def warm_up():
    """What is imported or started on first use is nobody's cost."""
    import numpy as np
    import shutil, tempfile
    tmp = tempfile.mkdtemp()
    data = np.zeros((4, 4, 4), run.dtype) + 1
    a = create(open_group(os.path.join(tmp, "w"), "w"), "field", data.shape, (2, 2, 2), data.dtype, run.codec,
               (4, 4, 4) if run.shard else None, {"a": 1})
    a[...] = data
    get(open_group(os.path.join(tmp, "w"), "r")["field"], (slice(0, 4),) * 3, np.empty_like(data))
    shutil.rmtree(tmp)


if run.store in ("groups", "scalars"):
    sys.exit(77) # of netCDF's own, beside netcdf-c alone
if run.version == 3 and not three:
    sys.exit(77)
warm_up()
if run.shape is None:
    run.start()
    define(run.path) if run.op == "define" else inquire(run.path, run.op == "inquire")
    run.stop()
elif run.op in ("write", "append"):
    data = run.data()
    run.start()
    (write if run.op == "write" else append)(run.path, data)
    run.stop()
else:
    selections, results = run.results()
    run.start()
    read(run.path, selections, results)
    run.stop()
    run.sum.words(results)
run.report()
sys.stdout.flush()
os._exit(0 if str(run.sum) == run.expected else 1)
