"""The search for configurations: steps, starts, the kernel, failures, several solutions."""
