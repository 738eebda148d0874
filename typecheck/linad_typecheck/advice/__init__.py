"""What to write instead: unsupported constructs and functions, near names."""
