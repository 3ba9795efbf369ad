"""Makes the repositories in this folder, with icechunk 2.3.0 and zarr-python 3.4.2: `.cache/icechunk/bin/python make_files.py`.

The ids in them are random, so that the files differ each time. Readers need neither transactions nor overwritten
files, which are left out.
"""
import os
import shutil
import struct

import icechunk
import numcodecs
import numpy as np
import zarr

HERE = os.path.dirname(os.path.abspath(__file__))


def create(name, spec, split=None, containers=()):
    path = os.path.join(HERE, name)
    shutil.rmtree(path, ignore_errors=True)
    config = icechunk.RepositoryConfig.default()
    if split:
        condition = icechunk.ManifestSplitCondition.AnyArray()
        dimension = icechunk.ManifestSplitDimCondition.Any()
        sizes = icechunk.ManifestSplittingConfig.from_dict({condition: {dimension: split}})
        config.inline_chunk_threshold_bytes = 0
        config.manifest = icechunk.ManifestConfig(splitting=sizes)
    for url, label in containers:
        config.set_virtual_chunk_container(
            icechunk.VirtualChunkContainer(url, icechunk.s3_store(region="eu-west-1", anonymous=True), name=label))
    repo = icechunk.Repository.create(icechunk.local_filesystem_storage(path), config=config, spec_version=spec)
    if containers:
        repo.save_config()
    return path, repo


def finish(path):
    for folder in ("transactions", "overwritten"):
        shutil.rmtree(os.path.join(path, folder), ignore_errors=True)


def fill(repo):
    """A group with arrays of several ranks; a second commit; a branch, a tag, a tag that is deleted."""
    session = repo.writable_session("main")
    root = zarr.group(store=session.store)
    root.create_array("temp", shape=(10, 20), chunks=(4, 7), dtype="f4", dimension_names=["y", "x"], fill_value=-1)
    root["temp"][:, :14] = np.arange(140).reshape(10, 14)
    root.create_array("small", shape=(3,), chunks=(2,), dtype="i4", dimension_names=["n"])[:] = [1, 2, 3]
    root.create_array("scalar", shape=(), chunks=(), dtype="f8")[...] = 3.5
    root.create_group("sub", attributes={"title": "x"})
    root["sub"].create_array("deep", shape=(6,), chunks=(3,), dtype="i8", dimension_names=["e"])[:3] = [10, 11, 12]
    first = session.commit("first")
    repo.create_tag("v1", first)
    repo.create_tag("gone", first)
    repo.delete_tag("gone")
    session = repo.writable_session("main")
    zarr.open_group(store=session.store)["small"][0] = 99
    session.commit("second")
    repo.create_branch("dev", first)


def virtual(repo, n):
    session = repo.writable_session("main")
    root = zarr.group(store=session.store)
    root.create_array("v", shape=(n * 2,), chunks=(2,), dtype="<i4", dimension_names=["n"], compressors=None, filters=None)
    for i in range(n):
        place = f"vcc://bucket/file-{i:04d}.bin" if i % 2 else f"s3://some-bucket/data/file-{i:04d}.bin"
        session.store.set_virtual_ref(f"v/c/{i}", place, offset=8 * i, length=8, validate_container=False)
    session.commit("places")


for version in (1, 2):
    where, repository = create(f"spec{version}", version)
    fill(repository)
    finish(where)
where, repository = create("split", 2, split=2)
fill(repository)
finish(where)
where, repository = create("places", 2, containers=[("s3://some-bucket/data/", "bucket"), ("s3://other/", "other")])
virtual(repository, 1200)
finish(where)
where, repository = create("places1", 1, containers=[("s3://some-bucket/data/", "bucket")])
session = repository.writable_session("main")
zarr.group(store=session.store).create_array("v", shape=(2,), chunks=(2,), dtype="<i4", dimension_names=["n"], compressors=None)
session.store.set_virtual_ref("v/c/0", "s3://some-bucket/data/a.bin", offset=4, length=8, validate_container=False)
session.commit("places")
finish(where)


# Inputs of tests/fuzz/fuzz_icechunk.c: the lengths of repo and snapshot; these, and each manifest, without frames.
def plain(*parts):
    with open(os.path.join(HERE, *parts), "rb") as f:
        return numcodecs.Zstd().decode(f.read()[39:])


CORPUS = os.path.join(HERE, "..", "..", "fuzz", "corpus", "icechunk")
shutil.rmtree(CORPUS, ignore_errors=True)
os.makedirs(CORPUS)
for name in ("spec2", "split"):
    repo = plain(name, "repo")
    snapshot = max((plain(name, "snapshots", s) for s in os.listdir(os.path.join(HERE, name, "snapshots"))), key=len)
    for i, manifest in enumerate(sorted(os.listdir(os.path.join(HERE, name, "manifests")))):
        with open(os.path.join(CORPUS, f"{name}-{i}"), "wb") as f:
            f.write(struct.pack("<II", len(repo), len(snapshot)) + repo + snapshot + plain(name, "manifests", manifest))
