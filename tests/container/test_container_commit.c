/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commits: what the reader finds in the file after each; what it finds if the writer dies after any of its changes of
 * the file, in the middle of one, or if power fails; failures of the file and of memory, after which the same call is
 * made again; how much room is left unused.
 */
#include "container/container_help.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "support/test.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_single.h"

static const ncz_container_commit_opts plain = {.durable = true}, last = {.durable = true, .last = true};

typedef struct session {
    help_model *m;
    log_file    f;
    zmap       *map;
} session;

static void
begin(session *s, help_model *m, unsigned k, uint64_t front)
{
    zmap *file = NULL;

    *s = (session){.m = m};
    help_arrays(m);
    assert_int_equal(log_file_open(&s->f, &file), NC_NOERR);
    assert_int_equal(ncz_container_create(file, k, front, &s->map), NC_NOERR);
    help_set_arrays(m, s->map);
}

static void
end(session *s)
{
    assert_int_equal(zmap_close(s->map, ZMAP_KEEP), NC_NOERR);
    help_model_clear(s->m);
    log_file_clear(&s->f);
}

static void
change(session *s, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (help_change(s->m, s->map) != NC_NOERR)
            fail_msg("%s", ncz_err_text());
}

static void
commit(session *s, const ncz_container_commit_opts *o)
{
    if (help_commit(s->m, s->map, o) != NC_NOERR)
        fail_msg("%s", ncz_err_text());
    help_check_file(s->m, s->f.data, s->f.len);
}

TEST(each_commit_is_read_by_the_reader)
{
    static const unsigned ks[] = {4, 8, 32};
    static help_model     m;
    session               s;

    for (size_t k = 0; k < NCZ_LEN(ks); k++) {
        begin(&s, &m, ks[k], 0);
        m.seed = (uint32_t)k;
        commit(&s, &plain); /* arrays without data */
        for (unsigned i = 0; i < 40; i++) {
            change(&s, 25);
            assert_true(ncz_container_changed(s.map));
            commit(&s, i == 39 ? &last : &plain);
            assert_false(ncz_container_changed(s.map));
            help_check_map(&m, s.map);
        }
        assert_true(help_said_end(s.f.data, s.f.len) == s.f.len);
        end(&s);
    }
}

TEST(the_last_commit_is_what_a_close_keeps)
{
    static help_model m, kept;
    session           s;
    zmap             *file = NULL;

    begin(&s, &m, 8, 0);
    change(&s, 100);
    commit(&s, &plain);
    help_model_copy(&m, &kept);
    change(&s, 300);
    assert_int_equal(zmap_close(s.map, ZMAP_KEEP), NC_NOERR);
    kept.narrays--; /* the last one is changed in place */
    help_check_file(&kept, s.f.data, s.f.len);
    assert_true(help_said_end(s.f.data, s.f.len) == s.f.len);
    assert_int_equal(log_file_open(&s.f, &file), NC_NOERR);
    zmap_close(file, ZMAP_KEEP);
    help_model_clear(&kept);
    help_model_clear(&m);
    log_file_clear(&s.f);
}

TEST(a_changed_array_must_be_laid_out_before_a_commit)
{
    static help_model m;
    session           s;
    ncz_hdf5_image   *image = NULL;
    ncz_hdf5_layout   layout;

    begin(&s, &m, 8, 0);
    change(&s, 50);
    assert_int_equal(ncz_hdf5_image_new(&image), NC_NOERR);
    assert_int_equal(ncz_container_commit(s.map, image, &plain), NC_EINVAL);
    assert_int_equal(ncz_container_layout(s.map, 99, &layout), NC_EINVAL);
    ncz_hdf5_image_free(image);
    commit(&s, &plain);
    end(&s);
}

/* ---- a writer that dies ---- */

enum { COMMITS = 9 };

static help_model commits[COMMITS]; /* what each of them has */

static void
make_log(session *s, uint32_t seed)
{
    static help_model m;

    begin(s, &m, 4, 600);
    s->f.logs = true;
    m.seed = seed;
    for (size_t i = 0; i < COMMITS; i++) {
        change(s, 12);
        if (i == COMMITS - 1)
            assert_int_equal(ncz_container_to_front(s->map, 100), NC_NOERR);
        commit(s, i == COMMITS - 1 ? &last : &plain);
        help_model_copy(&m, &commits[i]);
    }
}

static void
end_log(session *s)
{
    for (size_t i = 0; i < COMMITS; i++)
        help_model_clear(&commits[i]);
    end(s);
}

static bool
is_superblock(const log_change *x)
{
    return x->kind == LOG_PUT && x->at == 0 && x->len == 48;
}

/* The file has the commit whose superblock was written last. `n`: that were. The last array is changed in place. */
static void
check_dead(size_t n, const log_file *dead)
{
    help_model *m;

    if (n == 0)
        return; /* there is no file yet */
    m = &commits[n - 1];
    m->narrays--;
    help_check_file(m, dead->data, dead->len);
    m->narrays++;
}

TEST(a_writer_that_dies_after_any_change_leaves_a_commit)
{
    session  s;
    log_file dead = {.data = NULL};
    size_t   known = 0;

    make_log(&s, 77);
    for (size_t n = 0; n < s.f.n; n++) {
        log_file_apply(&dead, &s.f.log[n], SIZE_MAX);
        known += is_superblock(&s.f.log[n]);
        check_dead(known, &dead);
    }
    assert_int_equal(known, COMMITS);
    log_file_clear(&dead);
    end_log(&s);
}

/* Half of a put may be there, but not of the superblock's, which a disk writes as one. */
TEST(a_writer_that_dies_within_a_change_leaves_a_commit)
{
    session s;

    make_log(&s, 78);
    for (size_t n = 0; n < s.f.n; n++) {
        log_file dead = {.data = NULL};
        size_t   known = 0;

        if (s.f.log[n].kind != LOG_PUT || s.f.log[n].len < 2 || is_superblock(&s.f.log[n]))
            continue;
        for (size_t k = 0; k < n; k++) {
            log_file_apply(&dead, &s.f.log[k], SIZE_MAX);
            known += is_superblock(&s.f.log[k]);
        }
        log_file_apply(&dead, &s.f.log[n], s.f.log[n].len / 2);
        check_dead(known, &dead);
        log_file_clear(&dead);
    }
    end_log(&s);
}

/* Any of the changes since the last sync may be missing. */
TEST(power_that_fails_leaves_a_commit)
{
    session  s;
    uint32_t seed = 3;

    make_log(&s, 79);
    for (size_t n = 1; n <= s.f.n; n++) {
        log_file dead = {.data = NULL};
        size_t   synced = n, known = 0, superblocks = 0;

        while (synced > 0 && s.f.log[synced - 1].kind != LOG_SYNC)
            synced--;
        for (size_t k = 0; k < n; k++) {
            superblocks += is_superblock(&s.f.log[k]);
            if (k >= synced && help_draw(&seed, 2) == 0)
                continue;
            log_file_apply(&dead, &s.f.log[k], SIZE_MAX);
            known = is_superblock(&s.f.log[k]) ? superblocks : known;
        }
        check_dead(known, &dead);
        log_file_clear(&dead);
    }
    end_log(&s);
}

/* ---- failures, and the same call again ---- */

static int
run_failing(size_t fail_at, size_t fails, bool torn, bool *failed)
{
    static help_model m, before;
    session           s;
    int               rc = NC_NOERR, tries = 0;

    begin(&s, &m, 4, 0);
    m.seed = 5;
    change(&s, 30);
    commit(&s, &plain);
    help_model_copy(&m, &before);
    s.f.changes = 0;
    s.f.fail_at = fail_at;
    s.f.fails = fails;
    s.f.torn = torn;
    for (unsigned i = 0; i < 40; i++)
        while (help_change(&m, s.map) != NC_NOERR)
            tries++;
    help_check_map(&m, s.map);
    while ((rc = help_commit(&m, s.map, &last)) != NC_NOERR && tries++ < 20)
        assert_true(ncz_err_text()[0] != '\0');
    *failed = s.f.changes >= fail_at;
    s.f.fail_at = 0;
    if (rc == NC_NOERR) {
        ncz_container_sums sums;

        help_check_file(&m, s.f.data, s.f.len);
        help_check_map(&m, s.map);
        ncz_container_count(s.map, &sums);
        assert_true(sums.lost == 0);
        change(&s, 20);
        commit(&s, &plain);
    }
    help_model_clear(&before);
    end(&s);
    return rc;
}

TEST(after_a_failure_of_the_file_the_same_call_can_be_made_again)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        bool failed = true;

        for (size_t i = 1; failed; i++)
            assert_int_equal(run_failing(i, 1 + kind, kind == 1, &failed), NC_NOERR);
    }
}

TEST(a_disk_that_stays_full_leaves_the_last_commit)
{
    static help_model m, kept;
    session           s;
    char              superblock[48];

    for (size_t fail_at = 1; fail_at < 60; fail_at++) {
        begin(&s, &m, 4, 0);
        m.seed = 5;
        m.narrays--; /* the last one is changed in place */
        change(&s, 60);
        commit(&s, &plain);
        help_model_copy(&m, &kept);
        s.f.changes = 0;
        s.f.fail_at = fail_at;
        s.f.fails = SIZE_MAX / 2;
        s.f.torn = fail_at % 2 == 0;
        for (unsigned i = 0; i < 30; i++)
            (void)help_change(&m, s.map);
        if (!s.f.torn)
            help_check_map(&m, s.map);
        memcpy(superblock, s.f.data, sizeof superblock);
        /* If only its sync failed the new one is there. */
        if (help_commit(&m, s.map, &plain) != NC_NOERR)
            help_check_file(memcmp(superblock, s.f.data, sizeof superblock) == 0 ? &kept : &m, s.f.data, s.f.len);
        s.f.fail_at = 0;
        end(&s);
    }
    help_model_clear(&kept);
}

static int
use_without_memory(void)
{
    static help_model m;
    log_file          f = {.data = NULL};
    zmap             *file = NULL, *map = NULL;
    int               rc, failed = NC_NOERR;

    help_arrays(&m);
    m.seed = 5;
    assert_int_equal(log_file_open(&f, &file), NC_NOERR);
    if ((rc = ncz_container_create(file, 4, 0, &map)) != NC_NOERR) {
        zmap_close(file, ZMAP_DISCARD);
        log_file_clear(&f);
        return rc;
    }
    for (size_t i = 0; i < m.narrays; i++)
        while ((rc = ncz_container_set(map, &m.arrays[i])) != NC_NOERR)
            failed = rc;
    for (unsigned i = 0; i < 60; i++)
        while ((rc = help_change(&m, map)) != NC_NOERR)
            failed = rc;
    while ((rc = help_commit(&m, map, &plain)) != NC_NOERR)
        failed = rc;
    for (unsigned i = 0; i < 30; i++)
        while ((rc = help_change(&m, map)) != NC_NOERR)
            failed = rc;
    while ((rc = help_commit(&m, map, &last)) != NC_NOERR)
        failed = rc;
    (void)end_failing();
    help_check_map(&m, map);
    help_check_file(&m, f.data, f.len);
    zmap_close(map, ZMAP_KEEP);
    help_model_clear(&m);
    log_file_clear(&f);
    return failed;
}

TEST(after_an_allocation_that_fails_the_same_call_can_be_made_again)
{
    for (size_t nth = 1;; nth++) {
        int rc;

        fail_allocation(nth);
        rc = use_without_memory();
        if (rc == NC_NOERR)
            break;
        assert_int_equal(rc, NC_ENOMEM);
        assert_true(nth < 5000);
    }
    (void)end_failing();
}

/* ---- room ---- */

TEST(a_thousand_commits_leave_little_unused)
{
    static const size_t chunks[] = {32 << 10, 800};
    static char         bytes[32 << 10];
    static help_model   m;

    for (size_t k = 0; k < NCZ_LEN(chunks); k++) {
        session            s;
        ncz_container_sums sums;

        begin(&s, &m, 8, 0);
        for (unsigned i = 0; i < 1000; i++) {
            for (unsigned v = 1; v <= 20; v += 19) {
                uint64_t at[] = {i, 0, 0};

                assert_int_equal(zmap_put(s.map, help_key(&m, v, at), bytes, chunks[k] - i % 50), NC_NOERR);
            }
            assert_int_equal(help_commit(&m, s.map, i < 999 ? &plain : &last), NC_NOERR);
        }
        ncz_container_count(s.map, &sums);
        assert_true(sums.end == s.f.len);
        if ((sums.free + sums.given_up) * 100 > sums.end * 5)
            fail_msg("%llu of %llu bytes", (unsigned long long)(sums.free + sums.given_up),
                     (unsigned long long)sums.end);
        end(&s);
    }
}

TEST(without_reuse_what_a_commit_gave_up_stays)
{
    const ncz_container_commit_opts never = {.reuse_after = -1};
    static help_model               m;
    session                         s;
    ncz_container_sums              sums;

    begin(&s, &m, 8, 0);
    for (unsigned i = 0; i < 10; i++) {
        change(&s, 30);
        commit(&s, &never);
    }
    ncz_container_count(s.map, &sums);
    assert_true(sums.given_up > 10000);
    end(&s);
}

/* The root, headers and trees lie before all chunks. */
TEST(metadata_of_the_last_commit_go_to_the_room_in_front)
{
    static help_model m;
    session           s;
    ncz_hdf5_layout   layout;
    char              bytes[200] = {1};

    begin(&s, &m, 8, 20000);
    assert_int_equal(ncz_container_set_front(s.map, 10000), NC_NOERR);
    for (uint64_t i = 0; i < 60; i++) {
        uint64_t at[] = {i % 7, i / 7};

        assert_int_equal(zmap_put(s.map, help_key(&m, 1, at), bytes, sizeof bytes), NC_NOERR);
        help_note(&m, 1, at, bytes, sizeof bytes);
    }
    commit(&s, &plain);
    assert_int_equal(ncz_container_set_front(s.map, 10), NC_EINVAL);
    assert_int_equal(ncz_container_layout(s.map, 1, &layout), NC_NOERR);
    assert_true(layout.addr > 10048);
    assert_int_equal(ncz_container_to_front(s.map, 2000), NC_NOERR);
    commit(&s, &last);
    assert_int_equal(ncz_container_layout(s.map, 1, &layout), NC_NOERR);
    assert_true(layout.addr < 10048);
    assert_true(s.f.len < 10200 + 60 * sizeof bytes);
    end(&s);
}

/* Chunks that are put from the last to the first leave nodes half full; in the file they are full. */
TEST(a_tree_is_written_with_full_nodes)
{
    static help_model  m;
    session            s;
    ncz_container_sums sums;
    char               bytes[20] = {1};
    uint64_t           least;

    begin(&s, &m, 8, 0);
    for (uint64_t i = 400; i-- > 0;) {
        uint64_t at[] = {i % 20, i / 20};

        assert_int_equal(zmap_put(s.map, help_key(&m, 1, at), bytes, sizeof bytes), NC_NOERR);
        help_note(&m, 1, at, bytes, sizeof bytes);
    }
    commit(&s, &last);
    ncz_container_count(s.map, &sums);
    assert_true(ncz_hdf5_tree_bound(2, 8, 400, &least));
    assert_true(sums.end < least + 400 * sizeof bytes + 3000);
    end(&s);
}

/* ---- an opened file ---- */

static int
load_chunks(void *arg, ncz_hdf5_tree *t)
{
    help_object   *x = arg;
    ncz_hdf5_place place = {.addr = x->at[3], .len = (uint32_t)x->len}, old;

    return ncz_hdf5_tree_set(t, x->at, &place, &old);
}

TEST(an_array_that_was_there_is_kept_until_it_changes)
{
    static help_model  m;
    session            s;
    zmap              *file = NULL;
    ncz_hdf5_layout    chunked, compact, rest;
    uint64_t           at[] = {2, 3}, end_said;
    help_object        there = {.at = {2, 3}, .len = 5};
    ncz_container_sums sums;

    begin(&s, &m, 32, 0);
    assert_int_equal(zmap_put(s.map, "1/2.3", "12345", 5), NC_NOERR);
    assert_int_equal(zmap_put(s.map, "4/0", "compact!!", 9), NC_NOERR);
    assert_int_equal(zmap_put(s.map, "3/0.0", "ABCDEFGHIJKLMNOPQRSTUVWX", 24), NC_NOERR);
    help_note(&m, 3, (uint64_t[]){0, 0}, "ABCDEFGHIJKLMNOPQRSTUVWX", 24);
    help_note(&m, 1, at, "12345", 5);
    help_note(&m, 4, (uint64_t[]){0}, "compact!!", 9);
    commit(&s, &last);
    assert_int_equal(ncz_container_layout(s.map, 1, &chunked), NC_NOERR);
    assert_int_equal(ncz_container_layout(s.map, 4, &compact), NC_NOERR);
    assert_int_equal(ncz_container_layout(s.map, 3, &rest), NC_NOERR);
    compact.data = (const unsigned char *)"compact!!";
    there.at[3] = 48; /* the first room */
    end_said = help_said_end(s.f.data, s.f.len);
    assert_int_equal(zmap_close(s.map, ZMAP_KEEP), NC_NOERR);

    assert_int_equal(log_file_open(&s.f, &file), NC_NOERR);
    assert_int_equal(ncz_container_open(file, end_said, 32, NCZ_HDF5_NONE, &s.map), NC_NOERR);
    for (size_t i = 0; i < m.narrays; i++) {
        m.arrays[i].is_there = m.arrays[i].uid == 1 || m.arrays[i].uid == 4 || m.arrays[i].uid == 3;
        m.arrays[i].kept = m.arrays[i].uid == 1 ? chunked : m.arrays[i].uid == 4 ? compact : rest;
    }
    m.arrays[0].load = load_chunks;
    m.arrays[0].load_arg = &there;
    help_set_arrays(&m, s.map);
    help_note(&m, 3, (uint64_t[]){1, 0}, "\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7", 24);
    help_note(&m, 3, (uint64_t[]){2, 0}, "\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7", 24);
    help_check_map(&m, s.map);
    assert_false(ncz_container_changed(s.map));
    commit(&s, &plain);
    assert_int_equal(zmap_put(s.map, "1/0.0", "abc", 3), NC_NOERR);
    help_note(&m, 1, (uint64_t[]){0, 0}, "abc", 3);
    assert_int_equal(zmap_put(s.map, "3/2.0", "abcdefghijkl\7\7\7\7\7\7\7\7\7\7\7\7", 24), NC_NOERR);
    help_note(&m, 3, (uint64_t[]){2, 0}, "abcdefghijkl\7\7\7\7\7\7\7\7\7\7\7\7", 24);
    commit(&s, &plain);
    help_check_map(&m, s.map);
    /* All but the first 5 bytes of data was given up, and is used again. */
    assert_int_equal(ncz_container_use(s.map, (ncz_container_range[]){{48, 5}, {0, 48}}, 2, false), NC_NOERR);
    ncz_container_count(s.map, &sums);
    assert_true(sums.given_up >= end_said - 53);
    end(&s);
}

/* ---- files that replace others ---- */

TEST(a_file_that_replaces_another_does_so_at_the_first_commit)
{
    static help_model m;

    for (unsigned durable = 0; durable < 2; durable++) {
        const ncz_container_commit_opts o = {.durable = durable != 0};
        zmap                           *inner = NULL, *file = NULL, *map = NULL;
        ncz_buf                         body = NCZ_BUF_INIT;

        help_arrays(&m);
        assert_int_equal(zmap_mem_open(&inner), NC_NOERR);
        assert_int_equal(zmap_put(inner, "f.nc", "old", 3), NC_NOERR);
        zmap_ref(inner);
        assert_int_equal(zmap_single_open(inner, "f.nc", ZMAP_CREATE_NEW, true, &file), NC_NOERR);
        assert_int_equal(ncz_container_create(file, 32, 0, &map), NC_NOERR);
        help_set_arrays(&m, map);
        assert_int_equal(help_change(&m, map), NC_NOERR);
        assert_int_equal(zmap_sync(map), NC_NOERR);
        assert_int_equal(zmap_get(inner, "f.nc", &body), NC_NOERR);
        assert_string_equal(body.data, "old");
        assert_int_equal(help_commit(&m, map, &o), NC_NOERR);
        ncz_buf_reset(&body);
        assert_int_equal(zmap_get(inner, "f.nc", &body), NC_NOERR);
        help_check_file(&m, body.data, body.len);
        ncz_buf_clear(&body);
        help_model_clear(&m);
        assert_int_equal(zmap_close(map, ZMAP_KEEP), NC_NOERR);
        assert_int_equal(zmap_close(inner, ZMAP_KEEP), NC_NOERR);
    }
}

TEST(without_a_commit_the_file_that_was_to_be_replaced_stays)
{
    zmap   *inner = NULL, *file = NULL, *map = NULL;
    ncz_buf body = NCZ_BUF_INIT;

    assert_int_equal(zmap_mem_open(&inner), NC_NOERR);
    assert_int_equal(zmap_put(inner, "f.nc", "old", 3), NC_NOERR);
    zmap_ref(inner);
    assert_int_equal(zmap_single_open(inner, "f.nc", ZMAP_CREATE_NEW, true, &file), NC_NOERR);
    assert_int_equal(ncz_container_create(file, 32, 0, &map), NC_NOERR);
    assert_int_equal(zmap_close(map, ZMAP_KEEP), NC_NOERR);
    assert_int_equal(zmap_get(inner, "f.nc", &body), NC_NOERR);
    assert_string_equal(body.data, "old");
    ncz_buf_clear(&body);
    assert_int_equal(zmap_close(inner, ZMAP_KEEP), NC_NOERR);
}
