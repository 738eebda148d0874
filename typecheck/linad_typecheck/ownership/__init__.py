"""Who owns an array: the rules as data, the state of names while a function is lowered, live names, modes."""
