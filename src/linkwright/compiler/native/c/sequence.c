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
} CallSequence;

static char *place(const SequenceOutput *output, int64_t call) {
    return output->data + output->step * call + output->alternate * (call & 1);
}

void run_sequence(const CallSequence *sequence) {
    const int64_t *steps = sequence->steps;
    int64_t inputs = sequence->inputs;
    char *entries[inputs + sequence->outputs];
    for (int64_t row = sequence->first; row < sequence->end; row += sequence->rows_at_once) {
        int64_t rows = sequence->end - row;
        if (rows > sequence->rows_at_once) rows = sequence->rows_at_once;
        for (int64_t call = 0; call < sequence->calls; call++) {
            for (int64_t k = 0; k < inputs; k++) {
                const SequenceInput *input = sequence->input + k;
                bool fed = call > 0 && input->source >= 0;
                entries[k] = (fed ? place(sequence->output + input->source, call - 1) : input->data) + row * steps[k];
            }
            for (int64_t k = 0; k < sequence->outputs; k++)
                entries[inputs + k] = place(sequence->output + k, call) + row * steps[inputs + k];
            if (sequence->is_row)
                ((Row *)sequence->function)(entries, steps);
            else
                ((Loop *)sequence->function)(entries, &rows, steps, NULL);
            if (poll_signals(sequence->work * (uint64_t)rows)) return;
        }
        if (!sequence->updates) continue;
        for (int64_t k = 0; k < inputs; k++) {
            const SequenceInput *input = sequence->input + k;
            if (input->source < 0) continue;
            const char *from = place(sequence->output + input->source, sequence->calls - 1) + row * steps[k];
            __builtin_memcpy(input->data + row * steps[k], from, (size_t)(rows * steps[k]));
        }
    }
}
