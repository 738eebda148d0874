#include <math.h>
#include <string.h>

/* work: steps states of positions (3 n words each), then positions, velocities, and their adjoints (12 n). */
double n_body(const double *restrict q0, const double *restrict v0, const double *restrict mass, double dt, long n,
              long steps, double *restrict work, double *restrict q_bar, double *restrict v_bar,
              double *restrict mass_bar, double *restrict dt_bar)
{
    double *restrict rows = work, *restrict q = rows + 3 * n * steps, *restrict v = q + 3 * n;
    double *restrict qb = v + 3 * n, *restrict vb = qb + 3 * n, energy = 0.0, by_dt = 0.0;
    memcpy(q, q0, 3 * n * sizeof *q);
    memcpy(v, v0, 3 * n * sizeof *v);
    for (long t = 0; t < steps; t++) {
        memcpy(rows + 3 * n * t, q, 3 * n * sizeof *q);
        for (long i = 0; i < n; i++)
            for (long j = i + 1; j < n; j++) {
                double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1], dz = q[3 * j + 2] - q[3 * i + 2];
                double r2 = dx * dx + dy * dy + dz * dz + 0.01, w = dt / (r2 * sqrt(r2));
                double mi = w * mass[i], mj = w * mass[j];
                v[3 * i] += mj * dx, v[3 * i + 1] += mj * dy, v[3 * i + 2] += mj * dz;
                v[3 * j] -= mi * dx, v[3 * j + 1] -= mi * dy, v[3 * j + 2] -= mi * dz;
            }
        for (long i = 0; i < 3 * n; i++)
            q[i] += dt * v[i];
    }
    for (long i = 0; i < n; i++) {
        double square = v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2];
        energy += 0.5 * mass[i] * square;
        mass_bar[i] += 0.5 * square;
        for (long c = 0; c < 3; c++)
            qb[3 * i + c] = 0.0, vb[3 * i + c] = mass[i] * v[3 * i + c];
    }
    for (long t = steps - 1; t >= 0; t--) {
        const double *restrict p = rows + 3 * n * t;
        for (long i = 0; i < 3 * n; i++) { /* q after - q before is dt v */
            by_dt += qb[i] * ((t + 1 < steps ? rows[3 * n * (t + 1) + i] : q[i]) - p[i]) / dt;
            vb[i] += dt * qb[i];
        }
        for (long i = 0; i < n; i++)
            for (long j = i + 1; j < n; j++) {
                double dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
                double r2 = dx * dx + dy * dy + dz * dz + 0.01, ir2 = 1.0 / r2, u = ir2 * sqrt(ir2), w = dt * u;
                double *a = vb + 3 * i, *b = vb + 3 * j;
                double ai = a[0] * dx + a[1] * dy + a[2] * dz, bi = b[0] * dx + b[1] * dy + b[2] * dz;
                mass_bar[j] += w * ai;
                mass_bar[i] -= w * bi;
                double wb = ai * mass[j] - bi * mass[i], pull = -3.0 * wb * w * ir2;
                double mi = w * mass[i], mj = w * mass[j];
                by_dt += wb * u;
                double gx = mj * a[0] - mi * b[0] + pull * dx, gy = mj * a[1] - mi * b[1] + pull * dy;
                double gz = mj * a[2] - mi * b[2] + pull * dz;
                qb[3 * j] += gx, qb[3 * j + 1] += gy, qb[3 * j + 2] += gz;
                qb[3 * i] -= gx, qb[3 * i + 1] -= gy, qb[3 * i + 2] -= gz;
            }
    }
    for (long i = 0; i < 3 * n; i++)
        q_bar[i] += qb[i], v_bar[i] += vb[i];
    *dt_bar += by_dt;
    return energy;
}

double n_body_primal(const double *restrict q0, const double *restrict v0, const double *restrict mass, double dt, long n,
                     long steps, double *restrict work)
{
    double *restrict q = work, *restrict v = q + 3 * n, energy = 0.0;
    memcpy(q, q0, 3 * n * sizeof *q);
    memcpy(v, v0, 3 * n * sizeof *v);
    for (long t = 0; t < steps; t++) {
        for (long i = 0; i < n; i++)
            for (long j = i + 1; j < n; j++) {
                double dx = q[3 * j] - q[3 * i], dy = q[3 * j + 1] - q[3 * i + 1], dz = q[3 * j + 2] - q[3 * i + 2];
                double r2 = dx * dx + dy * dy + dz * dz + 0.01, w = dt / (r2 * sqrt(r2));
                double mi = w * mass[i], mj = w * mass[j];
                v[3 * i] += mj * dx, v[3 * i + 1] += mj * dy, v[3 * i + 2] += mj * dz;
                v[3 * j] -= mi * dx, v[3 * j + 1] -= mi * dy, v[3 * j + 2] -= mi * dz;
            }
        for (long i = 0; i < 3 * n; i++)
            q[i] += dt * v[i];
    }
    for (long i = 0; i < 3 * n; i++)
        energy += 0.5 * mass[i / 3] * v[i] * v[i];
    return energy;
}
