/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths: names, soft links, circles of them, and what lies elsewhere. */
#include "hdf5/golden.h"
#include "support/test.h"

static const char *const names[] = {"earliest.h5", "v110.h5", "v200.h5"};

TEST(paths_lead_where_links_lead)
{
    static const struct {
        const char *path;
        int         rc;
        const char *same; /* as this one */
    } cases[] = {
        {"/", NC_NOERR, NULL},
        {"tracked/b", NC_NOERR, NULL},
        {"/tracked/a", NC_NOERR, "tracked/b"},
        {"tracked/./a", NC_NOERR, "/tracked/b"},
        {"./data//fixed/", NC_NOERR, "data/fixed"},
        {"dense group/up/tracked/a", NC_NOERR, "tracked/b"},
        {"dense group/up", NC_NOERR, "/"},
        {"tracked/..", NC_ENOOBJECT, NULL},
        {"trac", NC_ENOOBJECT, NULL},
        {"tracked/b/c", NC_ENOOBJECT, NULL},
        {"dangling", NC_ENOOBJECT, NULL},
        {"elsewhere", NC_ENOOBJECT, NULL},
        {"elsewhere/in", NC_ENOOBJECT, NULL},
        {"circle", NC_EHDFERR, NULL},
        {"circle/more", NC_EHDFERR, NULL},
    };

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        ncz_buf    file;
        hdf5_bytes bytes;
        ncz_hdf5  *f;

        golden_load(names[i], &file);
        f = golden_open(&file, &bytes);
        for (size_t k = 0; k < NCZ_LEN(cases); k++) {
            uint64_t addr = 0, other = 0;

            assert_int_equal(ncz_hdf5_find(f, ncz_hdf5_root(f), cases[k].path, &addr), cases[k].rc);
            if (cases[k].same != NULL) {
                assert_int_equal(ncz_hdf5_find(f, ncz_hdf5_root(f), cases[k].same, &other), NC_NOERR);
                assert_int_equal(addr, other);
            }
        }
        ncz_hdf5_close(f);
        ncz_buf_clear(&file);
    }
}
