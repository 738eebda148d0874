"""The engine of lowering: its state, values, dispatch tables, calls and specialisation."""
