/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_int.h: what the files of nczcopy's engine share.
 *
 * Running out of memory ends the program with a message (memory.h): an interrupted copy does no harm. All other
 * failures are reported where they occur, by message_fail(), and callers pass the codes on.
 */
#ifndef NCZCOPY_COPY_INT_H
#define NCZCOPY_COPY_INT_H

#include "common/group_tree.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/size_text.h"
#include "common/text_buf.h"
#include "common/unfinished.h"
#include "common/user_type.h"
#include "common/var_inquiry.h"
#include "common/zarr_version.h"
#include "copy.h"

#include "platform/platform.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

/* ---- copy_report.c ------------------------------------------------------------------------------------------ */

/* Messages name nczcopy, and clear the progress line. Once, before all others. */
void copy_report_begin(void);

/*
 * The path or URL of what --resume can continue from now on; NULL: nothing. From then on every failure ends with one
 * sentence that says so: copy_say_unfinished() prints it, or nothing when there is nothing to continue.
 */
void copy_set_unfinished(const char *what);
/* A damaged chunk ended the copy: the sentence then says how to continue in spite of it. */
void copy_set_damage_met(void);
void copy_say_unfinished(void);
/* The same at the end of a copy that failed with `rc`: not where --resume would fail in the same way. */
void copy_say_continuable(int rc);

#define COPY_STOPPED 1 /* returned in place of a netCDF code: a signal asked for an end */
/* NC_NOERR, or COPY_STOPPED from the first signal on. */
int copy_check_interrupt(void);

void copy_clear_line(void);           /* clears the progress line, before a message */
void copy_set_line_drawn(bool drawn); /* under the lock of stderr */

/* ---- copy_tree.c -------------------------------------------------------------------------------------------- */

/* Removes all that is in the directory, the documents of a dataset's root last: a copy that is killed meanwhile leaves
 * the remains of a dataset. False: not all of it, with errno. */
bool copy_remove_all(const char *path);
/* Removes the files whose names begin with the prefix, at any depth. */
bool copy_remove_temporaries(const char *path, const char *prefix);
/* Removes the files whose names begin with the prefix and that nobody has written to for so long. */
bool copy_remove_stale(const char *path, const char *prefix, int seconds);

/* ---- what the copy lacks: copy_losses.c ---------------------------------------------------------------------- */

/* An object of the source, or (`att` not NULL) one of its attributes, that the copy lacks. */
typedef struct copy_loss {
    char *object; /* its path */
    char *att;
    char *why;
} copy_loss;

typedef struct copy_losses {
    copy_loss *v;
    size_t     n;
} copy_losses;

/* Adds one and says it. Nothing if the list has it. */
void copy_lose(copy_losses *l, const char *object, const char *att, const char *why);
bool copy_is_lost(const copy_losses *l, const char *object, const char *att);
void copy_losses_clear(copy_losses *l);

/* ---- what is copied: copy_source.c --------------------------------------------------------------------------- */

typedef struct copy_target copy_target;

typedef struct copy_group {
    int   in, out; /* ncids */
    char *path;
    char *prefix; /* in a classic file: before names, "a_b_" of /a/b; else NULL */
} copy_group;

#define COPY_NOWHERE SIZE_MAX

typedef struct copy_dim {
    int    in, out; /* ids; out -1: not made (yet) */
    size_t group;   /* in copy.groups; COPY_NOWHERE: it is left out */
    char  *name, *name_out;
    size_t len;    /* of the copy */
    size_t len_in; /* of the source */
    bool   unlimited;
} copy_dim;

/* In a classic file: a dimension for the characters of strings. */
typedef struct copy_text_dim {
    size_t len;
    char  *name;
    int    out; /* -1: not made (yet) */
} copy_text_dim;

typedef struct copy_type {
    nc_type in, out; /* out NC_NAT: not defined (yet) */
    size_t  group;   /* in copy.groups; COPY_NOWHERE: it is left out */
} copy_type;

typedef struct copy_var {
    size_t                group; /* in copy.groups */
    int                   in, out;
    char                 *path, *name, *name_out;
    nc_type               type;  /* in the source */
    size_t                item;  /* bytes of an element in memory: for strings what the longest may take */
    size_t                value; /* ... and of the array that holds it: strings have their lengths, as nc_vlen_t */
    size_t                width; /* of a stored string */
    int                   rank;
    size_t               *dims;                         /* places in copy.dims */
    size_t               *shape, *chunk_in, *chunk_out; /* the shape is the copy's */
    const hyperslab_dim **part;                         /* of each dimension, what is copied; NULL: all of it */
    bool                  partial;                      /* of some not all */
    size_t               *shard_in, *shard_out;         /* NULL: no shards */
    size_t               *packed;                       /* the chunks of --cmip7; NULL: it changes nothing */
    size_t                nelems;
    bool                  data;        /* its data are copied */
    bool                  carried;     /* its data cannot be read: document and chunks go as they are, if at all */
    char                 *why;         /* why its data cannot be read */
    bool                  raw;         /* chunks are copied without decoding */
    bool                  raw_objects; /* objects are copied whole: both sides have the same shards */
    bool                  raw_ranges;  /* chunks are ranges of an HDF5 file; some may need decoding */
    bool                  raw_gaps;    /* chunks that are not stored are written: the fill value differs */
    nc_type               type_out;    /* in a classic file; else NC_NAT */
    bool                  text;        /* in a classic file: its strings are characters, */
    size_t                text_len;    /* so many each, */
    size_t                text_dim;    /* along this one of copy.texts */
    struct copy_refer    *refer;       /* of a set of references; else NULL */
    int                   late;        /* number of its first attribute that waits for the data; -1: none */
} copy_var;

typedef struct copy_source {
    int                      ncid;
    hyperslab                part;   /* what -d chooses */
    copy_group              *groups; /* parents before children */
    size_t                   ngroups;
    copy_dim                *dims;
    size_t                   ndims;
    copy_type               *types; /* the user-defined ones */
    size_t                   ntypes;
    copy_var                *vars;
    size_t                   nvars;
    copy_losses              losses;
    struct copy_refer_files *files; /* of a set of references; else NULL */

    /* What copy_fit_classic() sets. */
    int            cdf; /* version of the classic file that is made of it; 0: Zarr */
    copy_text_dim *texts;
    size_t         ntexts;
} copy_source;

/* Opens the source, or all of several as one, for reading; reported. */
int copy_open_source(const copy_opts *o, int *ncid);
/* What was passed over in the source, because something else served. */
void copy_say_warnings(const copy_opts *o, int ncid);
/* Whether a target is the source, one of several, or inside of one; `probe`: by an object that is put there. */
int copy_overlaps(const copy_opts *o, const char *target, bool probe, int *one);
/* Loads what the options choose from the open source. */
int  copy_source_load(const copy_opts *o, copy_source *s);
void copy_source_clear(copy_source *s);
/* Of the data in memory, for the progress. */
double copy_data_bytes(const copy_source *s);
void   copy_var_clear(copy_var *v);
/* The variable, which has been named as a loss, is left out of the copy. */
void copy_drop_var(copy_source *s, size_t i);
/* The same for a group, with all that is in it. */
void copy_drop_group(copy_source *s, size_t g);
/* What becomes of variables that cannot be read, once the target is chosen. */
int copy_settle_carried(const copy_opts *o, copy_source *s, const copy_target *t);

/* ---- lengths of -c and --shards: copy_lengths.c -------------------------------------------------------------- */

/* The settings of -c or --shards for a dimension, a variable, all variables; the last one given, or NULL. */
const copy_lengths *copy_lengths_of_dim(const copy_lengths_list *l, const char *name);
const copy_lengths *copy_lengths_of_var(const copy_lengths_list *l, const char *path);
const copy_lengths *copy_lengths_of_all(const copy_lengths_list *l);
/* True if lengths by dimension are not for the variable: it has fewer bytes than -M says, no unlimited dimension. */
bool copy_is_small(const copy_opts *o, const copy_source *s, const copy_var *v);
void copy_lengths_clear(copy_lengths_list *l);

/* ---- a part of the source: copy_part.c ----------------------------------------------------------------------- */

/* What is copied of a variable, in group `in` of the source. With a log damaged chunks read as fill. */
hyperslab_var copy_part_of(int in, const copy_var *v, damage_log *log);
/* As nc_get_vara(), with indices in the part that is copied. With a log damaged chunks read as fill. */
int copy_read_piece(int in, const copy_var *v, damage_log *log, const size_t *start, const size_t *count, void *data);
/* Frees what n values that were read point to. */
void copy_free_piece(int in, const copy_var *v, void *data, size_t n);
/* Puts values as they were read. */
int copy_put_piece(int out, const copy_var *v, const size_t *start, const size_t *count, const void *data);
/* True if the part is made of whole units, chunks or shards of these lengths. */
bool copy_part_is_aligned(const copy_source *s, const copy_var *v, const size_t *unit);
/* Of an aligned part: a unit's place in the source becomes that in the copy. False: it is not in the part. */
bool copy_part_index(const copy_var *v, const size_t *unit, size_t *index);
/* ... where it begins in the source's dimension d. */
size_t copy_part_start(const copy_var *v, int d);

/* ---- types: copy_types.c ------------------------------------------------------------------------------------- */

/* Defines the user-defined types of the source's groups, whose target groups exist. One that cannot be is left out. */
int copy_define_types(copy_source *s);
/* The target's type. NC_EBADTYPE: it is of a group that is not copied, or left out. */
int copy_map_type(const copy_source *s, nc_type in, nc_type *out);

/* Of values in memory, of any type of the dataset: bytes of one; frees what they point to, not the values. */
int  copy_type_size(int ncid, nc_type type, size_t *size);
void copy_free_values(int ncid, nc_type type, void *values, size_t n);

/* Values of a type of the dataset. */
typedef struct copy_values {
    int         ncid;
    nc_type     type;
    const void *values;
} copy_values;

/* False also if the types do not hold the same values: user_type_is_equal(). */
bool copy_compare_user_values(const copy_values *a, const copy_values *b, size_t n);

static inline size_t
copy_divide_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* ---- budget: copy_plan.c ------------------------------------------------------------------------------------- */

typedef struct copy_budget {
    size_t slab;  /* bytes of the piece that is read and written at once */
    size_t cache; /* of each of the two datasets */
    int    threads;
    int    movers; /* threads that move chunks as they are */
} copy_budget;

size_t copy_gcd(size_t a, size_t b);
size_t copy_memory(const copy_opts *o); /* what the options say, or the default */
/* Of the chunk cache of each dataset: needed before they are open. */
size_t copy_cache_bytes(const copy_opts *o);

/*
 * Divides the memory. `chunk` is the largest chunk of either side that must be coded, `least` the largest that must
 * lie in one piece, `moved` the largest that goes as it is. False: it is not enough; *wanted says what is.
 */
bool copy_divide_memory(const copy_opts *o, size_t chunk, size_t least, size_t moved, copy_budget *b, size_t *wanted);

/*
 * The shape of the pieces of an array: whole target chunks, or whole shards where they fit, at most `room` bytes (but
 * at least one chunk), chosen so that source chunks are read as few times as possible. step[0 .. rank).
 */
void copy_plan_pieces(const copy_var *v, size_t room, size_t *step);

/* The pieces of an array, one after the other. start and count have one more number, for texts that are stored as
 * characters: 0 and text_len. */
typedef struct copy_pieces {
    const copy_var *v;
    size_t         *step;          /* the shape of a piece */
    size_t         *start, *count; /* of the present one */
    size_t          n;             /* its elements; no piece has more than the first */
} copy_pieces;

void   copy_pieces_begin(copy_pieces *p, const copy_var *v, size_t room); /* at the first */
bool   copy_pieces_next(copy_pieces *p);                                  /* false after the last */
size_t copy_pieces_chunks(const copy_pieces *p);                          /* target chunks of the present one */
void   copy_pieces_clear(copy_pieces *p);

/* ---- the target: copy_place.c, copy_target.c ------------------------------------------------------------------- */

/* COPY_FILE: a classic netCDF file, or a netCDF-4 one. */
typedef enum copy_target_kind { COPY_DIR, COPY_ARCHIVE, COPY_FILE, COPY_REMOTE } copy_target_kind;

struct copy_target {
    copy_target_kind  kind;
    nczarr_path_parts parts;      /* of what the user asked for, with the options' modes; once chosen, of `url` */
    char             *url;        /* ... and with what was chosen, once it is */
    char             *path;       /* of a directory or file: its final path, with a link of its name followed */
    char             *temp_path;  /* ... and where it is created */
    char             *temp_place; /* ... as the user would write it, without a fragment */
    char             *work;       /* the argument of nc_create() */
    int               lock;       /* on what is being made there; -1: none */
    char             *marker;     /* what the attribute says */
    int               ncid;
    bool              by_source;        /* a file: the source decides of which kind */
    bool              classic, netcdf4; /* a classic netCDF file, a netCDF-4 one; the next four are of Zarr */
    int               zarr_format;      /* 2 or 3 */
    int               nczarr;           /* with NCZarr's metadata; else pure Zarr */
    bool              version_given, nczarr_given; /* by an option or the fragment; else as the source is */
    bool              open, resumed;
    bool              resumable;
    bool              in_memory; /* until it is closed */
    bool              marks;     /* visible before it is complete, marked by the attribute */
};

/* Where it is, and what the options and its fragment say. Failures of all these are reported. */
int copy_target_name(const copy_opts *o, copy_target *t);
/* Not the name of a file of another format, without a mode. */
int copy_check_format(const copy_target *t);
/* Of a place on a disk: its path, and the one where it is made. */
int copy_name_beside(const copy_opts *o, copy_target *t);
/* Gives what was made there its name, durably. */
int copy_rename_temp(copy_target *t);
/* Of a file whose name says no more than that it is one: of which kind, by the open source. */
int copy_target_settle(const copy_opts *o, copy_target *t, int source);
/* NC_EINVAL if source and target are one place, or one is inside the other: copying would then change the source. By
 * their names, and by an object that is put at the target, before anything is removed there. */
int copy_check_apart(const copy_opts *o, const copy_target *t);
int copy_check_stores(const copy_opts *o, const copy_target *t);
/* Takes from the open source what neither options nor fragment say: version of Zarr, NCZarr or pure Zarr, version of
 * a classic file. */
int copy_target_choose(const copy_opts *o, copy_target *t, const copy_source *s);
/* The path or URL with more keys in its fragment, in new memory. NULL: it is malformed, which is reported. */
char *copy_add_keys(const char *url, const char *keys);
/* Says on stdout what replacing the target would remove; fails if it would be refused. */
int copy_target_foresee(const copy_opts *o, const copy_target *t);
/* Creates it; with --resume opens what an interrupted copy left, if anything is there. */
int copy_target_open(const copy_opts *o, copy_target *t);
/* All definitions are committed, and the copy can be resumed from now on. */
int copy_target_begin(copy_target *t);
/* Deletes the attribute, stores everything and closes the dataset. */
int copy_target_finish(copy_target *t);
/* Renames the new dataset to its final path. */
int  copy_target_publish(const copy_opts *o, copy_target *t);
void copy_target_clear(copy_target *t); /* an open one is aborted or left to be resumed */

/* ---- definitions: copy_define.c, copy_define_var.c, copy_atts.c, copy_shards.c, copy_codecs.c ----------------- */

int copy_define(const copy_opts *o, copy_source *s, int out);
/* The same with all that otherwise waits for the data: what is made then is all but these. */
int copy_define_all(const copy_opts *o, copy_source *s, int out);
int copy_define_vars(const copy_opts *o, copy_source *s);
/* What one object makes impossible costs it alone, with --skip-unreadable: NC_NOERR; else `rc`, with a message. */
int copy_leave_out(const copy_opts *o, copy_source *s, int rc, const char *path, const char *why); /* copy_losses.c */
/* The attributes of a variable, or (`v` NULL) of group g; not those that wait for the data. */
int copy_atts(copy_source *s, size_t g, copy_var *v);
/* An attribute without a name, which JSON can have, is not among those of netCDF: it is copied, or left out by name. */
int copy_nameless_att(copy_source *s, const char *path, int in, int varid_in, int out, int varid_out);
/* Of a target that is resumed: what it was left without; the number of the first attribute that waits, or -1. */
int copy_find_lost_atts(copy_source *s, size_t g, const copy_var *v);
int copy_find_late_att(const copy_source *s, const copy_var *v);
/* Finds the same dimensions and variables in a target that is resumed. */
int copy_find_definitions(const copy_opts *o, copy_source *s, int out);
/* Sets the lengths of unlimited dimensions. */
int copy_grow_dims(const copy_opts *o, const copy_source *s, int out);
/* Of the text of an encoding: drops a member; and cuts out the fill value, which it returns in new memory. */
void  copy_drop_from_encoding(char *encoding, const char *member);
char *copy_cut_fill(char *encoding);
#define COPY_FILL_NULL ", \"fill_null\": true" /* other readers do not know the fill value */
/* Whether chunks are encoded alike, by two texts of nczarr_inq_var_encoding(), which are changed. *other_fill: what is
 * not stored reads otherwise. */
bool copy_compare_encodings(char *in, char *out, bool *other_fill);
/* Decides for each variable whether its chunks can be copied without decoding. */
int copy_find_raw(const copy_opts *o, copy_source *s);
int copy_late_atts(copy_source *s);
/* The shards, after the chunks. NC_EBADCHUNK: not a multiple of the chunks. */
int copy_choose_shards(const copy_opts *o, const copy_source *s, copy_var *v);
/* The NCZARR_COPY_ flags for a variable whose codecs -F or -d changes. */
int copy_codec_flags(const copy_opts *o, const copy_var *v);
/* What -F and -d change of the source's codecs. Reports what fails. COPY_USAGE: the library refuses what -F says. */
int copy_define_codecs(const copy_opts *o, const copy_source *s, const copy_var *v);
/* In a list of codecs as the library writes it: the end of the object (or list) that begins at `s`, or NULL; and the
 * name of the codec that is there, `len` bytes. */
const char *copy_codec_end(const char *s);
const char *copy_codec_name(const char *object, size_t *len);
/* copy_filters.c: says which filters of the source, or codecs that HDF5 lacks, the copy of a variable lacks; and once
 * that the copy keeps filters which TensorStore and GDAL do not read, unless -F or -d chose them. */
void copy_tell_rare_filters(const copy_opts *o, const copy_source *s, const copy_target *t);
void copy_tell_lost_filters(const copy_source *s, const copy_var *v);
/* The codecs of an array of the target, as it spells them, in new memory. */
int  copy_read_codecs(int out, int varid, char **text);
bool copy_check_filters(const char *spec); /* of -F; reports what is wrong with names, numbers and their form */
/* Checks that the names in -c, --shards and -F exist. */
int copy_check_options(const copy_opts *o, const copy_source *s);

/* copy_cmip7.c: with --cmip7 the chunks that CMIP7 asks for, unless -c says others. Such variables get shuffle,
 * deflate and fletcher32, unless -F says what. */
void copy_pack_cmip7(const copy_opts *o, const copy_source *s);

/* ---- a classic netCDF file: copy_classic.c, copy_classic_define.c ---------------------------------------------- */

typedef struct copy_state copy_state;

/* Decides what a classic file of this version (0: chosen) makes of the source; NC_ENOTNC4: it lacks something, which is
 * reported by name. */
int copy_fit_classic(copy_state *r, int version);
int copy_define_classic(copy_source *s, int out);
/*
 * The classic type of values of a type of the source, which may be one of CDF-5 alone: of an enum its integers, of
 * strings characters. *out is NC_NAT if there is none.
 */
int copy_classic_type(int ncid, nc_type type, nc_type *out);
/* The text that strings of an attribute become, in new memory; NULL: it cannot be read. */
char *copy_att_text(int grp, int varid, const char *name);
/* Shortens strings that have a NUL inside; false: none has. */
bool copy_end_at_nuls(nc_vlen_t *strings, size_t n);
/* The text of n strings, `len` bytes each, the rest NUL. False: one is longer. */
bool copy_pack_texts(const nc_vlen_t *strings, size_t n, size_t len, char *text);

/* ---- texts that are not UTF-8: copy_text.c ------------------------------------------------------------------- */

/* Says of an attribute that was copied that it is such a text, where others see another one. */
void copy_note_bytes(int in, int varid, const char *name, int out, const char *path);
/* Names the variables of characters that other readers get as numbers from `out`, unless they did from the source. */
void copy_tell_characters(const copy_source *s, int out);
/* The value of an attribute as pure Zarr has it. */
void copy_mend_texts(nc_type type, size_t *len, void **val);

/* ---- progress: copy_progress.c ------------------------------------------------------------------------------- */

typedef struct copy_progress {
    bool        on, json;
    const char *phase; /* "check", "copy", "verify" */
    bool        resumed;
    double      total; /* bytes, decoded */
    double      done;
    double      moved; /* of `done`, bytes moved by this run, for the rate */
    size_t      chunks;
    double      begun, shown; /* seconds */
    const char *what;
} copy_progress;

void copy_progress_begin(copy_progress *p, const copy_opts *o, double total);
void copy_progress_add(copy_progress *p, double bytes, bool moved, size_t chunks, const char *what);
void copy_progress_end(copy_progress *p, bool complete); /* draws the last line, or clears the line */

/* ---- another version of Zarr over the same chunks: copy_in_place.c, copy_documents.c ------------------------- */

/* The documents of a dataset, in the order in which they must be stored: the root's last, the last one of all makes the
 * dataset one of its version. */
typedef struct copy_documents {
    nczarr_map *map; /* in memory: holds them */
    char      **key;
    size_t      n;
    int         version; /* of Zarr */
} copy_documents;

/* Makes those of a dataset with the definitions of `s`, created with these modes. `s` gets its ids. */
int  copy_documents_make(const copy_opts *o, copy_source *s, const char *modes, copy_documents *docs);
void copy_documents_clear(copy_documents *docs);

int copy_in_place(const copy_opts *o);

/* ---- data: copy_slabs.c, copy_raw.c, copy_verify.c ----------------------------------------------------------- */

/* Chunks of a variable that are stored already, by their place in its grid. */
typedef struct copy_chunk_set {
    size_t *slots; /* place + 1; 0: free */
    size_t  cap, n;
} copy_chunk_set;

/*
 * Those of variable `varid` of `grp`, whose chunks have these lengths. `unit`: the lengths of what the set's places
 * are, multiples of the chunk's: the chunks themselves, or shards.
 */
int copy_chunk_set_load(int grp, int varid, const copy_var *v, const size_t *chunk, const size_t *unit,
                        copy_chunk_set *set);
/* Calls `each` once for each chunk, or object with raw_objects, of the part of the source that is copied: its place in
 * the copy, in units of these lengths, which are those of what is moved as it is. */
typedef int (*copy_unit_each)(const size_t *index, const char *key, unsigned long long length, void *arg);
int copy_list_units(int in, const copy_var *v, copy_unit_each each, void *arg);
static inline size_t *
copy_raw_unit(const copy_var *v)
{
    return v->raw_objects ? v->shard_in : v->chunk_in;
}
/* The next index of a box, in C order, from first[] to last[]; false: that was the last one. */
bool copy_next_index(int rank, const size_t *first, const size_t *last, size_t *at);
bool copy_chunk_set_add(copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *index); /* new? */
/* The chunks of the source. True: a piece without any of them need not be copied. */
bool copy_chunk_set_load_sparse(int in, int out, const copy_var *v, copy_chunk_set *source);
bool copy_chunk_set_has(const copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *index);
/* How many of the chunks that the piece touches are there; of how many. */
size_t copy_chunk_set_count(const copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *start,
                            const size_t *count, size_t *of);
size_t copy_grid_size(const copy_var *v, const size_t *chunk);
void   copy_chunk_set_clear(copy_chunk_set *set);

struct copy_state {
    const copy_opts *o;
    copy_source     *s;
    copy_target     *t;
    copy_budget      budget;
    copy_progress    progress;
    damage_log      *fill; /* --damaged=fill: damaged chunks are added, and read as fill; else NULL */
};

int copy_budget_for(copy_state *r); /* divides the memory; sets the number of threads */
int copy_slabs(copy_state *r, const copy_var *v);
/* Of a variable whose data are not copied: puts the fill value everywhere, in a file that has no other. */
int copy_fill(copy_state *r, const copy_var *v);
int copy_raw(copy_state *r, const copy_var *v);
/* Whether all chunks of the source are the same bytes in the target, whose variable is `varid` of `grp`. */
int copy_compare_raw(copy_state *r, const copy_var *v, int grp, int varid, bool *same);

/* ---- damaged chunks: copy_damage.c ----------------------------------------------------------------------------- */

/* Reports a failure to read the variable: says how to copy the rest, if it is damage. Returns rc. */
int copy_fail_read(const copy_state *r, int rc, const copy_var *v);
/* Adds the damaged chunks of what is copied of a variable to a log. */
int copy_scan_var(copy_state *r, const copy_var *v, damage_log *log);

/*
 * Of a variable whose chunks are copied without decoding, in units of these lengths: whether the unit at `index` of the
 * copy has a damaged chunk, `grid` being the source's; and the copy of its values, with the fill value in place of
 * damaged chunks.
 */
struct chunk_grid;
bool copy_unit_is_damaged(const copy_state *r, const copy_var *v, const size_t *unit, const struct chunk_grid *grid,
                          const size_t *index);
int  copy_unit_values(copy_state *r, const copy_var *v, const size_t *unit, nczarr_map *to, const size_t *index);

/* Scans all variables whose data are copied. `skip`: those with damaged chunks are left out, and that is reported. */
int copy_scan_all(copy_state *r, damage_log *log, bool skip);
/* NC_NOERR if the log is empty; else lists it, and returns COPY_DAMAGED. */
int copy_report_damage(const copy_state *r, const damage_log *log);

/* ---- a set of references: copy_references.c, copy_refer_define.c, copy_refer_chunks.c, copy_refer_files.c,
 * copy_refer_out.c ---- */

/* Where a part of a variable is: in a dataset of its own, or (`file` the source itself) all of it. */
typedef struct copy_refer_part {
    size_t  file;          /* in copy_refer_files; COPY_NOWHERE: nothing has it */
    char   *name;          /* of the variable there, with its groups */
    size_t *start, *count; /* in the source */
} copy_refer_part;

/* What a set says of a variable. */
typedef struct copy_refer {
    copy_refer_part *parts;
    size_t           nparts;
    bool             inlined;  /* its values are in the set, as one chunk */
    bool             ranges;   /* of a part that is one range of bytes, or one for each record */
    bool             filled;   /* it got the fill value of chunks that are not stored, which may be none */
    char            *why;      /* why its chunks cannot be referred to; NULL: they can */
    char            *encoding; /* of the first part's chunks; NULL with `ranges` */
    char            *dtype;
    atomic_size_t    stored; /* chunks that the set has of it */
} copy_refer;

typedef struct copy_refer_file {
    char *path;
    char *url; /* of the file, or of the folder whose objects are meant, with a slash; NULL: none can be given */
    const char *why;  /* then: why */
    bool        one;  /* it is one file */
    bool        set;  /* its objects lie at other places */
    int         ncid; /* -1: it is opened when it is needed */
    nczarr_map *map;
} copy_refer_file;

typedef struct copy_refer_files {
    int              source; /* the dataset that has them as its fragments */
    copy_refer_file *v;
    size_t           n, cap, last;
    char            *folder; /* of the set, absolute, with a slash */
    const char      *prefix;
} copy_refer_files;

/* Adds a dataset, or finds it. */
size_t copy_refer_file_add(copy_refer_files *f, const char *path);
/* Opens it, or (file 0 of a source that is no join) takes the open one. What it cannot give places for has `why`. */
int  copy_refer_file_open(const copy_refer_files *f, copy_refer_file *file, int ncid);
void copy_refer_file_close(copy_refer_file *file);
void copy_refer_files_clear(copy_refer_files *f);
/* Of what is stored without chunks: bytes from one row along the first dimension to the next, of `row` bytes each. */
int copy_refer_pitch(int grp, int varid, unsigned long long row, unsigned long long *pitch);
/* The place as the set has it, in new memory: relative to the set's folder if it is there or below, else absolute. */
char *copy_refer_url(const copy_refer_files *f, const char *place);

/* The set, as it is written. */
typedef struct copy_refer_out {
    FILE  *to; /* NULL: nothing is written */
    bool   any;
    size_t references, inlined;
} copy_refer_out;

/* Each adds to a text, without a call for each piece of it, in which a large set would spend its time: the key of a
 * member; that of a chunk, behind what copy_refer_prefix() makes of its array's path; a document with its key; bytes; a
 * range (`len` NCZARR_MAP_WHOLE: all) of what copy_refer_quote() makes of a place. */
void copy_refer_key(text_buf *t, const char *key);
void copy_refer_chunk_key(text_buf *t, const text_buf *prefix, const size_t *index, int rank);
void copy_refer_text(text_buf *t, const char *key, const char *text, size_t len);
void copy_refer_bytes(text_buf *t, const void *data, size_t len);
void copy_refer_range(text_buf *t, const text_buf *quoted, unsigned long long off, unsigned long long len);
/* Both replace the text. */
void copy_refer_prefix(text_buf *t, const char *array);
int  copy_refer_quote(text_buf *t, const char *url);
/* Writes members. */
int copy_refer_write(copy_refer_out *out, text_buf *t);

/* Looks where the parts of a variable are. */
int  copy_refer_look(copy_source *s, copy_refer_files *f);
void copy_refer_clear(copy_refer *r);
/* Defines it in the target: so that chunks can be referred to, or as one chunk of values. */
int copy_refer_define(const copy_opts *o, copy_source *s, copy_var *v, nc_type type, const int *ids);
/* Writes the references to all chunks, from several files at once. */
int copy_refer_chunks(copy_state *r, copy_refer_files *f, copy_refer_out *out);

int copy_references(const copy_opts *o);

/* An aggregation in place of a copy: copy_aggregate.c. */
int copy_aggregate(const copy_opts *o);

/* Compares the open target with the source. */
int copy_verify(copy_state *r);

/* What a copy would write, on stdout. */
int copy_dry_run(copy_state *r);

#endif /* NCZCOPY_COPY_INT_H */
