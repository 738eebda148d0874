"""What generated code calls while it runs, compiled with it."""
