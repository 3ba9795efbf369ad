#!/usr/bin/env python3
"""zarr-python 3 on a bucket. usage: peer.py s3fs|obstore ENDPOINT write|read BUCKET PREFIX; credentials from the
environment. Prints what it wrote or read as JSON: {"name": nested lists}."""
import json, os, sys

import numpy as np
import zarr

kind, endpoint, action, bucket, prefix = sys.argv[1:6]


def store():
    if kind == "s3fs":
        import s3fs
        more = {"verify": os.environ["SSL_CERT_FILE"]} if endpoint.startswith("https") else {}
        fs = s3fs.S3FileSystem(endpoint_url=endpoint, asynchronous=True, client_kwargs=more)
        return zarr.storage.FsspecStore(fs, path="%s/%s" % (bucket, prefix))
    import obstore.store
    options = {"allow_http": True} if endpoint.startswith("http:") else {"allow_invalid_certificates": True}
    return zarr.storage.ObjectStore(obstore.store.S3Store(bucket, prefix=prefix, endpoint=endpoint, region="us-east-1", client_options=options,
                                                          virtual_hosted_style_request=False))


def plain(a):
    return np.asarray(a).tolist()


out = {}
if action == "write":
    group = zarr.open_group(store(), mode="w", zarr_format=2)
    rng = np.random.default_rng(7)
    for name, a in {"f8": rng.normal(size=(7, 9)).round(3), "i2": rng.integers(-9, 9, (30,)).astype("<i2"), "u1": np.arange(20, dtype="u1")}.items():
        z = group.create_array(name, shape=a.shape, dtype=a.dtype, chunks=tuple(max(1, n // 2) for n in a.shape))
        z[...] = a
        z.attrs["units"] = "K"
        out[name] = plain(a)
    zarr.consolidate_metadata(store(), zarr_format=2)
else:
    group = zarr.open_group(store(), mode="r", zarr_format=2)
    for name, a in group.arrays():
        if a.dtype.kind in "iuf":
            out[name] = plain(a[...])
print(json.dumps(out))
