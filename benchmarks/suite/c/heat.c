#include <string.h>

/* work: all steps + 1 states, and two rows for their adjoints; the reverse in gather form. */
double heat(const double *restrict u0, const double *restrict k, long n, long steps, double *restrict work,
            double *restrict u_bar, double *restrict k_bar)
{
    double *rows = work, *now = rows + (steps + 1) * n, *before = now + n, s = 0.0;
    memcpy(rows, u0, n * sizeof *u0);
    for (long t = 0; t < steps; t++) {
        const double *restrict u = rows + t * n;
        double *restrict a = rows + (t + 1) * n;
        a[0] = u[0], a[n - 1] = u[n - 1];
        for (long i = 1; i < n - 1; i++)
            a[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
    }
    for (long i = 0; i < n; i++) {
        double e = rows[steps * n + i];
        s += e * e;
        now[i] = 2.0 * e;
    }
    for (long t = steps - 1; t >= 0; t--) {
        const double *restrict u = rows + t * n, *restrict a = now;
        double *restrict b = before;
        for (long i = 1; i < n - 1; i++)
            k_bar[i] += a[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        b[0] = a[0] + k[1] * a[1];
        b[n - 1] = a[n - 1] + k[n - 2] * a[n - 2];
        b[1] = a[1] * (1.0 - 2.0 * k[1]) + (n > 3 ? k[2] * a[2] : 0.0);
        b[n - 2] = n > 3 ? a[n - 2] * (1.0 - 2.0 * k[n - 2]) + k[n - 3] * a[n - 3] : b[1];
        for (long i = 2; i < n - 2; i++)
            b[i] = a[i] * (1.0 - 2.0 * k[i]) + k[i - 1] * a[i - 1] + k[i + 1] * a[i + 1];
        double *swap = now;
        now = before, before = swap;
    }
    for (long i = 0; i < n; i++)
        u_bar[i] += now[i];
    return s;
}

double heat_primal(const double *restrict u0, const double *restrict k, long n, long steps, double *restrict work)
{
    double *u = work, *a = u + n, s = 0.0;
    memcpy(u, u0, n * sizeof *u0);
    memcpy(a, u0, n * sizeof *u0);
    for (long t = 0; t < steps; t++) {
        const double *restrict from = u;
        double *restrict to = a;
        for (long i = 1; i < n - 1; i++)
            to[i] = from[i] + k[i] * (from[i - 1] - 2.0 * from[i] + from[i + 1]);
        double *swap = u;
        u = a, a = swap;
    }
    for (long i = 0; i < n; i++)
        s += u[i] * u[i];
    return s;
}
