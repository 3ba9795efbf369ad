"""Why a peer is ahead in a row, and why a row takes memory: tests/bench/page.py writes these beside the figures. The first that matches
counts; patterns are regular expressions of the whole name."""

# (part, row, peer, why)
AHEAD = [
    ("zarr", "W10w", "netcdf", "netCDF-C creates each object under its name, so that a kill leaves half of one; what is left is the system's, which "
     "makes a directory's entry for each object"),
    ("zarr", "W6o", "zarr2", "zarr-python 2 reads one document when it opens; ours reads the one document, and closes"),
    ("classic", "C2[fd]|C3w|C5b", "p?netcdf", "the system clears a page for each 4 KiB of a new file, on one thread or on two; the limit, which does nothing "
     "else, is no faster"),
    ("classic", "C5[st]|C5r|C4[bce]|C9.", "p?netcdf", "a third to half of the processor time is the system's, which writes the pages of the file; half of "
     "the rest is to enter and leave the dataset in each call, so that any thread may call at any time: the others have no locks"),
    ("classic", "C6.", "p?netcdf", "each variable's definition, spec and layout take 670 bytes, and the system clears memory page by page"),
    ("classic", "C7..", "pnetcdf", "a collective put costs four reductions, and all ranks share the two cores"),
    ("hdf5", "H4", "h5py|pyfive|netcdf", "a copy of memory, bound by the system's `pread`; h5py reads into memory of huge pages, which the kernel fills in "
     "half the time"),
    ("hdf5", "H8", "cp", "`cp` leaves copying to the system, and decodes nothing; nczcopy syncs what it writes"),
    ("netcdf4", "N2[nc]", "netcdf|h5py", "a copy of memory: the system lets one thread at a time write to a file, so that the second thread is of no use"),
    ("parallel", "write, none.*", "hdf5|pnetcdf", "they put each rank's block into one file that lies ready; ours makes a file for each chunk, gives it its name, "
     "and syncs it, which they do not"),
    ("parallel", "B6 .*", "hdf5|pnetcdf", "ours syncs each file when it is closed, which the others do not; independent puts into a shard of several "
     "ranks read and merge it"),
    ("parallel", "write, deflate.*", "hdf5", "two ranks and their messages share two cores; parallel HDF5 syncs nothing, ours syncs each file"),
    ("s3", ".*", "obstore|tensorstore", "each request takes its round trip, and as many are under way in both"),
]

# (part, row, at most so many MiB, why)
MEMORY = [
    ("s3", ".*", 48, "connections of TLS, a buffer for each request that is under way, and 48 of them"),
    ("virtual", ".*", 400, "ours is the whole process with its libraries, theirs is what they take beyond their imports"),
    ("netcdf4|hdf5", "N7|N8|H8", 96, "whole processes: each worker holds a chunk and its stored bytes, and decodes while another is written"),
    (".*", ".*", 4, "at most 4 MiB: stacks of the threads, pages of the allocator, a chunk"),
    ("hdf5", "H5", 12, "its variables, names and attributes, which are all asked for: 4.5 KB for each variable"),
    ("hdf5", "H9", 30, "the strings that the call returns count here, too: 200,000 pieces of memory, ours and theirs"),
    ("classic", "C8r", 110, "the pieces of the variable, 100 MB in all, are kept until they are put into the caller's array in its byte order"),
    ("zarr", "W4|W7s|S5z?|S7W4|W5.*|W11r|S4z?", 80, "the chunk cache, of at most 64 MiB, keeps what the next calls want"),
    ("hdf5", "H[23]", 80, "the chunk cache, of at most 64 MiB, keeps what the next calls want"),
    ("classic", "C8.", 48, "pieces of the file that are fetched side by side, 16 at most"),
    ("hdf5", "H[67]", 48, "pieces of the file that are fetched side by side"),
    (".*", ".*", 20, "each of the two threads holds a chunk, its stored bytes and a decoder's tables, where others go chunk by chunk on one thread"),
]
