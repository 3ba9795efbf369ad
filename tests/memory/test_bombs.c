/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small files that claim to be large take little memory: a manifest of an Icechunk repository of some kilobytes that
 * unpacks to 100 MB and to 10 GB, keys that a rule of a set of references makes, templates that double. Each is opened
 * and read in a process of its own, whose highest memory is looked at.
 *
 * usage: test_bombs
 *        test_bombs WAY PLACE     (itself)
 */
#include "nczarr.h"
#include "support/peak.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum way { MANIFEST_100MB, MANIFEST_10GB, RULE, TEMPLATES, WAYS } way;

static const struct {
    const char *name;
    size_t      most; /* MiB */
} ways[WAYS] = {
    {"a manifest of 100 MB", 330}, {"a manifest of 10 GB", 330}, {"10^12 keys", 48}, {"templates that double", 48}};

/* ---- the bombs ---- */

/* Behind the head of a file of the repository: blocks of 128 KiB of one byte each. */
static void
blow_up(const char *path, size_t blocks)
{
    static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58}, block[] = {0x02, 0x00, 0x10, 0x00};
    size_t                     len = 0, head = 39;
    char *was = scratch_read(path, &len), *now = malloc(head + sizeof frame + blocks * sizeof block);

    if (was == NULL || now == NULL || len < head)
        exit(1);
    memcpy(now, was, head);
    memcpy(now + head, frame, sizeof frame);
    for (size_t i = 0; i < blocks; i++)
        memcpy(now + head + sizeof frame + i * sizeof block, block, sizeof block);
    now[head + sizeof frame + (blocks - 1) * sizeof block] |= 1; /* the last */
    scratch_write(path, now, head + sizeof frame + blocks * sizeof block);
    free(was);
    free(now);
}

static void
make_repository(const char *place, size_t blocks)
{
    char  command[2000], file[500];
    FILE *names;

    snprintf(command, sizeof command, "cp -r '%s/icechunk/spec2' '%s' && chmod -R u+w '%s' && ls '%s'/manifests/*",
             NCZ_TEST_DATA, place, place, place);
    if ((names = popen(command, "r")) == NULL)
        exit(1);
    while (fgets(file, sizeof file, names) != NULL) {
        file[strcspn(file, "\n")] = '\0';
        blow_up(file, blocks);
    }
    (void)pclose(names);
}

static void
make_set(const char *place, bool rule)
{
    char text[8000], *at = text;

    at += sprintf(at, "{\"version\":1,\"templates\":{\"t0\":\"%0100d\"", 7);
    for (int i = 1; i < 60 && !rule; i++)
        at += sprintf(at, ",\"t%d\":\"{{t%d}}{{t%d}}\"", i, i - 1, i - 1);
    at += sprintf(at, "}");
    if (rule)
        at +=
            sprintf(at, ",\"gen\":[{\"key\":\"a/{{i}}.{{j}}\",\"url\":\"x\",\"dimensions\":{\"i\":{\"stop\":1000000},"
                        "\"j\":{\"stop\":1000000}}}]");
    at += sprintf(
        at,
        ",\"refs\":{\".zgroup\":{\"zarr_format\":2},\"a/.zarray\":{\"zarr_format\":2,\"shape\":[4],\"chunks\":[2],"
        "\"dtype\":\"|u1\",\"compressor\":null,\"filters\":null,\"fill_value\":9,\"order\":\"C\"},"
        "\"a/0\":[\"{{t59}}\",0,2]}}");
    scratch_write(place, text, (size_t)(at - text));
}

static void
make(way w, const char *place)
{
    if (w == MANIFEST_100MB || w == MANIFEST_10GB)
        make_repository(place, w == MANIFEST_100MB ? 800 : 80000);
    else
        make_set(place, w == RULE);
}

/* ---- one of them, in a process of its own ---- */

/* Everything must fail: nothing is there that can be read. */
static int
child(const char *place)
{
    size_t before = peak_resident();
    int    ncid, nvars = 0, errors = 0;
    void  *values = malloc((size_t)1 << 20);

    if (nc_open(place, NC_NOWRITE, &ncid) != NC_NOERR) {
        errors++;
    } else {
        if (nc_inq_nvars(ncid, &nvars) != NC_NOERR)
            errors++;
        for (int v = 0; v < nvars; v++) {
            size_t one[8] = {0};

            errors += nc_get_var1(ncid, v, one, values) != NC_NOERR;
        }
        (void)nc_close(ncid);
    }
    free(values);
    printf("%zu %d\n", peak_highest() - before, errors);
    return 0;
}

static bool
check(way w, const char *dir)
{
    char   place[400], args[500];
    size_t found[2] = {0, 0};
    bool   fine;

    snprintf(place, sizeof place, "%s/%d%s", dir, (int)w, w >= RULE ? ".json" : "");
    make(w, place);
    snprintf(args, sizeof args, "%d '%s'", (int)w, place);
    fine = peak_run(1, args, found, 2) && found[0] <= ways[w].most * MIB && found[1] > 0;
    printf("[%s] bombs: %s: %zu MiB, may be %zu; %zu errors\n", fine ? "       OK " : "  FAILED  ", ways[w].name,
           found[0] / MIB, ways[w].most, found[1]);
    return fine;
}

int
main(int argc, char **argv)
{
    bool  fine = true;
    char *dir;

    if (argc == 3)
        return child(argv[2]);
    if (PEAK_SANITIZED) {
        printf("skipped: a sanitizer's own memory cannot be told from ours\n");
        return 77;
    }
    if ((dir = peak_dir("bombs")) == NULL)
        return 1;
    for (way w = 0; w < WAYS; w++)
        fine = check(w, dir) && fine;
    return peak_dir_end(dir) && fine ? 0 : 1;
}
