"""The machinery of lowering: its state, values, tables of constructs and library names, calls and specialisation."""
