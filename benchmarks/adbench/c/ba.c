#include "../../suite/c/bundle.c"

double ba_primal(const double *cams, const double *points, const double *weights, const double *pixels, const long *seen_by,
                 const long *seen, long p)
{
    double total = bundle_primal(cams, points, weights, pixels, seen_by, seen, p);
    for (long i = 0; i < p; i++) {
        double error = 1.0 - weights[i] * weights[i];
        total += 0.5 * error * error;
    }
    return total;
}

double ba(const double *cams, const double *points, const double *weights, const double *pixels, const long *seen_by,
          const long *seen, long p, double *cams_bar, double *points_bar, double *weights_bar)
{
    double total = bundle(cams, points, weights, pixels, seen_by, seen, p, cams_bar, points_bar, weights_bar);
    for (long i = 0; i < p; i++) {
        double error = 1.0 - weights[i] * weights[i];
        total += 0.5 * error * error;
        weights_bar[i] -= 2.0 * error * weights[i];
    }
    return total;
}
