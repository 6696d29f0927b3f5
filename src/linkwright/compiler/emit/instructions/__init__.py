"""The instructions of a program as LLVM IR: arithmetic and elementary functions."""
