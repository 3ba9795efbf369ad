// The tutorial's datasets by netCDF's C++ interface (netcdf-cxx4): simple_xy, sfc_pres_temp and pres_temp_4D.
//
// usage: tutorial (create|open|change DATASET FORMAT PATH)...    see tutorial.c; classes report an error as an exception
#include <iostream>
#include <netcdf>
#include <stdexcept>
#include <string>
#include <vector>

using namespace netCDF;

static const size_t NX = 6, NY = 12, NLAT = 6, NLON = 12, NLEVEL = 2, NRECORD = 2, RECORD = NLEVEL * NLAT * NLON;
typedef std::vector<size_t> Index;

static void expect(bool condition, const char *what)
{
    if (!condition)
        throw std::runtime_error(what);
}

static void create_simple_xy(NcFile &file, const std::string &format)
{
    NcDim            x = file.addDim("x", NX), y = file.addDim("y", NY);
    NcVar            var = file.addVar("data", ncInt, std::vector<NcDim>{x, y});
    std::vector<int> data(NX * NY);

    for (size_t i = 0; i < data.size(); i++)
        data[i] = static_cast<int>(i);
    var.putVar(data.data());
    if (format == "netcdf4") {
        NcVar                  sum = file.addGroup("more").addVar("sum", ncInt64, x);
        std::vector<long long> sums(NX);

        for (size_t i = 0; i < NX; i++)
            sums[i] = (144LL * static_cast<long long>(i) + 66) * 1000000000;
        sum.putVar(sums.data());
    }
}

static void open_simple_xy(NcFile &file)
{
    std::vector<int> data(NX * NY);
    NcVar            var = file.getVar("data");

    expect(!var.isNull() && var.getDimCount() == 2 && var.getDim(1).getName() == "y", "data(x, y)");
    var.getVar(data.data());
    for (size_t i = 0; i < data.size(); i++)
        expect(data[i] == static_cast<int>(i), "data");
    int part[12];
    var.getVar(Index{0, 1}, Index{3, 4}, std::vector<ptrdiff_t>{2, 3}, part);
    for (int i = 0; i < 12; i++)
        expect(part[i] == i / 4 * 24 + 1 + i % 4 * 3, "each second row, each third column");
    if (file.getGroupCount() == 1) {
        long long last;

        file.getGroup("more").getVar("sum").getVar(Index{5}, &last);
        expect(last == 786000000000, "more/sum");
    }
}

static void change_simple_xy(NcFile &file)
{
    std::vector<int> row(NY);

    file.putAtt("changed", "yes");
    for (size_t y = 0; y < NY; y++)
        row[y] = 1000 + static_cast<int>(y);
    file.getVar("data").putVar(Index{2, 0}, Index{1, NY}, row.data());
}

static std::vector<NcDim> add_coordinates(NcFile &file)
{
    NcDim              lat = file.addDim("latitude", NLAT), lon = file.addDim("longitude", NLON);
    NcVar              lats = file.addVar("latitude", ncFloat, lat), lons = file.addVar("longitude", ncFloat, lon);
    std::vector<float> values(NLON);

    lats.putAtt("units", "degrees_north");
    lons.putAtt("units", "degrees_east");
    for (size_t i = 0; i < NLAT; i++)
        values[i] = 25.f + 5.f * static_cast<float>(i);
    lats.putVar(values.data());
    for (size_t i = 0; i < NLON; i++)
        values[i] = -125.f + 5.f * static_cast<float>(i);
    lons.putVar(values.data());
    return {lat, lon};
}

static float surface_value(bool pressure, size_t i)
{
    float k = static_cast<float>(i % NLON * NLAT + i / NLON);

    return pressure ? 900.f + k : 9.f + .25f * k;
}

static void create_sfc_pres_temp(NcFile &file, const std::string &format)
{
    std::vector<NcDim> dims = add_coordinates(file);
    std::vector<float> values(NLAT * NLON);

    for (bool pressure : {true, false}) {
        NcVar var = file.addVar(pressure ? "pressure" : "temperature", ncFloat, dims);

        var.putAtt("units", pressure ? "hPa" : "celsius");
        if (format != "clobber")
            var.setCompression(true, true, 4);
        for (size_t i = 0; i < values.size(); i++)
            values[i] = surface_value(pressure, i);
        var.putVar(values.data());
    }
}

static void open_sfc_pres_temp(NcFile &file)
{
    std::vector<float> values(NLAT * NLON);
    std::string        units;
    NcVar              var = file.getVar("temperature");

    var.getAtt("units").getValues(units);
    expect(units == "celsius", "temperature:units");
    var.getVar(values.data());
    for (size_t i = 0; i < values.size(); i++)
        expect(values[i] == surface_value(false, i), "temperature");
    file.getVar("latitude").getVar(values.data());
    for (size_t i = 0; i < NLAT; i++)
        expect(values[i] == 25.f + 5.f * static_cast<float>(i), "latitude");
}

static void change_sfc_pres_temp(NcFile &file)
{
    NcVar              temperature = file.getVar("temperature"), humidity = file.addVar("humidity", ncShort, temperature.getDims());
    std::vector<short> values(NLAT * NLON);
    std::vector<float> row(NLON, -1.5f);

    humidity.putAtt("scale_factor", ncDouble, 0.01);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<short>(10 * i);
    humidity.putVar(values.data());
    temperature.putVar(Index{NLAT - 1, 0}, Index{1, NLON}, row.data());
}

static void put_record(NcFile &file, size_t record)
{
    std::vector<float> values(RECORD);

    for (bool pressure : {true, false}) {
        for (size_t i = 0; i < RECORD; i++)
            values[i] = (pressure ? 900.f : 9.f) + static_cast<float>(i + 1000 * record);
        file.getVar(pressure ? "pressure" : "temperature").putVar(Index{record, 0, 0, 0}, Index{1, NLEVEL, NLAT, NLON}, values.data());
    }
}

static void create_pres_temp_4D(NcFile &file, const std::string &)
{
    std::vector<NcDim> at = add_coordinates(file);
    std::vector<NcDim> dims{file.addDim("time"), file.addDim("level", NLEVEL), at[0], at[1]};

    file.addVar("pressure", ncFloat, dims).putAtt("units", "hPa");
    file.addVar("temperature", ncFloat, dims).putAtt("units", "celsius");
    for (size_t record = 0; record < NRECORD; record++)
        put_record(file, record);
}

static void open_pres_temp_4D(NcFile &file)
{
    std::vector<float> values(NRECORD * RECORD);
    NcDim              time = file.getDim("time");

    expect(time.isUnlimited() && time.getSize() == NRECORD, "two records");
    file.getVar("temperature").getVar(values.data());
    for (size_t i = 0; i < values.size(); i++)
        expect(values[i] == 9.f + static_cast<float>(i % RECORD + 1000 * (i / RECORD)), "temperature");
}

static void change_pres_temp_4D(NcFile &file)
{
    put_record(file, NRECORD);
}

static const struct {
    const char *name;
    void (*create)(NcFile &, const std::string &);
    void (*open)(NcFile &);
    void (*change)(NcFile &);
} datasets[] = {
    {"simple_xy", create_simple_xy, open_simple_xy, change_simple_xy},
    {"sfc_pres_temp", create_sfc_pres_temp, open_sfc_pres_temp, change_sfc_pres_temp},
    {"pres_temp_4D", create_pres_temp_4D, open_pres_temp_4D, change_pres_temp_4D},
};

static void run_job(const std::string &action, const std::string &dataset, const std::string &format, const std::string &path)
{
    for (auto &d : datasets) {
        if (dataset != d.name)
            continue;
        if (action == "create") {
            NcFile file(path, NcFile::replace, format == "netcdf4" ? NcFile::nc4 : format == "classic" ? NcFile::nc4classic : NcFile::classic);
            d.create(file, format);
            file.close();
        } else {
            NcFile file(path, action == "change" ? NcFile::write : NcFile::read);
            int    kind;

            expect(nc_inq_format(file.getId(), &kind) == NC_NOERR && kind == std::stoi(format), "the format");
            action == "change" ? d.change(file) : d.open(file);
            file.close();
        }
        return;
    }
    throw std::runtime_error("no dataset of the tutorial");
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i + 3 < argc; i += 4) {
        try {
            run_job(argv[i], argv[i + 1], argv[i + 2], argv[i + 3]);
            std::cout << "ok" << std::endl;
        } catch (std::exception &e) {
            std::string why = e.what();

            for (char &c : why)
                c = c == '\n' ? ' ' : c;
            std::cout << "failed: " << why << std::endl;
            failed = 1;
        }
    }
    return failed;
}
