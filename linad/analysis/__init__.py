"""Questions about programs of the core, each answered once: what passes, the storage plan and code generation ask."""
