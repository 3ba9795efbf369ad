"""GDAL's multidimensional reader and writer, from the library inside rasterio's wheel, by ctypes: the systems' own GDAL is
too old for version 3 of Zarr."""
import ctypes, glob, json, os


class Gdal:
    def __init__(self):
        import rasterio
        found = glob.glob(os.path.join(os.path.dirname(rasterio.__file__), "..", "rasterio.libs", "libgdal*"))
        os.environ.setdefault("PROJ_DATA", os.path.join(os.path.dirname(rasterio.__file__), "proj_data"))
        self.lib = g = ctypes.CDLL(found[0])
        for name, result, *arguments in (
                ("GDALOpenEx", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
                ("GDALClose", ctypes.c_int, ctypes.c_void_p), ("CPLGetLastErrorMsg", ctypes.c_char_p),
                ("GDALMultiDimInfoOptionsNew", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
                ("GDALMultiDimInfo", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
                ("GDALMultiDimTranslateOptionsNew", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
                ("GDALMultiDimTranslate", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p,
                 ctypes.c_void_p)):
            function = getattr(g, name)
            function.restype, function.argtypes = result, arguments
        g.GDALAllRegister()
        self.messages = []
        self.handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_char_p)(
            lambda level, number, text: self.messages.append((level, text.decode(errors="replace"))))
        g.CPLSetErrorHandler.argtypes, g.CPLSetErrorHandler.restype = [ctypes.c_void_p], ctypes.c_void_p
        g.CPLSetErrorHandler(ctypes.cast(self.handler, ctypes.c_void_p))

    def words(self, arguments):
        return (ctypes.c_char_p * (len(arguments) + 1))(*[a.encode() for a in arguments], None)

    def open(self, path):
        multidimensional, verbose = 0x10, 0x40
        d = self.lib.GDALOpenEx(path.encode(), multidimensional | verbose, None, None, None)
        if not d:
            raise RuntimeError("GDAL: " + self.lib.CPLGetLastErrorMsg().decode())
        return d

    def info(self, path):
        """What `gdalmdiminfo -detailed` prints."""
        d = self.open(path)
        text = self.lib.GDALMultiDimInfo(d, self.lib.GDALMultiDimInfoOptionsNew(self.words(["-detailed"]), None))
        if not text:
            raise RuntimeError("GDAL: " + self.lib.CPLGetLastErrorMsg().decode())
        out = json.loads(ctypes.string_at(text))
        self.lib.GDALClose(d)
        return out

    def translate(self, source, target, arguments):
        d = self.open(source)
        failed = ctypes.c_int(0)
        out = self.lib.GDALMultiDimTranslate(target.encode(), None, 1, (ctypes.c_void_p * 1)(d),
                                             self.lib.GDALMultiDimTranslateOptionsNew(self.words(arguments), None), ctypes.byref(failed))
        if not out:
            raise RuntimeError("GDAL: " + self.lib.CPLGetLastErrorMsg().decode())
        self.lib.GDALClose(out)
        self.lib.GDALClose(d)
