"""Array ownership: the rules as data, the state of names during lowering, liveness, parameter modes."""
