"""How equations are written: text, LaTeX, pages, programs in several languages."""
