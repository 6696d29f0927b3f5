/* Calls of kernels from Python: one function for all kernels, with the signature of Python's vectorcall. A row or a
   batch of plain arrays of the kernel's type goes to the kernel's machine code; every other call goes to a function in Python. */

#include "table.h"

typedef struct {
    Object object;
    void *vectorcall;
    const CallTable *table;
} Kernel;

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

enum { MOST_DIMENSIONS = 32 };

enum { FEW = 32 }; /* arguments and results, for whose addresses there is room on any stack */

INLINE int64_t tuple_size(const Object *tuple) {
    return ((const Tuple *)tuple)->size;
}

INLINE Object *tuple_item(const Object *tuple, int64_t place) {
    return ((Object *const *)((const char *)tuple + python.tuple_items))[place];
}

/* The same call of the function in Python, with the kernel as first argument. */
NOINLINE Object *call_from_python(Object *kernel, Object *const *args, int64_t count,
                                                          Object *names) {
    int64_t total = count + (names ? tuple_size(names) : 0);
    Object *shifted[total + 1];
    shifted[0] = kernel;
    for (int64_t k = 0; k < total; k++) shifted[k + 1] = args[k];
    return python.PyObject_Vectorcall(((Kernel *)kernel)->table->from_python, shifted, (uint64_t)count + 1, names);
}

/* Whether an object is a float that can be read as a number of the slot. */
INLINE bool is_float(const Object *x, const Slot *slot) {
    return (x->type == python.float_type || x->type == python.float64_type) && slot->dtype == python.float64;
}

static void release(Object **made, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        if (made[k]) python.Py_DecRef(made[k]);
}

/* The only result, or a tuple of all of them; releases them if there is no memory for one. */
static Object *collect(Object **made, int64_t count) {
    if (count == 1) return made[0];
    Object *tuple = python.PyTuple_New(count);
    if (!tuple) {
        release(made, count);
        return NULL;
    }
    for (int64_t k = 0; k < count; k++) python.PyTuple_SetItem(tuple, k, made[k]);
    return tuple;
}

/* Whether the only keyword argument is `out`. */
INLINE bool is_out(const Object *names) {
    return tuple_size(names) == 1 && tuple_item(names, 0) == python.out;
}

INLINE bool is_tuple_of(const Object *x, int64_t count) {
    return x->type == python.tuple && tuple_size(x) == count;
}

/* Single rows. */

/* Whether an object is an array of exactly the slot's shape. */
INLINE bool fits_row(const Object *given, const Slot *slot, int32_t flags) {
    const Array *x = (const Array *)given;
    if (UNLIKELY(given->type != python.ndarray)) return false;
    if (UNLIKELY((x->dtype != slot->dtype) | (x->ndim != slot->ndim) | ((x->flags & flags) != flags))) return false;
    for (int64_t d = 0; d < slot->ndim; d++)
        if (UNLIKELY(x->shape[d] != slot->shape[d])) return false;
    return true;
}

INLINE Object *new_array(const Slot *slot) {
    python.Py_IncRef(slot->dtype); /* PyArray_NewFromDescr steals one reference */
    return python.PyArray_NewFromDescr(python.ndarray, slot->dtype, (int32_t)slot->ndim, slot->shape, NULL, NULL, 0,
                                       NULL);
}

/* Run a row with a new array or number as its only result. */
INLINE Object *make_result(const CallTable *table, int64_t inputs, char **entries) {
    const Slot *slot = table->slots + inputs;
    char **entry = entries + inputs;
    if (slot->ndim) {
        Object *made = new_array(slot);
        if (UNLIKELY(!made)) return NULL;
        *entry = ((Array *)made)->data;
        table->row(entries, table->steps);
        if (LIKELY(!table->stops) || !raise_pending()) return made;
        python.Py_DecRef(made);
        return NULL;
    }
    double number; /* room for a number of any type */
    *entry = (char *)&number;
    table->row(entries, table->steps);
    if (table->stops && raise_pending()) return NULL;
    return python.PyArray_Scalar(&number, slot->dtype, NULL);
}

/* The same with several results. */
NOINLINE Object *make_results(const CallTable *table, char **entries) {
    int64_t count = table->outputs;
    const Slot *slots = table->slots + table->inputs;
    Object *made[count];
    double numbers[count];
    for (int64_t k = 0; k < count; k++) {
        made[k] = NULL; /* of a number, made after the row is known */
        entries[table->inputs + k] = (char *)&numbers[k];
        if (!slots[k].ndim) continue;
        made[k] = new_array(slots + k);
        if (UNLIKELY(!made[k])) {
            release(made, k);
            return NULL;
        }
        entries[table->inputs + k] = ((Array *)made[k])->data;
    }
    table->row(entries, table->steps);
    if (table->stops && raise_pending()) {
        release(made, count);
        return NULL;
    }
    for (int64_t k = 0; k < count; k++) {
        if (made[k]) continue;
        made[k] = python.PyArray_Scalar(&numbers[k], slots[k].dtype, NULL);
        if (UNLIKELY(!made[k])) {
            release(made, count);
            return NULL;
        }
    }
    return collect(made, count);
}

/* Batches. */

enum { UNFIT = -1 };

/* The bytes between the rows of an argument: 0 for one row that all share, UNFIT for what does not fit. Where the
   entries begin is left at `data`, and how many rows there are at `rows` (-1: not known yet), which must agree. */
static int64_t row_step(const Object *given, const Slot *slot, char **data, int64_t *rows, int32_t flags) {
    const Array *x = (const Array *)given;
    if (given->type != python.ndarray) {
        if (slot->ndim || !is_float(given, slot)) return UNFIT;
        *data = (char *)&((Float *)given)->value;
        return 0;
    }
    int64_t further = x->ndim - slot->ndim;
    if (x->dtype != slot->dtype || (x->flags & flags) != flags || further < 0 || further > 1) return UNFIT;
    for (int64_t d = 0; d < slot->ndim; d++)
        if (x->shape[further + d] != slot->shape[d] || x->strides[further + d] != slot->strides[d]) return UNFIT;
    *data = x->data;
    if (!further) return 0;
    if (*rows != -1 && *rows != x->shape[0]) return UNFIT;
    *rows = x->shape[0];
    return x->strides[0];
}

typedef struct {
    uintptr_t first, end;
} Extent;

static Extent extent(const char *data, int64_t step, int64_t rows, int64_t bytes) {
    int64_t last = (rows - 1) * step;
    uintptr_t first = (uintptr_t)data;
    if (last < 0) return (Extent){first + (uintptr_t)last, first + (uintptr_t)bytes};
    return (Extent){first, first + (uintptr_t)(last + bytes)};
}

/* Whether the rows of all given results can be written, and share no memory with each other or with arguments. */
static bool fits_batch(const CallTable *table, Object *out, char **data, int64_t *steps, int64_t *rows) {
    int64_t inputs = table->inputs, outputs = table->outputs;
    if (outputs > 1 && !is_tuple_of(out, outputs)) return false;
    for (int64_t k = inputs; k < inputs + outputs; k++) {
        Object *target = outputs == 1 ? out : tuple_item(out, k - inputs);
        steps[k] = row_step(target, table->slots + k, data + k, rows, ALIGNED | WRITEABLE);
        if (steps[k] == UNFIT || steps[k] == 0) return false;
        Extent own = extent(data[k], steps[k], *rows, table->slots[k].bytes);
        for (int64_t j = 0; j < k; j++) {
            Extent other = extent(data[j], steps[j], *rows, table->slots[j].bytes);
            if (own.end > other.first && other.end > own.first) return false;
        }
    }
    return true;
}

static Object *new_batch(const Slot *slot, int64_t rows) {
    int64_t shape[MOST_DIMENSIONS + 1];
    shape[0] = rows;
    for (int64_t d = 0; d < slot->ndim; d++) shape[1 + d] = slot->shape[d];
    python.Py_IncRef(slot->dtype); /* PyArray_NewFromDescr steals one reference */
    return python.PyArray_NewFromDescr(python.ndarray, slot->dtype, (int32_t)slot->ndim + 1, shape, NULL, NULL, 0,
                                       NULL);
}

static Object *call_batch(Object *kernel, Object *const *args, int64_t count, Object *names) {
    const CallTable *table = ((Kernel *)kernel)->table;
    int64_t inputs = table->inputs, outputs = table->outputs, rows = -1;
    if (table->most_rows <= 0 || count != inputs) return call_from_python(kernel, args, count, names);
    char *data[inputs + outputs];
    int64_t steps[table->step_count];
    for (int64_t k = 0; k < table->step_count; k++) steps[k] = table->steps[k];
    for (int64_t k = 0; k < inputs; k++) {
        steps[k] = row_step(args[k], table->slots + k, data + k, &rows, ALIGNED);
        if (steps[k] == UNFIT) return call_from_python(kernel, args, count, names);
    }
    if (rows <= 0 || rows > table->most_rows) return call_from_python(kernel, args, count, names);

    if (names) {
        Object *out = args[inputs];
        if (!is_out(names) || !fits_batch(table, out, data, steps, &rows))
            return call_from_python(kernel, args, count, names);
        table->loop(data, &rows, steps, NULL);
        if (table->most_rows <= 0) return call_from_python(kernel, args, count, names); /* closed meanwhile */
        python.Py_IncRef(out);
        return out;
    }
    Object *results[outputs];
    for (int64_t k = 0; k < outputs; k++) {
        results[k] = new_batch(table->slots + inputs + k, rows);
        if (!results[k]) {
            release(results, k);
            return NULL;
        }
        data[inputs + k] = ((Array *)results[k])->data;
    }
    table->loop(data, &rows, steps, NULL);
    if (table->most_rows <= 0) { /* closed meanwhile */
        release(results, outputs);
        return call_from_python(kernel, args, count, names);
    }
    return collect(results, outputs);
}

/* Any kernel. */

/* Run a row, if that is what the arguments are; `entries`: room for where those of arguments and results begin. */
INLINE Object *call_row(Object *kernel, Object *const *args, int64_t count, int64_t outputs, Object *names,
                        char **entries) {
    const CallTable *table = ((Kernel *)kernel)->table;
#pragma clang loop unroll(full) /* where the number is a constant */
    for (int64_t k = 0; k < count; k++) {
        const Slot *slot = table->slots + k;
        if (!slot->ndim && is_float(args[k], slot)) {
            entries[k] = (char *)&((Float *)args[k])->value;
        } else {
            if (UNLIKELY(!fits_row(args[k], slot, C_CONTIGUOUS | ALIGNED)))
                return call_batch(kernel, args, count, names);
            entries[k] = ((Array *)args[k])->data;
        }
    }
    if (!names) return outputs == 1 ? make_result(table, count, entries) : make_results(table, entries);

    Object *out = args[count];
    const Slot *slots = table->slots + count;
    if (UNLIKELY(!is_out(names))) return call_batch(kernel, args, count, names);
    if (outputs == 1) {
        if (UNLIKELY(!fits_row(out, slots, C_CONTIGUOUS | ALIGNED | WRITEABLE)))
            return call_batch(kernel, args, count, names);
        entries[count] = ((Array *)out)->data;
    } else {
        if (UNLIKELY(!is_tuple_of(out, outputs))) return call_batch(kernel, args, count, names);
        for (int64_t k = 0; k < outputs; k++) {
            const Object *target = tuple_item(out, k);
            if (UNLIKELY(!fits_row(target, slots + k, C_CONTIGUOUS | ALIGNED | WRITEABLE)))
                return call_batch(kernel, args, count, names);
            entries[count + k] = ((Array *)target)->data;
        }
    }
    table->row(entries, table->steps);
    if (UNLIKELY(table->stops && raise_pending())) return NULL;
    python.Py_IncRef(out);
    return out;
}

NOINLINE Object *call_row_of_many(Object *kernel, Object *const *args, int64_t count, Object *names) {
    int64_t outputs = ((Kernel *)kernel)->table->outputs;
    char *entries[count + outputs];
    return call_row(kernel, args, count, outputs, names, entries);
}

/* The vectorcall of every kernel. */
Object *call_kernel(Object *kernel, Object *const *args, uint64_t given, Object *names) {
    const CallTable *table = ((Kernel *)kernel)->table;
    int64_t count = (int64_t)(given & INT64_MAX); /* the top bit is the caller's */
    int64_t outputs = table->outputs;
    char *entries[FEW];
    if (UNLIKELY(!table->row || count != table->inputs)) return call_batch(kernel, args, count, names);
    if (outputs == 1) { /* most kernels: compiled for their numbers of arguments, which saves 3 ns */
        if (count == 1) return call_row(kernel, args, 1, 1, names, entries);
        if (count == 2) return call_row(kernel, args, 2, 1, names, entries);
        if (count == 3) return call_row(kernel, args, 3, 1, names, entries);
    }
    if (UNLIKELY(count + outputs > FEW)) return call_row_of_many(kernel, args, count, names);
    return call_row(kernel, args, count, outputs, names, entries);
}

/* Public functions of models. */

typedef struct {
    Object object;
    void *vectorcall;
    const PublicTable *table;
} PublicFunction;

/* Whether all arguments are arrays of the kernel's type. A kernel converts others, or raises an error to be explained. */
INLINE bool are_arrays(const CallTable *table, Object *const *args, int64_t count) {
    if (UNLIKELY(count != table->inputs)) return false;
    for (int64_t k = 0; k < count; k++)
        if (UNLIKELY(args[k]->type != python.ndarray || ((Array *)args[k])->dtype != table->slots[k].dtype)) return false;
    return true;
}

enum { MOST_OPTIONS = 16 };

/* The key of the kernel with these options, as a new reference; NULL for a call that the function in Python examines. */
NOINLINE Object *kernel_key(const PublicTable *table, Object *const *args, int64_t count, Object *names) {
    Object *options[MOST_OPTIONS];
    int64_t given = count - 1 - table->inputs, named = names ? tuple_size(names) : 0;
    bool usual = table->alone;
    if (given > table->positional || table->options > MOST_OPTIONS) return NULL;
    for (int64_t k = 0; k < table->options; k++)
        options[k] = k < given ? args[1 + table->inputs + k] : table->defaults[k];
    for (int64_t j = 0; j < named; j++) {
        int64_t k = given;
        while (k < table->options && table->names[k] != tuple_item(names, j)) k++;
        if (k == table->options) return NULL;
        options[k] = args[count + j];
    }
    for (int64_t k = 0; k < table->options; k++) {
        if (!options[k]) return NULL;
        usual = usual && options[k] == table->defaults[k];
    }
    if (usual) {
        python.Py_IncRef(table->identity);
        return table->identity;
    }
    Object *key = python.PyTuple_New(1 + table->options);
    if (!key) {
        python.PyErr_Clear();
        return NULL;
    }
    for (int64_t k = 0; k <= table->options; k++) { /* PyTuple_SetItem steals one reference */
        Object *item = k ? options[k - 1] : table->identity;
        python.Py_IncRef(item);
        python.PyTuple_SetItem(key, k, item);
    }
    return key;
}

/* The kernel of a model in its memo, as a new reference; NULL without one. */
INLINE Object *known_kernel(const PublicTable *table, Object *model, Object *key) {
    Object *memo = python.PyObject_GetAttr(model, table->memo);
    Object *kernel = memo ? python.PyDict_GetItemWithError(memo, key) : NULL;
    if (LIKELY(kernel != NULL)) python.Py_IncRef(kernel);
    else python.PyErr_Clear(); /* of an option without a hash, too */
    if (LIKELY(memo != NULL)) python.Py_DecRef(memo);
    return kernel;
}

/* The vectorcall of a public function: of a model with a kernel and arrays, a call of the kernel. */
Object *call_public(Object *function, Object *const *args, uint64_t given, Object *names) {
    const PublicTable *table = ((PublicFunction *)function)->table;
    int64_t count = (int64_t)(given & INT64_MAX); /* the top bit is the caller's */
    Object *kernel = NULL, *result;
    if (LIKELY(count > table->inputs && args[0]->type == table->model_type)) {
        if (LIKELY(table->alone && !names && count == table->inputs + 1)) {
            kernel = known_kernel(table, args[0], table->identity);
        } else {
            Object *key = kernel_key(table, args, count, names);
            if (key) {
                kernel = known_kernel(table, args[0], key);
                python.Py_DecRef(key);
            }
        }
    }
    if (LIKELY(kernel && kernel->type == table->kernel_type && are_arrays(((Kernel *)kernel)->table, args + 1, table->inputs)))
        result = call_kernel(kernel, args + 1, (uint64_t)table->inputs, NULL);
    else
        result = python.PyObject_Vectorcall(table->from_python, args, (uint64_t)count, names);
    if (LIKELY(kernel != NULL)) python.Py_DecRef(kernel);
    return result;
}
