"""Expressions of library functions on ordinary arguments, for `test_ordinary`: a line each.

``u`` is a number, ``v`` and ``x`` are vectors of 3 and 6 positive numbers, ``A`` is a positive definite matrix, ``P`` a
picture of 6 by 8. ``e`` are the numbers of `EDGES`, of which only the values are compared.
"""

from __future__ import annotations

ORDINARY = """
np.linalg.svd((np.cos(P*P)+np.eye(6,8)))[1]
np.linalg.svd((np.cos(P*P)+np.eye(6,8)))[0][:, :2] @ np.linalg.svd((np.cos(P*P)+np.eye(6,8)))[2][:2]
np.linalg.svd((np.cos(P*P)+np.eye(6,8))[:, :2]).U[:, 2:] @ np.linalg.svd((np.cos(P*P)+np.eye(6,8))[:, :2]).U[:, 2:].T
np.linalg.svd((np.cos(P*P)+np.eye(6,8))[:2]).Vh[2:].T @ np.linalg.svd((np.cos(P*P)+np.eye(6,8))[:2]).Vh[2:]
np.linalg.svd(np.stack([(np.cos(P*P)+np.eye(6,8)), (np.cos(P*P)+np.eye(6,8))**2+1]))[1]
np.linalg.qr((np.cos(P*P)+np.eye(6,8))[:, :3], mode="complete")[0]
np.linalg.qr((np.cos(P*P)+np.eye(6,8))[:, :3], mode="complete")[1]
np.linalg.qr((np.cos(P*P)+np.eye(6,8)), mode="complete")[0]
sl.svd((np.cos(P*P)+np.eye(6,8)))[1]
sl.qr((np.cos(P*P)+np.eye(6,8))[:, :3])[0]
sl.qr((np.cos(P*P)+np.eye(6,8))[:, :3], mode="r")[0]
sl.qr((np.cos(P*P)+np.eye(6,8))[:, :3], mode="economic")[1]
sl.null_space((np.cos(P*P)+np.eye(6,8))) @ sl.null_space((np.cos(P*P)+np.eye(6,8))).T
sl.null_space((np.cos(P*P)+np.eye(6,8))[:2]) @ sl.null_space((np.cos(P*P)+np.eye(6,8))[:2]).T
sl.orth((np.cos(P*P)+np.eye(6,8))[:, :3]) @ sl.orth((np.cos(P*P)+np.eye(6,8))[:, :3]).T
sp.gammasgn(x - 2.35) * x
st.multivariate_normal.entropy(v, A)
st.multivariate_normal.entropy(cov=A)
st.multivariate_normal.entropy(u, 2.0 * u)
np.r_[x, u, 1:4] * u
np.r_[0.5:2:4j, x[:2]] * u
np.c_[v, 1:4] * u
np.mgrid[0:1:3j, 0:2] * u
sp.elliprf(x, 1.0, 2.0)
sp.elliprf(0.0, x, 2.0)
sp.elliprd(x, 1.0, 2.0)
sp.elliprd(0.0, 1.0, x)
sp.elliprj(x, 1.0, 2.0, 3.0)
sp.elliprj(1.0, 0.5, 2.0, x)
sp.elliprj(0.7, 0.5, 2.0, -x)
sp.elliprc(x, 1.0)
sp.elliprc(1.0, x)
sp.elliprc(1.0, -x)
sp.elliprg(x, 1.0, 2.0)
sp.elliprg(1.0, 2.0, x)
sp.ellipkinc(x, 0.3)
sp.ellipkinc(x*4-3, 0.9)
sp.ellipeinc(x, 0.3)
sp.ellipeinc(x*4-3, -2.0*x)
sp.ellipkinc(0.4, 0.4*x)
sp.ellipkm1(x)
np.stack(sp.ellipj(x, 0.3))
np.stack(sp.ellipj(2.0, 0.4*x))
np.stack(sp.ellipj(0.5, 1.0-1e-12*x))
sp.loggamma(x)
sp.loggamma(3*x - 2 + 1j*x).real
sp.loggamma(9*x - 12 - 2j*x).imag
sp.gamma(3*x - 2 + 1j*x).real
sp.gamma(2*x + 9j*x).imag
sp.rgamma(3*x - 2 + 1j*x).imag
sp.wofz(x).real
sp.wofz(x).imag
np.abs(sp.wofz(x + 0.4j))
np.abs(sp.wofz(3*x - 0.4j))
np.abs(sp.wofz(0.1*x - 0.1j))
np.abs(sp.wofz(-0.1*x +x*1j))
np.abs(sp.wofz(-10*x +x*1j))
sp.wofz(x*0.0 + 1j*x).real
sp.voigt_profile(x, 0.5, 0.3)
sp.voigt_profile(x, 0.0, 0.3)
sp.voigt_profile(x-1.1, x, x)
sp.voigt_profile(0.3, 0.5, x*0.01)
sp.erfi(x-1)
sp.spence(x)
sp.spence(5*x)
np.stack(sp.shichi(x))
np.stack(sp.shichi(x*4-5))
sp.stdtr(3.0, x-1)
sp.stdtr(3.0, 3*x)
sp.stdtr(x, 0.4)
sp.fdtr(3.0, 4.0, x)
sp.fdtrc(3.0, 4.0, x)
sp.pdtr(2, x)
sp.pdtrc(2, x)
sp.bdtr(2, 5, 0.3*x)
sp.bdtrc(2, 5, 0.3*x)
sp.chdtr(3.0, x)
sp.chdtrc(3.0, x)
sp.gdtr(1.5, 2.0, x)
sp.gdtrc(1.5, 2.0, x)
sp.powm1(x, 0.3)
sp.betaincc(1.0, 2.0, 0.3*x)
sp.cosdg(100*x)
sp.sindg(100*x)
sp.tandg(100*x)
statistics.mean(x)
statistics.fmean(x)
statistics.fmean(x, x)
statistics.stdev(x)
statistics.pstdev(x)
statistics.variance(x)
statistics.variance(x, u)
statistics.pvariance(x)
statistics.geometric_mean(x)
statistics.harmonic_mean(x)
statistics.mean([u, u*u, 1.0])
statistics.stdev([u, u*u, 1.0])
sg.chirp(x, 1.0, 2.0, 5.0)
sg.chirp(x, 1.0, 2.0, 5.0, "quadratic", 30)
sg.chirp(x, 1.0, 2.0, 5.0, "quadratic", 30, False)
sg.chirp(x, 1.0, 2.0, 5.0, method="log")
sg.chirp(x, 1.0, 2.0, 5.0, method="hyperbolic")
sg.sawtooth(3*x)
sg.sawtooth(3*x, 0.4)
sg.square(5*x, 0.3) * u
sg.gausspulse(x, fc=2)
sg.gausspulse(x, 2.0, retenv=True)[1]
sg.unit_impulse(4) * u
sg.unit_impulse(4, "mid") * u
sg.periodogram(x)[1]
sg.periodogram(x[:5], fs=10.0, detrend="linear", window="hamming", scaling="spectrum")[1]
sg.periodogram(x, nfft=9, detrend=False)[1]
sg.welch(x, nperseg=4)[1]
sg.welch(x, 5.0)[1]
sg.welch(x, window="hann", nperseg=3, noverlap=2)[1]
np.abs(sg.csd(x, x**2, nperseg=4)[1])
sg.coherence(x, x**2, nperseg=4)[1]
np.abs(sg.freqz(v)[1])
np.abs(sg.freqz(v, v[::-1] + 5.0, 16, fs=10.0)[1])
np.abs(sg.freqz(v, v+4, worN=x)[1])
sg.resample(x, 9)
sg.resample(x, 4)
sg.resample(x, 12)
sg.resample(x[:5], 4)
sg.lombscargle(x, x**2, v)
sg.lombscargle(x, x**2, v, normalize=True)
sg.butter(2, 0.3)[0] * u
sg.butter(2, 0.3*u)[0]
sg.butter(2, 0.3*u)[1]
sg.butter(3, 0.3*u)[1]
sg.butter(5, 0.3*u, "high")[0]
sg.butter(5, 0.3*u, "high")[1]
sg.butter(4, [0.2*u, 0.8*u], "band")[0]
sg.butter(4, [0.2*u, 0.8*u], "bandpass")[1]
sg.butter(3, [0.2*u, 0.8*u], "bandpass")[1]
sg.butter(3, [0.2*u, 0.8*u], "bandstop")[1]
sg.butter(3, [0.2*u, 0.8*u], "bandstop")[0]
sg.butter(3, (20.0*u, 30.0), "bandstop", fs=100.0)[0]
sg.butter(4, 0.3*u, output="sos")
sg.butter(5, 0.3*u, output="sos")
sg.butter(5, 0.3*u, "hp", output="sos")
sg.iirnotch(0.3*u, 3.0)[0]
sg.iirnotch(0.3*u, 3.0)[1]
sg.iirpeak(0.3*u, 3.0)[0]
sg.iirpeak(30*u, 3.0, 200.0)[1]
sg.sosfilt(sg.butter(4, 0.3, output="sos"), x)
sg.sosfiltfilt(sg.butter(2, 0.3, output="sos"), np.tile(x, 6))
sg.filtfilt(*sg.butter(2, 0.3), np.tile(x, 6))
sg.lfilter(*sg.butter(2, 0.3), x)
statistics.median(x)
statistics.median_low(x)
statistics.median_high(x)
statistics.covariance(x, x**2)
statistics.correlation(x, x**2)
statistics.linear_regression(x, x**2).slope
statistics.quantiles(x)[1]
sg.correlate2d(A, A[:2])
sg.correlate2d(A, A, "same")
sg.correlation_lags(3, 4) * u
sg.correlation_lags(5, 2, "same") * u
sg.correlation_lags(2, 5, "valid") * u
sg.deconvolve(x, v)[0]
sg.deconvolve(x, v)[1]
sg.medfilt(x)
sg.medfilt(x, 5)
sg.sosfiltfilt(sg.butter(3, 0.3, output="sos"), np.tile(x, 6), padtype="even")
sg.sosfiltfilt(sg.butter(3, 0.3, output="sos"), np.tile(x, 6), padtype="constant", padlen=3)
sg.sosfiltfilt(sg.butter(1, 0.3, output="sos"), np.tile(x, 6), padtype=None)
sn.sobel(P)
sn.sobel(P, axis=0, mode="nearest")
sn.sobel(x)
sn.prewitt(P)
sn.gaussian_laplace(P, 1.0)
sn.gaussian_laplace(x, 1.5)
sn.gaussian_gradient_magnitude(P, 1.0)
sn.laplace(P)
sn.laplace(x, mode="constant")
sn.map_coordinates(P, [[1.5, 2.5], [1.0, 2.0]], order=1)
sn.map_coordinates(P, np.array([x, x*2]), order=1)
sn.map_coordinates(P, np.array([x*4-2, x*2-1]), order=1, mode="nearest")
sn.map_coordinates(P, np.array([x*4-2, x*2-1]), order=1, mode="mirror")
sn.map_coordinates(P, np.array([x*4-2, x*2-1]), order=1, cval=2.0)
sn.map_coordinates(P, np.array([x*4-2, x*2-1]), cval=2.0)
sn.map_coordinates(x, [x*4-2], order=2, mode="mirror")
sn.map_coordinates(x, [[0.3, 1.2, 4.9]], order=4, mode="nearest")
sn.map_coordinates(A, [x*1.1-0.5, x], order=5, mode="nearest")
sn.map_coordinates(x, [x*2], order=3, prefilter=False)
sn.map_coordinates(x, [x*2.1], order=0)
sn.map_coordinates(x[:1], [x*2-1], mode="mirror")
sn.uniform_filter(P, 3)
sn.uniform_filter(P, (3, 5), mode="wrap")
sn.maximum_filter1d(x, 3)
sn.minimum_filter1d(P, 3, axis=0)
sn.grey_dilation(P, 3)
sn.grey_erosion(P, (3, 5))
sn.grey_opening(P, 3)
sn.grey_closing(x, 3)
sn.white_tophat(P, 3)
sn.black_tophat(P, 3)
sn.morphological_gradient(P, 3)
sn.variance(P)
sn.standard_deviation(P)
sn.sum_labels(P)
sn.sum(P)
sn.mean(P)
sn.maximum(P)
sn.minimum(P)
sn.gaussian_filter(P, (1.0, 2.0))
sn.gaussian_filter(P, 1.0, order=(0, 1))
sn.gaussian_filter1d(x, 1.0, order=2)
statistics.linear_regression(x, x**2).intercept
statistics.linear_regression(x, x**2, proportional=True)[0]
np.array(statistics.quantiles(x, n=10, method="inclusive"))
sl.solve_discrete_are(A*0.3, A, A@A.T, A@A.T)
sl.solve_discrete_are(A*0.3, A[:, :2], np.eye(3), np.eye(2)*u)
sl.solve_continuous_are(A*0.3, A, A@A.T, A@A.T)
sl.solve_continuous_are(-A*0.3, A[:, :2], np.eye(3), np.eye(2)*u)
sl.polar(A + np.triu(A))[0]
sl.polar(A + np.triu(A))[1]
sl.polar(A[:, :2], "left")[1]
sl.orthogonal_procrustes(A, A@A + np.triu(A))[0]
sl.orthogonal_procrustes(A, A@A + np.triu(A))[1]
sl.coshm(A)
sl.sinhm(A)
sl.tanhm(A*0.2)
sl.tanm(A*0.1)
sl.fractional_matrix_power(A, 0.3)
sl.fractional_matrix_power(A, u)
sl.expm_frechet(A*0.2, A)[1]
sl.expm_frechet(A*0.2, A)[0]
sl.solve_toeplitz(v[::-1]+1, v)
sl.solve_toeplitz((v[::-1]+1, v+1), A)
sl.matmul_toeplitz(v, v)
sl.hadamard(4) * u
sl.pascal(3) * u
sl.pascal(4, "lower") * u
sl.leslie(v, v[:2])
sl.fiedler(v)
sl.convolution_matrix(v, 4)
sl.convolution_matrix(v, 4, "same")
sl.convolution_matrix(v, 5, "valid")
sl.khatri_rao(A, A[:2])
sl.cholesky_banded(np.array([[0,1.,1],[4.,5.,6.]]) * u)[1]
sl.cholesky_banded(np.array([[4.,5.,6.],[0.4,1.,0]]) * u, lower=True)
sl.cholesky_banded(np.array([[4.,5.,6.,3.],[0.4,1.,0.5,0],[.3,.2,0,0]]) * u, lower=True)
sl.solveh_banded(np.array([[0,1.,1],[4.,5.,6.]])*u, v)
sl.solveh_banded(np.array([[4.,5.,6.],[0.4,1.,0]]) * u, A, lower=True)
sl.cho_solve_banded((np.array([[0,1.,1],[4.,5.,6.]])*u, False), v)
sl.eigh_tridiagonal(v, v[:2])[0]
np.abs(sl.eigh_tridiagonal(v, v[:2])[1])
sl.eigvals_banded(np.array([[0,1.,1],[4.,5.,6.]])*u)
sl.eigvalsh_tridiagonal(v, v[:2])
sd.mahalanobis(v, v**2, A)
sd.seuclidean(v, v**2, v)
sd.jensenshannon(x, x**2)
sd.jensenshannon(x, x**2, 2.0)
si.fixed_quad(lambda t: t*t*u, 0, 1)[0]
si.fixed_quad(lambda t, a: np.exp(t*t*u)*a, u, 2, (u,), n=7)[0]
si.romb(x[:5])
si.romb(x[:3], dx=u)
sx.krogh_interpolate(v, v**3, u)
sx.barycentric_interpolate(v, np.sin(v), x)
sx.pchip_interpolate(np.array([0.,1,2]), v, u)
sf.dst(x)
sf.dst(x, 3)
sf.dst(x, norm="ortho")
sf.idst(x)
sf.idst(x, 3, norm="ortho")
sf.dst(A, axis=0)
np.abs(np.fft.rfftn(A))
np.abs(np.fft.ihfft(x))
st.moment(x, 2)
st.moment(A, 3, axis=1)
st.moment(x, 2, center=u)
st.ttest_1samp(x, u).statistic
st.ttest_1samp(x, u)[1]
st.ttest_rel(x, x**2).pvalue
st.ttest_ind(x, x**2).statistic
st.ttest_ind(x, v)[1]
st.ttest_ind(x, v, equal_var=False)[1]
st.circmean(x)
st.circmean(30*x, high=180.0)
st.circvar(x)
st.circstd(x)
st.circstd(30*x, high=180, low=-180)
st.wasserstein_distance(x, v)
st.boxcox(x, 0.5)
st.gaussian_kde(x)(u)
st.gaussian_kde(x)(v)
st.gaussian_kde(x, 0.4)(v)
st.gaussian_kde(x, bw_method="silverman")(v)
so.rosen(x)
so.fixed_point(lambda t: np.cos(t)*u, 0.5)
so.fixed_point(lambda t, a: np.cos(t)*a, 0.5, (u,), method="iteration")
st.levy.pdf(x-0.5, 0.1, 1.7)
st.levy.logpdf(x + 0.2, 0.1, 1.7)
st.levy.cdf(x-0.5, 0.1, 1.7)
st.levy.sf(x-0.5, 0.1, 1.7)
st.levy.pdf(-0.6*x)*u
st.burr12.pdf(x-0.5, 1.5, 2.0, 0.1, 1.7)
st.burr12.logpdf(x + 0.2, 1.5, 2.0, 0.1, 1.7)
st.burr12.cdf(x-0.5, 1.5, 2.0, 0.1, 1.7)
st.burr12.sf(x-0.5, 1.5, 2.0, 0.1, 1.7)
st.burr12.logpdf(0.6, 1.5*(0.5+x), 2.0*(0.5+x))
st.burr12.pdf(-0.6*x, 1.5, 2.0)*u
st.fisk.pdf(x-0.5, 1.5, 0.1, 1.7)
st.fisk.logpdf(x + 0.2, 1.5, 0.1, 1.7)
st.fisk.cdf(x-0.5, 1.5, 0.1, 1.7)
st.fisk.sf(x-0.5, 1.5, 0.1, 1.7)
st.fisk.logpdf(0.6, 1.5*(0.5+x))
st.fisk.pdf(-0.6*x, 1.5)*u
st.lomax.pdf(x-0.5, 1.5, 0.1, 1.7)
st.lomax.logpdf(x + 0.2, 1.5, 0.1, 1.7)
st.lomax.cdf(x-0.5, 1.5, 0.1, 1.7)
st.lomax.sf(x-0.5, 1.5, 0.1, 1.7)
st.lomax.logpdf(0.6, 1.5*(0.5+x))
st.lomax.pdf(-0.6*x, 1.5)*u
st.chi.pdf(x-0.5, 3.0, 0.1, 1.7)
st.chi.logpdf(x + 0.2, 3.0, 0.1, 1.7)
st.chi.cdf(x-0.5, 3.0, 0.1, 1.7)
st.chi.sf(x-0.5, 3.0, 0.1, 1.7)
st.chi.logpdf(0.6, 3.0*(0.5+x))
st.chi.pdf(-0.6*x, 3.0)*u
st.nakagami.pdf(x-0.5, 1.5, 0.1, 1.7)
st.nakagami.logpdf(x + 0.2, 1.5, 0.1, 1.7)
st.nakagami.cdf(x-0.5, 1.5, 0.1, 1.7)
st.nakagami.sf(x-0.5, 1.5, 0.1, 1.7)
st.nakagami.logpdf(0.6, 1.5*(0.5+x))
st.nakagami.pdf(-0.6*x, 1.5)*u
st.invgauss.pdf(x-0.5, 0.75, 0.1, 1.7)
st.invgauss.logpdf(x + 0.2, 0.75, 0.1, 1.7)
st.invgauss.cdf(x-0.5, 0.75, 0.1, 1.7)
st.invgauss.sf(x-0.5, 0.75, 0.1, 1.7)
st.invgauss.logpdf(0.6, 0.75*(0.5+x))
st.invgauss.pdf(-0.6*x, 0.75)*u
st.gompertz.pdf(x-0.5, 1.5, 0.1, 1.7)
st.gompertz.logpdf(x + 0.2, 1.5, 0.1, 1.7)
st.gompertz.cdf(x-0.5, 1.5, 0.1, 1.7)
st.gompertz.sf(x-0.5, 1.5, 0.1, 1.7)
st.gompertz.logpdf(0.6, 1.5*(0.5+x))
st.gompertz.pdf(-0.6*x, 1.5)*u
st.rice.pdf(x-0.5, 1.25, 0.1, 1.7)
st.rice.logpdf(x + 0.2, 1.25, 0.1, 1.7)
st.rice.logpdf(0.6, 1.25*(0.5+x))
st.rice.pdf(-0.6*x, 1.25)*u
st.powerlaw.pdf(x-0.5, 0.5, 0.1, 1.7)
st.powerlaw.logpdf(0.5*x + 0.2, 0.5, 0.1, 1.7)
st.powerlaw.cdf(x-0.5, 0.5, 0.1, 1.7)
st.powerlaw.sf(x-0.5, 0.5, 0.1, 1.7)
st.powerlaw.logpdf(0.6, 0.5*(0.5+x))
st.powerlaw.pdf(-0.6*x, 0.5)*u
st.gumbel_l.pdf(x-0.5, 0.1, 1.7)
st.gumbel_l.logpdf(x-0.5, 0.1, 1.7)
st.gumbel_l.cdf(x-0.5, 0.1, 1.7)
st.gumbel_l.sf(x-0.5, 0.1, 1.7)
st.gumbel_l.pdf(-0.6*x)*u
st.loggamma.pdf(x-0.5, 1.5, 0.1, 1.7)
st.loggamma.logpdf(x-0.5, 1.5, 0.1, 1.7)
st.loggamma.cdf(x-0.5, 1.5, 0.1, 1.7)
st.loggamma.sf(x-0.5, 1.5, 0.1, 1.7)
st.loggamma.logpdf(0.6, 1.5*(0.5+x))
st.loggamma.pdf(-0.6*x, 1.5)*u
st.johnsonsu.pdf(x-0.5, 0.5, 1.25, 0.1, 1.7)
st.johnsonsu.logpdf(x-0.5, 0.5, 1.25, 0.1, 1.7)
st.johnsonsu.cdf(x-0.5, 0.5, 1.25, 0.1, 1.7)
st.johnsonsu.sf(x-0.5, 0.5, 1.25, 0.1, 1.7)
st.johnsonsu.logpdf(0.6, 0.5*(0.5+x), 1.25*(0.5+x))
st.johnsonsu.pdf(-0.6*x, 0.5, 1.25)*u
st.gennorm.pdf(x-0.5, 1.5, 0.1, 1.7)
st.gennorm.logpdf(x-0.5, 1.5, 0.1, 1.7)
st.gennorm.cdf(x-0.5, 1.5, 0.1, 1.7)
st.gennorm.sf(x-0.5, 1.5, 0.1, 1.7)
st.gennorm.logpdf(0.6, 1.5*(0.5+x))
st.gennorm.pdf(-0.6*x, 1.5)*u
st.exponnorm.pdf(x-0.5, 1.5, 0.1, 1.7)
st.exponnorm.logpdf(x-0.5, 1.5, 0.1, 1.7)
st.exponnorm.cdf(x-0.5, 1.5, 0.1, 1.7)
st.exponnorm.sf(x-0.5, 1.5, 0.1, 1.7)
st.exponnorm.logpdf(0.6, 1.5*(0.5+x))
st.exponnorm.pdf(-0.6*x, 1.5)*u
sp.jvp(1, x)
sp.jvp(0, x)
sp.jvp(2, x, 2)
sp.yvp(1, x)
sp.yvp(0, x, 2)
sp.ivp(1, x)
sp.kvp(1, x)
sp.kvp(0, x, 2)
np.abs(sp.hankel1(0, x))
sp.hankel2(1, x).imag
sp.hankel1(1, x).real
sp.spherical_kn(1, x)
sp.spherical_kn(2, x, True)
sp.spherical_kn(0, x, derivative=True)
sd.hamming(v, v**2 + 1.0) * u
sg.find_peaks(x)[0] * u
sg.find_peaks(P.ravel(), height=3.0)[1]["peak_heights"]
sg.find_peaks(P.ravel(), height=(None, 6.0))[1]["peak_heights"]
sg.find_peaks(P.ravel(), distance=9)[0] * u
sg.find_peaks(P.ravel(), prominence=1.0)[1]["prominences"]
sg.find_peaks(P.ravel(), prominence=1.0)[1]["left_bases"] * u
sg.find_peaks(P.ravel(), height=1.0, prominence=(1.0, None))[1]["right_bases"] * u
P.ravel()[sg.find_peaks(P.ravel())[0]]
x[sg.argrelmax(x)[0]]
x[sg.argrelmin(x)[0]]
sg.argrelmax(P.ravel(), order=3)[0] * u
sg.argrelmin(P.ravel(), order=2, mode="wrap")[0] * u
np.linalg.matrix_power(A, len(x))
np.linalg.matrix_power(A, -len(v))
np.linalg.matrix_power(A, len(v) - 3)
statistics.fmean([1, 2, 6]) * u
""".strip().splitlines()

EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 10.0, 1e-8, 1e10, float("nan"), float("inf"), float("-inf"))
ON_EDGES = """
sp.gammasgn(e)
sp.elliprf(e, 1.0, 2.0)
sp.elliprd(1.0, e, 2.0)
sp.elliprd(1.0, 2.0, e)
sp.elliprj(1.0, 2.0, 3.0, np.abs(e))
sp.ellipkm1(e)
sp.ellipkinc(e, 0.5)
sp.ellipkinc(0.5, e)
sp.ellipeinc(e, 0.5)
sp.ellipeinc(0.5, e)
np.stack(sp.ellipj(0.5, e))
sp.loggamma(e)
sp.wofz(e).real
sp.wofz(e).imag
sp.voigt_profile(e, 1.0, 0.5)
sp.voigt_profile(0.5, 1.0, np.abs(e))
sp.erfi(e)
sp.spence(e)
np.stack(sp.shichi(e))
sp.stdtr(2.5, e)
sp.fdtr(1.5, 2.5, np.minimum(e, 1e6))
sp.fdtrc(1.5, 2.5, np.minimum(e, 1e6))
sp.chdtr(2.5, e)
sp.chdtrc(2.5, e)
sp.gdtr(0.5, 2.5, e)
sp.gdtrc(0.5, 2.5, e)
sp.pdtr(2.0, e)
sp.pdtrc(2.0, e)
sp.bdtr(2.0, 5, e)
sp.bdtrc(2.0, 5, e)
sp.betaincc(1.5, 2.5, e)
sp.cosdg(e)
sp.sindg(e)
sp.tandg(e)
st.levy.pdf(e)
st.levy.cdf(e)
st.burr12.pdf(e, 1.5, 2.0)
st.burr12.cdf(e, 1.5, 2.0)
st.fisk.pdf(e, 1.5)
st.fisk.cdf(e, 1.5)
st.lomax.pdf(e, 1.5)
st.lomax.cdf(e, 1.5)
st.chi.pdf(e, 3.0)
st.chi.cdf(e, 3.0)
st.nakagami.pdf(e, 1.5)
st.nakagami.cdf(e, 1.5)
st.invgauss.pdf(e, 0.75)
st.invgauss.cdf(e, 0.75)
st.gompertz.pdf(e, 1.5)
st.gompertz.cdf(e, 1.5)
st.rice.pdf(e, 1.25)
st.powerlaw.pdf(e, 0.5)
st.powerlaw.cdf(e, 0.5)
st.gumbel_l.pdf(e)
st.gumbel_l.cdf(e)
st.loggamma.pdf(e, 1.5)
st.loggamma.cdf(e, 1.5)
st.johnsonsu.pdf(e, 0.5, 1.25)
st.johnsonsu.cdf(e, 0.5, 1.25)
st.gennorm.pdf(e, 1.5)
st.gennorm.cdf(e, 1.5)
st.exponnorm.pdf(e, 1.5)
st.exponnorm.cdf(e, 1.5)
""".strip().splitlines()
