"""Assembly–disassembly and hybrid blocks: forward dynamics of mechanisms put together from parts.

``subassembly`` has the steps (leaf, join, split), ``block`` leaves of several bodies, ``schedule`` and ``partition``
in which order and of which leaves, ``method`` the algorithms.
"""
