/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/standard_fill.h"

#include <math.h>
#include <stddef.h>

const void *
standard_fill(nc_type type)
{
    static const signed char        b = NC_FILL_BYTE;
    static const char               c = NC_FILL_CHAR;
    static const short              s = NC_FILL_SHORT;
    static const int                i = NC_FILL_INT;
    static const float              f = NC_FILL_FLOAT;
    static const double             d = NC_FILL_DOUBLE;
    static const unsigned char      ub = NC_FILL_UBYTE;
    static const unsigned short     us = NC_FILL_USHORT;
    static const unsigned           ui = NC_FILL_UINT;
    static const long long          ll = NC_FILL_INT64;
    static const unsigned long long ull = NC_FILL_UINT64;
    static const char *const        str = "";
    static const void *const        all[] = {&b, &c, &s, &i, &f, &d, &ub, &us, &ui, &ll, &ull, &str};

    return type >= NC_BYTE && type <= NC_STRING ? all[type - NC_BYTE] : NULL;
}

bool
standard_fill_is_near(double a, double b, double epsilon)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b)) /* everything is within a part of infinity of it */
        return a == b;
    return a == b || fabs(a - b) <= fabs(b) * epsilon;
}
