"""Each primitive's partial derivatives, once."""
