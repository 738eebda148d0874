/* Each row is a sum forward and at once an update backward. */
double csr(const double *restrict data, const double *restrict x, const long *restrict indices,
           const long *restrict indptr, long n, double *restrict data_bar, double *restrict x_bar)
{
    double s = 0.0;
    for (long i = 0; i < n; i++) {
        double y = 0.0;
        for (long k = indptr[i]; k < indptr[i + 1]; k++)
            y += data[k] * x[indices[k]];
        s += y * y;
        double yb = 2.0 * y;
        for (long k = indptr[i]; k < indptr[i + 1]; k++) {
            data_bar[k] += yb * x[indices[k]];
            x_bar[indices[k]] += yb * data[k];
        }
    }
    return s;
}

double csr_primal(const double *restrict data, const double *restrict x, const long *restrict indices,
                  const long *restrict indptr, long n)
{
    double s = 0.0;
    for (long i = 0; i < n; i++) {
        double y = 0.0;
        for (long k = indptr[i]; k < indptr[i + 1]; k++)
            y += data[k] * x[indices[k]];
        s += y * y;
    }
    return s;
}
