"""Array operations of every kind: shapes and axes, slices and gathers, cells, updates."""
