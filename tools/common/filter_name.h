/* SPDX-License-Identifier: BSD-3-Clause */
/* filter_name: the names of HDF5's filters. */
#ifndef FILTER_NAME_H
#define FILTER_NAME_H

const char *filter_name(unsigned int id); /* NULL if it is not a known one */

#endif /* FILTER_NAME_H */
