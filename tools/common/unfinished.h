/* SPDX-License-Identifier: BSD-3-Clause */
/* unfinished: how nczcopy marks a dataset that is not complete yet. */
#ifndef UNFINISHED_H
#define UNFINISHED_H

/* An attribute of the root group, present until everything has been copied. */
#define UNFINISHED_ATT "_nczcopy_unfinished"

#endif /* UNFINISHED_H */
