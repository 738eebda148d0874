#include "../../c/gauss_seidel.c"

double gauss_seidel_primal(const double *restrict u, double c, long n, long sweeps, double *restrict state,
                           double *restrict log, double *restrict work)
{
    memcpy(state, u, n * sizeof *u);
    for (long t = 0; t < sweeps; t++)
        for (long i = 1; i < n - 1; i++)
            state[i] += c * (state[i - 1] - 2.0 * state[i] + state[i + 1]);
    double s = 0.0;
    for (long i = 0; i < n; i++)
        s += state[i] * state[i];
    return s;
}
