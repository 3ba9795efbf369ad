"""CDL of small datasets as models and observers have them, whose values are functions of latitude and longitude: so that
a picture of them can be held against the place where each value belongs."""
import math

RAD = math.pi / 180


def value(lat, lon):
    """A temperature in K: warm in the south, with one warm spot at 50 N 5 E."""
    away = (lat - 50) ** 2 + ((lon - 5) * math.cos(lat * RAD)) ** 2
    return 300 - 0.5 * abs(lat) + 8 * math.exp(-away / 8)


def lambert(rows, cols, step_km, lat0=50.0, lon0=5.0):
    """Latitudes and longitudes of a conical projection that touches at lat0; the first row is the southernmost."""
    n, earth = math.sin(lat0 * RAD), 6370.0
    f = math.cos(lat0 * RAD) * math.tan(math.pi / 4 + lat0 * RAD / 2) ** n / n
    rho0 = earth * f / math.tan(math.pi / 4 + lat0 * RAD / 2) ** n
    lats, lons = [], []
    for r in range(rows):
        for c in range(cols):
            x, y = (c - (cols - 1) / 2) * step_km, (r - (rows - 1) / 2) * step_km
            rho, theta = math.copysign(math.hypot(x, rho0 - y), n), math.atan2(x, rho0 - y)
            lats.append((2 * math.atan((earth * f / rho) ** (1 / n)) - math.pi / 2) / RAD)
            lons.append(lon0 + theta / n / RAD)
    return lats, lons


def numbers(values, form="%.4f"):
    lines, line = [], []
    for v in values:
        line.append("_" if v is None else form % v)
        if len(line) == 12:
            lines.append(", ".join(line))
            line = []
    return ",\n".join(lines + ([", ".join(line)] if line else []))


def wrf(rows=60, cols=80, times=3, step_km=27.0):
    """XLAT and XLONG with a time, characters for Times, no coordinate variables, no attribute `coordinates` of T2."""
    lats, lons = lambert(rows, cols, step_km)
    stamps = ["2001-10-25_%02d:00:00" % (3 * t) for t in range(times)]
    t2 = [value(a, b) + t for t in range(times) for a, b in zip(lats, lons)]
    landuse = [1 if a > 52 else 2 if b > 5 else 16 for a, b in zip(lats, lons)]
    return """netcdf wrf { dimensions: Time = UNLIMITED ; DateStrLen = 19 ; south_north = %d ; west_east = %d ; bottom_top = 4 ;
variables: char Times(Time, DateStrLen) ;
 float XLAT(Time, south_north, west_east) ; XLAT:description = "LATITUDE, SOUTH IS NEGATIVE" ; XLAT:units = "degree_north" ;
 float XLONG(Time, south_north, west_east) ; XLONG:description = "LONGITUDE, WEST IS NEGATIVE" ; XLONG:units = "degree_east" ;
 float T2(Time, south_north, west_east) ; T2:description = "TEMP at 2 M" ; T2:units = "K" ; T2:MemoryOrder = "XY " ;
 float QVAPOR(Time, bottom_top, south_north, west_east) ; QVAPOR:description = "Water vapor mixing ratio" ; QVAPOR:units = "kg kg-1" ; QVAPOR:coordinates = "XLONG XLAT" ;
 byte LU_INDEX(south_north, west_east) ; LU_INDEX:long_name = "land use category" ; LU_INDEX:flag_values = 1b, 2b, 16b ; LU_INDEX:flag_meanings = "urban dryland_cropland water" ;
 :title = "OUTPUT FROM A MODEL LIKE WRF" ; :DX = %.1ff ;
data: Times = %s ; XLAT = %s ; XLONG = %s ; T2 = %s ; QVAPOR = %s ; LU_INDEX = %s ; }
""" % (rows, cols, step_km * 1000, ", ".join('"%s"' % s for s in stamps), numbers(lats * times), numbers(lons * times), numbers(t2),
       numbers([math.exp(-k) * 0.01 * (1 + 0.5 * math.sin(a / 3) * math.cos(b / 4)) for t in range(times) for k in range(4) for a, b in zip(lats, lons)], "%.6g"),
       numbers(landuse, "%d"))


def world(rows=45, cols=72, times=24):
    """A global field on latitudes from the south and longitudes from 0, monthly, with missing values over land at the poles."""
    lats, lons = [-90 + (r + 0.5) * 180 / rows for r in range(rows)], [(c + 0.5) * 360 / cols for c in range(cols)]
    tas = [None if a < -80 else value(a, b if b < 180 else b - 360) - 20 * math.sin(a * RAD) * math.cos(t * math.pi / 6)
           for t in range(times) for a in lats for b in lons]
    return """netcdf world { dimensions: time = UNLIMITED ; lat = %d ; lon = %d ; bnds = 2 ; plev = 3 ;
variables: double areacella(lat, lon) ; areacella:long_name = "Grid-Cell Area for Atmospheric Grid Variables" ; areacella:units = "m2" ; areacella:standard_name = "cell_area" ;
 double lat(lat) ; lat:units = "degrees_north" ; lat:axis = "Y" ; double lon(lon) ; lon:units = "degrees_east" ;
 double lon_bnds(lon, bnds) ; lon:bounds = "lon_bnds" ;
 double time(time) ; time:units = "days since 1850-01-01" ; time:calendar = "noleap" ; double height ; height:units = "m" ;
 double plev(plev) ; plev:units = "Pa" ; plev:positive = "down" ;
 float tas(time, lat, lon) ; tas:long_name = "Near-Surface Air Temperature" ; tas:units = "K" ; tas:_FillValue = 1.e20f ; tas:coordinates = "height" ;
 float ua(plev, lat) ; ua:units = "m s-1" ; ua:long_name = "Zonal mean wind" ;
 float gmst(time) ; gmst:units = "K" ; gmst:long_name = "Global mean" ;
 byte mask(lat, lon) ; mask:flag_values = 0b, 1b ; mask:flag_meanings = "sea land" ; mask:long_name = "Land sea mask" ;
 :title = "A model of the world" ; :Conventions = "CF-1.8" ; :institution = "Nowhere" ;
data: areacella = %s ; lat = %s ; lon = %s ; lon_bnds = %s ; time = %s ; height = 2 ; plev = 100000, 50000, 10000 ; tas = %s ; ua = %s ; gmst = %s ; mask = %s ; }
""" % (rows, cols, numbers([1e11 * math.cos(a * RAD) for a in lats for _ in lons], "%.6g"), numbers(lats), numbers(lons),
       numbers([e for b in lons for e in (b - 180 / cols, b + 180 / cols)]),
       numbers([59000 + 30.4167 * t for t in range(times)]), numbers(tas), numbers([p * 10 + a / 9 for p in range(3) for a in lats]),
       numbers([288 + 3 * math.sin(t * math.pi / 6) for t in range(times)]),
       numbers([int(math.sin(a * RAD * 2) + math.cos(b * RAD * 3) > 0.3) for a in lats for b in lons], "%d"))


def turned(rows, cols):
    """By 30 degrees, about 40 N 70 W."""
    lats, lons = [], []
    for r in range(rows):
        for c in range(cols):
            x, y = (c - cols / 2) * 0.2, (r - rows / 2) * 0.2
            lats.append(40 + 0.5 * x + 0.866 * y)
            lons.append(-70 + (0.866 * x - 0.5 * y) / math.cos(40 * RAD))
    return lats, lons


def roms(rows=50, cols=40):
    """A turned grid, 2-D coordinates named by `coordinates`, a mask of land, a vertical coordinate."""
    lats, lons = turned(rows, cols)
    zeta = [None if b < -73 else math.sin(a) * math.cos(b) for a, b in zip(lats, lons)]
    return """netcdf roms { dimensions: eta_rho = %d ; xi_rho = %d ; ocean_time = 2 ; s_rho = 5 ;
variables: double lon_rho(eta_rho, xi_rho) ; lon_rho:units = "degree_east" ; lon_rho:long_name = "longitude of RHO-points" ;
 double lat_rho(eta_rho, xi_rho) ; lat_rho:units = "degree_north" ; lat_rho:long_name = "latitude of RHO-points" ;
 double ocean_time(ocean_time) ; ocean_time:units = "seconds since 2011-01-01 00:00:00" ; double s_rho(s_rho) ;
 float zeta(ocean_time, eta_rho, xi_rho) ; zeta:long_name = "free-surface" ; zeta:units = "meter" ; zeta:coordinates = "lon_rho lat_rho ocean_time" ; zeta:_FillValue = 1.e37f ;
 float temp(ocean_time, s_rho, eta_rho, xi_rho) ; temp:units = "Celsius" ; temp:coordinates = "lon_rho lat_rho s_rho ocean_time" ;
data: lon_rho = %s ; lat_rho = %s ; ocean_time = 0, 43200 ; s_rho = -0.9, -0.7, -0.5, -0.3, -0.1 ; zeta = %s ; temp = %s ; }
""" % (rows, cols, numbers(lons), numbers(lats), numbers(zeta * 2), numbers([10 + s + a / 10 for t in range(2) for s in range(5) for a in lats]))


STATIONS = ["Z\u00fcrich", "Basel", "Gen\u00e8ve", "Lugano", "Davos", "Bern & <b>Thun</b>", "Sion", "Chur", "St. Gallen", "Jungfraujoch"]


def stations(hours=240):
    n = len(STATIONS)
    return """netcdf stations { dimensions: station = %d ; time = %d ; name_strlen = 24 ;
variables: char station_name(station, name_strlen) ; station_name:cf_role = "timeseries_id" ; station_name:long_name = "station name" ;
 float lat(station) ; lat:units = "degrees_north" ; float lon(station) ; lon:units = "degrees_east" ;
 double time(time) ; time:units = "hours since 2023-01-30 00:00:00" ;
 float ta(station, time) ; ta:long_name = "air temperature at 2 m" ; ta:units = "degC" ; ta:coordinates = "lat lon station_name" ; ta:_FillValue = -999.f ;
 float wind(time) ; wind:units = "m s-1" ; wind:long_name = "mean wind" ; wind:_FillValue = -999.f ;
 :featureType = "timeSeries" ;
data: station_name = %s ; lat = %s ; lon = %s ; time = %s ; ta = %s ; wind = %s ; }
""" % (n, hours, ", ".join('"%s"' % s for s in STATIONS), numbers([46 + i / 10 for i in range(n)]), numbers([7 + i / 5 for i in range(n)]),
       numbers(range(hours), "%d"), numbers([None if i == 3 and 50 < h < 90 else i - 5 * math.cos(h * math.pi / 12) for i in range(n) for h in range(hours)]),
       numbers([None if 100 < h < 120 else 5 + math.sin(h / 9) * 3 for h in range(hours)]))


def nemo(rows=48, cols=60):
    """A global grid whose poles are moved: what a sphere turned by 40 degrees has; zeros where no coordinate was stored."""
    lats, lons, sst = [], [], []
    tilt = 40 * RAD
    for r in range(rows):
        for c in range(cols):
            a, b = (-78 + 156 * r / (rows - 1)) * RAD, (c * 360 / cols - 180) * RAD
            x, y, z = math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)
            x, z = x * math.cos(tilt) + z * math.sin(tilt), -x * math.sin(tilt) + z * math.cos(tilt)
            lats.append(math.asin(z) / RAD)
            lons.append(math.atan2(y, x) / RAD)
            sst.append(value(lats[-1], lons[-1]))
    return """netcdf nemo { dimensions: y = %d ; x = %d ; time_counter = 1 ;
variables: float nav_lat(y, x) ; nav_lat:units = "degrees_north" ; float nav_lon(y, x) ; nav_lon:units = "degrees_east" ;
 float sosstsst(time_counter, y, x) ; sosstsst:units = "C" ; sosstsst:long_name = "Sea Surface temperature" ; sosstsst:coordinates = "nav_lon nav_lat" ;
data: nav_lat = %s ; nav_lon = %s ; sosstsst = %s ; }
""" % (rows, cols, numbers(lats), numbers(lons), numbers(sst))


def polar(n=60):
    """A stereographic grid with the pole in its middle."""
    lats, lons = [], []
    for r in range(n):
        for c in range(n):
            x, y = (c - (n - 1) / 2) * 100, (r - (n - 1) / 2) * 100
            lats.append(90 - 2 * math.atan(math.hypot(x, y) / 2 / 6371) / RAD)
            lons.append(math.atan2(x, -y) / RAD)
    return """netcdf polar { dimensions: y = %d ; x = %d ; variables: double latitude(y, x) ; latitude:standard_name = "latitude" ; latitude:units = "degrees_north" ;
 double longitude(y, x) ; longitude:units = "degrees_east" ; float ice(y, x) ; ice:units = "1" ; ice:coordinates = "latitude longitude" ;
data: latitude = %s ; longitude = %s ; ice = %s ; }
""" % (n, n, numbers(lats), numbers(lons), numbers([min(1, max(0, (a - 65) / 15)) for a in lats]))


ALL = {"wrf": wrf, "world": world, "roms": roms, "stations": stations, "nemo": nemo, "polar": polar}
