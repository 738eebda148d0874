#include <math.h>

/* work: the table of costs, (n + 1) * (m + 1) words, and three times as many weights of the soft minimum; the adjoint of a cell
 * is had from its three successors, so two rows of it are enough. */
double soft_dtw(const double *restrict x, const double *restrict y, double gamma, long n, long m, double *restrict work,
                double *restrict x_bar, double *restrict y_bar, double *restrict gamma_bar)
{
    const long w = m + 1, size = (n + 1) * w;
    double *restrict r = work, *restrict wa = r + size, *restrict wb = wa + size, *restrict wc = wb + size;
    double *restrict bar = wc + size, inv = 1.0 / gamma, by_gamma = 0.0;
    for (long k = 0; k < size; k++)
        bar[k] = 0.0;
    for (long j = 0; j <= m; j++)
        r[j] = 1e10;
    r[0] = 0.0;
    for (long i = 1; i <= n; i++) {
        r[i * w] = 1e10;
        for (long j = 1; j <= m; j++) {
            long k = i * w + j;
            double a = r[k - w - 1], b = r[k - w], c = r[k - 1], least = fmin(a, fmin(b, c));
            double ea = exp((least - a) * inv), eb = exp((least - b) * inv), ec = exp((least - c) * inv);
            double total = ea + eb + ec, d = x[i - 1] - y[j - 1], it = 1.0 / total;
            wa[k] = ea * it, wb[k] = eb * it, wc[k] = ec * it;
            r[k] = d * d + least - gamma * log(total);
        }
    }
    bar[n * w + m] = 1.0;
    for (long i = n; i >= 1; i--)
        for (long j = m; j >= 1; j--) {
            long k = i * w + j;
            double e = bar[k], d = x[i - 1] - y[j - 1];
            x_bar[i - 1] += 2.0 * e * d;
            y_bar[j - 1] -= 2.0 * e * d;
            double a = e * wa[k], b = e * wb[k], c = e * wc[k];
            by_gamma += (e * (r[k] - d * d) - a * r[k - w - 1] - b * r[k - w] - c * r[k - 1]) * inv;
            bar[k - w - 1] += a;
            bar[k - w] += b;
            bar[k - 1] += c;
        }
    *gamma_bar += by_gamma;
    return r[n * w + m];
}

double soft_dtw_primal(const double *restrict x, const double *restrict y, double gamma, long n, long m,
                       double *restrict work)
{
    const long w = m + 1;
    double *restrict r = work, inv = 1.0 / gamma;
    for (long j = 0; j <= m; j++)
        r[j] = 1e10;
    r[0] = 0.0;
    for (long i = 1; i <= n; i++) {
        r[i * w] = 1e10;
        for (long j = 1; j <= m; j++) {
            long k = i * w + j;
            double a = r[k - w - 1], b = r[k - w], c = r[k - 1], least = fmin(a, fmin(b, c)), d = x[i - 1] - y[j - 1];
            r[k] = d * d + least
                   - gamma * log(exp((least - a) * inv) + exp((least - b) * inv) + exp((least - c) * inv));
        }
    }
    return r[n * w + m];
}
