/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes HDF4 files with libhdf4, for tests/hdf4/run: each number type, rank, coder and way to store, scales,
 * attributes, records, and the older DFSD interface. Usage: make_files FOLDER [big]: a large file for the measurement.
 */
#include <hdf.h>
#include <mfhdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        if ((call) == FAIL) {                                                                                        \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call);                                        \
            HEprint(stderr, 0);                                                                                      \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

static const struct {
    int32       type;
    const char *name;
    size_t      size;
} types[] = {{DFNT_CHAR, "char", 1},      {DFNT_UCHAR, "uchar", 1},   {DFNT_INT8, "int8", 1},
             {DFNT_UINT8, "uint8", 1},    {DFNT_INT16, "int16", 2},   {DFNT_UINT16, "uint16", 2},
             {DFNT_INT32, "int32", 4},    {DFNT_UINT32, "uint32", 4}, {DFNT_FLOAT32, "float32", 4},
             {DFNT_FLOAT64, "float64", 8}};
enum { TYPES = sizeof types / sizeof *types };

static int32
open_file(const char *name)
{
    char  path[4096];
    int32 sd;

    snprintf(path, sizeof path, "%s/%s.hdf", folder, name);
    CHECK(sd = SDstart(path, DFACC_CREATE));
    return sd;
}

/* Element i of a type: values of all sizes, and runs. */
static void
put_value(int32 type, void *to, long i)
{
    long v = (i / 7 * 37 + i % 5) % 251 - 60;

    switch (type & 0xfff) {
    case DFNT_CHAR: *(char *)to = (char)('a' + i % 26); break;
    case DFNT_UCHAR:
    case DFNT_UINT8: *(uint8 *)to = (uint8)(v + 60); break;
    case DFNT_INT8: *(int8 *)to = (int8)(v / 3); break;
    case DFNT_INT16: *(int16 *)to = (int16)(v * 97); break;
    case DFNT_UINT16: *(uint16 *)to = (uint16)((v + 60) * 211); break;
    case DFNT_INT32: *(int32 *)to = (int32)(v * 1000003); break;
    case DFNT_UINT32: *(uint32 *)to = (uint32)(v + 60) * 7000003u; break;
    case DFNT_FLOAT32: *(float32 *)to = (float32)v / 3; break;
    default: *(float64 *)to = (float64)v / 7; break;
    }
}

static void *
make_values(int32 type, size_t size, long n)
{
    char *v = malloc(size * (size_t)n + 1);

    for (long i = 0; i < n; i++)
        put_value(type, v + size * (size_t)i, i);
    return v;
}

static void
write_all(int32 sds, int32 type, size_t size, int rank, const int32 *dims)
{
    int32 start[H4_MAX_VAR_DIMS] = {0};
    long  n = 1;
    void *v;

    for (int d = 0; d < rank; d++)
        n *= dims[d];
    v = make_values(type, size, n);
    CHECK(SDwritedata(sds, start, NULL, (int32 *)dims, v));
    free(v);
}

/* Each type, big- and little-endian, with an attribute of its own type. */
static void
make_types(void)
{
    int32 sd = open_file("types"), dims[2] = {5, 7};

    for (int t = 0; t < TYPES; t++)
        for (int little = 0; little < 2; little++) {
            char  name[64];
            int32 type = types[t].type | (little ? DFNT_LITEND : 0), sds;
            void *v = make_values(type, types[t].size, 3);

            if (little && types[t].size == 1)
                continue;
            snprintf(name, sizeof name, "%s%s", types[t].name, little ? "_little" : "");
            CHECK(sds = SDcreate(sd, name, type, 2, dims));
            write_all(sds, type, types[t].size, 2, dims);
            CHECK(SDsetattr(sds, "three", types[t].type, 3, v));
            CHECK(SDsetattr(sds, "text", DFNT_CHAR8, 11, "eleven char"));
            CHECK(SDendaccess(sds));
            free(v);
        }
    CHECK(SDsetattr(sd, "title", DFNT_CHAR8, 5, "types"));
    CHECK(SDend(sd));
}

static void
make_ranks(void)
{
    int32 sd = open_file("ranks"), dims[8] = {2, 3, 2, 3, 2, 1, 2, 2};

    for (int rank = 1; rank <= 8; rank++) {
        char  name[32];
        int32 sds;

        snprintf(name, sizeof name, "rank%d", rank);
        CHECK(sds = SDcreate(sd, name, DFNT_INT16, rank, dims));
        write_all(sds, DFNT_INT16, 2, rank, dims);
        CHECK(SDendaccess(sds));
    }
    CHECK(SDend(sd));
}

static void
set_coder(int which, comp_coder_t *coder, comp_info *info)
{
    memset(info, 0, sizeof *info);
    *coder = which == 1   ? COMP_CODE_RLE
             : which == 2 ? COMP_CODE_SKPHUFF
             : which == 3 ? COMP_CODE_DEFLATE
                          : COMP_CODE_NONE;
    info->skphuff.skp_size = 2;
    if (which == 3)
        info->deflate.level = 6;
}

/* Each coder, whole and in chunks, also with edges and absent chunks. */
static void
make_coders(void)
{
    static const char *const names[] = {"plain", "rle", "huffman", "deflate"};
    int32                    sd = open_file("coders"), dims[2] = {37, 23}, sds;

    for (int which = 0; which < 4; which++)
        for (int chunked = 0; chunked < 3; chunked++) {
            HDF_CHUNK_DEF def;
            comp_coder_t  coder;
            comp_info     info;
            char          name[64];
            int16         fill = -5;
            int32         flags = HDF_CHUNK;

            set_coder(which, &coder, &info);
            if (which == 2)
                info.skphuff.skp_size = 2;
            snprintf(name, sizeof name, "%s%s", names[which],
                     chunked == 0   ? ""
                     : chunked == 1 ? "_chunks"
                                    : "_absent");
            CHECK(sds = SDcreate(sd, name, DFNT_INT16, 2, dims));
            if (chunked == 2)
                CHECK(SDsetfillvalue(sds, &fill));
            if (chunked == 0 && which > 0)
                CHECK(SDsetcompress(sds, coder, &info));
            if (chunked > 0) {
                memset(&def, 0, sizeof def);
                def.chunk_lengths[0] = def.comp.chunk_lengths[0] = 10;
                def.chunk_lengths[1] = def.comp.chunk_lengths[1] = 6;
                if (which > 0) {
                    flags |= HDF_COMP;
                    def.comp.comp_type = coder;
                    def.comp.cinfo = info;
                    def.comp.chunk_lengths[0] = 10;
                    def.comp.chunk_lengths[1] = 6;
                }
                CHECK(SDsetchunk(sds, def, flags));
            }
            if (chunked < 2)
                write_all(sds, DFNT_INT16, 2, 2, dims);
            else {
                int32 start[2] = {12, 7}, count[2] = {5, 9};
                void *v = make_values(DFNT_INT16, 2, 45);

                CHECK(SDwritedata(sds, start, NULL, count, v));
                free(v);
            }
            CHECK(SDendaccess(sds));
        }
    CHECK(SDend(sd));
}

static void
make_nbit(void)
{
    int32 sd = open_file("nbit"), dims[2] = {9, 11};

    for (int sign = 0; sign < 2; sign++)
        for (int ones = 0; ones < 2; ones++)
            for (int t = 2; t < 8; t++) {
                char  name[64];
                int32 sds;
                int   bits = (int)types[t].size * 8;

                snprintf(name, sizeof name, "%s_%d_%d", types[t].name, sign, ones);
                CHECK(sds = SDcreate(sd, name, types[t].type, 2, dims));
                CHECK(SDsetnbitdataset(sds, bits - 2, bits - 3, sign, ones));
                write_all(sds, types[t].type, types[t].size, 2, dims);
                CHECK(SDendaccess(sds));
            }
    CHECK(SDend(sd));
}

/* Records: of variables with different numbers of them, none, many small blocks. */
static void
make_records(void)
{
    int32 sd = open_file("records"), dims[2] = {SD_UNLIMITED, 3}, sds, start[2] = {0, 0}, count[2] = {1, 3}, dim;
    static const int n[] = {2, 5, 0, 300};

    for (int i = 0; i < 4; i++) {
        char name[32];

        snprintf(name, sizeof name, "r%d", n[i]);
        CHECK(sds = SDcreate(sd, name, DFNT_INT32, 2, dims));
        CHECK(dim = SDgetdimid(sds, 0));
        CHECK(SDsetdimname(dim, i < 3 ? "time" : "step"));
        CHECK(dim = SDgetdimid(sds, 1));
        CHECK(SDsetdimname(dim, "x"));
        for (int r = 0; r < n[i]; r++) {
            int32 v[3] = {r, 10 * r, 100 * r};

            start[0] = r;
            CHECK(SDwritedata(sds, start, NULL, count, v));
        }
        CHECK(SDendaccess(sds));
    }
    CHECK(SDend(sd));
}

/* Scales, strings of dimensions, names that are unusual, the same name twice, a variable without data. */
static void
make_names(void)
{
    static const char *const names[] = {"two words", "a/b", "caf\351", "same", "same", "YDim"};
    int32                    sd = open_file("names"), dims[2] = {4, 3}, sds, dim;
    float32                  y[4] = {1, 2.5, 4, 8};
    int16                    x[3] = {10, 20, 30};

    for (int i = 0; i < 6; i++) {
        CHECK(sds = SDcreate(sd, names[i], DFNT_FLOAT32, 2, dims));
        CHECK(dim = SDgetdimid(sds, 0));
        CHECK(SDsetdimname(dim, "YDim:Grid"));
        if (i == 0) {
            CHECK(SDsetdimscale(dim, 4, DFNT_FLOAT32, y));
            CHECK(SDsetdimstrs(dim, "rows", "m", "%g"));
        }
        CHECK(dim = SDgetdimid(sds, 1));
        CHECK(SDsetdimname(dim, "XDim:Grid"));
        if (i == 0)
            CHECK(SDsetdimscale(dim, 3, DFNT_INT16, x));
        CHECK(SDsetdatastrs(sds, "label", "K", "%f", "earth"));
        CHECK(SDsetcal(sds, 0.5, 0.1, 10, 0.2, DFNT_INT16));
        if (i < 5)
            write_all(sds, DFNT_FLOAT32, 4, 2, dims);
        CHECK(SDendaccess(sds));
    }
    CHECK(SDend(sd));
}

/* ---- HDF-EOS2 ---- */

static const char grid_text[] =
    "GROUP=SwathStructure\nEND_GROUP=SwathStructure\nGROUP=GridStructure\n\tGROUP=GRID_1\n"
    "\t\tGridName=\"Grid\"\n\t\tXDim=6\n\t\tYDim=4\n"
    "\t\tUpperLeftPointMtrs=(-180000000.000000,90000000.000000)\n"
    "\t\tLowerRightMtrs=(180000000.000000,-90000000.000000)\n\t\tProjection=GCTP_GEO\n"
    "\t\tGROUP=DataField\n\t\t\tOBJECT=DataField_1\n\t\t\t\tDataFieldName=\"Temperature\"\n"
    "\t\t\t\tDataType=DFNT_INT16\n\t\t\t\tDimList=(\"YDim\",\"XDim\")\n"
    "\t\t\tEND_OBJECT=DataField_1\n\t\tEND_GROUP=DataField\n\tEND_GROUP=GRID_1\n"
    "END_GROUP=GridStructure\nEND\n";
static const char swath_text[] =
    "GROUP=SwathStructure\n\tGROUP=SWATH_1\n\t\tSwathName=\"Swath\"\n\t\tGROUP=GeoField\n"
    "\t\t\tOBJECT=GeoField_1\n\t\t\t\tGeoFieldName=\"Latitude\"\n\t\t\tEND_OBJECT=GeoField_1\n"
    "\t\tEND_GROUP=GeoField\n\tEND_GROUP=SWATH_1\nEND_GROUP=SwathStructure\nEND\n";

/* What HDF-EOS puts around its fields: a Vgroup of a class, with Vgroups of fields, and a table. */
static void
add_eos_groups(const char *path, const char *name, const char *class_name, const char *const parts[2],
               const int32 refs[2])
{
    int32 file, top, inner, table;
    int16 times[3] = {1, 2, 3};

    CHECK(file = Hopen(path, DFACC_WRITE, 0));
    CHECK(Vstart(file));
    CHECK(top = Vattach(file, -1, "w"));
    CHECK(Vsetname(top, name));
    CHECK(Vsetclass(top, class_name));
    for (int i = 0; i < 2; i++) {
        CHECK(inner = Vattach(file, -1, "w"));
        CHECK(Vsetname(inner, parts[i]));
        CHECK(Vsetclass(inner, "GRID Vgroup"));
        if (refs[i] != 0)
            CHECK(Vaddtagref(inner, DFTAG_NDG, refs[i]));
        if (i == 1) { /* a field of one dimension is a table */
            CHECK(table = VSattach(file, -1, "w"));
            CHECK(VSsetname(table, "Time"));
            CHECK(VSfdefine(table, "Time", DFNT_INT16, 1));
            CHECK(VSsetfields(table, "Time"));
            CHECK(VSwrite(table, (uint8 *)times, 3, FULL_INTERLACE));
            CHECK(Vinsert(inner, table));
            CHECK(VSdetach(table));
        }
        CHECK(Vinsert(top, inner));
        CHECK(Vdetach(inner));
    }
    CHECK(Vdetach(top));
    CHECK(Vend(file));
    CHECK(Hclose(file));
}

static void
set_eos_text(int32 sd, const char *text)
{
    char all[32000] = "";

    memcpy(all, text, strlen(text));
    CHECK(SDsetattr(sd, "StructMetadata.0", DFNT_CHAR, sizeof all, all));
    CHECK(SDsetattr(sd, "HDFEOSVersion", DFNT_CHAR, 13, "HDFEOS_V2.19"));
}

static int32
make_field(int32 sd, const char *name, int32 type, size_t size, const int32 *dims, const char *const *names)
{
    int32 sds, dim, ref;

    CHECK(sds = SDcreate(sd, name, type, 2, (int32 *)dims));
    for (int d = 0; d < 2; d++) {
        CHECK(dim = SDgetdimid(sds, d));
        CHECK(SDsetdimname(dim, names[d]));
    }
    if (type == DFNT_INT16) {
        HDF_CHUNK_DEF def;

        memset(&def, 0, sizeof def);
        def.comp.chunk_lengths[0] = 2;
        def.comp.chunk_lengths[1] = 3;
        def.comp.comp_type = COMP_CODE_DEFLATE;
        def.comp.cinfo.deflate.level = 8;
        CHECK(SDsetchunk(sds, def, HDF_CHUNK | HDF_COMP));
    }
    write_all(sds, type, size, 2, dims);
    CHECK(ref = SDidtoref(sds));
    CHECK(SDendaccess(sds));
    return ref;
}

/* A grid and a swath, as HDF-EOS2 writes them. */
static void
make_eos(void)
{
    static const char *const grid_dims[] = {"YDim:Grid", "XDim:Grid"}, *const grid_parts[] = {"Data Fields",
                                                                                              "Grid Attributes"};
    static const char *const swath_dims[] = {"GeoTrack:Swath", "GeoXtrack:Swath"}, *const swath_parts[] = {
                                                                                       "Geolocation Fields",
                                                                                       "Data Fields"};
    int32 sd = open_file("eos_grid"), dims[2] = {4, 6}, refs[2] = {0, 0};
    char  path[4096];

    refs[0] = make_field(sd, "Temperature", DFNT_INT16, 2, dims, grid_dims);
    (void)make_field(sd, "MRGFLD_Wind", DFNT_FLOAT32, 4, dims, grid_dims);
    set_eos_text(sd, grid_text);
    CHECK(SDend(sd));
    snprintf(path, sizeof path, "%s/eos_grid.hdf", folder);
    add_eos_groups(path, "Grid", "GRID", grid_parts, refs);

    sd = open_file("eos_swath");
    refs[0] = make_field(sd, "Latitude", DFNT_FLOAT32, 4, dims, swath_dims);
    refs[1] = make_field(sd, "Radiance", DFNT_INT16, 2, dims, swath_dims);
    set_eos_text(sd, swath_text);
    CHECK(SDend(sd));
    snprintf(path, sizeof path, "%s/eos_swath.hdf", folder);
    add_eos_groups(path, "Swath", "SWATH", swath_parts, refs);
}

/* Never written, of each type, with and without a fill value. */
static void
make_fills(void)
{
    int32 sd = open_file("fills"), dims[1] = {4}, sds;

    for (int t = 0; t < TYPES; t++)
        for (int own = 0; own < 2; own++) {
            char  name[64];
            void *v = make_values(types[t].type, types[t].size, 9);

            snprintf(name, sizeof name, "%s%s", types[t].name, own ? "_own" : "");
            CHECK(sds = SDcreate(sd, name, types[t].type, 1, dims));
            if (own)
                CHECK(SDsetfillvalue(sds, (char *)v + 8 * types[t].size));
            CHECK(SDendaccess(sds));
            free(v);
        }
    CHECK(SDend(sd));
}

static void
make_external(void)
{
    int32 sd = open_file("external"), dims[1] = {4}, sds;
    char  path[4096];

    snprintf(path, sizeof path, "%s/external.dat", folder);
    CHECK(sds = SDcreate(sd, "outside", DFNT_INT32, 1, dims));
    CHECK(SDsetexternalfile(sds, path, 0));
    write_all(sds, DFNT_INT32, 4, 1, dims);
    CHECK(SDendaccess(sds));
    CHECK(sds = SDcreate(sd, "inside", DFNT_INT32, 1, dims));
    write_all(sds, DFNT_INT32, 4, 1, dims);
    CHECK(SDendaccess(sds));
    CHECK(SDend(sd));
}

/* The older interface. */
static void
make_dfsd(void)
{
    char    path[4096];
    int32   dims[2] = {3, 4};
    float32 data[12], y[3] = {1, 2, 3}, x[4] = {10, 20, 30, 40}, top = 11, low = 0;

    for (int i = 0; i < 12; i++)
        data[i] = (float32)i;
    snprintf(path, sizeof path, "%s/dfsd.hdf", folder);
    CHECK(DFSDsetNT(DFNT_FLOAT32));
    CHECK(DFSDsetdims(2, dims));
    CHECK(DFSDsetdimscale(1, 3, y));
    CHECK(DFSDsetdimscale(2, 4, x));
    CHECK(DFSDsetdatastrs("label", "unit", "format", "coordsys"));
    CHECK(DFSDsetdimstrs(1, "rows", "m", "%g"));
    CHECK(DFSDsetdimstrs(2, "columns", "km", "%f"));
    CHECK(DFSDsetrange(&top, &low));
    CHECK(DFSDputdata(path, 2, dims, data));
    CHECK(DFSDclear());
    CHECK(DFSDadddata(path, 2, dims, data));
}

/* 256 MiB of deflated chunks. */
static void
make_big(void)
{
    int32         sd = open_file("big"), dims[2] = {8192, 8192}, start[2] = {0, 0}, count[2] = {256, 8192}, sds;
    HDF_CHUNK_DEF def;
    float32      *v = malloc(sizeof *v * 256 * 8192);

    memset(&def, 0, sizeof def);
    def.comp.chunk_lengths[0] = def.comp.chunk_lengths[1] = 512;
    def.comp.comp_type = COMP_CODE_DEFLATE;
    def.comp.cinfo.deflate.level = 5;
    CHECK(sds = SDcreate(sd, "v", DFNT_FLOAT32, 2, dims));
    CHECK(SDsetchunk(sds, def, HDF_CHUNK | HDF_COMP));
    for (start[0] = 0; start[0] < 8192; start[0] += 256) {
        for (long i = 0; i < 256L * 8192; i++)
            v[i] = (float32)((start[0] * 31 + i / 16 * 7 + rand() % 64) % 5000) / 16;
        CHECK(SDwritedata(sds, start, NULL, count, v));
    }
    CHECK(SDendaccess(sds));
    CHECK(SDend(sd));
    free(v);
}

/* So many records that they are read block by block: of a row that blocks have whole, and of one that they do not. */
static void
make_long(void)
{
    static const int32 widths[] = {256, 300};
    int32              sd = open_file("long");

    for (int i = 0; i < 2; i++) {
        int32 dims[2] = {SD_UNLIMITED, widths[i]}, start[2] = {0, 0}, count[2] = {512, widths[i]}, sds, dim;
        char  name[32];
        void *v = make_values(DFNT_INT32, 4, 512L * widths[i]);

        snprintf(name, sizeof name, "width%d", (int)widths[i]);
        CHECK(sds = SDcreate(sd, name, DFNT_INT32, 2, dims));
        CHECK(dim = SDgetdimid(sds, 0));
        CHECK(SDsetdimname(dim, "time"));
        for (start[0] = 0; start[0] < 20480; start[0] += 512)
            CHECK(SDwritedata(sds, start, NULL, count, v));
        CHECK(SDendaccess(sds));
        free(v);
    }
    CHECK(SDend(sd));
}

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    folder = argv[1];
    if (argc > 2) {
        make_big();
        make_long();
        return 0;
    }
    make_types();
    make_ranks();
    make_coders();
    make_nbit();
    make_records();
    make_names();
    make_fills();
    make_eos();
    make_external();
    make_dfsd();
    return 0;
}
