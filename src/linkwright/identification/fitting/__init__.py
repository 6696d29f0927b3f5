"""Parameters fitted to measurements: columns, least squares, bodies that can be."""
