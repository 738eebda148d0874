#include <math.h>

static double cdf(double z) { return 0.5 * (1.0 + erf(z * M_SQRT1_2)); }

/* Each option forward and at once backward, by its Greeks. */
double black_scholes(const double *restrict spot, const double *restrict strike, const double *restrict vol,
                     const double *restrict years, double rate, long n, double *restrict spot_bar,
                     double *restrict strike_bar, double *restrict vol_bar, double *restrict years_bar,
                     double *restrict rate_bar)
{
    double total = 0.0, by_rate = 0.0;
    for (long i = 0; i < n; i++) {
        double root = sqrt(years[i]), spread = vol[i] * root;
        double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * vol[i] * vol[i]) * years[i]) / spread, d2 = d1 - spread;
        double n1 = cdf(d1), n2 = cdf(d2), discount = exp(-rate * years[i]);
        double vega = spot[i] * exp(-0.5 * d1 * d1) * (0.5 * M_2_SQRTPI * M_SQRT1_2) * root;
        double owed = strike[i] * discount * n2;
        total += spot[i] * n1 - owed;
        spot_bar[i] += n1;
        strike_bar[i] -= discount * n2;
        vol_bar[i] += vega;
        years_bar[i] += rate * owed + 0.5 * vega * vol[i] / years[i];
        by_rate += years[i] * owed;
    }
    *rate_bar += by_rate;
    return total;
}

double black_scholes_primal(const double *restrict spot, const double *restrict strike, const double *restrict vol,
                            const double *restrict years, double rate, long n)
{
    double total = 0.0;
    for (long i = 0; i < n; i++) {
        double spread = vol[i] * sqrt(years[i]);
        double d1 = (log(spot[i] / strike[i]) + (rate + 0.5 * vol[i] * vol[i]) * years[i]) / spread, d2 = d1 - spread;
        total += spot[i] * cdf(d1) - strike[i] * exp(-rate * years[i]) * cdf(d2);
    }
    return total;
}
