#include <math.h>
#include <stdlib.h>

#define LOG_TWO_PI log(2.0 * 3.14159265359) /* the constant of examples/gmm_model.py */

/* log(sum(exp(t))); the softmax of t is left in weight. */
static double log_sum_exp(const double *restrict t, double *restrict weight, long k)
{
    double largest = t[0], total = 0.0;
    for (long j = 1; j < k; j++)
        largest = t[j] > largest ? t[j] : largest;
    for (long j = 0; j < k; j++) {
        weight[j] = exp(t[j] - largest);
        total += weight[j];
    }
    for (long j = 0; j < k; j++)
        weight[j] /= total;
    return largest + log(total);
}

/* The objective of examples/gmm_model.py; its gradient is added into alphas_bar, means_bar and icf_bar. A point's share of
 * the gradient is finished before the next point is looked at, so nothing is kept beyond one point. */
double gmm(long n, long k, long d, const double *restrict alphas, const double *restrict means,
           const double *restrict icf, const double *restrict x, double gamma, long m, double constant, double sign,
           double *restrict alphas_bar, double *restrict means_bar, double *restrict icf_bar)
{
    const long p = d * (d + 1) / 2;
    double *pool = calloc(4 * k * d + 4 * k + 2 * d, sizeof *pool);
    if (!pool)
        return NAN;
    double *restrict diagonal = pool, *restrict diagonal_bar = diagonal + k * d;
    double *restrict shifted = diagonal_bar + k * d, *restrict scaled = shifted + k * d;
    double *restrict log_det = scaled + k * d, *restrict log_det_bar = log_det + k;
    double *restrict t = log_det_bar + k, *restrict weight = t + k;
    double *restrict scaled_bar = weight + k, *restrict shifted_bar = scaled_bar + d;

    for (long j = 0; j < k; j++)
        for (long a = 0; a < d; a++) {
            log_det[j] += icf[j * p + a];
            diagonal[j * d + a] = exp(icf[j * p + a]);
        }

    double value = 0.0;
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < k; j++) {
            const double *lower = icf + j * p + d;
            double *xc = shifted + j * d, *y = scaled + j * d, distance = 0.0;
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
        for (long j = 0; j < k; j++) {
            const double *lower = icf + j * p + d, *xc = shifted + j * d, *y = scaled + j * d;
            double *lower_bar = icf_bar + j * p + d;
            alphas_bar[j] += weight[j];
            log_det_bar[j] += weight[j];
            for (long a = 0; a < d; a++) {
                scaled_bar[a] = -weight[j] * y[a];
                shifted_bar[a] = diagonal[j * d + a] * scaled_bar[a];
                diagonal_bar[j * d + a] += xc[a] * scaled_bar[a];
            }
            for (long a = 0; a < d; a++) {
                double sum = 0.0;
                for (long b = a + 1; b < d; b++) {
                    lower_bar[b - a - 1] += xc[a] * scaled_bar[b];
                    sum += lower[b - a - 1] * scaled_bar[b];
                }
                shifted_bar[a] += sum;
                lower += d - a - 1;
                lower_bar += d - a - 1;
            }
            for (long a = 0; a < d; a++)
                means_bar[j * d + a] -= shifted_bar[a];
        }
    }

    value -= n * log_sum_exp(alphas, weight, k) + 0.5 * n * d * LOG_TWO_PI;
    double wishart = -constant;
    for (long j = 0; j < k; j++) {
        double squares = 0.0;
        alphas_bar[j] -= n * weight[j];
        log_det_bar[j] -= sign * m;
        for (long a = 0; a < d; a++) {
            double q = diagonal[j * d + a];
            squares += q * q;
            icf_bar[j * p + a] += log_det_bar[j] + q * (diagonal_bar[j * d + a] + sign * gamma * gamma * q);
        }
        for (long c = d; c < p; c++) {
            squares += icf[j * p + c] * icf[j * p + c];
            icf_bar[j * p + c] += sign * gamma * gamma * icf[j * p + c];
        }
        wishart += 0.5 * gamma * gamma * squares - m * log_det[j];
    }
    free(pool);
    return value + sign * wishart;
}
