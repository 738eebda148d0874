"""The core, the one intermediate form: its statements, and what prints, parses, verifies and rewrites them."""
