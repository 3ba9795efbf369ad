#!/usr/bin/env python3
"""The workloads of s3_bench.c with a peer. usage: s3_peer.py s3fs|obstore|tensorstore open|consolidated|read|steps ENDPOINT BUCKET PREFIX"""
import contextlib, importlib, json, os, sys, time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
from common import status_kb

kind, action, endpoint, bucket, prefix = sys.argv[1:6]
CA = os.environ["AWS_CA_BUNDLE"]
CHUNK = 32768
NELEMS = 256 * CHUNK


def store():
    import zarr
    if kind == "s3fs":
        import s3fs
        fs = s3fs.S3FileSystem(endpoint_url=endpoint, asynchronous=True, client_kwargs={"verify": CA}, skip_instance_cache=True)
        return zarr.storage.FsspecStore(fs, path="%s/%s" % (bucket, prefix), read_only=True)
    import obstore.store
    return zarr.storage.ObjectStore(obstore.store.S3Store(
        bucket, prefix=prefix, endpoint=endpoint, region="us-east-1", virtual_hosted_style_request=False,
        client_options={"allow_invalid_certificates": True}), read_only=True)


def parts():
    return [slice(at, at + CHUNK) for at in range(0, NELEMS, CHUNK)] if action == "steps" else [slice(0, NELEMS)]


def run_zarr(out):
    import zarr
    zarr.config.set({"async.concurrency": 64})
    if action in ("read", "steps"):
        array = zarr.open_group(store(), mode="r", zarr_format=2, use_consolidated=False)["field"]
        for part in parts():
            out[part] = array[part]
        return 0
    group = zarr.open_group(store(), mode="r", zarr_format=2, use_consolidated=action == "consolidated")
    total = 0
    for _, a in group.arrays():
        for name, value in a.attrs.asdict().items():
            if name.startswith("attribute_"):
                total += sum(value.encode())
    return total


def run_tensorstore(out):
    import tensorstore
    array = tensorstore.open({"driver": "zarr", "kvstore": {
        "driver": "s3", "bucket": bucket, "path": prefix + "/field/", "endpoint": endpoint, "aws_region": "us-east-1"}}).result()
    for part in parts():
        out[part] = array[part].read().result()
    return 0


out = np.ones(NELEMS, "f4")
run = run_tensorstore if kind == "tensorstore" else run_zarr
if kind == "tensorstore":
    importlib.import_module("tensorstore") # the import is nobody's cost
else:
    importlib.import_module("zarr")
    importlib.import_module("s3fs" if kind == "s3fs" else "obstore.store")
with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as f:
    f.write("5")  # the peak so far is forgotten
had, used = status_kb("VmRSS:"), time.process_time()
begun = time.perf_counter()
total = run(out)
seconds, cpu, extra = time.perf_counter() - begun, time.process_time() - used, status_kb("VmHWM:") - had
if action in ("read", "steps"):
    total = int((out.astype(np.uint64) * (np.arange(NELEMS, dtype=np.uint64) % 1000 + 1)).sum())
print(json.dumps({"seconds": seconds, "cpu": cpu, "extra_kb": extra, "sum": float(total)}))
