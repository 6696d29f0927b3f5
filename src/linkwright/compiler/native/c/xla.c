/* Calls of kernels from XLA, the compiler of JAX, by its C interface of handlers ("FFI"): one function for all kernels.
   Each kernel's handler, a function of the call frame alone, calls it with the kernel's table. The interface is declared
   here as far as it is used; it has been the same since its first version (0.0). */

#include "table.h"

typedef struct {
    uint64_t bytes;
    void *extensions;
    int32_t major, minor;
} Version;

typedef struct {
    uint64_t bytes;
    void *extensions;
    const char *message;
    int32_t code;
} ErrorArguments;

typedef struct {
    uint64_t bytes;
    void *extensions;
    Version version;
    const void *internal;
    void *(*create_error)(ErrorArguments *);
} Api;

typedef struct {
    uint64_t bytes;
    void *extensions;
    int32_t type; /* of the entries */
    void *data;
    int64_t rank;
    const int64_t *shape;
} Buffer;

typedef struct {
    uint64_t bytes;
    void *extensions;
    int64_t count;
    const int32_t *kinds;
    Buffer *const *buffers;
} Buffers;

typedef struct {
    uint64_t bytes;
    Version version;
    uint32_t traits;
} Metadata;

typedef struct {
    uint64_t bytes;
    int32_t type;
    void *next;
    Metadata *metadata;
} MetadataExtension;

typedef struct {
    uint64_t bytes;
    MetadataExtension *extensions;
    const Api *api;
    void *context;
    int32_t stage;
    Buffers arguments, results;
} Frame;

enum { METADATA = 1, EXECUTE = 3, FLOAT32 = 11, FLOAT64 = 12, INVALID_ARGUMENT = 3, CANCELLED = 1 };

enum { BLOCK = 64 }; /* rows of float32 that are converted together */

void *malloc(size_t bytes);
void free(void *memory);

static void *error(const Frame *frame, int32_t code, const char *message) {
    ErrorArguments arguments = {sizeof arguments, NULL, message, code};
    return frame->api->create_error(&arguments);
}

/* The number of rows of a buffer: the product of its leading dimensions; -1 for other dimensions than the slot's. */
static int64_t rows_of(const Buffer *buffer, const Slot *slot) {
    int64_t rows = 1, leading = buffer->rank - slot->ndim;
    if (leading < 0) return -1;
    for (int64_t d = 0; d < leading; d++) rows *= buffer->shape[d];
    for (int64_t d = 0; d < slot->ndim; d++)
        if (buffer->shape[leading + d] != slot->shape[d]) return -1;
    return rows;
}

static void run(const CallTable *table, char **entries, int64_t rows, const int64_t *steps) {
    if (rows == 1 && table->row)
        table->row(entries, steps);
    else if (rows)
        table->loop(entries, &rows, steps, NULL);
}

static void widen(double *to, const float *from, int64_t count) {
    for (int64_t k = 0; k < count; k++) to[k] = from[k];
}

static void narrow(float *to, const double *from, int64_t count) {
    for (int64_t k = 0; k < count; k++) to[k] = (float)from[k];
}

/* The same for arrays of float32: in double precision, some rows after the other. */
static bool run_float32(const CallTable *table, char **entries, int64_t rows, const int64_t *steps) {
    int64_t inputs = table->inputs, count = inputs + table->outputs, bytes = 0;
    const Slot *slots = table->slots;
    for (int64_t k = 0; k < count; k++) bytes += slots[k].bytes;
    char *memory = malloc((size_t)(bytes * (rows < BLOCK ? rows : BLOCK) + 1)), *places[count], *place = memory;
    if (!memory) return false;
    for (int64_t first = 0; first < rows; first += BLOCK) {
        int64_t now = rows - first < BLOCK ? rows - first : BLOCK;
        place = memory;
        for (int64_t k = 0; k < count; k++) {
            int64_t size = slots[k].bytes / 8, own = steps[k] ? now : 1;
            places[k] = place;
            if (k < inputs) widen((double *)place, (const float *)entries[k] + (steps[k] ? first * size : 0), own * size);
            place += own * slots[k].bytes;
        }
        run(table, places, now, steps);
        for (int64_t k = inputs; k < count; k++) {
            int64_t size = slots[k].bytes / 8;
            narrow((float *)entries[k] + first * size, (const double *)places[k], now * size);
        }
    }
    free(memory);
    return true;
}

/* Whether the kernel itself is of single precision. */
static bool is_single(const CallTable *table) {
    const Slot *result = table->slots + table->inputs;
    int64_t size = 4;
    for (int64_t d = 0; d < result->ndim; d++) size *= result->shape[d];
    return result->bytes == size;
}

/* The handler of a kernel. Arguments have the leading dimensions of the results, or none: one row that all share.
   `minor`: the minor version of the interface in this installation of XLA, which accepts no other one. */
void *call_from_xla(Frame *frame, const CallTable *table, int64_t minor) {
    MetadataExtension *asked = frame->extensions;
    if (asked && asked->type == METADATA) {
        asked->metadata->version.major = 0;
        asked->metadata->version.minor = (int32_t)minor;
        asked->metadata->traits = 0;
        return NULL;
    }
    if (frame->stage != EXECUTE) return NULL;
    int64_t inputs = table->inputs, outputs = table->outputs, rows = -1;
    if (frame->arguments.count != inputs || frame->results.count != outputs)
        return error(frame, INVALID_ARGUMENT, "the number of arrays is not that of the kernel");
    char *entries[inputs + outputs];
    int64_t steps[table->step_count];
    for (int64_t k = 0; k < table->step_count; k++) steps[k] = table->steps[k];
    int32_t type = frame->results.buffers[0]->type;
    if (type != FLOAT32 && type != FLOAT64) return error(frame, INVALID_ARGUMENT, "arrays are float32 or float64");
    for (int64_t k = inputs + outputs - 1; k >= 0; k--) { /* the results first, which have the number of rows */
        const Buffer *buffer = k < inputs ? frame->arguments.buffers[k] : frame->results.buffers[k - inputs];
        const Slot *slot = table->slots + k;
        int64_t own = rows_of(buffer, slot);
        if (rows == -1) rows = own;
        if (buffer->type != type || own == -1 || (own != rows && buffer->rank != slot->ndim))
            return error(frame, INVALID_ARGUMENT, "the arrays are not those of the kernel");
        entries[k] = buffer->data;
        steps[k] = buffer->rank == slot->ndim && k < inputs ? 0 : slot->bytes;
    }
    bool single = is_single(table);
    if (single && type != FLOAT32) return error(frame, INVALID_ARGUMENT, "the kernel is of single precision");
    if (single == (type == FLOAT32))
        run(table, entries, rows, steps);
    else if (!run_float32(table, entries, rows, steps))
        return error(frame, INVALID_ARGUMENT, "no memory for a conversion to float64");
    if (table->stops && poll_signals(0)) return error(frame, CANCELLED, "interrupted");
    return NULL;
}
