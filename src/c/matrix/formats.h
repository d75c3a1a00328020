/* The table of weight types. A type is one row of it. */
#ifndef FORMATS_H
#define FORMATS_H

#include "weight_type.h"

/* NULL if there is no such type. */
const weight_type *attn_weight_type(int32_t type);

/* One F32, F16 or BF16. */
float attn_read_float(int32_t type, const uint8_t *p);

#endif
