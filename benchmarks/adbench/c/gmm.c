#include "../../suite/c/gmm.c"
