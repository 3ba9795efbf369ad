/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The members of codecs and chains, for the files that make and run them.
 */
#ifndef NCZ_FILTER_CHAIN_INT_H
#define NCZ_FILTER_CHAIN_INT_H

#include "filter/filter.h"

#include <stdatomic.h>

struct ncz_codec {
    atomic_size_t        refs;
    const ncz_codec_ops *ops;     /* NULL: unknown, or missing from this build */
    void                *state;   /* ops->state_size bytes; NULL: none */
    bool                 from_v3; /* of unknown codecs only, as are all below: `text` is in v3's spelling */
    char                *id;
    char                *text; /* its JSON text, as it was read */
    char                *why;  /* the error text for an attempt to run it */
};

/* Makes a codec with a zeroed state, which the caller fills. */
int ncz_codec_new(const ncz_codec_ops *ops, ncz_codec **out);
/* Makes a codec that only keeps its place in a chain. `why` NULL: no codec has that name. */
int ncz_codec_unknown(const char *id, const char *text, size_t len, const char *why, bool from_v3, ncz_codec **out);

#define NCZ_NUMCODECS       "numcodecs." /* before the ids of codecs that have no name of their own in Zarr v3 */
#define NCZ_CODEC_NOT_KNOWN "codec '%s' is neither built in nor registered"

struct ncz_chain {
    atomic_size_t          refs;
    size_t                 n; /* number of steps; never 0 */
    size_t                 to_bytes;
    size_t                 nrun;      /* number of entries of `run` */
    const ncz_chain_step **run;       /* the steps that change bytes */
    bool                   with_fill; /* some codec needs the fill value */
    ncz_array_type         in;        /* the chain owns its shape, order and fill; fill NULL unless with_fill */
    ncz_chain_step         steps[];
};

/* The codecs that a document lists, from which a chain is made. Holds references. */
typedef struct ncz_codec_list {
    ncz_codec **v;
    size_t      n;
} ncz_codec_list;

int  ncz_codec_list_init(ncz_codec_list *l, size_t room);        /* clear it, also after a failure */
void ncz_codec_list_append(ncz_codec_list *l, ncz_codec *codec); /* takes the reference */
void ncz_codec_list_clear(ncz_codec_list *l);

/* Makes a chain of the codecs; NULL for none. Codecs that depend on their input are made again for it. */
int        ncz_chain_make(const ncz_codec_list *list, const ncz_array_type *in, ncz_chain **out);
ncz_codec *ncz_chain_listed(const ncz_chain *c, size_t i); /* the i-th codec that a document lists; borrowed */

/* Whether chunks are smaller by it. Codecs that only move or round bytes make none smaller. */
bool ncz_codec_makes_smaller(const ncz_codec *codec);

/* Makes the codec for another input; a new reference to the same one if its state does not depend on the input. */
int ncz_codec_retype(ncz_codec *c, const ncz_array_type *in, ncz_codec **out);

/* The type of the data between two codecs, as it changes from one to the next. Clear nothing. */
typedef struct ncz_type_flow {
    ncz_array_type type;
    bool           with_fill; /* the fill value is needed. It is encoded into `fill` where codecs change values */
    unsigned char  fill[16];
} ncz_type_flow;

void ncz_type_flow_pass(ncz_type_flow *f, const ncz_codec *c); /* from the input of a codec to its output */

/* Whether the codec would store such an array as objects. */
bool ncz_codec_is_vlen(const ncz_codec_ops *ops, const ncz_array_type *in);

/*
 * Finds the codec that a JSON object in numcodecs' spelling names; for a caller's definition also in v3's. *out: its
 * name. *ops: a reference, or NULL if there is no such codec.
 */
int ncz_codec_look_up(const ncz_json *v, ncz_config_rules rules, const char **out, const ncz_codec_ops **ops);
/* Makes the codec from that object. */
int ncz_codec_read(const ncz_codec_ops *ops, const ncz_json *v, const ncz_array_type *in, ncz_config_rules rules,
                   ncz_codec **out);
/* Checks the form of a codec in v3's spelling: *members, its "configuration" or NULL, has only members of the codec. */
int ncz_codec_check_v3(const ncz_codec_ops *ops, const ncz_json *config, const ncz_json **members);
/* The error text of a codec that is known but never run. NULL: there is no such codec. */
const char *ncz_codec_explain_refused(const char *id);

/* The codec that only HDF5 files have with that number, from a table of its own (filter_hdf5.c). NULL: none. */
const ncz_codec_ops *ncz_filter_find(unsigned hdf5_id);

/* The most bytes that a chunk of n bytes can be encoded to. False: overflow. */
bool ncz_chain_bound(const ncz_chain *c, size_t n, size_t *out);

/* Whether the step encodes objects. */
bool ncz_chain_step_vlen(const ncz_chain_step *s);

#endif /* NCZ_FILTER_CHAIN_INT_H */
