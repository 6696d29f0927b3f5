/* The machine code that all kernels share. `tools/write_runtime.py` compiles it to `runtime.ll`, which the package
   contains and LLVM turns into machine code of the user's processor. */

#include "python.h"

#include "signals.c"

#include "call.c"

#include "sequence.c"

void set_python(const Python *table) {
    python = *table;
}
