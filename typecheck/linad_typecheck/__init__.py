"""The front end of linad: parser, types, ownership and the linear checker (standard library only)."""
