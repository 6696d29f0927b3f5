/* How a kernel describes its arguments, its results and its machine code to whoever calls it. */

#ifndef TABLE_H
#define TABLE_H

#include "python.h"

typedef struct { /* one argument or result, without its batch dimension */
    int64_t ndim;
    int64_t bytes;
    const int64_t *shape;
    const int64_t *strides;
    Object *dtype; /* float64 or float32, the kernel's */
} Slot;

typedef struct { /* `CallTable` of native/entry.py */
    Row *row;          /* NULL: not compiled yet */
    Loop *loop;
    int64_t most_rows; /* of a batch that goes straight to the loop; 0: none does */
    int64_t inputs, outputs;
    int64_t step_count;
    const int64_t *steps; /* of rows without gaps */
    const Slot *slots;    /* of the inputs, then the outputs */
    Object *from_python;  /* the function for every call that machine code does not take */
    int64_t stops;        /* whether a row may end early, with an exception of a handler of a signal */
} CallTable;

typedef struct { /* `PublicTable` of native/public_call.py: how a public function finds the kernel of a model */
    Object *model_type, *kernel_type;
    Object *memo;        /* the name of the model's dict of kernels */
    Object *identity;    /* the key of the kernel in it, alone or in a tuple with all options */
    int64_t inputs;      /* required arrays, after the model */
    int64_t options, positional; /* after the arrays; how many of them may be given without a name */
    Object *const *names;
    Object *const *defaults; /* NULL: of a required option */
    int64_t alone;           /* whether the identity is the key where all options have their default values */
    Object *from_python;     /* the function for every other call */
} PublicTable;

#endif
