#include <math.h>
#include <string.h>

static double sigmoid(double z) { return 1.0 / (1.0 + exp(-z)); }

/* work: of each step and layer 7 rows (forget, take, give, change, tanh of the cell, hidden before, cell before), of each step
 * d words of weights of the loss; then the state and its adjoint, 2 layers d words each, and 2 d. */
double lstm(const double *restrict main, const double *restrict extra, const double *restrict start,
            const double *restrict seq, long layers, long d, long steps, double *restrict work, double *restrict main_bar,
            double *restrict extra_bar)
{
    double *rows = work, *soft = rows + 7 * d * layers * steps, *state = soft + d * steps;
    double *restrict bar = state + 2 * layers * d, *restrict x = bar + 2 * layers * d, *restrict xb = x + d;
    double total = 0.0, back = -1.0 / (d * steps);
    memcpy(state, start, 2 * layers * d * sizeof *state);
    memset(bar, 0, 2 * layers * d * sizeof *bar);
    for (long t = 0; t < steps; t++) {
        for (long j = 0; j < d; j++)
            x[j] = seq[t * d + j] * extra[j];
        for (long k = 0; k < layers; k++) {
            const double *m = main + 8 * d * k;
            double *restrict l = rows + 7 * d * (t * layers + k), *restrict h = state + 2 * d * k, *restrict c = h + d;
            for (long j = 0; j < d; j++) {
                double f = sigmoid(x[j] * m[j] + m[4 * d + j]), in = sigmoid(h[j] * m[d + j] + m[5 * d + j]);
                double o = sigmoid(x[j] * m[2 * d + j] + m[6 * d + j]), g = tanh(h[j] * m[3 * d + j] + m[7 * d + j]);
                l[5 * d + j] = h[j], l[6 * d + j] = c[j];
                c[j] = c[j] * f + in * g;
                double e = tanh(c[j]);
                x[j] = h[j] = o * e;
                l[j] = f, l[d + j] = in, l[2 * d + j] = o, l[3 * d + j] = g, l[4 * d + j] = e;
            }
        }
        double norm = 2.0, picked = 0.0, wanted = 0.0, *restrict s = soft + t * d;
        for (long j = 0; j < d; j++) {
            double guess = x[j] * extra[d + j] + extra[2 * d + j], y = seq[(t + 1) * d + j];
            s[j] = exp(guess);
            norm += s[j], picked += y * guess, wanted += y;
        }
        total += picked - wanted * log(norm);
        double by = wanted / norm;
        for (long j = 0; j < d; j++)
            s[j] = back * (seq[(t + 1) * d + j] - by * s[j]);
    }
    for (long t = steps - 1; t >= 0; t--) {
        const double *restrict s = soft + t * d, *restrict top = rows + 7 * d * (t * layers + layers - 1);
        for (long j = 0; j < d; j++) {
            double h = top[2 * d + j] * top[4 * d + j];
            extra_bar[d + j] += s[j] * h;
            extra_bar[2 * d + j] += s[j];
            xb[j] = s[j] * extra[d + j];
        }
        for (long k = layers - 1; k >= 0; k--) {
            const double *restrict m = main + 8 * d * k, *restrict l = rows + 7 * d * (t * layers + k);
            double *restrict mb = main_bar + 8 * d * k, *restrict hb = bar + 2 * d * k, *restrict cb = hb + d;
            for (long j = 0; j < d; j++) {
                double f = l[j], in = l[d + j], o = l[2 * d + j], g = l[3 * d + j], e = l[4 * d + j], h = l[5 * d + j];
                double below = k ? l[j + 2 * d - 7 * d] * l[j + 4 * d - 7 * d] : seq[t * d + j] * extra[j];
                double hh = xb[j] + hb[j], cc = cb[j] + hh * o * (1.0 - e * e);
                double fb = cc * l[6 * d + j] * f * (1.0 - f), ib = cc * g * in * (1.0 - in);
                double ob = hh * e * o * (1.0 - o), gb = cc * in * (1.0 - g * g);
                cb[j] = cc * f;
                mb[j] += fb * below, mb[d + j] += ib * h, mb[2 * d + j] += ob * below, mb[3 * d + j] += gb * h;
                mb[4 * d + j] += fb, mb[5 * d + j] += ib, mb[6 * d + j] += ob, mb[7 * d + j] += gb;
                hb[j] = ib * m[d + j] + gb * m[3 * d + j];
                xb[j] = fb * m[j] + ob * m[2 * d + j];
            }
        }
        for (long j = 0; j < d; j++)
            extra_bar[j] += xb[j] * seq[t * d + j];
    }
    return total * back;
}

double lstm_primal(const double *restrict main, const double *restrict extra, const double *restrict start,
                   const double *restrict seq, long layers, long d, long steps, double *restrict work)
{
    double *restrict state = work, *restrict x = state + 2 * layers * d, total = 0.0;
    memcpy(state, start, 2 * layers * d * sizeof *state);
    for (long t = 0; t < steps; t++) {
        for (long j = 0; j < d; j++)
            x[j] = seq[t * d + j] * extra[j];
        for (long k = 0; k < layers; k++) {
            const double *m = main + 8 * d * k;
            double *restrict h = state + 2 * d * k, *restrict c = h + d;
            for (long j = 0; j < d; j++) {
                double f = sigmoid(x[j] * m[j] + m[4 * d + j]), in = sigmoid(h[j] * m[d + j] + m[5 * d + j]);
                double o = sigmoid(x[j] * m[2 * d + j] + m[6 * d + j]), g = tanh(h[j] * m[3 * d + j] + m[7 * d + j]);
                c[j] = c[j] * f + in * g;
                x[j] = h[j] = o * tanh(c[j]);
            }
        }
        double norm = 2.0, picked = 0.0, wanted = 0.0;
        for (long j = 0; j < d; j++) {
            double guess = x[j] * extra[d + j] + extra[2 * d + j], y = seq[(t + 1) * d + j];
            norm += exp(guess), picked += y * guess, wanted += y;
        }
        total += picked - wanted * log(norm);
    }
    return -total / (d * steps);
}
