/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map_print.c: the bytes of an object: as they are, as text, or in hexadecimal; read in pieces, whatever their
 * number.
 */
#include "map_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20, ROW = 16, DUMP_BYTES = 64 };

static void
print_hex_row(FILE *out, const char *indent, unsigned long long at, const unsigned char *p, size_t n)
{
    fprintf(out, "%s%08llx ", indent, at);
    for (size_t i = 0; i < ROW; i++)
        if (i < n)
            fprintf(out, "%s%02x", i == ROW / 2 ? "  " : " ", p[i]);
        else
            fputs(i == ROW / 2 ? "    " : "   ", out);
    fputs("  |", out);
    for (size_t i = 0; i < n; i++)
        fputc(p[i] >= 0x20 && p[i] < 0x7F ? p[i] : '.', out);
    fputs("|\n", out);
}

static void
print_bytes(const map_opts *o, unsigned long long at, const unsigned char *p, size_t n, bool hex)
{
    if (!hex)
        fwrite(p, 1, n, o->out);
    for (size_t i = 0; hex && i < n; i += ROW)
        print_hex_row(o->out, "", at + i, p + i, n - i < ROW ? n - i : ROW);
}

int
map_cat(nczarr_map *map, const map_opts *o, const char *key)
{
    unsigned long long len = 0, end;
    unsigned char     *piece;
    int                rc;

    if ((rc = nczarr_map_len(map, key, &len)) != NC_NOERR)
        return map_fail(o, rc, key);
    if (o->start > len || (o->count != NCZARR_MAP_WHOLE && o->count > len - o->start))
        return message_error(NC_EINVAL, "%s: %s has only %llu bytes", o->path, key, len);
    end = o->count == NCZARR_MAP_WHOLE ? len : o->start + o->count;
    piece = memory_alloc(PIECE, 1);
    for (unsigned long long at = o->start; rc == NC_NOERR && at < end; at += PIECE) {
        size_t n = end - at < PIECE ? (size_t)(end - at) : PIECE;

        if ((rc = nczarr_map_read(map, key, at, n, piece)) == NC_NOERR)
            print_bytes(o, at, piece, n, o->hex);
        else
            (void)map_fail(o, rc, key);
    }
    free(piece);
    return rc;
}

static bool
is_text(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < 0x20 && !isspace(p[i]))
            return false;
    return n > 0 && (p[0] == '{' || p[0] == '[');
}

/* Documents whole, of anything else the beginning. */
int
map_print(nczarr_map *map, const map_opts *o, const char *key)
{
    void  *data = NULL;
    size_t len = 0, shown;
    int    rc = nczarr_map_get(map, key, &data, &len);

    if (rc != NC_NOERR)
        return map_fail(o, rc, key);
    if (!o->hex && is_text(data, len)) {
        fprintf(o->out, "              %.*s\n", (int)len, (const char *)data);
    } else {
        shown = o->hex || len <= DUMP_BYTES ? len : DUMP_BYTES;
        for (size_t i = 0; i < shown; i += ROW)
            print_hex_row(o->out, "              ", i, (const unsigned char *)data + i,
                          shown - i < ROW ? shown - i : ROW);
        if (shown < len)
            fprintf(o->out, "              ...\n");
    }
    free(data);
    return NC_NOERR;
}
