"""Run-time support functions, compiled together with generated code."""
