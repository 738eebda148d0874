#include "../../c/gather.c"

double gather_primal(const double *restrict v, const long *restrict idx, const double *restrict w, long n)
{
    double s = 0.0;
    for (long k = 0; k < n; k++)
        s += v[idx[k]] * w[k];
    return s;
}
