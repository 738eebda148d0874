#include <string.h>

/* work: steps + 1 states of n * n, and two more for their adjoints, which are zero on the edges but at the end. */
double reaction(const double *restrict u0, double rate, double dt, long n, long steps, double *restrict work,
                double *restrict u_bar, double *restrict rate_bar, double *restrict dt_bar)
{
    double *rows = work, *now = rows + (steps + 1) * n * n, *before = now + n * n, s = 0.0, by_rate = 0.0, by_dt = 0.0;
    memcpy(rows, u0, n * n * sizeof *u0);
    for (long t = 0; t < steps; t++) {
        const double *restrict u = rows + t * n * n;
        double *restrict a = rows + (t + 1) * n * n;
        memcpy(a, u, n * n * sizeof *a);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                double e = u[i * n + j];
                double flow = u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - 4.0 * e;
                a[i * n + j] = e + dt * (flow + rate * (e - e * e * e));
            }
    }
    for (long i = 0; i < n * n; i++) {
        double e = rows[steps * n * n + i];
        s += e * e;
        now[i] = 2.0 * e;
    }
    for (long t = steps - 1; t >= 0; t--) {
        const double *restrict u = rows + t * n * n;
        const double *restrict a = now;
        double *restrict b = before;
        memcpy(b, a, n * n * sizeof *b);
        for (long i = 1; i < n - 1; i++) {
            for (long j = 1; j < n - 1; j++) {
                double e = u[i * n + j], g = a[i * n + j], cube = e - e * e * e;
                double flow = u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - 4.0 * e;
                by_dt += g * (flow + rate * cube);
                by_rate += g * cube;
                b[i * n + j] += dt * g * (rate * (1.0 - 3.0 * e * e) - 4.0);
            }
            for (long j = 1; j < n - 1; j++) {
                b[(i - 1) * n + j] += dt * a[i * n + j];
                b[(i + 1) * n + j] += dt * a[i * n + j];
            }
            for (long j = 1; j < n - 1; j++)
                b[i * n + j - 1] += dt * a[i * n + j];
            for (long j = 1; j < n - 1; j++)
                b[i * n + j + 1] += dt * a[i * n + j];
        }
        double *swap = now;
        now = before, before = swap;
    }
    for (long i = 0; i < n * n; i++)
        u_bar[i] += now[i];
    *rate_bar += dt * by_rate;
    *dt_bar += by_dt;
    return s;
}

double reaction_primal(const double *restrict u0, double rate, double dt, long n, long steps, double *restrict work)
{
    double *u = work, *a = u + n * n, s = 0.0;
    memcpy(u, u0, n * n * sizeof *u0);
    memcpy(a, u0, n * n * sizeof *u0);
    for (long t = 0; t < steps; t++) {
        const double *restrict from = u;
        double *restrict to = a;
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                double e = from[i * n + j], flow = from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1]
                                                   + from[i * n + j + 1] - 4.0 * e;
                to[i * n + j] = e + dt * (flow + rate * (e - e * e * e));
            }
        double *swap = u;
        u = a, a = swap;
    }
    for (long i = 0; i < n * n; i++)
        s += u[i] * u[i];
    return s;
}
