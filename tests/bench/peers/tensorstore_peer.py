"""The workloads through TensorStore. Files are not synced, as nobody's are here (the option `sync`: as it comes)."""
import sys

import tensorstore as ts

from common import Run

run = Run()
CODECS = {"raw": None, "short": None, "tiny": None,
          "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}}
CODECS["steps"] = CODECS["blosc"]
if run.store not in CODECS:
    sys.exit(77) # filters of Zarr v2 and groups are not there


def spec(path):
    return {"driver": "zarr", "kvstore": {"driver": "file", "path": path + "/field/"},
            "context": {} if "sync" in run.options else {"file_io_sync": False}}


def write(path, data):
    metadata = {"shape": data.shape, "chunks": run.chunks, "dtype": data.dtype.str, "compressor": CODECS[run.store],
                "fill_value": 0}
    a = ts.open({**spec(path), "metadata": metadata}, create=True).result()
    a.write(data).result()


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
        a = ts.open({**spec(tmp), "metadata": {"shape": [4, 4, 4], "chunks": [4, 4, 4], "dtype": data.dtype.str,
                                               "compressor": CODECS[run.store]}}, create=True).result()
        a.write(data).result()
        ts.open(spec(tmp), open=True, read=True).result().read().result()


warm_up()
if run.name.endswith("w") and not run.name.endswith("raw"):
    data = run.data()
    run.start()
    write(run.path, data)
    run.stop()
    with open(run.path + "/.zgroup", "w") as f: # so that a reader of groups finds the array
        f.write('{"zarr_format": 2}')
else:
    selections, results = run.results()
    run.start()
    read(run.path, selections, results)
    run.stop()
    run.sum.words(results)
run.report()
