"""What equations say: kinds of terms, symmetries, rest, stability, in words and formulas."""
