/* Signals, such as that of Ctrl-C, while machine code runs that takes long (native/interrupts.py). Python's threads write
   the shared state while helpers read it: all its words are read and written whole. */

#include "python.h"

#define READ(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define WRITE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)

static uint64_t this_thread(void) {
    return python.PyThread_get_thread_ident() & python.thread_mask;
}

/* Let other threads run Python, if this one keeps them from it, until `acquire_gil` of what is returned. */
void *release_gil(void) {
    return python.PyGILState_Check() ? python.PyEval_SaveThread() : NULL;
}

void acquire_gil(void *state) {
    if (state) python.PyEval_RestoreThread(state);
}

/* Count work; whether that makes enough of it. */
static bool is_enough(uint64_t *total, uint64_t work) {
    uint64_t sum = READ(*total) + work;
    bool enough = sum >= WORK_BETWEEN_SIGNALS;
    WRITE(*total, enough ? 0 : sum);
    return enough;
}

/* Whether the calling loop is to end; `work`: what it did since the last time. */
bool poll_signals(uint64_t work) {
    SignalState *signals = python.signals;
    uint64_t me = this_thread();
    if (me == signals->main_thread) {
        if (signals->exception) return true;
        if (!is_enough(&signals->work, work)) return false;
        int32_t held = python.PyGILState_Ensure();
        bool raised = python.PyErr_CheckSignals() < 0;
        if (raised) python.PyErr_Fetch(&signals->exception, &signals->value, &signals->traceback);
        python.PyGILState_Release(held);
        if (raised) return true;
    } else {
        uint64_t count = READ(signals->stopped_count);
        for (uint64_t k = 0; k < count; k++)
            if (READ(signals->stopped[k]) == me) return true;
        if (!is_enough(&signals->work_of_others, work)) return false;
    }
    acquire_gil(release_gil());
    return false;
}

/* Raise what a handler raised in this thread while `poll_signals` looked; whether there was anything. */
bool raise_pending(void) {
    SignalState *signals = python.signals;
    Object *exception = signals->exception;
    if (!exception || this_thread() != signals->main_thread) return false;
    signals->exception = NULL;
    python.PyErr_Restore(exception, signals->value, signals->traceback);
    return true;
}
