"""The readers among the workloads through GDAL's multidimensional API."""
import os, sys

import numpy as np
from osgeo import gdal

from common import Run

run = Run()
if run.version == 3 or run.shape is None or run.store in ("zlib", "zstd", "zip") or run.op == "write":
    sys.exit(77) # no groups, no shuffle and no version 3 in the releases that distributions have; archives are not measured
gdal.UseExceptions()
gdal.SetConfigOption("GDAL_NUM_THREADS", str(len(os.sched_getaffinity(0))))
selections, results = run.results()
kind = gdal.ExtendedDataType.Create({"f4": gdal.GDT_Float32, "f8": gdal.GDT_Float64, "i2": gdal.GDT_Int16}[results.dtype.str[1:]])

run.start()
source = gdal.OpenEx('ZARR:"%s"' % run.path, gdal.OF_MULTIDIM_RASTER | gdal.OF_READONLY)
array = source.GetRootGroup().OpenMDArray("field")
answers = []
for s in selections:
    answers.append(array.Read([x.start for x in s], results.shape[1:], [x.step or 1 for x in s], buffer_datatype=kind))
array = source = None
run.stop()

for i, answer in enumerate(answers):
    results[i] = np.frombuffer(answer, results.dtype).reshape(results.shape[1:])
run.sum.words(results)
run.report()
