#!/usr/bin/env python3
"""What other programs read of netCDF-4 files: a line of JSON, [file, path, shape, values in a row], for each array of numbers
or texts.

usage: values.py netCDF FILE ...       GDAL's driver of that name, of the system's Python
       values.py HDF5 FILE ...         this driver takes no name in .nc: a link beside the file is read
       values.py kerchunk FILE ...     SingleHdf5ToZarr, whose references zarr-python reads
"""
import json, os, sys, warnings


def report(path, name, shape, values):
    print(json.dumps([os.path.basename(path), name, list(shape), values], default=str))


def read_gdal(driver, path):
    from osgeo import gdal
    gdal.UseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")

    def walk(group, where):
        for name in group.GetMDArrayNames() or ():
            try:
                array = group.OpenMDArray(name)
                kind = array.GetDataType().GetClass()
            except RuntimeError:  # compounds, opaque types and sequences, which it does not know
                continue
            shape = [d.GetSize() for d in array.GetDimensions() or ()]
            if kind != gdal.GEDTC_COMPOUND and 0 not in shape:
                report(path, where + name, shape, array.Read() if kind == gdal.GEDTC_STRING else array.ReadAsArray().ravel().tolist())
        for name in group.GetGroupNames() or ():
            walk(group.OpenGroup(name), where + name + "/")
    name = path
    if driver == "HDF5":
        name = path + ".h5"
        os.symlink(path, name)
    dataset = gdal.OpenEx(name, gdal.OF_MULTIDIM_RASTER, allowed_drivers=[driver])
    walk(dataset.GetRootGroup(), "/")


def read_kerchunk(path):
    import fsspec, kerchunk.hdf, numpy, zarr

    def walk(group, where):
        for name, o in group.members():
            if isinstance(o, zarr.Group):
                walk(o, where + name + "/")
            elif 0 not in o.shape:
                report(path, where + name, o.shape, numpy.asarray(o[...]).ravel().tolist())
    references = kerchunk.hdf.SingleHdf5ToZarr(path, inline_threshold=0).translate()
    store = zarr.storage.FsspecStore(fsspec.filesystem("reference", fo=references, asynchronous=True), read_only=True, path="")
    walk(zarr.open_group(store, mode="r", zarr_format=2), "/")


def main():
    warnings.simplefilter("ignore")
    for path in sys.argv[2:]:
        if sys.argv[1] == "kerchunk":
            read_kerchunk(path)
        else:
            read_gdal(sys.argv[1], path)


if __name__ == "__main__":
    main()
