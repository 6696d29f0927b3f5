"""Assembly–disassembly as machine code for large mechanisms: what is alike runs side by side on the lanes of registers.

``levels`` is the program; ``parts`` traces joins, with what they find on their ``sides``, ``blocks`` of bodies and
the ``closings`` of loops, each kind once; ``choices`` says what each computes and what it reads, ``layout`` has the
tables.
"""
