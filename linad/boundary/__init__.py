"""Between Python and the kernels: live functions, arguments in, results out, and errors with the user's line."""
