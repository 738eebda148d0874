#include <math.h>
#include <string.h>

static double factor(double *restrict l, long n)
{
    double s = 0.0;
    for (long j = 0; j < n; j++) {
        for (long i = j; i < n; i++) {
            double e = l[i * n + j];
            for (long k = 0; k < j; k++)
                e -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(e) : e / l[j * n + j];
        }
        s += 2.0 * log(l[j * n + j]);
    }
    return s;
}

/* The factor is all that is needed backward. work: the factor and its adjoint, n * n words each. */
double cholesky(const double *restrict a, long n, double *restrict work, double *restrict a_bar)
{
    double *restrict l = work, *restrict b = work + n * n;
    memcpy(l, a, n * n * sizeof *l);
    memset(b, 0, n * n * sizeof *b);
    double s = factor(l, n);
    for (long j = n - 1; j >= 0; j--) {
        double inv = 1.0 / l[j * n + j], pivot = b[j * n + j] + 2.0 * inv;
        for (long i = n - 1; i > j; i--) {
            double e = b[i * n + j] * inv;
            pivot -= e * l[i * n + j];
            a_bar[i * n + j] += e;
            for (long k = 0; k < j; k++) {
                b[i * n + k] -= e * l[j * n + k];
                b[j * n + k] -= e * l[i * n + k];
            }
        }
        double e = 0.5 * pivot * inv;
        a_bar[j * n + j] += e;
        for (long k = 0; k < j; k++)
            b[j * n + k] -= 2.0 * e * l[j * n + k];
    }
    return s;
}

double cholesky_primal(const double *restrict a, long n, double *restrict work)
{
    memcpy(work, a, n * n * sizeof *a);
    return factor(work, n);
}
