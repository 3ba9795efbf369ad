"""The workloads through TensorStore. Files are not synced, as nobody's are here (the option `sync`: as it comes)."""
import sys

import tensorstore as ts

from common import BYTES, V3_CODECS, Run

run = Run()
BLOSC = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
if run.shape is None or run.store == "zip" or run.codec in ("deflate", "zstd"):
    sys.exit(77) # groups, archives and the shuffle filter are not there


def spec(path):
    return {"driver": "zarr3" if run.version == 3 else "zarr", "kvstore": {"driver": "file", "path": path + "/field/"},
            "context": {} if "sync" in run.options else {"file_io_sync": False}}


def metadata(shape, chunks, shard, dtype):
    if run.version == 2:
        return {"shape": shape, "chunks": chunks, "dtype": dtype.str, "compressor": BLOSC if run.codec == "blosc" else None, "fill_value": 0}
    codecs = [BYTES] + V3_CODECS[run.codec]
    if shard:
        codecs = [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": codecs}}]
    return {"shape": shape, "data_type": dtype.name, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shard or chunks}},
            "codecs": codecs, "fill_value": 0}


def create(path, shape, chunks, shard, dtype):
    return ts.open({**spec(path), "metadata": metadata(shape, chunks, shard, dtype)}, create=True).result()


def write(path, data):
    create(path, data.shape, run.chunks, run.shard, data.dtype).write(data).result()


def append(path, data):
    a = create(path, (0,) + data.shape[1:], run.chunks, run.shard, data.dtype)
    for step in run.steps():
        a = a.resize(exclusive_max=[step[0].stop, None, None]).result()
        a[step].write(data[step]).result()


def read(path, selections, results):
    a = ts.open(spec(path), open=True, read=True).result()
    if results.dtype != run.dtype:
        a = ts.cast(a, ts.float64)
    for selection, out in zip(selections, results):
        ts.array(out).write(a[selection].translate_to[0]).result()


def warm_up():
    import numpy as np
    import tempfile
    with tempfile.TemporaryDirectory() as tmp:
        data = np.ones((4, 4, 4), run.dtype)
        create(tmp, (4, 4, 4), (2, 2, 2), (4, 4, 4) if run.shard else None, data.dtype).write(data).result()
        ts.open(spec(tmp), open=True, read=True).result().read().result()


warm_up()
if run.op in ("write", "append"):
    data = run.data()
    run.start()
    (write if run.op == "write" else append)(run.path, data)
    run.stop()
    # so that a reader of groups finds the array
    with open(run.path + ("/zarr.json" if run.version == 3 else "/.zgroup"), "w") as f:
        f.write('{"zarr_format": 3, "node_type": "group"}' if run.version == 3 else '{"zarr_format": 2}')
else:
    selections, results = run.results()
    run.start()
    read(run.path, selections, results)
    run.stop()
    run.sum.words(results)
run.report()
