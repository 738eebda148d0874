#include <math.h>

/* Half the squared reprojection errors of p observations. Each observation goes forward and at once backward: nothing is
 * kept beyond it. */
double bundle(const double *restrict cams, const double *restrict points, const double *restrict weights,
              const double *restrict pixels, const long *restrict seen_by, const long *restrict seen, long p,
              double *restrict cams_bar, double *restrict points_bar, double *restrict weights_bar)
{
    double total = 0.0;
    for (long i = 0; i < p; i++) {
        const double *c = cams + 11 * seen_by[i], *q = points + 3 * seen[i];
        double *cb = cams_bar + 11 * seen_by[i], *qb = points_bar + 3 * seen[i];
        double dx = q[0] - c[3], dy = q[1] - c[4], dz = q[2] - c[5];
        double angle = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), inv = 1.0 / angle;
        double ax = c[0] * inv, ay = c[1] * inv, az = c[2] * inv;
        double co = cos(angle), si = sin(angle), dot = ax * dx + ay * dy + az * dz, along = dot * (1.0 - co);
        double kx = ay * dz - az * dy, ky = az * dx - ax * dz, kz = ax * dy - ay * dx;
        double x = dx * co + kx * si + ax * along, y = dy * co + ky * si + ay * along, z = dz * co + kz * si + az * along;
        double iz = 1.0 / z, u = x * iz, v = y * iz, r = u * u + v * v;
        double poly = 1.0 + r * (c[9] + c[10] * r), scale = c[6] * poly, w = weights[i];
        double hu = u * scale + c[7] - pixels[2 * i], hv = v * scale + c[8] - pixels[2 * i + 1];
        double eu = w * hu, ev = w * hv;
        total += 0.5 * (eu * eu + ev * ev);

        weights_bar[i] += eu * hu + ev * hv;
        double hub = eu * w, hvb = ev * w;
        double sb = hub * u + hvb * v, pb = sb * c[6], rb = pb * (c[9] + 2.0 * c[10] * r);
        cb[7] += hub, cb[8] += hvb, cb[6] += sb * poly, cb[9] += pb * r, cb[10] += pb * r * r;
        double ub = hub * scale + 2.0 * rb * u, vb = hvb * scale + 2.0 * rb * v;
        double xb = ub * iz, yb = vb * iz, zb = -(u * xb + v * yb);
        double lb = ax * xb + ay * yb + az * zb, db = lb * (1.0 - co);
        double cob = dx * xb + dy * yb + dz * zb - lb * dot, sib = kx * xb + ky * yb + kz * zb;
        double kxb = xb * si, kyb = yb * si, kzb = zb * si;
        double dxb = xb * co + ax * db + az * kyb - ay * kzb;
        double dyb = yb * co + ay * db + ax * kzb - az * kxb;
        double dzb = zb * co + az * db + ay * kxb - ax * kyb;
        double axb = xb * along + dx * db + dy * kzb - dz * kyb;
        double ayb = yb * along + dy * db + dz * kxb - dx * kzb;
        double azb = zb * along + dz * db + dx * kyb - dy * kxb;
        double nb = sib * co - cob * si - inv * (axb * ax + ayb * ay + azb * az);
        cb[0] += axb * inv + nb * ax, cb[1] += ayb * inv + nb * ay, cb[2] += azb * inv + nb * az;
        cb[3] -= dxb, cb[4] -= dyb, cb[5] -= dzb;
        qb[0] += dxb, qb[1] += dyb, qb[2] += dzb;
    }
    return total;
}

double bundle_primal(const double *restrict cams, const double *restrict points, const double *restrict weights,
                     const double *restrict pixels, const long *restrict seen_by, const long *restrict seen, long p)
{
    double total = 0.0;
    for (long i = 0; i < p; i++) {
        const double *c = cams + 11 * seen_by[i], *q = points + 3 * seen[i];
        double dx = q[0] - c[3], dy = q[1] - c[4], dz = q[2] - c[5];
        double angle = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), inv = 1.0 / angle;
        double ax = c[0] * inv, ay = c[1] * inv, az = c[2] * inv;
        double co = cos(angle), si = sin(angle), along = (ax * dx + ay * dy + az * dz) * (1.0 - co);
        double x = dx * co + (ay * dz - az * dy) * si + ax * along;
        double y = dy * co + (az * dx - ax * dz) * si + ay * along;
        double z = dz * co + (ax * dy - ay * dx) * si + az * along;
        double u = x / z, v = y / z, r = u * u + v * v, scale = c[6] * (1.0 + r * (c[9] + c[10] * r));
        double eu = weights[i] * (u * scale + c[7] - pixels[2 * i]), ev = weights[i] * (v * scale + c[8] - pixels[2 * i + 1]);
        total += 0.5 * (eu * eu + ev * ev);
    }
    return total;
}
