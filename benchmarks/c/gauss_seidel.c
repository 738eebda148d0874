#include <string.h>

/* `sweeps` Gauss-Seidel relaxations of u in place, then s = sum u[i]^2; its gradient by the initial u and by c is added
 * into u_bar and *c_bar. One word per update is kept: the residual that c multiplies. work: n (adjoint of the state),
 * state: n, log: sweeps * n words, all provided by the caller. */
double gauss_seidel(const double *restrict u, double c, long n, long sweeps, double *restrict state,
                    double *restrict log, double *restrict work, double *restrict u_bar, double *restrict c_bar)
{
    memcpy(state, u, n * sizeof *u);
    for (long t = 0; t < sweeps; t++) {
        double *row = log + t * n;
        for (long i = 1; i < n - 1; i++) {
            double residual = state[i - 1] - 2.0 * state[i] + state[i + 1];
            row[i] = residual;
            state[i] += c * residual;
        }
    }
    double s = 0.0;
    for (long i = 0; i < n; i++) {
        s += state[i] * state[i];
        work[i] = 2.0 * state[i];
    }
    double by_c = 0.0;
    for (long t = sweeps - 1; t >= 0; t--) {
        const double *row = log + t * n;
        for (long i = n - 2; i >= 1; i--) {
            double e = work[i], ce = c * e;
            by_c += e * row[i];
            work[i - 1] += ce;
            work[i] = e - 2.0 * ce;
            work[i + 1] += ce;
        }
    }
    for (long i = 0; i < n; i++)
        u_bar[i] += work[i];
    *c_bar += by_c;
    return s;
}
