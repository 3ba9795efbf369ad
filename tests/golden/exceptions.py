# What the golden run expects where a reference writer or reader was wrong. Read by run.py.

# (writer, case): [(text in the .cdl, text that is right), ...]
# -0.0 stands as `-0` in the document; netCDF-C reads it as the integer 0 and loses the sign.
NEGATIVE_ZERO = [("\t\t:negz = 0. ;", "\t\t:negz = -0. ;")]
# Its ncdump shows the path of a dimension as if that were of the root.
LOST_PATHS = [("q(/y)", "q(/grid/y)"), ("both(/y, y)", "both(/grid/y, y)"), ("series(/y, n)", "series(/grid/y, n)"),
              ("deep(/y)", "deep(/grid/y)")]
EXCEPTIONS = {
    ("netcdf-c-4.9.0", "foreign_dims"): LOST_PATHS,
    ("netcdf-c-4.9.2", "atts"): NEGATIVE_ZERO,
    ("netcdf-c-4.9.3", "atts"): NEGATIVE_ZERO,
    ("netcdf-c-main", "atts"): NEGATIVE_ZERO,
    # The specification (appendix G) makes a list of strings without a type a vector of strings, netCDF-C its text.
    ("netcdf-c-main", "zarr_strings"): [(':gs = "[\\"one\\",\\"two\\"]" ;', 'string :gs = "one", "two" ;')],
}

# (writer, case): the right dump, where the writer's own ncdump crashed.
# 4.8.0 and 4.8.1 stored the fill value in place of a scalar's data; 4.9.0 stored the data.
SAFE_SCALAR = """netcdf safe_scalar {
variables:
	int si ;
		si:u = "a" ;
	double sd ;
		sd:u = "b" ;
	char sc ;
		sc:u = "c" ;

// global attributes:
		:t = "x" ;
data:

 si = %s ;

 sd = %s ;

 sc = "%s" ;
}
"""
UNREADABLE_BY_WRITER = {
    ("netcdf-c-4.8.0", "safe_scalar"): SAFE_SCALAR % ("_", "_", ""),
    ("netcdf-c-4.8.1", "safe_scalar"): SAFE_SCALAR % ("_", "_", ""),
    ("netcdf-c-4.9.0", "safe_scalar"): SAFE_SCALAR % ("42", "2.5", "Z"),
}

# case: [(text in netcdf-c's dump of its own dataset, text in ours)]: what the reference loses on writing and we keep:
# digits beyond the sixth, the sign of zero, the quotes of a text that is itself a quoted string, the bytes of \u escapes.
REFERENCE_LOST = {
    "atts": [
        (":afl = 3.40282e+38f ;", ":afl = 3.402823e+38f ;"),
        (":adl = 1.79769e+308 ;", ":adl = 1.79769313486232e+308 ;"),
        (":abig = 123457000000. ;", ":abig = 123456789012. ;"),
        (":athird = 0.333333 ;", ":athird = 0.333333333333333 ;"),
        (":fthird = 0.333333f ;", ":fthird = 0.3333333f ;"),
        (":negz = 0. ;", ":negz = -0. ;"),
    ],
    "attspecial": [(':json_str = "quoted" ;', ':json_str = "\\"quoted\\"" ;')],
}

# Zeros in fixed-width storage: netCDF-C's NCZarr reads a null pointer, we an empty string, which is the fill value.
EMPTY = {
    "alltypes": [(' vstr = "one", NIL, "three" ;\n', ' vstr = "one", _, "three" ;\n')],
    "strings": [(' s1 = "abc", NIL, ', ' s1 = "abc", _, '), ('  "dddd", "eeee", NIL ;\n', '  "dddd", "eeee", _ ;\n'),
                (' s3 = "x", "y", NIL ;\n', ' s3 = "x", "y", _ ;\n')],
}

# Zarr v3 stores strings of any length, and has no element without a string: an empty one is the fill value.
ANY_LENGTH = {
    "alltypes": [(' vstr = "one", NIL, "three" ;\n', ' vstr = "one", _, "three" ;\n')],
    "strdefault": [(' s = "0123456789abcdef", "b" ;\n', ' s = "0123456789abcdefXYZ", "b" ;\n')],
    "strings": [(' s1 = "abc", NIL, "hu00e9llo" ;\n', ' s1 = "abc", _, "hu00e9llo" ;\n'),
                ('  "dddd", "eeee", NIL ;\n', '  "dddd", "eeeee", _ ;\n'),
                (' s3 = "x", "y", NIL ;\n', ' s3 = "x", "yy", _ ;\n')],
}
