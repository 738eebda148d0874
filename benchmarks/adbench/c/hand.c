#include <math.h>
#include <string.h>

/* Hand tracking in flat loops. Transforms are rows of 12: the upper three rows of a matrix of 4 x 4. */

static void times(const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double sum = j == 3 ? a[4 * i + 3] : 0.0;
            for (int k = 0; k < 3; k++)
                sum += a[4 * i + k] * b[4 * k + j];
            c[4 * i + j] = sum;
        }
}

/* a_bar += c_bar b', b_bar += a' c_bar; either may be NULL */
static void times_back(const double *a, const double *b, const double *c_bar, double *a_bar, double *b_bar)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double bar = c_bar[4 * i + j];
            for (int k = 0; k < 3; k++) {
                if (a_bar)
                    a_bar[4 * i + k] += bar * b[4 * k + j];
                if (b_bar)
                    b_bar[4 * k + j] += bar * a[4 * i + k];
            }
            if (a_bar && j == 3)
                a_bar[4 * i + 3] += bar;
        }
}

static int x_of(long bone)
{
    long finger = (bone - 1) / 4, joint = (bone - 1) % 4;
    return bone < 1 || bone > 20 || joint == 0 ? -1 : (int)(joint == 1 ? 6 + 4 * finger : 6 + 4 * finger + joint);
}

static int z_of(long bone)
{
    return bone < 1 || bone > 20 || (bone - 1) % 4 != 1 ? -1 : (int)(7 + 4 * ((bone - 1) / 4));
}

static void turn(double x, double z, double *restrict r)
{
    double cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z);
    double entries[12] = {cz, -sz * cx, sz * sx, 0.0, sz, cz * cx, -cz * sx, 0.0, 0.0, sx, cx, 0.0};
    memcpy(r, entries, sizeof entries);
}

static double about(const double *restrict t, double *restrict g)
{
    double angle = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    if (angle < 1e-4) {
        for (int i = 0; i < 9; i++)
            g[i] = i % 4 == 0;
        return angle;
    }
    double x = t[0] / angle, y = t[1] / angle, z = t[2] / angle, s = sin(angle), c = cos(angle), v = 1.0 - c;
    double entries[9] = {
        x * x + (1.0 - x * x) * c, x * y * v - z * s, x * z * v + y * s, x * y * v + z * s, y * y + (1.0 - y * y) * c,
        y * z * v - x * s, x * z * v - y * s, z * y * v + x * s, z * z + (1.0 - z * z) * c};
    memcpy(g, entries, sizeof entries);
    return angle;
}

static void about_back(const double *restrict t, double angle, const double *restrict g_bar, double *restrict t_bar)
{
    if (angle < 1e-4)
        return;
    double a[3] = {t[0] / angle, t[1] / angle, t[2] / angle}, a_bar[3] = {0.0, 0.0, 0.0};
    double s = sin(angle), c = cos(angle), v = 1.0 - c, along = 0.0, trace = g_bar[0] + g_bar[4] + g_bar[8];
    double turn[3] = {g_bar[7] - g_bar[5], g_bar[2] - g_bar[6], g_bar[3] - g_bar[1]}, by_v = 0.0, by_s = 0.0, dot = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            along += g_bar[3 * i + j] * a[i] * a[j];
            a_bar[i] += v * (g_bar[3 * i + j] + g_bar[3 * j + i]) * a[j];
        }
    by_v = along;
    for (int i = 0; i < 3; i++) {
        by_s += turn[i] * a[i];
        a_bar[i] += s * turn[i];
    }
    double angle_bar = -s * trace + c * by_s + s * by_v;
    for (int i = 0; i < 3; i++)
        dot += a_bar[i] * a[i];
    for (int i = 0; i < 3; i++)
        t_bar[i] += angle_bar * a[i] + (a_bar[i] - dot * a[i]) / angle;
}

/* work: 12 words of each bone for its local, absolute and final transform, its rotation and their three adjoints; 3 words of
 * each vertex before and after the turn of the whole, and their adjoint */
static double forward(const double *restrict theta, const double *restrict us, const int *restrict parents,
                      const double *restrict relatives, const double *restrict inverses, const double *restrict base,
                      const double *restrict skin, const int *restrict triangles, const int *restrict chosen,
                      const double *restrict points, long bones, long nv, long n, double *restrict local,
                      double *restrict absolute, double *restrict final, double *restrict turns, double *restrict blended,
                      double *restrict vertices, double *restrict g, double *restrict angle)
{
    for (long b = 0; b < bones; b++) {
        int x = x_of(b), z = z_of(b);
        turn(x < 0 ? 0.0 : theta[x], z < 0 ? 0.0 : theta[z], turns + 12 * b);
        times(relatives + 16 * b, turns + 12 * b, local + 12 * b);
        if (parents[b] < 0)
            memcpy(absolute + 12 * b, local + 12 * b, 12 * sizeof *local);
        else
            times(absolute + 12 * parents[b], local + 12 * b, absolute + 12 * b);
        times(absolute + 12 * b, inverses + 16 * b, final + 12 * b);
    }
    *angle = about(theta, g);
    for (long v = 0; v < nv; v++) {
        const double *q = base + 3 * v;
        double p[3] = {0.0, 0.0, 0.0};
        for (long b = 0; b < bones; b++) {
            const double *t = final + 12 * b;
            for (int i = 0; i < 3; i++)
                p[i] += skin[v * bones + b] * (t[4 * i] * q[0] + t[4 * i + 1] * q[1] + t[4 * i + 2] * q[2] + t[4 * i + 3]);
        }
        for (int i = 0; i < 3; i++) {
            blended[3 * v + i] = p[i];
            vertices[3 * v + i] = g[3 * i] * p[0] + g[3 * i + 1] * p[1] + g[3 * i + 2] * p[2] + theta[3 + i];
        }
    }
    double total = 0.0;
    for (long i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            double place;
            if (us) {
                const int *t = triangles + 3 * chosen[i];
                place = us[2 * i] * vertices[3 * t[0] + c] + us[2 * i + 1] * vertices[3 * t[1] + c]
                        + (1.0 - us[2 * i] - us[2 * i + 1]) * vertices[3 * t[2] + c];
            } else
                place = vertices[3 * chosen[i] + c];
            double error = points[3 * i + c] - place;
            total += 0.5 * error * error;
        }
    return total;
}

double hand_primal(const double *theta, const double *us, const int *parents, const double *relatives,
                   const double *inverses, const double *base, const double *skin, const int *triangles, const int *chosen,
                   const double *points, long bones, long nv, long n, double *work)
{
    double g[9], angle, *blended = work + 48 * bones;
    return forward(theta, us, parents, relatives, inverses, base, skin, triangles, chosen, points, bones, nv, n, work,
                   work + 12 * bones, work + 24 * bones, work + 36 * bones, blended, blended + 3 * nv, g, &angle);
}

double hand(const double *theta, const double *us, const int *parents, const double *relatives, const double *inverses,
            const double *base, const double *skin, const int *triangles, const int *chosen, const double *points, long bones,
            long nv, long n, double *work, double *theta_bar, double *us_bar)
{
    double g[9], g_bar[9] = {0.0}, angle, *local = work, *absolute = local + 12 * bones, *final = absolute + 12 * bones;
    double *turns = final + 12 * bones, *blended = turns + 12 * bones, *vertices = blended + 3 * nv;
    double *vertices_bar = vertices + 3 * nv, *final_bar = vertices_bar + 3 * nv, *absolute_bar = final_bar + 12 * bones;
    double total = forward(theta, us, parents, relatives, inverses, base, skin, triangles, chosen, points, bones, nv, n, local,
                           absolute, final, turns, blended, vertices, g, &angle);
    memset(vertices_bar, 0, (3 * nv + 24 * bones) * sizeof *vertices_bar);
    for (long i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            if (us) {
                const int *t = triangles + 3 * chosen[i];
                double u[3] = {us[2 * i], us[2 * i + 1], 1.0 - us[2 * i] - us[2 * i + 1]};
                double a = vertices[3 * t[0] + c], b = vertices[3 * t[1] + c], d = vertices[3 * t[2] + c];
                double bar = u[0] * a + u[1] * b + u[2] * d - points[3 * i + c];
                us_bar[2 * i] += bar * (a - d);
                us_bar[2 * i + 1] += bar * (b - d);
                for (int k = 0; k < 3; k++)
                    vertices_bar[3 * t[k] + c] += bar * u[k];
            } else
                vertices_bar[3 * chosen[i] + c] += vertices[3 * chosen[i] + c] - points[3 * i + c];
        }
    for (long v = 0; v < nv; v++) {
        const double *q = base + 3 * v, *bar = vertices_bar + 3 * v;
        double p_bar[3] = {0.0, 0.0, 0.0};
        if (bar[0] == 0.0 && bar[1] == 0.0 && bar[2] == 0.0)
            continue;
        for (int i = 0; i < 3; i++) {
            theta_bar[3 + i] += bar[i];
            for (int j = 0; j < 3; j++) {
                g_bar[3 * i + j] += bar[i] * blended[3 * v + j];
                p_bar[j] += bar[i] * g[3 * i + j];
            }
        }
        for (long b = 0; b < bones; b++) {
            double w = skin[v * bones + b], *t = final_bar + 12 * b;
            for (int i = 0; i < 3; i++) {
                double by = w * p_bar[i];
                t[4 * i] += by * q[0], t[4 * i + 1] += by * q[1], t[4 * i + 2] += by * q[2], t[4 * i + 3] += by;
            }
        }
    }
    about_back(theta, angle, g_bar, theta_bar);
    for (long b = bones - 1; b >= 0; b--) {
        double local_bar[12] = {0.0}, r[12] = {0.0}, *bar = absolute_bar + 12 * b;
        times_back(absolute + 12 * b, inverses + 16 * b, final_bar + 12 * b, bar, NULL);
        if (parents[b] < 0)
            memcpy(local_bar, bar, sizeof local_bar);
        else
            times_back(absolute + 12 * parents[b], local + 12 * b, bar, absolute_bar + 12 * parents[b], local_bar);
        int x = x_of(b), z = z_of(b);
        if (x < 0)
            continue;
        times_back(relatives + 16 * b, turns + 12 * b, local_bar, NULL, r);
        double cx = cos(theta[x]), sx = sin(theta[x]), cz = z < 0 ? 1.0 : cos(theta[z]), sz = z < 0 ? 0.0 : sin(theta[z]);
        theta_bar[x] += r[1] * sz * sx + r[2] * sz * cx - r[5] * cz * sx - r[6] * cz * cx + r[9] * cx - r[10] * sx;
        if (z >= 0)
            theta_bar[z] += -r[0] * sz - r[1] * cz * cx + r[2] * cz * sx + r[4] * cz - r[5] * sz * cx + r[6] * sz * sx;
    }
    return total;
}
