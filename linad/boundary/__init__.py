"""The boundary between Python and kernels: live functions, conversion of arguments and results, errors at the user's
line."""
