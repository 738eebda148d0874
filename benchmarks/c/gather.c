/* s = sum_k v[idx[k]] * w[k], and s_bar times its gradient added into v_bar and w_bar. The adjoint loop needs no order of
 * its own, so one pass does both. */
double gather(const double *restrict v, const long *restrict idx, const double *restrict w, double *restrict v_bar,
              double *restrict w_bar, double s_bar, long n)
{
    double s = 0.0;
    for (long k = 0; k < n; k++) {
        long j = idx[k];
        s += v[j] * w[k];
        w_bar[k] += v[j] * s_bar;
        v_bar[j] += w[k] * s_bar;
    }
    return s;
}
