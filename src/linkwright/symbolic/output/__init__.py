"""Output of equations: text, LaTeX, pages, programs in several languages."""
