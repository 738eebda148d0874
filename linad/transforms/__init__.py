"""Functions of functions, one file each."""
