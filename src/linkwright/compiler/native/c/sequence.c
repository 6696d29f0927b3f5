/* Calls of a kernel one after the other, each from results of the one before (native/sequence.py). */

#include "python.h"

typedef struct {
    char *data;
    int64_t source; /* the result it is taken from after the first call; -1: none */
} SequenceInput;

typedef struct {
    char *data;
    int64_t step;      /* bytes further with every call */
    int64_t alternate; /* bytes further with every second call, and back */
} SequenceOutput;

typedef struct { /* `CallSequence` of native/sequence.py */
    void *function;
    int64_t is_row; /* whether the function takes one row */
    int64_t inputs, outputs, calls;
    int64_t updates;        /* whether the last results replace the arguments that are taken from them */
    int64_t first, end;     /* rows */
    int64_t rows_at_once;
    uint64_t work;          /* of a call of one row, as `poll_signals` counts it */
    const int64_t *steps;   /* bytes between rows, then between their entries */
    const SequenceInput *input;
    const SequenceOutput *output;
    const int64_t *order;   /* NULL, or the rows in the order in which they run */
    char *block;            /* memory for `rows_at_once` rows of that order, their results twice */
} CallSequence;

static char *place(const SequenceOutput *output, int64_t call) {
    return output->data + output->step * call + output->alternate * (call & 1);
}

static void gather(char *block, const char *data, const int64_t *order, int64_t rows, int64_t bytes) {
    for (int64_t k = 0; k < rows; k++) __builtin_memcpy(block + k * bytes, data + order[k] * bytes, (size_t)bytes);
}

static void scatter(char *data, const char *block, const int64_t *order, int64_t rows, int64_t bytes) {
    for (int64_t k = 0; k < rows; k++) __builtin_memcpy(data + order[k] * bytes, block + k * bytes, (size_t)bytes);
}

void run_sequence(const CallSequence *sequence) {
    const int64_t *steps = sequence->steps;
    int64_t inputs = sequence->inputs, outputs = sequence->outputs;
    char *entries[inputs + outputs], *given[inputs];
    SequenceOutput results[outputs]; /* of a block of rows */
    for (int64_t row = sequence->first; row < sequence->end; row += sequence->rows_at_once) {
        int64_t rows = sequence->end - row;
        if (rows > sequence->rows_at_once) rows = sequence->rows_at_once;
        const int64_t *order = sequence->order ? sequence->order + row : NULL;
        char *block = sequence->block;
        for (int64_t k = 0; k < inputs; k++) {
            given[k] = sequence->input[k].data + row * steps[k];
            if (!order || !steps[k]) continue;
            gather(block, sequence->input[k].data, order, rows, steps[k]);
            given[k] = block;
            block += rows * steps[k];
        }
        for (int64_t k = 0; k < outputs; k++) {
            int64_t bytes = rows * steps[inputs + k];
            results[k] = sequence->output[k];
            results[k].data += row * steps[inputs + k];
            if (!order) continue;
            results[k] = (SequenceOutput){block, 0, bytes};
            block += 2 * bytes;
        }
        for (int64_t call = 0; call < sequence->calls; call++) {
            for (int64_t k = 0; k < inputs; k++) {
                int64_t source = sequence->input[k].source;
                entries[k] = call > 0 && source >= 0 ? place(results + source, call - 1) : given[k];
            }
            for (int64_t k = 0; k < outputs; k++) entries[inputs + k] = place(results + k, call);
            if (sequence->is_row)
                ((Row *)sequence->function)(entries, steps);
            else
                ((Loop *)sequence->function)(entries, &rows, steps, NULL);
            if (poll_signals(sequence->work * (uint64_t)rows)) return;
            if (!order) continue;
            for (int64_t k = 0; k < outputs; k++)
                if (sequence->output[k].step || call + 1 == sequence->calls)
                    scatter(place(sequence->output + k, call), entries[inputs + k], order, rows, steps[inputs + k]);
        }
        if (!sequence->updates) continue;
        for (int64_t k = 0; k < inputs; k++) {
            const SequenceInput *input = sequence->input + k;
            if (input->source < 0) continue;
            const char *from = place(results + input->source, sequence->calls - 1);
            if (order)
                scatter(input->data, from, order, rows, steps[k]);
            else
                __builtin_memcpy(input->data + row * steps[k], from, (size_t)(rows * steps[k]));
        }
    }
}
