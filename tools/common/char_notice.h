/* SPDX-License-Identifier: BSD-3-Clause */
/* char_notice: whether other readers refuse a dataset for its characters. */
#ifndef CHAR_NOTICE_H
#define CHAR_NOTICE_H

/* The sentence to say of an open dataset that zarr-python 3 refuses, since it has variables of characters in netCDF-C's
 * spelling and no consolidated metadata; else NULL. */
const char *char_notice(int ncid);

#endif /* CHAR_NOTICE_H */
