/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf_aux.h for programs written against netCDF-C: helpers beside its interface. Memory that they return is the
 * caller's, from malloc(), unless a function here frees it.
 *
 *   reclaim_data, copy_data, dump_data  nc_reclaim_data(), nc_copy_data() and nc_dump_data(), under older names
 *   inq_any_type              as nc_inq_user_type(), for atomic types too: base type and fields 0, class the type
 *                             itself
 *   h5filterspec_parse        a filter as text, "ID,PARAMETER,...": numbers with the suffixes b s l f d, and u for
 *                             unsigned; a 64-bit number or a double takes two parameters. *paramsp: free()
 *   h5filterspec_parselist    several, "FILTER|FILTER"; "[ID]" before the list is a format's number. Free each entry
 *                             with h5filterspec_free(), and the vector with free()
 *   h5filterspec_parse_parameter  one number: up to two words into uiparams. *nuiparamsp: how many
 *   h5filterspec_fix8         the eight bytes of such a number in the byte order of HDF5's parameters: swapped in
 *                             halves on big-endian machines, unchanged on others
 *   readfile, writefile       a whole file
 *   type_alignment            alignment in a struct of C
 *   begin_compound            begins a compound whose fields get their places from the library: with NCAUX_ALIGN_C
 *                             those of a struct of C, with NCAUX_ALIGN_UNIFORM all multiples of the largest alignment
 *                             among them. *tag: what has been added, for abort_compound(), which releases it at any
 *                             time
 *   add_field                 adds a field: NC_EBADTYPE, NC_ENAMEINUSE, NC_EINVAL
 *   end_compound              defines the type, with the errors of nc_def_compound(), and NC_EINVAL without fields. The
 *                             tag still has to be released
 *   plugin_path_parse         "DIR:DIR" to a list; sep 0 is ':'. plugin_path_clear() frees what the list holds,
 *                             plugin_path_reclaim() the list as well
 *   parse_provenance          the text of _NCProperties, "KEY=VALUE,KEY=VALUE" with '\\' before a literal character, as
 *                             key, value, key, value, ..., NULL, NULL: free each and the vector
 *
 * Errors: NC_EINVAL a text that is malformed or a missing argument; NC_ENOMEM; errno of a file; NC_EBADTYPE.
 */
#ifndef NCAUX_H
#define NCAUX_H

#include "netcdf.h"

#define NCAUX_ALIGN_C       0
#define NCAUX_ALIGN_UNIFORM 1

#ifdef __cplusplus
extern "C" {
#endif

/* A filter: HDF5's id and its parameters. */
typedef struct NC_H5_Filterspec {
    unsigned int  filterid;
    size_t        nparams;
    unsigned int *params;
} NC_H5_Filterspec;

/* ---- from functions.txt, by generate.py ---- */
/* clang-format off */

/* Auxiliary functions */

EXTERNL int
ncaux_reclaim_data(int ncid, int xtype, void *memory, size_t count);
EXTERNL int
ncaux_reclaim_data_all(int ncid, int xtype, void *memory, size_t count);
EXTERNL int
ncaux_copy_data(int ncid, int xtype, void *memory, size_t count, void *copy);
EXTERNL int
ncaux_copy_data_all(int ncid, int xtype, void *memory, size_t count, void **copyp);
EXTERNL int
ncaux_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf);
EXTERNL int
ncaux_inq_any_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *basetypep, size_t
                   *nfieldsp, int *classp);
EXTERNL int
ncaux_h5filterspec_parse(const char *txt, unsigned int *idp, size_t *nparamsp, unsigned int
                         **paramsp);
EXTERNL int
ncaux_h5filterspec_parselist(const char *txt0, int *formatp, size_t *nspecsp, struct
                             NC_H5_Filterspec ***vectorp);
EXTERNL int
ncaux_h5filterspec_parse_parameter(const char *txt, size_t *nuiparamsp, unsigned int *uiparams);
EXTERNL void
ncaux_h5filterspec_free(struct NC_H5_Filterspec *f);
EXTERNL void
ncaux_h5filterspec_fix8(unsigned char *mem, int decode);
EXTERNL int
ncaux_readfile(const char *filename, size_t *sizep, void **content);
EXTERNL int
ncaux_writefile(const char *filename, size_t size, void *content);
EXTERNL int
ncaux_type_alignment(int xtype, int ncid, size_t *alignp);
EXTERNL int
ncaux_class_alignment(int ncclass, size_t *alignp);
EXTERNL int
ncaux_begin_compound(int ncid, const char *name, int alignmode, void **tag);
EXTERNL int
ncaux_end_compound(void *tag, nc_type *xtypeid);
EXTERNL int
ncaux_abort_compound(void *tag);
EXTERNL int
ncaux_add_field(void *tag, const char *name, nc_type field_type, int ndims, const int *dimsizes);
EXTERNL int
ncaux_plugin_path_parsen(size_t pathlen, const char *pathlist, char sep, struct NCPluginList *dirs);
EXTERNL int
ncaux_plugin_path_parse(const char *pathlist, char sep, struct NCPluginList *dirs);
EXTERNL int
ncaux_plugin_path_tostring(const struct NCPluginList *dirs, char sep, char **catp);
EXTERNL int
ncaux_plugin_path_clear(struct NCPluginList *dirs);
EXTERNL int
ncaux_plugin_path_reclaim(struct NCPluginList *dirs);
EXTERNL int
ncaux_plugin_path_append(struct NCPluginList *dirs, const char *dir);
EXTERNL int
ncaux_plugin_path_prepend(struct NCPluginList *dirs, const char *dir);
EXTERNL int
ncaux_plugin_path_stringlen(void);
EXTERNL int
ncaux_plugin_path_stringget(int pathlen, char *path);
EXTERNL int
ncaux_plugin_path_stringset(int pathlen, const char *path);
EXTERNL int
ncaux_parse_provenance(const char *ncprop, char ***pairsp);
/* clang-format on */
/* ---- end ---- */

#ifdef __cplusplus
}
#endif

#endif /* NCAUX_H */
