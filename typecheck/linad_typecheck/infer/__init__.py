"""Types, shapes and dimension arithmetic."""
