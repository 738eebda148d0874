#include <math.h>

/* ADBench's bundle adjustment: the reprojection error of each observation, and 1 - w^2. */
void residuals(const double *cams, const double *points, const double *weights, const double *pixels, const long *obs,
               long p, double *restrict errors, double *restrict of_weights)
{
    for (long i = 0; i < p; i++) {
        const double *c = cams + 11 * obs[2 * i], *q = points + 3 * obs[2 * i + 1];
        double d[3] = {q[0] - c[3], q[1] - c[4], q[2] - c[5]}, y[3];
        double squared = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        if (squared == 0.0) {
            y[0] = d[0] + c[1] * d[2] - c[2] * d[1];
            y[1] = d[1] + c[2] * d[0] - c[0] * d[2];
            y[2] = d[2] + c[0] * d[1] - c[1] * d[0];
        } else {
            double angle = sqrt(squared), a[3] = {c[0] / angle, c[1] / angle, c[2] / angle};
            double co = cos(angle), si = sin(angle), along = (a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) * (1.0 - co);
            y[0] = d[0] * co + (a[1] * d[2] - a[2] * d[1]) * si + a[0] * along;
            y[1] = d[1] * co + (a[2] * d[0] - a[0] * d[2]) * si + a[1] * along;
            y[2] = d[2] * co + (a[0] * d[1] - a[1] * d[0]) * si + a[2] * along;
        }
        double u = y[0] / y[2], v = y[1] / y[2], r = u * u + v * v, w = weights[i];
        double l = 1.0 + c[9] * r + c[10] * r * r;
        errors[2 * i] = w * (u * l * c[6] + c[7] - pixels[2 * i]);
        errors[2 * i + 1] = w * (v * l * c[6] + c[8] - pixels[2 * i + 1]);
        of_weights[i] = 1.0 - w * w;
    }
}
