"""Assembly–disassembly and hybrid blocks: forward dynamics of mechanisms put together from parts.

``subassembly`` has the steps (leaf, join, split, close), ``block`` leaves of several bodies, ``loops`` the constraints
of closed loops; ``schedule`` and ``partition`` say in which order and of which leaves,
``cost`` and ``choice`` choose them; ``method`` has the algorithms.
"""
