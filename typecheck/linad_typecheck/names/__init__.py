"""What a name outside of a function means, found in the text of its module alone."""
