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
    "numpy.linalg": """
        LinAlgError matrix_rank pinv qr tensorinv tensorsolve
    """,
    "scipy.special": """
        SpecialFunctionError SpecialFunctionWarning agm ai_zeros airy airye assoc_laguerre assoc_legendre_p
        assoc_legendre_p_all bdtr bdtrc bdtri bdtrik bdtrin bei bei_zeros beip beip_zeros ber ber_zeros
        bernoulli berp berp_zeros besselpoly betaincc betainccinv betaincinv bi_zeros btdtria btdtrib c_roots
        cg_roots chdtr chdtrc chdtri chdtriv chebyc chebys chebyt chebyu chndtr chndtridf chndtrinc chndtrix
        cosdg cotdg dawsn diric ellip_harm ellip_harm_2 ellip_normal ellipeinc ellipj ellipkinc ellipkm1
        elliprc elliprd elliprf elliprg elliprj erf_zeros erfi errstate euler eval_chebyc eval_chebys
        eval_gegenbauer eval_genlaguerre eval_jacobi eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi
        eval_sh_legendre expi expn factorial2 factorialk fdtr fdtrc fdtri fdtridfd fresnel fresnel_zeros
        fresnelc_zeros fresnels_zeros gammainccinv gammaincinv gammasgn gdtr gdtrc gdtria gdtrib gdtrix
        gegenbauer genlaguerre geterr h1vp h2vp h_roots hankel1 hankel1e hankel2 hankel2e he_roots hermite
        hermitenorm hyp0f1 hyp1f1 hyp2f1 hyperu inv_boxcox inv_boxcox1p it2i0k0 it2j0y0 it2struve0 itairy
        iti0k0 itj0y0 itmodstruve0 itstruve0 ivp j_roots jacobi jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros
        js_roots jve jvp k0 k0e k1 k1e kei kei_zeros keip keip_zeros kelvin kelvin_zeros ker ker_zeros kerp
        kerp_zeros kn kolmogi kolmogorov kv kve kvp l_roots la_roots laguerre lambertw legendre legendre_p
        legendre_p_all lmbda log_wright_bessel loggamma lpmv lqmn lqn mathieu_a mathieu_b mathieu_cem
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
        spherical_in spherical_jn spherical_kn spherical_yn stdtr stdtridf stdtrit stirling2 struve t_roots
        tandg tklmbda ts_roots u_roots us_roots voigt_profile wofz wright_bessel wrightomega y0 y0_zeros y1
        y1_zeros y1p_zeros yn yn_zeros ynp_zeros yv yve yvp zeta zetac
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
