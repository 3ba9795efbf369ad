"""Makes Icechunk repositories with the real writer, and tells what it reads of them: `peer.py make FOLDER SPEC`,
`peer.py read FOLDER BRANCH ...`, a line for each two. Runs in the environment of an icechunk (1 or 2) and zarr-python."""
import datetime, json, os, sys

import icechunk
import numpy as np
import zarr

NEW = int(icechunk.__version__.split(".")[0]) >= 2


def create(path, spec, config=None, authorize=None):
    options = {"spec_version": spec} if NEW else {}
    return icechunk.Repository.create(icechunk.local_filesystem_storage(path), config=config,
                                      authorize_virtual_chunk_access=authorize, **options)


def small_manifests(chunks):
    sizes = icechunk.ManifestSplittingConfig.from_dict(
        {icechunk.ManifestSplitCondition.AnyArray(): {icechunk.ManifestSplitDimCondition.Any(): chunks}})
    config = icechunk.RepositoryConfig.default()
    config.inline_chunk_threshold_bytes = 0
    config.manifest = icechunk.ManifestConfig(splitting=sizes)
    return config


def fill(repo):
    session = repo.writable_session("main")
    root = zarr.group(store=session.store, attributes={"title": "numbers"})
    for i, kind in enumerate(("i1", "u2", "i4", "f4", "f8", "i8")):
        a = root.create_array(kind, shape=(11, 13), chunks=(4, 5), dtype=kind, dimension_names=["y", "x"],
                              fill_value=7)
        a[2:9, 3:12] = np.arange(63).reshape(7, 9) * (i + 1)
    root.create_array("scalar", shape=(), chunks=(), dtype="f8")[...] = 2.5
    root.create_array("shards", shape=(40,), chunks=(4,), shards=(20,), dtype="i4", dimension_names=["s"])[:33] = np.arange(33)
    sub = root.create_group("sub/deeper")
    sub.create_array("absent", shape=(5,), chunks=(2,), dtype="i2", dimension_names=["a"], fill_value=-3)
    first = session.commit("numbers")
    repo.create_tag("first", first)
    session = repo.writable_session("main")
    zarr.open_group(store=session.store)["i4"][0, 0] = 1000
    session.commit("another")
    repo.create_branch("side", first)


def places(path, spec, how):
    """Chunks in a file beside the repository: `how` they are named and checked."""
    data = os.path.join(path, "data")
    os.makedirs(data)
    file = os.path.join(data, "values.bin")
    np.arange(400, dtype="<i4").tofile(file)
    url = "file://" + data + "/"
    config = icechunk.RepositoryConfig.default()
    named = {"name": "here"} if NEW else {}
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(url, icechunk.local_filesystem_store(data), **named))
    repo = create(os.path.join(path, "repo"), spec, config, icechunk.containers_credentials({url: None}))
    repo.save_config()
    session = repo.writable_session("main")
    zarr.group(store=session.store).create_array("v", shape=(400,), chunks=(10,), dtype="<i4", dimension_names=["n"],
                                                     compressors=None, filters=None)
    stat = os.stat(file)
    check = {"time": datetime.datetime.fromtimestamp(int(stat.st_mtime) + 1, datetime.timezone.utc),
             "etag": f"{stat.st_ino:x}-{stat.st_mtime_ns // 1000:x}-{stat.st_size:x}"}.get(how)
    for i in range(0, 40, 1 if how != "holes" else 2):
        place = "vcc://here/values.bin" if how == "vcc" else url + "values.bin"
        session.store.set_virtual_ref(f"v/c/{i}", place, offset=i * 40, length=40, checksum=check)
    session.commit("places")


def make(folder, spec):
    fill(create(os.path.join(folder, "plain"), spec))
    fill(create(os.path.join(folder, "split"), spec, small_manifests(2)))
    for how in ("bare", "time", "etag", "holes") + (("vcc",) if NEW and spec == 2 else ()):
        places(os.path.join(folder, how), spec, how)
    odd(os.path.join(folder, "odd"), spec)
    if NEW and spec == 2:
        repo = create(os.path.join(folder, "moved"), spec)
        fill(repo)
        session = repo.rearrange_session("main")
        session.move("/i4", "/sub/moved")
        session.commit("moved")
        repo = create(os.path.join(folder, "amended"), spec)
        fill(repo)
        session = repo.writable_session("main")
        zarr.open_group(store=session.store)["i8"][1, 1] = 77
        session.amend("amended")
        repo = create(os.path.join(folder, "expired"), spec)
        fill(repo)
        repo.delete_tag("first")
        repo.delete_branch("side")
        soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        repo.expire_snapshots(soon)
        repo.garbage_collect(soon)
        rectilinear(os.path.join(folder, "rectilinear"), spec)


def odd(path, spec):
    """What few repositories have: arrays that were resized, texts, names beyond ASCII, groups without arrays, a deleted tag, and
    so many long locations that spec 2 compresses them."""
    data = os.path.join(path, "data")
    os.makedirs(data)
    url = "file://" + data + "/"
    config = icechunk.RepositoryConfig.default()
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(url, icechunk.local_filesystem_store(data)))
    repo = create(os.path.join(path, "repo"), spec, config, icechunk.containers_credentials({url: None}))
    repo.save_config()
    session = repo.writable_session("main")
    root = zarr.group(store=session.store)
    for name in ("longer", "shorter"):
        root.create_array(name, shape=(10,), chunks=(3,), dtype="i4", dimension_names=[name[0]], fill_value=-1)[:] = np.arange(10)
    root.create_array("texts", shape=(5,), chunks=(2,), dtype=str, dimension_names=["t"])[:] = np.array(["a", "", "\u00e4\u00f6", "x y", "end"], dtype=object)
    root.create_group("empty/below")
    root.create_group("g\u00e9latine").create_array("\u6e29\u5ea6", shape=(2,), chunks=(2,), dtype="f4", dimension_names=["k"])[:] = [1.5, 2.5]
    root.create_array("many", shape=(1200, 4), chunks=(1, 4), dtype="<i4", dimension_names=["m", "n"], compressors=None, filters=None)
    for i in range(1200):
        name = "a_long_name_of_a_file_of_a_series_that_goes_on_and_on_%04d.bin" % i
        if i < 1150: # the last ones are never asked for: they are not there
            np.arange(4 * i, 4 * i + 4, dtype="<i4").tofile(os.path.join(data, name))
            session.store.set_virtual_ref(f"many/c/{i}/0", url + name, offset=0, length=16)
    first = session.commit("first")
    repo.create_tag("gone", first)
    repo.delete_tag("gone")
    session = repo.writable_session("main")
    root = zarr.open_group(store=session.store)
    root["longer"].resize((14,))
    root["longer"][11:13] = [100, 101]
    root["shorter"].resize((4,))
    session.commit("resized")


def rectilinear(path, spec):
    zarr.config.set({"array.rectilinear_chunks": True})
    repo = create(path, spec)
    session = repo.writable_session("main")
    a = zarr.group(store=session.store).create_array("r", shape=(7, 4), chunks=[[2, 1, 4], [2, 2]], dtype="i4",
                                                     dimension_names=["p", "q"])
    a[:] = np.arange(28).reshape(7, 4)
    session.commit("rectilinear")


def read(path, branch):
    """Every array's values."""
    authorize = None
    data = os.path.join(os.path.dirname(path), "data")
    if os.path.isdir(data):
        authorize = icechunk.containers_credentials({"file://" + data + "/": None})
    zarr.config.set({"array.rectilinear_chunks": True})
    repo = icechunk.Repository.open(icechunk.local_filesystem_storage(path), authorize_virtual_chunk_access=authorize)
    root = zarr.open_group(store=repo.readonly_session(branch).store, mode="r")
    out = {}
    for name, member in root.members(max_depth=None):
        if isinstance(member, zarr.Array):
            out["/" + name] = np.asarray(member[...]).ravel().tolist()
    return out


def read_all(words):
    for path, branch in zip(words[::2], words[1::2]):
        try:
            print(json.dumps(read(path, branch)))
        except Exception as e:
            print(json.dumps("%s: %s" % (type(e).__name__, e)))


{"make": lambda: make(sys.argv[2], int(sys.argv[3])), "read": lambda: read_all(sys.argv[2:])}[sys.argv[1]]()
