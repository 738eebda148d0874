"""Function transforms, one file each."""
