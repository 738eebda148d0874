#include <math.h>
#include <string.h>

/* work: T rows of n (the normalised forward variables), T norms, and 2 n. */
double hmm(const double *restrict pi, const double *restrict trans, const double *restrict emit, const long *restrict obs,
           long n, long m, long T, double *restrict work, double *restrict pi_bar, double *restrict trans_bar,
           double *restrict emit_bar)
{
    double *rows = work, *norms = rows + n * T, *restrict bar = norms + T, *restrict sum_bar = bar + n, total = 0.0;
    for (long t = 0; t < T; t++) {
        double *restrict a = rows + t * n, z = 0.0;
        if (t) {
            const double *restrict b = rows + (t - 1) * n;
            memset(a, 0, n * sizeof *a);
            for (long r = 0; r < n; r++)
                for (long s = 0; s < n; s++)
                    a[s] += b[r] * trans[r * n + s];
        } else
            memcpy(a, pi, n * sizeof *a);
        for (long s = 0; s < n; s++)
            z += a[s] *= emit[s * m + obs[t]];
        for (long s = 0; s < n; s++)
            a[s] /= z;
        total += log(z);
        norms[t] = z;
    }
    for (long s = 0; s < n; s++)
        bar[s] = 1.0; /* of the normalised variables, beside the norm's own part, which is the same at each step */
    for (long t = T - 1; t >= 0; t--) {
        const double *restrict a = rows + t * n;
        double iz = 1.0 / norms[t], dot = 0.0;
        for (long s = 0; s < n; s++)
            dot += bar[s] * a[s];
        for (long s = 0; s < n; s++) {
            double e = emit[s * m + obs[t]], raw = (bar[s] - dot + 1.0) * iz;
            emit_bar[s * m + obs[t]] += raw * a[s] * norms[t] / e;
            sum_bar[s] = raw * e;
        }
        if (t) {
            const double *restrict b = rows + (t - 1) * n;
            for (long r = 0; r < n; r++) {
                double sum = 0.0;
                for (long s = 0; s < n; s++) {
                    sum += trans[r * n + s] * sum_bar[s];
                    trans_bar[r * n + s] += b[r] * sum_bar[s];
                }
                bar[r] = sum;
            }
        } else
            for (long s = 0; s < n; s++)
                pi_bar[s] += sum_bar[s];
    }
    return total;
}

double hmm_primal(const double *restrict pi, const double *restrict trans, const double *restrict emit,
                  const long *restrict obs, long n, long m, long T, double *restrict work)
{
    double *restrict a = work, *restrict b = work + n, total = 0.0;
    for (long t = 0; t < T; t++) {
        double z = 0.0;
        if (t) {
            memset(a, 0, n * sizeof *a);
            for (long r = 0; r < n; r++)
                for (long s = 0; s < n; s++)
                    a[s] += b[r] * trans[r * n + s];
        } else
            memcpy(a, pi, n * sizeof *a);
        for (long s = 0; s < n; s++)
            z += a[s] *= emit[s * m + obs[t]];
        for (long s = 0; s < n; s++)
            b[s] = a[s] / z;
        total += log(z);
    }
    return total;
}
