/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that widen strings at once meet different widths on their ways. What a document says of them is kept, also
 * where it has a smaller width than this process: readers of the next document find such chunks.
 */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include "dataset/dataset_int.h"

static bool
says(const ncz_var *v, size_t width)
{
    ncz_widths said = v->earlier;

    said.any = false;
    return ncz_widths_has(&said, width);
}

static void
take(ncz_dataset *ds, ncz_var *v, const ncz_string_width *theirs)
{
    OK(ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE));
    OK(ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_take_width(ds, v, theirs)));
}

TEST(widths_of_others_are_kept)
{
    ncz_string_width theirs = {.nbytes = 1600};
    zmap            *map = NULL;
    ncz_dataset     *ds = NULL;
    ncz_dim         *d = NULL;
    ncz_var         *v = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, NULL, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", 4, &d));
    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE,
                       ncz_dataset_add_var(ds, ncz_dataset_model(ds)->root, "s", ncz_type_of(NC_STRING), 1, &d, &v)));
    OK(end(ds));
    OK(ncz_dataset_open_map(map, NULL, NC_WRITE, NULL, &ds));
    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    OK(ncz_dataset_end(ds, NCZ_USE_LOOK, NC_NOERR));
    v = ncz_model_next_var(ds->model, NULL);
    take(ds, v, &theirs);
    assert_int_equal(v->dtype.size, 1600);
    assert_false(says(v, 1024));
    /* another one, which was put a moment before */
    theirs = (ncz_string_width){.nbytes = 1024};
    ncz_widths_add(&theirs.earlier, 512);
    take(ds, v, &theirs);
    assert_int_equal(v->dtype.size, 1600);
    assert_true(says(v, 1024) && says(v, 512) && !says(v, 256));
    assert_true(ncz_widths_has(&v->spec->earlier, 1024));
    /* the same width, met on another way */
    theirs = (ncz_string_width){.nbytes = 1600};
    ncz_widths_add(&theirs.earlier, 800);
    take(ds, v, &theirs);
    assert_int_equal(v->dtype.size, 1600);
    assert_true(says(v, 800) && says(v, 1024) && !says(v, 256));
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
}
