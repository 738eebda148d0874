"""Arrays of every kind: views and expressions, shapes and axes, slices, cells, updates."""
