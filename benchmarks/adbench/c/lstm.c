#include "../../suite/c/lstm.c"
