"""The core, the one intermediate representation: its statements, printer, parser, verifier and rewriter."""
