"""Run-time support that is compiled together with generated code."""
