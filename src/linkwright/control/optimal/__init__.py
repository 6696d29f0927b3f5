"""Control that is best for a cost: linear regulators, and motions found by iterating them."""
