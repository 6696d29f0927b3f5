"""Assembly–disassembly and hybrid blocks: forward dynamics by divide and conquer.

``subassembly`` contains the steps (leaf, join, split, close), ``block`` leaves of several bodies, ``loops`` the
constraints of closed loops, ``schedule`` and ``partition`` the order of joining and the leaves, ``cost`` and ``choice``
their selection, and ``method`` the algorithms.
"""
