"""Puts Zarr v3 directories into Icechunk repositories: `to_icechunk.py SOURCE TARGET ...`. Runs with the Python of `./dev setup
icechunk`. What Icechunk does not take has no repository."""
import asyncio, os, shutil, sys

import icechunk
from zarr.core.buffer import default_buffer_prototype

make = default_buffer_prototype().buffer.from_bytes


async def put(store, top):
    for folder, _, names in os.walk(top): # a group before what is in it
        for name in sorted(names, key=lambda n: n != "zarr.json"):
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                await store.set(os.path.relpath(path, top), make(f.read()))


def main(paths):
    for source, target in zip(paths[::2], paths[1::2]):
        try:
            repo = icechunk.Repository.create(icechunk.local_filesystem_storage(target))
            session = repo.writable_session("main")
            asyncio.run(put(session.store, source))
            session.commit("all of it")
        except Exception as e:
            shutil.rmtree(target, ignore_errors=True)
            print("%s: %s: %s" % (os.path.basename(target), type(e).__name__, str(e)[:200]))


main(sys.argv[1:])
