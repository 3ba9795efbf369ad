"""The readers among the workloads through GDAL's multidimensional API, of the library that rasterio's wheel carries."""
import ctypes, glob, os, sys

from common import Run

run = Run()
if run.shape is None or run.store == "zip" or run.op in ("write", "append"):
    sys.exit(77)  # it reads arrays; archives and groups are not measured
site = next(p for p in sys.path if p.endswith("site-packages"))
gdal = ctypes.CDLL(glob.glob(os.path.join(site, "rasterio.libs", "libgdal-*.so*"))[0])
for name in ("GDALOpenEx", "GDALDatasetGetRootGroup", "GDALGroupOpenMDArray", "GDALExtendedDataTypeCreate"):
    getattr(gdal, name).restype = ctypes.c_void_p
gdal.CPLSetConfigOption(b"GDAL_NUM_THREADS", str(len(os.sched_getaffinity(0))).encode())
gdal.CPLPushErrorHandler(gdal.CPLQuietErrorHandler)
gdal.GDALAllRegister()
OF_MULTIDIM = 0x10
selections, results = run.results()
code = {"f4": 6, "f8": 7, "i2": 3}[results.dtype.str[1:]]
kind = ctypes.c_void_p(gdal.GDALExtendedDataTypeCreate(code, 0, 0))


def numbers(kind, values):
    return (kind * len(values))(*values)


def opened(what, handle):
    if not handle:
        sys.exit(77)  # it does not know the codec
    return ctypes.c_void_p(handle)


run.start()
source = opened("store", gdal.GDALOpenEx(('ZARR:"%s"' % run.path).encode(), OF_MULTIDIM, None, None, None))
group = ctypes.c_void_p(gdal.GDALDatasetGetRootGroup(source))
array = opened("array", gdal.GDALGroupOpenMDArray(group, b"field", None))
for i, s in enumerate(selections):
    out = results[i]
    if not gdal.GDALMDArrayRead(array, numbers(ctypes.c_uint64, [x.start for x in s]), numbers(ctypes.c_size_t, out.shape),
                                numbers(ctypes.c_int64, [x.step or 1 for x in s]), None, kind, ctypes.c_void_p(out.ctypes.data),
                                ctypes.c_void_p(out.ctypes.data), ctypes.c_size_t(out.nbytes)):
        sys.exit(77)
gdal.GDALMDArrayRelease(array)
gdal.GDALGroupRelease(group)
gdal.GDALClose(source)
run.stop()

run.sum.words(results)
run.report()
