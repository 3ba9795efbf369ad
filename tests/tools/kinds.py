"""CDL of small files of the kinds that the field makes: models, satellites, floats, stations, meshes, forecasts. Each has
the dimensions, attributes and packing of the real ones, and few values, which are functions of their places.

ALL has a maker for each kind; with what of it a picture shows best in SHOWN. Those of model_grids.py are among them.
"""
import math, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import model_grids
from model_grids import RAD, numbers, value


def steps(first, step, n):
    return [first + step * i for i in range(n)]


def wrf(rows=30, cols=40, times=3):
    """With XTIME, which `coordinates` names beside latitude and longitude; no Times."""
    lats, lons = model_grids.lambert(rows, cols, 54.0)
    return """netcdf wrfout { dimensions: Time = UNLIMITED ; south_north = %d ; west_east = %d ;
variables: float XLAT(Time, south_north, west_east) ; XLAT:units = "degree_north" ; XLAT:stagger = "" ;
 float XLONG(Time, south_north, west_east) ; XLONG:units = "degree_east" ;
 float XTIME(Time) ; XTIME:units = "minutes since 2026-01-10 00:00:00" ; XTIME:description = "minutes since 2026-01-10 00:00:00" ;
 float T2(Time, south_north, west_east) ; T2:description = "TEMP at 2 M" ; T2:units = "K" ; T2:coordinates = "XLONG XLAT XTIME" ;
data: XLAT = %s ; XLONG = %s ; XTIME = %s ; T2 = %s ; }
""" % (rows, cols, numbers(lats * times), numbers(lons * times), numbers(steps(0, 180, times), "%d"),
       numbers([value(a, b) + t for t in range(times) for a, b in zip(lats, lons)]))


def cmip6(rows=24, cols=36, times=36):
    """360 days a year; a scalar height; bounds."""
    lats, lons = steps(-90 + 90 / rows, 180 / rows, rows), steps(180 / cols, 360 / cols, cols)
    return """netcdf cmip6 { dimensions: time = UNLIMITED ; lat = %d ; lon = %d ; bnds = 2 ;
variables: double time(time) ; time:units = "days since 1850-01-01" ; time:calendar = "360_day" ; time:bounds = "time_bnds" ; time:axis = "T" ;
 double time_bnds(time, bnds) ; double lat(lat) ; lat:units = "degrees_north" ; lat:axis = "Y" ; double lon(lon) ; lon:units = "degrees_east" ; lon:axis = "X" ;
 double height ; height:units = "m" ; height:positive = "up" ; height:standard_name = "height" ;
 float tas(time, lat, lon) ; tas:standard_name = "air_temperature" ; tas:units = "K" ; tas:_FillValue = 1.e20f ; tas:missing_value = 1.e20f ; tas:coordinates = "height" ;
  tas:_ChunkSizes = 1, %d, %d ;
data: time = %s ; time_bnds = %s ; lat = %s ; lon = %s ; height = 2 ; tas = %s ; }
""" % (rows, cols, rows, cols, numbers(steps(15, 30, times), "%d"), numbers([e for t in range(times) for e in (30 * t, 30 * t + 30)], "%d"),
       numbers(lats), numbers(lons), numbers([value(a, b if b < 180 else b - 360) - 15 * math.sin(a * RAD) * math.cos(t * math.pi / 6)
                                              for t in range(times) for a in lats for b in lons]))


def era5(rows=21, cols=41, times=4):
    """Packed in shorts; latitudes fall; two missing values."""
    lats, lons = steps(60, -0.5, rows), steps(-10, 0.5, cols)
    stored = [None if (r, c) == (0, 0) else -32766 if (r, c) == (0, 1) else round((value(a, b) + t - 285) / 0.002)
              for t in range(times) for r, a in enumerate(lats) for c, b in enumerate(lons)]
    rain = [round(max(0, math.sin(a) * math.cos(b)) ** 8 * 20000) for t in range(times) for a in lats for b in lons]
    return """netcdf era5 { dimensions: time = %d ; latitude = %d ; longitude = %d ;
variables: int time(time) ; time:units = "hours since 1900-01-01 00:00:00.0" ; time:calendar = "gregorian" ;
 float latitude(latitude) ; latitude:units = "degrees_north" ; float longitude(longitude) ; longitude:units = "degrees_east" ;
 short t2m(time, latitude, longitude) ; t2m:scale_factor = 0.002 ; t2m:add_offset = 285. ; t2m:_FillValue = -32767s ; t2m:missing_value = -32767s, -32766s ; t2m:units = "K" ;
  t2m:long_name = "2 metre temperature" ;
 short tp(time, latitude, longitude) ; tp:scale_factor = 1.e-06 ; tp:add_offset = 0. ; tp:_FillValue = -32767s ; tp:units = "m" ; tp:long_name = "Total precipitation" ;
data: time = %s ; latitude = %s ; longitude = %s ; t2m = %s ; tp = %s ; }
""" % (times, rows, cols, numbers(steps(1104528, 1, times), "%d"), numbers(lats), numbers(lons), numbers(stored, "%d"), numbers(rain, "%d"))


GOES = {"h": 35786023.0, "a": 6378137.0, "b": 6356752.31414, "lon": -75.0, "x": (-0.101, 0.0014, 100), "y": (0.128, -0.0014, 60)}


def goes(cols=100, rows=60):
    """A scan of a geostationary imager: x and y packed, in radians; values unsigned in a signed type; no latitudes."""
    return """netcdf goes { dimensions: y = %d ; x = %d ;
variables: short CMI(y, x) ; CMI:_Unsigned = "true" ; CMI:_FillValue = -1s ; CMI:valid_range = 0s, -6s ; CMI:scale_factor = 0.01f ; CMI:add_offset = 100.f ; CMI:units = "K" ;
  CMI:coordinates = "band_id t y x" ; CMI:grid_mapping = "goes_imager_projection" ; CMI:long_name = "Brightness temperature" ;
 byte DQF(y, x) ; DQF:_Unsigned = "true" ; DQF:_FillValue = -1b ; DQF:flag_values = 0b, 1b, 2b ;
  DQF:flag_meanings = "good_pixel_qf conditionally_usable_pixel_qf out_of_range_pixel_qf" ; DQF:grid_mapping = "goes_imager_projection" ;
 double t ; t:units = "seconds since 2000-01-01 12:00:00" ; t:standard_name = "time" ; byte band_id ; band_id:units = "1" ;
 short x(x) ; x:scale_factor = 0.0014 ; x:add_offset = -0.101 ; x:units = "rad" ; x:axis = "X" ; x:standard_name = "projection_x_coordinate" ;
 short y(y) ; y:scale_factor = -0.0014 ; y:add_offset = 0.128 ; y:units = "rad" ; y:axis = "Y" ; y:standard_name = "projection_y_coordinate" ;
 int goes_imager_projection ; goes_imager_projection:grid_mapping_name = "geostationary" ; goes_imager_projection:perspective_point_height = 35786023. ;
  goes_imager_projection:semi_major_axis = 6378137. ; goes_imager_projection:semi_minor_axis = 6356752.31414 ; goes_imager_projection:latitude_of_projection_origin = 0. ;
  goes_imager_projection:longitude_of_projection_origin = -75. ; goes_imager_projection:sweep_angle_axis = "x" ;
data: x = %s ; y = %s ; t = 820454400 ; band_id = 13 ; CMI = %s ; DQF = %s ; }
""" % (rows, cols, numbers(range(cols), "%d"), numbers(range(rows), "%d"),
       numbers([-1 if (r, c) == (0, 0) else (lambda u: u - 65536 if u > 32767 else u)(600 * r + 50 * c) for r in range(rows) for c in range(cols)], "%d"),
       numbers([int(r % 7 == 0) + int(c % 11 == 0) for r in range(rows) for c in range(cols)], "%d"))


def swath(lines=60, pixels=40):
    """A descending pass: the first line is the northernmost. Data and places lie in two groups."""
    lats = [60 - 0.25 * i - 0.05 * j for i in range(lines) for j in range(pixels)]
    lons = [5 + 0.4 * j - 0.08 * i for i in range(lines) for j in range(pixels)]
    chlor = [None if a > 59 else 10 ** (math.sin(a / 3) * math.cos(b / 4) - 0.5) for a, b in zip(lats, lons)]
    return """netcdf swath { dimensions: number_of_lines = %d ; pixels_per_line = %d ;
variables: int nothing ;
 :title = "MODISA Level-2 Data" ; :instrument = "MODIS" ;
group: geophysical_data { variables: float chlor_a(number_of_lines, pixels_per_line) ; chlor_a:long_name = "Chlorophyll Concentration, OCI Algorithm" ;
  chlor_a:units = "mg m^-3" ; chlor_a:_FillValue = -32767.f ; chlor_a:valid_min = 0.001f ; chlor_a:valid_max = 100.f ;
 int l2_flags(number_of_lines, pixels_per_line) ; l2_flags:flag_masks = 1, 2, 512 ; l2_flags:flag_meanings = "ATMFAIL LAND CLDICE" ;
data: chlor_a = %s ; l2_flags = %s ; }
group: navigation_data { variables: float longitude(number_of_lines, pixels_per_line) ; longitude:units = "degrees_east" ; longitude:valid_min = -180.f ;
  longitude:valid_max = 180.f ;
 float latitude(number_of_lines, pixels_per_line) ; latitude:units = "degrees_north" ; latitude:valid_min = -90.f ; latitude:valid_max = 90.f ;
data: longitude = %s ; latitude = %s ; } }
""" % (lines, pixels, numbers(chlor, "%.5g"), numbers([2 if b > 12 else 512 if a < 50 else 0 for a, b in zip(lats, lons)], "%d"), numbers(lons), numbers(lats))


def sea_ice(cols=76, rows=112, times=2):
    """NSIDC's northern grid at 100 km: metres of a polar stereographic projection, a time that is not named like its
    dimension, and no latitudes."""
    xs, ys = steps(-3800000, 100000, cols), steps(5800000, -100000, rows)
    return """netcdf seaice { dimensions: tdim = %d ; x = %d ; y = %d ;
variables: ubyte cdr_seaice_conc(tdim, y, x) ; cdr_seaice_conc:_FillValue = 255ub ; cdr_seaice_conc:scale_factor = 0.01 ; cdr_seaice_conc:add_offset = 0. ;
  cdr_seaice_conc:valid_range = 0ub, 100ub ; cdr_seaice_conc:units = "1" ; cdr_seaice_conc:standard_name = "sea_ice_area_fraction" ;
  cdr_seaice_conc:coordinates = "time ygrid xgrid" ; cdr_seaice_conc:grid_mapping = "projection" ;
 double time(tdim) ; time:units = "days since 1601-01-01 00:00:00" ; time:standard_name = "time" ; time:calendar = "gregorian" ;
 double xgrid(x) ; xgrid:units = "meters" ; xgrid:standard_name = "projection_x_coordinate" ; double ygrid(y) ; ygrid:units = "meters" ;
  ygrid:standard_name = "projection_y_coordinate" ;
 int projection ; projection:grid_mapping_name = "polar_stereographic" ; projection:straight_vertical_longitude_from_pole = -45. ;
  projection:latitude_of_projection_origin = 90. ; projection:standard_parallel = 70. ; projection:semi_major_axis = 6378273. ; projection:semi_minor_axis = 6356889.449 ;
  projection:false_easting = 0. ; projection:false_northing = 0. ;
data: time = %s ; xgrid = %s ; ygrid = %s ; projection = 0 ; cdr_seaice_conc = %s ; }
""" % (times, cols, rows, numbers(steps(154863, 1, times), "%d"), numbers(xs, "%d"), numbers(ys, "%d"),
       numbers([251 if y < -4000000 else max(0, 100 - int(math.hypot(x, y) / 40000)) for t in range(times) for y in ys for x in xs], "%d"))


def cordex(rows=52, cols=53):
    """EURO-CORDEX at 0.88 degrees: a rotated pole; no latitudes and longitudes of two dimensions."""
    rlat, rlon = steps(-23.155, 0.88, rows), steps(-28.155, 0.88, cols)
    return """netcdf cordex { dimensions: time = 1 ; rlat = %d ; rlon = %d ;
variables: double rlat(rlat) ; rlat:units = "degrees" ; rlat:standard_name = "grid_latitude" ; rlat:axis = "Y" ;
 double rlon(rlon) ; rlon:units = "degrees" ; rlon:standard_name = "grid_longitude" ; rlon:axis = "X" ;
 char rotated_pole ; rotated_pole:grid_mapping_name = "rotated_latitude_longitude" ; rotated_pole:grid_north_pole_latitude = 39.25 ;
  rotated_pole:grid_north_pole_longitude = -162. ;
 double time(time) ; time:units = "days since 1949-12-01 00:00:00" ; time:calendar = "proleptic_gregorian" ;
 float tas(time, rlat, rlon) ; tas:units = "K" ; tas:grid_mapping = "rotated_pole" ; tas:_FillValue = 1.e20f ;
data: rlat = %s ; rlon = %s ; time = 20000.5 ; tas = %s ; }
""" % (rows, cols, numbers(rlat), numbers(rlon), numbers([290 - 0.5 * a + 0.1 * b for a in rlat for b in rlon]))


def lambert(rows=53, cols=90):
    """HRRR's projection at 60 km: metres of a cone that touches the Earth."""
    xs, ys = steps(-2697520, 60000, cols), steps(-1587306, 60000, rows)
    return """netcdf hrrr { dimensions: y = %d ; x = %d ;
variables: double x(x) ; x:units = "m" ; x:standard_name = "projection_x_coordinate" ; double y(y) ; y:units = "m" ; y:standard_name = "projection_y_coordinate" ;
 int lambert_conformal_conic ; lambert_conformal_conic:grid_mapping_name = "lambert_conformal_conic" ; lambert_conformal_conic:standard_parallel = 38.5 ;
  lambert_conformal_conic:longitude_of_central_meridian = -97.5 ; lambert_conformal_conic:latitude_of_projection_origin = 38.5 ;
  lambert_conformal_conic:earth_radius = 6371229. ;
 float refc(y, x) ; refc:units = "dBZ" ; refc:long_name = "Composite reflectivity" ; refc:grid_mapping = "lambert_conformal_conic: x y" ;
data: x = %s ; y = %s ; refc = %s ; }
""" % (rows, cols, numbers(xs, "%d"), numbers(ys, "%d"), numbers([30 * math.sin(a / 4e5) * math.cos(b / 5e5) for a in ys for b in xs]))


def argo(profiles=3, levels=40):
    """Profiles against pressure; characters as quality flags; the last levels of a profile are missing."""
    pres = [None if k >= levels - 5 * p else 5 + k * k * 1.2 for p in range(profiles) for k in range(levels)]
    temp = [None if a is None else 4 + 16 * math.exp(-a / 300) + p for (p, a) in zip([i // levels for i in range(profiles * levels)], pres)]
    return """netcdf argo { dimensions: N_PROF = %d ; N_LEVELS = %d ;
variables: double JULD(N_PROF) ; JULD:units = "days since 1950-01-01 00:00:00 UTC" ; JULD:standard_name = "time" ; JULD:_FillValue = 999999. ; JULD:axis = "T" ;
 double LATITUDE(N_PROF) ; LATITUDE:units = "degree_north" ; LATITUDE:axis = "Y" ; double LONGITUDE(N_PROF) ; LONGITUDE:units = "degree_east" ; LONGITUDE:axis = "X" ;
 float PRES(N_PROF, N_LEVELS) ; PRES:units = "decibar" ; PRES:standard_name = "sea_water_pressure" ; PRES:_FillValue = 99999.f ; PRES:axis = "Z" ; PRES:valid_min = 0.f ;
  PRES:valid_max = 12000.f ;
 float TEMP(N_PROF, N_LEVELS) ; TEMP:units = "degree_Celsius" ; TEMP:long_name = "Sea temperature in-situ ITS-90 scale" ; TEMP:_FillValue = 99999.f ; TEMP:valid_min = -2.5f ;
  TEMP:valid_max = 40.f ;
 char TEMP_QC(N_PROF, N_LEVELS) ; TEMP_QC:long_name = "quality flag" ; TEMP_QC:_FillValue = " " ;
 :featureType = "trajectoryProfile" ;
data: JULD = %s ; LATITUDE = %s ; LONGITUDE = %s ; PRES = %s ; TEMP = %s ; TEMP_QC = %s ; }
""" % (profiles, levels, numbers(steps(27759.5, 10, profiles)), numbers(steps(40, 0.2, profiles)), numbers(steps(-50, 0.3, profiles)), numbers(pres), numbers(temp),
       ", ".join('"%s"' % ("1" * levels) for _ in range(profiles)))


def mesh_parts(n=6):
    """Nodes of a net of n x n, and its faces: quadrilaterals, every third cut into two triangles. Nodes count from 0."""
    nodes = [(0.5 * i * 4 + 0.15 * j, 44 + j * 1.5) for j in range(n) for i in range(n)]
    faces = []
    for j in range(n - 1):
        for i in range(n - 1):
            a, b, c, d = j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i
            faces += [(a, b, c), (a, c, d)] if (i + j) % 3 == 0 else [(a, b, c, d)]
    return nodes, faces


def ugrid(times=2, start_index=1):
    """Faces of a mesh, of three and four nodes, which count from 1."""
    nodes, faces = mesh_parts()
    rows = [k + start_index for f in faces for k in f + (None,) * (4 - len(f)) for k in [k if k is not None else -999 - start_index]]
    centre = [(sum(nodes[k][0] for k in f) / len(f), sum(nodes[k][1] for k in f) / len(f)) for f in faces]
    return """netcdf ugrid { dimensions: time = %d ; mesh2d_nNodes = %d ; mesh2d_nFaces = %d ; mesh2d_nMax_face_nodes = 4 ;
variables: int mesh2d ; mesh2d:cf_role = "mesh_topology" ; mesh2d:topology_dimension = 2 ; mesh2d:node_coordinates = "mesh2d_node_x mesh2d_node_y" ;
  mesh2d:face_node_connectivity = "mesh2d_face_nodes" ; mesh2d:face_dimension = "mesh2d_nFaces" ;
 double mesh2d_node_x(mesh2d_nNodes) ; mesh2d_node_x:units = "degrees_east" ; mesh2d_node_x:standard_name = "longitude" ; double mesh2d_node_y(mesh2d_nNodes) ;
  mesh2d_node_y:units = "degrees_north" ; mesh2d_node_y:standard_name = "latitude" ;
 int mesh2d_face_nodes(mesh2d_nFaces, mesh2d_nMax_face_nodes) ; mesh2d_face_nodes:cf_role = "face_node_connectivity" ; mesh2d_face_nodes:start_index = %d ;
  mesh2d_face_nodes:_FillValue = -999 ;
 double time(time) ; time:units = "seconds since 2026-01-01 00:00:00" ;
 double s1(time, mesh2d_nFaces) ; s1:mesh = "mesh2d" ; s1:location = "face" ; s1:units = "m" ; s1:long_name = "Water level" ; s1:_FillValue = -999. ;
data: mesh2d_node_x = %s ; mesh2d_node_y = %s ; mesh2d_face_nodes = %s ; time = %s ; s1 = %s ; }
""" % (times, len(nodes), len(faces), start_index, numbers([p[0] for p in nodes]), numbers([p[1] for p in nodes]), numbers(rows, "%d"),
       numbers(steps(0, 3600, times), "%d"), numbers([a + b / 10 + t for t in range(times) for a, b in centre]))


def icon(times=2):
    """The faces of ugrid() as cells with bounds in radians; those of three corners have the last one twice."""
    nodes, faces = mesh_parts()
    corners = [nodes[k] for f in faces for k in (f + f[-1:])[:4]]
    centre = [(sum(nodes[k][0] for k in f) / len(f), sum(nodes[k][1] for k in f) / len(f)) for f in faces]
    radians = lambda values: numbers([v * RAD for v in values], "%.17g")
    return """netcdf icon { dimensions: time = %d ; ncells = %d ; nv = 4 ;
variables: double clon(ncells) ; clon:units = "radian" ; clon:standard_name = "longitude" ; clon:bounds = "clon_vertices" ;
 double clat(ncells) ; clat:units = "radian" ; clat:standard_name = "latitude" ; clat:bounds = "clat_vertices" ;
 double clon_vertices(ncells, nv) ; double clat_vertices(ncells, nv) ; double time(time) ; time:units = "seconds since 2026-01-01 00:00:00" ;
 double s1(time, ncells) ; s1:coordinates = "clat clon" ; s1:CDI_grid_type = "unstructured" ; s1:units = "m" ; s1:long_name = "Water level" ; s1:_FillValue = -999. ;
data: clon = %s ; clat = %s ; clon_vertices = %s ; clat_vertices = %s ; time = %s ; s1 = %s ; }
""" % (times, len(faces), radians(p[0] for p in centre), radians(p[1] for p in centre), radians(p[0] for p in corners), radians(p[1] for p in corners),
       numbers(steps(0, 3600, times), "%d"), numbers([a + b / 10 + t for t in range(times) for a, b in centre]))


def omi(rows=60, cols=20):
    """A swath as HDF-EOS has it: nothing but their names and degrees says which are latitudes and longitudes."""
    lat, lon = [70 - 140 * r / rows for r in range(rows) for c in range(cols)], [20 + c - r / 5 for r in range(rows) for c in range(cols)]
    return """netcdf omi { dimensions: nTimes = %d ; nXtrack = %d ;
variables: float Latitude(nTimes, nXtrack) ; Latitude:units = "deg" ; float Longitude(nTimes, nXtrack) ; Longitude:units = "deg" ;
 short CloudFraction(nTimes, nXtrack) ; CloudFraction:scale_factor = 0.001 ; CloudFraction:add_offset = 0. ; CloudFraction:_FillValue = -32767s ;
data: Latitude = %s ; Longitude = %s ; CloudFraction = %s ; }
""" % (rows, cols, numbers(lat), numbers(lon), numbers([10 * abs(a) for a in lat], "%d"))


def listed(rows=18, cols=36):
    """Latitudes and longitudes of one dimension that have other names than their dimensions; `coordinates` names them."""
    lats, lons = steps(85, -10, rows), steps(-175, 10, cols)
    return """netcdf listed { dimensions: y = %d ; x = %d ;
variables: float latitude(y) ; latitude:units = "degrees_north" ; float longitude(x) ; longitude:units = "degrees_east" ;
 float sst(y, x) ; sst:units = "degC" ; sst:coordinates = "latitude longitude" ; sst:_FillValue = -1.e30f ;
data: latitude = %s ; longitude = %s ; sst = %s ; }
""" % (rows, cols, numbers(lats), numbers(lons), numbers([value(a, b) - 273 for a in lats for b in lons]))


def ensemble(members=5, times=4, rows=11, cols=16):
    """A forecast as cfgrib has it: members before steps; a time that is a number, and when each step is valid."""
    lats, lons = steps(60, -2, rows), steps(-10, 2, cols)
    return """netcdf ensemble { dimensions: number = %d ; step = %d ; latitude = %d ; longitude = %d ;
variables: int number(number) ; number:long_name = "ensemble member numerical id" ; number:standard_name = "realization" ; number:units = "1" ;
 double time ; time:units = "seconds since 1970-01-01" ; time:standard_name = "forecast_reference_time" ;
 double step(step) ; step:units = "hours" ; step:standard_name = "forecast_period" ; step:long_name = "time since forecast_reference_time" ;
 double valid_time(step) ; valid_time:units = "seconds since 1970-01-01" ; valid_time:standard_name = "time" ;
 double latitude(latitude) ; latitude:units = "degrees_north" ; double longitude(longitude) ; longitude:units = "degrees_east" ;
 float t2m(number, step, latitude, longitude) ; t2m:units = "K" ; t2m:long_name = "2 metre temperature" ; t2m:coordinates = "number time step latitude longitude valid_time" ;
data: number = %s ; time = 1767225600 ; step = %s ; valid_time = %s ; latitude = %s ; longitude = %s ; t2m = %s ; }
""" % (members, times, rows, cols, numbers(range(members), "%d"), numbers(steps(0, 24, times), "%d"), numbers([1767225600 + 86400 * t for t in range(times)], "%d"),
       numbers(lats), numbers(lons), numbers([value(a, b) + m + 10 * t for m in range(members) for t in range(times) for a in lats for b in lons]))


DAILY = (10, 6) # mean and amplitude of the daily cycle


def series(days=400, many=3, chunk=1):
    """Hourly values of stations, a record a chunk as netCDF-4 makes it by default: a daily cycle that never changes, one
    record in which it is greater, and one missing."""
    hours = 24 * days
    ta = [DAILY[0] + s + DAILY[1] * math.sin(2 * math.pi * h / 24) for h in range(hours) for s in range(many)]
    ta[(hours // 2) * many] = 31
    return """netcdf series { dimensions: time = UNLIMITED ; station = %d ;
variables: double time(time) ; time:units = "hours since 2023-01-01 00:00:00" ; time:_ChunkSizes = 512 ;
 float ta(time, station) ; ta:units = "degC" ; ta:long_name = "air temperature" ; ta:_FillValue = -999.f ; ta:_ChunkSizes = %d, %d ;
 float one(time) ; one:units = "degC" ; one:_FillValue = -999.f ; one:_ChunkSizes = %d ;
data: time = %s ; ta = %s ; one = %s ; }
""" % (many, chunk, many, chunk, numbers(range(hours), "%d"), numbers(ta, "%.5g"), numbers([None if h == 100 else v for h, v in enumerate(ta[::many])], "%.5g"))


def landcover(rows=30, cols=60):
    return """netcdf landcover { dimensions: lat = %d ; lon = %d ;
variables: double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ; lon:units = "degrees_east" ;
 ubyte lccs_class(lat, lon) ; lccs_class:flag_values = 0ub, 10ub, 50ub, 190ub, 210ub ;
  lccs_class:flag_meanings = "no_data cropland_rainfed tree_broadleaved_evergreen urban water" ; lccs_class:long_name = "Land cover class defined in LCCS" ;
data: lat = %s ; lon = %s ; lccs_class = %s ; }
""" % (rows, cols, numbers(steps(80, -160 / rows, rows)), numbers(steps(-177, 360 / cols, cols)),
       numbers([(0, 10, 50, 190, 210)[(r * 3 + c // 7) % 5] for r in range(rows) for c in range(cols)], "%d"))


def section(depths=20, stations=30):
    return """netcdf section { dimensions: depth = %d ; distance = %d ;
variables: float depth(depth) ; depth:units = "m" ; depth:positive = "down" ; float distance(distance) ; distance:units = "km" ;
 float salinity(depth, distance) ; salinity:units = "1e-3" ; salinity:_FillValue = -9999.f ; salinity:missing_value = -9999.f, -8888.f ;
data: depth = %s ; distance = %s ; salinity = %s ; }
""" % (depths, stations, numbers([10 * k * k for k in range(depths)], "%d"), numbers(steps(0, 25, stations)),
       numbers([None if k > 15 and i < 5 else -8888 if k > 15 and i < 7 else 34 + k / 20 + math.sin(i / 5) for k in range(depths) for i in range(stations)]))


def anomaly(rows=30, cols=60):
    lats, lons = steps(-87, 6, rows), steps(3, 6, cols)
    return """netcdf sla { dimensions: time = 1 ; latitude = %d ; longitude = %d ;
variables: float time(time) ; time:units = "days since 1950-01-01 00:00:00" ; float latitude(latitude) ; latitude:units = "degrees_north" ; float longitude(longitude) ;
  longitude:units = "degrees_east" ;
 int sla(time, latitude, longitude) ; sla:scale_factor = 0.0001 ; sla:_FillValue = -2147483647 ; sla:units = "m" ; sla:long_name = "Sea level anomaly" ;
  sla:standard_name = "sea_surface_height_above_sea_level" ;
data: time = 27759 ; latitude = %s ; longitude = %s ; sla = %s ; }
""" % (rows, cols, numbers(lats), numbers(lons), numbers([round(2000 * math.sin(a / 9) * math.cos(b / 11)) for a in lats for b in lons], "%d"))


ALL = {"wrf": wrf, "nemo": model_grids.nemo, "roms": model_grids.roms, "cmip6": cmip6, "era5": era5, "goes": goes, "swath": swath, "sea_ice": sea_ice,
       "cordex": cordex, "lambert": lambert, "stations": model_grids.stations, "series": series, "argo": argo, "ugrid": ugrid, "ensemble": ensemble,
       "landcover": landcover, "section": section, "anomaly": anomaly, "polar": model_grids.polar, "world": model_grids.world,
       "icon": icon, "omi": omi, "listed": listed}
# What a picture shows of each.
SHOWN = {"wrf": "T2", "nemo": "sosstsst", "roms": "zeta", "cmip6": "tas", "era5": "t2m", "goes": "CMI", "swath": "chlor_a", "sea_ice": "cdr_seaice_conc",
         "cordex": "tas", "lambert": "refc", "stations": "ta", "series": "one", "argo": "TEMP", "ugrid": "s1", "ensemble": "t2m", "landcover": "lccs_class",
         "section": "salinity", "anomaly": "sla", "polar": "ice", "world": "tas", "icon": "s1", "omi": "CloudFraction",
         "listed": "sst"}
