"""The linear form: made, checked and left again."""
