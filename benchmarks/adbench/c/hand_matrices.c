#include "hand.c"

/* The primal as ADBench has it, with matrices of any size, stored by columns. */

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

/* relatives, inverses: 4 by 4 each; base: 4 by nv, homogeneous; skin: bones by nv; work: 32 words of each bone, 7 of each
 * vertex */
double hand_matrices_primal(const double *theta, const int *parents, double *relatives, double *inverses, double *base,
                            const double *skin, const int *chosen, const double *points, long bones, long nv, long n,
                            double *work)
{
    double g[9], rows[12], turn_cells[16], moved_cells[16], *absolutes = work, *transforms = absolutes + 16 * bones;
    double *placed_cells = transforms + 16 * bones, *vertices = placed_cells + 4 * nv, total = 0.0;
    Matrix turned = {4, 4, turn_cells}, moved = {4, 4, moved_cells}, all = {4, nv, base}, placed = {4, nv, placed_cells};
    for (long b = 0; b < bones; b++) {
        int x = x_of(b), z = z_of(b);
        turn(x < 0 ? 0.0 : theta[x], z < 0 ? 0.0 : theta[z], rows);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                turn_cells[i + 4 * j] = i < 3 ? rows[4 * i + j] : j == 3;
        Matrix relative = {4, 4, relatives + 16 * b}, inverse = {4, 4, inverses + 16 * b};
        Matrix own = {4, 4, absolutes + 16 * b}, parent = {4, 4, absolutes + 16 * (parents[b] < 0 ? b : parents[b])};
        Matrix transform = {4, 4, transforms + 16 * b};
        product(&relative, &turned, &moved);
        if (parents[b] < 0)
            memcpy(own.cells, moved_cells, sizeof moved_cells);
        else
            product(&parent, &moved, &own);
        product(&own, &inverse, &transform);
    }
    memset(vertices, 0, 3 * nv * sizeof *vertices);
    for (long b = 0; b < bones; b++) {
        Matrix transform = {4, 4, transforms + 16 * b};
        product(&transform, &all, &placed);
        for (long r = 0; r < 3; r++)
            for (long v = 0; v < nv; v++)
                vertices[r + 3 * v] += skin[b + bones * v] * placed_cells[r + 4 * v];
    }
    about(theta, g);
    for (long v = 0; v < nv; v++) {
        double q[3] = {vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]};
        for (long r = 0; r < 3; r++)
            vertices[3 * v + r] = g[3 * r] * q[0] + g[3 * r + 1] * q[1] + g[3 * r + 2] * q[2] + theta[3 + r];
    }
    for (long i = 0; i < n; i++)
        for (long r = 0; r < 3; r++) {
            double error = points[3 * i + r] - vertices[3 * chosen[i] + r];
            total += 0.5 * error * error;
        }
    return total;
}
