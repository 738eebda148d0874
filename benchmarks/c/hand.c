#include <math.h>
#include <string.h>

/* ADBench's hand: 22 bones, of which each turns about its parent, move the vertices of a surface. */

static void multiply(const double *a, const double *b, double *out) /* rows 0 to 2 of a product; row 3 is 0 0 0 1 */
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + a[4 * r + 3] * b[12 + c];
    out[12] = out[13] = out[14] = 0.0, out[15] = 1.0;
}

static void turned(const double *theta, double *g)
{
    double angle = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    if (angle < 1e-4) {
        for (int k = 0; k < 9; k++)
            g[k] = k % 4 == 0;
        return;
    }
    double x = theta[0] / angle, y = theta[1] / angle, z = theta[2] / angle, s = sin(angle), c = cos(angle), d = 1.0 - c;
    g[0] = c + d * x * x, g[1] = d * x * y - s * z, g[2] = d * x * z + s * y;
    g[3] = d * x * y + s * z, g[4] = c + d * y * y, g[5] = d * y * z - s * x;
    g[6] = d * x * z - s * y, g[7] = d * y * z + s * x, g[8] = c + d * z * z;
}

static void skinned(const double *restrict theta, const int *restrict parents, const double *restrict relatives,
                    const double *restrict inverses, const double *restrict base, const double *restrict weights,
                    long bones, long count, double *restrict absolutes, double *restrict transforms,
                    double *restrict vertices)
{
    double g[9];
    for (long b = 0; b < bones; b++) {
        double x = 0.0, z = 0.0, turn[16], moved[16];
        if (b > 0 && b < 21) {
            long finger = (b - 1) / 4, s = (b - 1) % 4;
            if (s == 1)
                x = theta[6 + 4 * finger], z = theta[7 + 4 * finger];
            else if (s > 1)
                x = theta[6 + 4 * finger + s];
        }
        double cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z);
        double rotation[16] = {cz, -sz * cx, sz * sx, 0.0, sz, cz * cx, -cz * sx, 0.0, 0.0, sx, cx, 0.0, 0.0, 0.0, 0.0, 1.0};
        memcpy(turn, rotation, sizeof turn);
        multiply(relatives + 16 * b, turn, moved);
        if (parents[b] < 0)
            memcpy(absolutes + 16 * b, moved, sizeof moved);
        else
            multiply(absolutes + 16 * parents[b], moved, absolutes + 16 * b);
        multiply(absolutes + 16 * b, inverses + 16 * b, transforms + 16 * b);
    }
    turned(theta, g);
    for (long v = 0; v < count; v++) {
        const double *p = base + 3 * v;
        double q[3] = {0.0, 0.0, 0.0};
        for (long b = 0; b < bones; b++) {
            const double *t = transforms + 16 * b;
            double w = weights[bones * v + b];
            for (int r = 0; r < 3; r++)
                q[r] += w * (t[4 * r] * p[0] + t[4 * r + 1] * p[1] + t[4 * r + 2] * p[2] + t[4 * r + 3]);
        }
        for (int r = 0; r < 3; r++)
            vertices[3 * v + r] = g[3 * r] * q[0] + g[3 * r + 1] * q[1] + g[3 * r + 2] * q[2] + theta[3 + r];
    }
}

void hand_simple(const double *theta, const int *parents, const double *relatives, const double *inverses,
                 const double *base, const double *weights, long bones, long count, double *absolutes,
                 double *transforms, double *vertices, const int *correspondences, const double *points, long n,
                 double *restrict err)
{
    skinned(theta, parents, relatives, inverses, base, weights, bones, count, absolutes, transforms, vertices);
    for (long i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            err[3 * i + r] = points[3 * i + r] - vertices[3 * correspondences[i] + r];
}

void hand_complicated(const double *theta, const int *parents, const double *relatives, const double *inverses,
                      const double *base, const double *weights, long bones, long count, double *absolutes,
                      double *transforms, double *vertices, const int *correspondences, const double *points, long n,
                      const int *triangles, const double *us, double *restrict err)
{
    skinned(theta, parents, relatives, inverses, base, weights, bones, count, absolutes, transforms, vertices);
    for (long i = 0; i < n; i++) {
        const int *t = triangles + 3 * correspondences[i];
        double u = us[2 * i], v = us[2 * i + 1];
        for (int r = 0; r < 3; r++)
            err[3 * i + r] = points[3 * i + r] - (u * vertices[3 * t[0] + r] + v * vertices[3 * t[1] + r]
                                                  + (1.0 - u - v) * vertices[3 * t[2] + r]);
    }
}

/* The same as ADBench has it, with matrices of any size, stored by columns. */

typedef struct { long rows, columns; double *cells; } Matrix;

static void product(const Matrix *a, const Matrix *b, Matrix *out)
{
    for (long i = 0; i < a->rows; i++)
        for (long k = 0; k < b->columns; k++) {
            double sum = a->cells[i] * b->cells[k * b->rows];
            for (long j = 1; j < a->columns; j++)
                sum += a->cells[i + j * a->rows] * b->cells[j + k * b->rows];
            out->cells[i + k * out->rows] = sum;
        }
}

/* base: 4 by count, homogeneous; weights: bones by count; work: room for 4 * count numbers */
void hand_matrices(double *theta, const int *parents, double *relatives, double *inverses, double *base,
                   double *weights, long bones, long count, double *absolutes, double *transforms, double *vertices,
                   const int *correspondences, const double *points, long n, double *work, double *err)
{
    double g[9], turn_cells[16], moved_cells[16];
    Matrix turn = {4, 4, turn_cells}, moved = {4, 4, moved_cells}, all = {4, count, base}, placed = {4, count, work};
    for (long b = 0; b < bones; b++) {
        double x = 0.0, z = 0.0;
        if (b > 0 && b < 21) {
            long finger = (b - 1) / 4, s = (b - 1) % 4;
            if (s == 1)
                x = theta[6 + 4 * finger], z = theta[7 + 4 * finger];
            else if (s > 1)
                x = theta[6 + 4 * finger + s];
        }
        double cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z);
        double rotation[16] = {cz, sz, 0.0, 0.0, -sz * cx, cz * cx, sx, 0.0, sz * sx, -cz * sx, cx, 0.0, 0.0, 0.0, 0.0, 1.0};
        memcpy(turn_cells, rotation, sizeof rotation);
        Matrix relative = {4, 4, relatives + 16 * b}, inverse = {4, 4, inverses + 16 * b};
        Matrix own = {4, 4, absolutes + 16 * b}, parent = {4, 4, absolutes + 16 * (parents[b] < 0 ? b : parents[b])};
        Matrix transform = {4, 4, transforms + 16 * b};
        product(&relative, &turn, &moved);
        if (parents[b] < 0)
            memcpy(own.cells, moved_cells, sizeof moved_cells);
        else
            product(&parent, &moved, &own);
        product(&own, &inverse, &transform);
    }
    memset(vertices, 0, 3 * count * sizeof *vertices);
    for (long b = 0; b < bones; b++) {
        Matrix transform = {4, 4, transforms + 16 * b};
        product(&transform, &all, &placed);
        for (long r = 0; r < 3; r++)
            for (long v = 0; v < count; v++)
                vertices[r + 3 * v] += weights[b + bones * v] * work[r + 4 * v];
    }
    turned(theta, g);
    for (long v = 0; v < count; v++) {
        double q[3] = {vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]};
        for (long r = 0; r < 3; r++)
            vertices[3 * v + r] = g[3 * r] * q[0] + g[3 * r + 1] * q[1] + g[3 * r + 2] * q[2] + theta[3 + r];
    }
    for (long i = 0; i < n; i++)
        for (long r = 0; r < 3; r++)
            err[3 * i + r] = points[3 * i + r] - vertices[3 * correspondences[i] + r];
}
