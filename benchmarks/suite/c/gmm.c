#include "../../c/gmm.c"

double gmm_primal(long n, long k, long d, const double *restrict alphas, const double *restrict means,
                  const double *restrict icf, const double *restrict x, double gamma, long m, double constant,
                  double sign)
{
    const long p = d * (d + 1) / 2;
    double *pool = calloc(k * d + 3 * k + 2 * d, sizeof *pool);
    if (!pool)
        return NAN;
    double *restrict diagonal = pool, *restrict log_det = diagonal + k * d, *restrict t = log_det + k;
    double *restrict weight = t + k, *restrict xc = weight + k, *restrict y = xc + d;
    double value = 0.0, wishart = -constant;
    for (long j = 0; j < k; j++)
        for (long a = 0; a < d; a++) {
            log_det[j] += icf[j * p + a];
            diagonal[j * d + a] = exp(icf[j * p + a]);
        }
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < k; j++) {
            const double *lower = icf + j * p + d;
            double distance = 0.0;
            for (long a = 0; a < d; a++) {
                xc[a] = x[i * d + a] - means[j * d + a];
                y[a] = diagonal[j * d + a] * xc[a];
            }
            for (long a = 0; a < d; a++) {
                for (long b = a + 1; b < d; b++)
                    y[b] += lower[b - a - 1] * xc[a];
                lower += d - a - 1;
            }
            for (long a = 0; a < d; a++)
                distance += y[a] * y[a];
            t[j] = alphas[j] + log_det[j] - 0.5 * distance;
        }
        value += log_sum_exp(t, weight, k);
    }
    value -= n * log_sum_exp(alphas, weight, k) + 0.5 * n * d * LOG_TWO_PI;
    for (long j = 0; j < k; j++) {
        double squares = 0.0;
        for (long a = 0; a < d; a++)
            squares += diagonal[j * d + a] * diagonal[j * d + a];
        for (long c = d; c < p; c++)
            squares += icf[j * p + c] * icf[j * p + c];
        wishart += 0.5 * gamma * gamma * squares - m * log_det[j];
    }
    free(pool);
    return value + sign * wishart;
}
