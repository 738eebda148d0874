"""Names that exist in libraries but have no meaning here; they are not considered misspelt."""

from __future__ import annotations

_NAMES: dict[str, str] = {
    "numpy": """
        apply_over_axes array2string array_equiv array_repr array_str asarray_chkfinite
        asfortranarray asmatrix base_repr binary_repr bitwise_count bmat
        busday_count busday_offset busdaycalendar byte bytes_ can_cast cdouble character clongdouble
        common_type complex256 complexfloating csingle datetime64 datetime_as_string datetime_data
        einsum_path errstate flatiter flexible float128 float16 floating format_float_positional
        format_float_scientific from_dlpack frombuffer fromfile fromiter frompyfunc fromregex fromstring
        generic genfromtxt get_include get_printoptions getbufsize geterr geterrcall half histogram2d
        histogram_bin_edges histogramdd imag inexact info int16 int8 integer intersect1d is_busday
        isdtype isfortran isnat kaiser load loadtxt long
        longdouble longlong mask_indices matrix may_share_memory memmap min_scalar_type mintypecode nanmedian
        nanpercentile nanquantile ndarray ndenumerate ndindex nditer nested_iters number object_ packbits poly
        poly1d polyadd polydiv polymul polysub printoptions promote_types put_along_axis real_if_close
        recarray record require resize rollaxis roots row_stack save savetxt savez
        savez_compressed set_printoptions setbufsize setdiff1d seterr seterrcall setxor1d shares_memory short
        show_config show_runtime signedinteger sort_complex str_ timedelta64 typename ubyte ufunc uint uint16
        uint32 uint64 uint8 uintc uintp ulong ulonglong union1d unique_all unique_counts unique_inverse
        unique_values unpackbits unsignedinteger ushort void
    """,
    "cmath": """
        acos acosh asin asinh atan atanh
    """,
    "numpy.linalg": """
        LinAlgError matrix_rank pinv qr tensorinv tensorsolve
    """,
    "scipy.special": """
        SpecialFunctionError SpecialFunctionWarning agm ai_zeros airy airye assoc_laguerre assoc_legendre_p
        assoc_legendre_p_all bdtr bdtrc bdtri bdtrik bdtrin bei bei_zeros beip beip_zeros ber ber_zeros
        bernoulli berp berp_zeros besselpoly betaincc betainccinv bi_zeros btdtria btdtrib c_roots
        cg_roots chdtr chdtrc chdtri chdtriv chebyc chebys chebyt chebyu chndtr chndtridf chndtrinc chndtrix
        cosdg cotdg dawsn diric ellip_harm ellip_harm_2 ellip_normal ellipeinc ellipj ellipkinc ellipkm1
        elliprc elliprd elliprf elliprg elliprj erf_zeros erfi errstate euler eval_chebyc eval_chebys
        eval_gegenbauer eval_genlaguerre eval_jacobi eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi
        eval_sh_legendre expi expn factorial2 factorialk fdtr fdtrc fdtri fdtridfd fresnel fresnel_zeros
        fresnelc_zeros fresnels_zeros gammasgn gdtr gdtrc gdtria gdtrib gdtrix
        gegenbauer genlaguerre geterr h1vp h2vp h_roots hankel1 hankel1e hankel2 hankel2e he_roots hermite
        hermitenorm hyp0f1 hyp1f1 hyp2f1 hyperu inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy
        iti0k0 itj0y0 itmodstruve0 itstruve0 ivp j_roots jacobi jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros
        js_roots jve jvp k0 k0e k1 k1e kei kei_zeros keip keip_zeros kelvin kelvin_zeros ker ker_zeros kerp
        kerp_zeros kn kolmogi kolmogorov kv kve kvp l_roots la_roots laguerre lambertw legendre legendre_p
        legendre_p_all lmbda log_wright_bessel lpmv lqmn lqn mathieu_a mathieu_b mathieu_cem
        mathieu_even_coef mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 mathieu_odd_coef
        mathieu_sem modfresnelm modfresnelp modstruve nbdtr nbdtrc nbdtri nbdtrik nbdtrin ncfdtr ncfdtri
        ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf nctdtrinc nctdtrit ndtri_exp nrdtrimn nrdtrisd
        obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv owens_t p_roots
        pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa pdtr pdtrc pdtri pdtrik perm powm1 pro_ang1 pro_ang1_cv
        pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv ps_roots radian riccati_jn riccati_yn
        roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer roots_genlaguerre roots_hermite
        roots_hermitenorm roots_jacobi roots_laguerre roots_legendre roots_sh_chebyt roots_sh_chebyu
        roots_sh_jacobi roots_sh_legendre round s_roots seterr sh_chebyt sh_chebyu sh_jacobi sh_legendre
        shichi sici sindg smirnov smirnovi spence sph_harm_y sph_harm_y_all sph_legendre_p sph_legendre_p_all
        spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf stirling2 struve t_roots
        tandg tklmbda ts_roots u_roots us_roots voigt_profile wofz wright_bessel wrightomega y0 y0_zeros y1
        y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac
    """,
    "numpy.fft": """
        fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn
    """,
    "scipy.fft": """
        dct dctn dst dstn fft fft2 fftn fht fhtoffset get_workers hfft hfft2 hfftn idct idctn idst
        idstn ifft ifft2 ifftn ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn next_fast_len
        prev_fast_len register_backend rfft rfft2 rfftn set_backend set_global_backend set_workers
        skip_backend
    """,
    "scipy.integrate": """
        BDF DOP853 DenseOutput IntegrationWarning LSODA ODEintWarning OdeSolution OdeSolver RK23
        RK45 Radau complex_ode cubature cumulative_simpson dblquad fixed_quad lebedev_rule
        newton_cotes nquad nsum ode odeint qmc_quad quad quad_vec romb solve_bvp tanhsinh
        tplquad
    """,
    "scipy.linalg": """
        LinAlgError LinAlgWarning bandwidth cdf2rdf cho_solve_banded cholesky_banded
        clarkson_woodruff_transform convolution_matrix coshm cosm cossin dft diagsvd eig eig_banded
        eigh_tridiagonal eigvals eigvals_banded eigvalsh_tridiagonal expm_cond expm_frechet fiedler
        fiedler_companion find_best_blas_type fractional_matrix_power funm get_blas_funcs
        get_lapack_funcs hadamard hessenberg hilbert invhilbert invpascal ishermitian issymmetric
        khatri_rao ldl leslie logm lu lu_factor lu_solve matmul_toeplitz matrix_balance null_space
        ordqz orth orthogonal_procrustes pascal pinvh polar qr qr_delete qr_insert qr_multiply
        qr_update qz rq rsf2csf schur signm sinhm sinm solve_circulant solve_continuous_are
        solve_discrete_are solve_toeplitz solveh_banded sqrtm subspace_angles tanhm tanm
    """,
    "scipy.ndimage": """
        affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes
        binary_hit_or_miss binary_opening binary_propagation black_tophat distance_transform_bf
        distance_transform_cdt distance_transform_edt extrema find_objects fourier_ellipsoid
        fourier_gaussian fourier_shift fourier_uniform gaussian_gradient_magnitude gaussian_laplace
        generate_binary_structure generic_filter generic_filter1d generic_gradient_magnitude
        generic_laplace geometric_transform grey_closing grey_dilation grey_erosion grey_opening
        histogram iterate_structure label labeled_comprehension laplace map_coordinates maximum
        maximum_filter maximum_filter1d maximum_position mean median median_filter minimum
        minimum_filter minimum_filter1d minimum_position morphological_gradient
        morphological_laplace percentile_filter prewitt rank_filter rotate shift sobel spline_filter
        spline_filter1d standard_deviation sum sum_labels uniform_filter value_indices variance
        vectorized_filter watershed_ift white_tophat zoom
    """,
    "scipy.signal": """
        BadCoefficients CZT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain ZoomFFT
        abcd_normalize argrelextrema argrelmax argrelmin band_stop_obj bessel besselap bilinear
        bilinear_zpk bode buttap butter buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1 cheby2
        check_COLA check_NOLA chirp choose_conv_method closest_STFT_dual_window coherence
        cont2discrete correlate2d correlation_lags csd cspline1d cspline1d_eval cspline2d czt
        czt_points dbode decimate deconvolve detrend dfreqresp dimpulse dlsim dlti dstep ellip
        ellipap ellipord envelope filtfilt find_peaks find_peaks_cwt findfreqs firls firwin firwin2
        firwin_2d freqresp freqs freqs_zpk freqz freqz_sos freqz_zpk gammatone gauss_spline
        gausspulse get_window group_delay hilbert hilbert2 iircomb iirdesign iirfilter iirnotch
        iirpeak impulse invres invresz istft kaiser_atten kaiser_beta kaiserord lfilter_zi lfiltic
        lombscargle lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk lsim lti
        max_len_seq medfilt medfilt2d minimum_phase normalize order_filter peak_prominences
        peak_widths periodogram place_poles qspline1d qspline1d_eval qspline2d remez resample
        resample_poly residue residuez savgol_coeffs savgol_filter sawtooth sepfir2d sos2tf sos2zpk
        sosfilt sosfilt_zi sosfiltfilt sosfreqz spectrogram spline_filter square ss2tf ss2zpk step
        stft sweep_poly symiirorder1 symiirorder2 tf2sos tf2ss tf2zpk unique_roots unit_impulse
        upfirdn vectorstrength welch wiener zoom_fft zpk2sos zpk2ss zpk2tf
    """,
    "scipy.spatial.distance": """
        CDistMetricWrapper Callable MetricInfo PDistMetricWrapper dice directed_hausdorff hamming
        is_valid_dm is_valid_y jaccard jensenshannon mahalanobis norm num_obs_dm num_obs_y partial
        rel_entr rogerstanimoto russellrao seuclidean sokalsneath squareform yule
    """,
    "scipy.stats": """
        Binomial BootstrapMethod CensoredData ConstantInputWarning Covariance DegenerateDataWarning
        FitError Logistic Mixture MonteCarloMethod NearConstantInputWarning Normal PermutationMethod
        Uniform abs alexandergovern alpha anderson anderson_ksamp anglit ansari arcsine argus
        barnard_exact bartlett bayes_mvs bernoulli betabinom betanbinom betaprime binned_statistic
        binned_statistic_2d binned_statistic_dd binomtest boltzmann bootstrap boschloo_exact boxcox
        boxcox_llf boxcox_normmax boxcox_normplot bradford brunnermunzel burr burr12 bws_test
        chatterjeexi chi chi2_contingency chisquare circmean circstd circvar combine_pvalues cosine
        cramervonmises cramervonmises_2samp crystalball cumfreq describe dgamma differential_entropy
        directional_stats dirichlet dirichlet_multinomial dlaplace dpareto_lognorm dunnett dweibull
        ecdf energy_distance epps_singleton_2samp erlang exp expectile exponnorm exponpow exponweib
        f_oneway false_discovery_control fatiguelife fisher_exact fisk fit fligner foldcauchy
        foldnorm friedmanchisquare gausshyper gaussian_kde genexpon genextreme gengamma
        genhalflogistic genhyperbolic geninvgauss genlogistic gennorm genpareto geom gibrat gompertz
        goodness_of_fit gstd gumbel_l gzscore halfcauchy halfgennorm halflogistic hypergeom
        hypsecant invgamma invgauss invweibull invwishart iqr irwinhall jarque_bera jf_skew_t
        johnsonsb johnsonsu kappa3 kappa4 kendalltau kruskal ks_1samp ks_2samp ksone kstat kstatvar
        kstest kstwo kstwobign kurtosistest landau laplace_asymmetric levene levy levy_l levy_stable
        lmoment log loggamma loglaplace logrank logser loguniform lomax make_distribution
        mannwhitneyu matrix_normal matrix_t maxwell median_test mielke mode moment monte_carlo_test
        mood moyal multinomial multiscale_graphcorr multivariate_hypergeom multivariate_t mvsdist
        nakagami nbinom ncf nchypergeom_fisher nchypergeom_wallenius nct ncx2 nhypergeom
        normal_inverse_gamma normaltest norminvgauss obrientransform order_statistic ortho_group
        page_trend_test pearson3 percentileofscore permutation_test planck pmean pointbiserialr
        poisson_binom poisson_means_test power power_divergence powerlaw powerlognorm powernorm
        ppcc_max ppcc_plot probplot quantile quantile_test randint random_correlation random_table
        rankdata ranksums rdist recipinvgauss reciprocal rel_breitwigner relfreq rice rv_continuous
        rv_discrete rv_histogram scoreatpercentile semicircular shapiro siegelslopes sigmaclip
        skellam skewcauchy skewnorm skewtest sobol_indices somersd spearmanr spearmanrho
        special_ortho_group studentized_range theilslopes tiecorrect tmax tmean tmin trapezoid
        triang trim1 trimboth truncate truncexpon truncnorm truncpareto truncweibull_min
        tsem tstd ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel tukey_hsd tukeylambda tvar
        uniform_direction unitary_group vonmises vonmises_fisher vonmises_line wald
        wasserstein_distance wasserstein_distance_nd weibull_max weightedtau wilcoxon wishart
        wrapcauchy yeojohnson yeojohnson_llf yeojohnson_normmax yeojohnson_normplot yulesimon zipf
        zipfian zmap
    """,
    "scipy.optimize": """
        anderson approx_fprime basinhopping bracket brent brenth broyden1 broyden2 brute check_grad
        cobyla diagbroyden differential_evolution direct dual_annealing excitingmixing fixed_point
        fmin fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc
        fminbound golden isotonic_regression lbfgsb line_search linear_sum_assignment linearmixing
        linesearch linprog linprog_verbose_callback lsq_linear milp minimize minpack minpack2
        moduleTNC newton_krylov nnls nonlin optimize quadratic_assignment ridder rosen rosen_der
        rosen_hess rosen_hess_prod shgo show_options slsqp tnc toms748 zeros
    """,
    "scipy.interpolate": """
        AAA BPoly BSpline BarycentricInterpolator BivariateSpline CloughTocher2DInterpolator
        CubicHermiteSpline FloaterHormannInterpolator KroghInterpolator LSQBivariateSpline
        LSQSphereBivariateSpline LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly
        NearestNDInterpolator PPoly RBFInterpolator Rbf RectBivariateSpline
        RectSphereBivariateSpline SmoothBivariateSpline SmoothSphereBivariateSpline UnivariateSpline
        approximate_taylor_polynomial barycentric_interpolate bisplev bisplrep fitpack fitpack2
        generate_knots griddata insert interp2d interpn interpnd interpolate krogh_interpolate pchip
        lagrange make_interp_spline make_lsq_spline make_smoothing_spline make_splprep make_splrep
        ndgriddata pade pchip_interpolate polyint rbf spalde splantider splder splint splprep sproot
    """,
    "numpy.ndarray": """
        argpartition base byteswap choose compress conjugate ctypes data device dumps flags getfield put
        setfield to_device
    """,
}
NAMES: dict[str, frozenset[str]] = {home: frozenset(names.split()) for home, names in _NAMES.items()}


def exists(dotted: str) -> bool:
    """Whether a library has the name, as far as this table knows."""
    home, _, name = dotted.rpartition(".")
    return name in NAMES.get(home, ())
