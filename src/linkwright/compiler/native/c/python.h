/* Objects of CPython and arrays of NumPy as compiled extensions see them, declared without their headers: the code is
   compiled once, for every version of both. `supported()` (native/layout.py) compares these layouts with real objects
   before anything relies on them. */

#ifndef PYTHON_H
#define PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Object {
    intptr_t references;
    struct Object *type;
} Object;

typedef struct { /* a float of Python's or NumPy's */
    Object object;
    double value;
} Float;

typedef struct { /* a tuple; its items begin at `python.tuple_items` */
    Object object;
    int64_t size;
} Tuple;

typedef struct { /* numpy.ndarray */
    Object object;
    char *data;
    int32_t ndim;
    int64_t *shape;
    int64_t *strides;
    Object *base;
    Object *dtype;
    int32_t flags;
} Array;

enum { C_CONTIGUOUS = 0x1, ALIGNED = 0x100, WRITEABLE = 0x400 };

/* Work, in operations of lanes, after which `poll_signals` looks for signals: about 30 ms. On the fastest machines that is more
   than the 5 ms after which threads ask for the interpreter: with less, they would not get it. */
#define WORK_BETWEEN_SIGNALS (UINT64_C(1) << 27)

enum { MOST_STOPPED_THREADS = 4096 };

typedef struct { /* shared with native/interrupts.py, which fills all fields but the work */
    uint64_t main_thread;
    Object *exception, *value, *traceback; /* raised by a handler of a signal, until `raise_pending` */
    uint64_t work;                         /* of the main thread since signals were looked for */
    uint64_t work_of_others;
    uint64_t stopped_count;
    uint64_t stopped[MOST_STOPPED_THREADS]; /* threads whose loops are to end */
} SignalState;

/* Objects and functions of the running interpreter: filled once, before the first call. */
typedef struct {
    Object *ndarray, *float64, *tuple, *float_type, *float64_type;
    Object *out; /* the interned string "out" */
    Object *(*PyArray_NewFromDescr)(Object *type, Object *dtype, int32_t ndim, const int64_t *shape,
                                    const int64_t *strides, void *data, int32_t flags, Object *base);
    Object *(*PyArray_Scalar)(void *data, Object *dtype, Object *base);
    Object *(*PyObject_Vectorcall)(Object *function, Object *const *args, uint64_t count, Object *names);
    Object *(*PyTuple_New)(int64_t length);
    int32_t (*PyTuple_SetItem)(Object *tuple, int64_t place, Object *item);
    void (*Py_IncRef)(Object *);
    void (*Py_DecRef)(Object *);
    uint64_t (*PyThread_get_thread_ident)(void);
    int32_t (*PyGILState_Ensure)(void);
    void (*PyGILState_Release)(int32_t);
    int32_t (*PyGILState_Check)(void);
    void *(*PyEval_SaveThread)(void);
    void (*PyEval_RestoreThread)(void *);
    int32_t (*PyErr_CheckSignals)(void);
    void (*PyErr_Fetch)(Object **, Object **, Object **);
    void (*PyErr_Restore)(Object *, Object *, Object *);
    void (*PyErr_Clear)(void);
    Object *(*PyObject_GetAttr)(Object *, Object *name);
    Object *(*PyDict_GetItemWithError)(Object *, Object *key); /* a borrowed reference */
    int64_t tuple_items;  /* bytes from the beginning of a tuple to its items */
    uint64_t thread_mask; /* the bits of an `unsigned long`, in which Python numbers threads */
    SignalState *signals;
} Python;

static Python python;

/* Machine code of kernels: one row, and the rows of a batch (as NumPy's universal functions call it). */
typedef void Row(char **entries, const int64_t *steps);
typedef void Loop(char **entries, const int64_t *rows, const int64_t *steps, void *data);

bool poll_signals(uint64_t work);
bool raise_pending(void);

#endif
