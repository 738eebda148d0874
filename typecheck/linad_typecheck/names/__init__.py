"""What global names mean, from the text of their module alone."""
