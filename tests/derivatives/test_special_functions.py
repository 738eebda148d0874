"""The special functions of compiled code: against 20 digits computed elsewhere, against SciPy, and as programs."""

import math

import numpy as np
import pytest
from linad_typecheck.ops import FAMILIES
from numba import njit

from linad.runtime import special as runtime_special
from linad.codegen.text import SPECIAL


class Special:
    """The helpers, which only compiled code calls."""

    __all__ = runtime_special.__all__

    def __getattr__(self, name):
        helper = getattr(runtime_special, name)

        @njit
        def call(*args):
            return helper(*args)

        setattr(self, name, call)
        return call


special = Special()

# Computed with mpmath in 40-digit arithmetic.
VALUES = [
    ("erfcx", (-20.0,), 1.0442939379528287901e+174),
    ("erfcx", (-0.5,), 1.9523604891825570933),
    ("erfcx", (0.001,), 0.9988726200811514086),
    ("erfcx", (1.5,), 0.32158541645431750235),
    ("erfcx", (40.0,), 0.014100335983377813625),
    ("erfcx", (100000.0,), 5.6418958351954680777e-6),
    ("erfinv", (-0.999999,), -3.4589107372754987775),
    ("erfinv", (-0.3,), -0.27246271472675434502),
    ("erfinv", (1e-20,), 8.8622692545275796504e-21),
    ("erfinv", (0.7,), 0.73286907795921678488),
    ("ndtr", (-37.0,), 5.7255712225245768227e-300),
    ("ndtr", (-12.3,), 4.5287069561587846514e-35),
    ("ndtr", (-1.1,), 0.13566606094638265582),
    ("ndtr", (0.3,), 0.61791142218895263307),
    ("ndtr", (6.0,), 0.99999999901341235496),
    ("log_ndtr", (-900.0,), -405007.72133453109307),
    ("mills", (-900.0,), 900.00111110836764382),
    ("log_ndtr", (-12.3,), -79.080041796183995975),
    ("mills", (-12.3,), 12.380259929777759129),
    ("log_ndtr", (-1.1,), -1.997558846986297077),
    ("mills", (-1.1,), 1.6057971722098505518),
    ("log_ndtr", (0.3,), -0.48141016158848120517),
    ("mills", (0.3,), 0.61722085361273445015),
    ("log_ndtr", (9.0,), -1.1285884059538406478e-19),
    ("mills", (9.0,), 1.0279773571668914796e-18),
    ("logit", (1e-09,), -20.723265835946411093),
    ("logit", (0.4,), -0.40546510810816428946),
    ("logit", (0.5000001,), 3.9999999978946299421e-7),
    ("logit", (0.97,), 3.4760986898352722151),
    ("log_expit", (-300.0,), -300.0),
    ("log_expit", (-1.0,), -1.313261687518222834),
    ("log_expit", (3.0,), -0.048587351573742058759),
    ("log_expit", (40.0,), -4.2483542552915889863e-18),
    ("digamma", (1e-06,), -1000000.5772140200139),
    ("digamma", (0.7,), -1.2200235536979347406),
    ("digamma", (1.4616,), -0.000031106251230341649658),
    ("digamma", (1.4617,), 0.000065659392293676495502),
    ("digamma", (2.5,), 0.70315664064524318723),
    ("digamma", (9.9,), 2.2411803166063814365),
    ("digamma", (100000000.0,), 18.420680738952365464),
    ("polygamma", (-7.3, 1), 14.951383181433921153),
    ("polygamma", (0.001, 1), 1000001.6425331958273),
    ("polygamma", (0.9, 1), 1.9225399594772034454),
    ("polygamma", (12.0, 1), 0.08690187287176839075),
    ("polygamma", (10000.0, 1), 0.00010000500016666666633),
    ("polygamma", (-7.3, 2), 68.821174063590335416),
    ("polygamma", (0.001, 2), -2000000002.3976321648),
    ("polygamma", (0.9, 2), -3.2017970437947197119),
    ("polygamma", (12.0, 2), -0.0075472053689989119399),
    ("polygamma", (10000.0, 2), -1.0001000049999999833e-8),
    ("polygamma", (-7.3, 3), 769.01673398168238694),
    ("polygamma", (0.001, 3), 6000000000006.4686145),
    ("polygamma", (0.9, 3), 9.739014093776728652),
    ("polygamma", (12.0, 3), 0.0013100932310708259704),
    ("polygamma", (10000.0, 3), 2.0003000199999999e-12),
    ("polygamma", (-7.3, 7), 76905684.332820266986),
    ("polygamma", (0.001, 7), 5.0399999999999991607e+27),
    ("polygamma", (0.9, 7), 11739.006428202731416),
    ("polygamma", (12.0, 7), 0.000026599144024323066307),
    ("polygamma", (10000.0, 7), 7.20252033599999496e-26),
    ("bessel_ie", (-3.0, 0), 0.24300035416182539847),
    ("bessel_ie", (0.001, 0), 0.99900074958351555937),
    ("bessel_ie", (5.0, 0), 0.18354081260932835307),
    ("bessel_ie", (60.0, 0), 0.051611549173609840949),
    ("bessel_ie", (10000.0, 0), 0.0039894726746047321064),
    ("bessel_j", (-3.0, 0), -0.26005195490193343762),
    ("bessel_j", (0.001, 0), 0.999999750000015625),
    ("bessel_j", (5.0, 0), -0.17759677131433830435),
    ("bessel_j", (9.7, 0), -0.22179548203172285752),
    ("bessel_ie", (-3.0, 1), -0.19682671329730085363),
    ("bessel_ie", (0.001, 1), 0.00049950031235422134737),
    ("bessel_ie", (5.0, 1), 0.16397226694454235693),
    ("bessel_ie", (60.0, 1), 0.051179630189028718118),
    ("bessel_ie", (10000.0, 1), 0.0039892731959836622645),
    ("bessel_j", (-3.0, 1), -0.33905895852593645893),
    ("bessel_j", (0.001, 1), 0.00049999993750000261457),
    ("bessel_j", (5.0, 1), -0.32757913759146522204),
    ("bessel_j", (9.7, 1), 0.11663864790021316418),
    ("bessel_ie", (-3.0, 2), 0.11178254529695816272),
    ("bessel_ie", (0.001, 2), 1.2487507288542741095e-7),
    ("bessel_ie", (5.0, 2), 0.1179519058315114103),
    ("bessel_ie", (60.0, 2), 0.049905561500642217011),
    ("bessel_ie", (10000.0, 2), 0.0039886748199655353739),
    ("bessel_j", (-3.0, 2), 0.48609126058589107691),
    ("bessel_j", (0.001, 2), 1.2499998958333366406e-7),
    ("bessel_j", (5.0, 2), 0.046565116277752215532),
    ("bessel_j", (9.7, 2), 0.24584468778434413024),
    ("bessel_ie", (-3.0, 5), -0.0045409031389258205638),
    ("bessel_ie", (0.001, 5), 2.6015639100479079826e-19),
    ("bessel_ie", (5.0, 5), 0.014540318125234771271),
    ("bessel_ie", (60.0, 5), 0.04183655245897564232),
    ("bessel_ie", (10000.0, 5), 0.0039844887002850121288),
    ("bessel_j", (-3.0, 5), -0.043028434877047583925),
    ("bessel_j", (0.001, 5), 2.6041665581597244309e-19),
    ("bessel_j", (5.0, 5), 0.26114054612017009005),
    ("bessel_j", (9.7, 5), -0.19528368845825527383),
    ("bessel_ie", (-3.0, 30), 3.8697239165320981561e-29),
    ("bessel_ie", (0.001, 30), 3.5075652933916733656e-132),
    ("bessel_ie", (5.0, 30), 2.6937267526846668602e-23),
    ("bessel_ie", (60.0, 30), 0.000031203820957121349877),
    ("bessel_ie", (10000.0, 30), 0.0038139173772688166724),
    ("bessel_j", (-3.0, 30), 6.7223399381463311503e-28),
    ("bessel_j", (0.001, 30), 3.5110745564222168905e-132),
    ("bessel_j", (5.0, 30), 2.6711772782507988106e-21),
    ("bessel_j", (9.7, 30), 6.5316289172375513729e-13),
    ("sinc", (0.0, 1), 0.0),
    ("sinc", (0.0001, 1), -0.00032898681012267561337),
    ("sinc", (0.31, 1), -0.92634834888657143401),
    ("sinc", (2.6, 1), -0.16363533680933827053),
    ("sinc", (-9.1, 1), 0.10332388762199679648),
    ("sinc", (0.0, 2), -3.2898681336964528729),
    ("sinc", (0.0001, 2), -3.2898680362873624112),
    ("sinc", (0.31, 2), -2.4053340590149931914),
    ("sinc", (2.6, 2), -1.0232928812011073237),
    ("sinc", (-9.1, 2), 0.12939047193480479042),
    ("sinc", (0.0, 3), 0.0),
    ("sinc", (0.0001, 3), 0.0019481817977898300313),
    ("sinc", (0.31, 3), 5.3821341845690917323),
    ("sinc", (2.6, 3), 2.3537515889606580977),
    ("sinc", (-9.1, 3), -0.98883298495680773529),
    ("sinc", (0.0, 6), -137.34131336790063386),
    ("sinc", (0.0001, 6), -137.34130809649454929),
    ("sinc", (0.31, 6), -89.872719531439586727),
    ("sinc", (2.6, 6), -50.959032945754126074),
    ("sinc", (-9.1, 6), 16.565228524006759448),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name, args, expected", VALUES)
def test_digits(name, args, expected):
    got = getattr(special, name)(*args)
    scale = abs(expected) if name != "sinc" else max(abs(expected), 1e-2)
    assert abs(got - expected) <= 24 * 2.0**-52 * scale


def test_every_helper_can_be_printed():
    assert set(SPECIAL) == set(special.__all__)
    assert all(callable(getattr(special, name)) for name in SPECIAL)


SCIPY = {
    "entr": np.linspace(0.0, 5.0, 60),
    "erfcinv": np.concatenate([np.logspace(-300, -1, 60), np.linspace(0.1, 2.0, 40)]),
    "erfcx": np.linspace(-25.0, 60.0, 100),
    "erfinv": np.linspace(-1.0, 1.0, 101),
    "log_expit": np.linspace(-100.0, 100.0, 100),
    "log_ndtr": np.linspace(-30.0, 8.0, 100),
    "logit": np.linspace(0.0, 1.0, 100),
    "ndtri": np.linspace(0.0, 1.0, 100),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_agrees_with_scipy(name, dtype):
    scipy = pytest.importorskip("scipy.special")
    x = SCIPY[name].astype(dtype)
    with np.errstate(all="ignore"):
        got = np.array([dtype(getattr(special, name)(float(v))) for v in x])  # as it is printed
        np.testing.assert_allclose(got, getattr(scipy, name)(x.astype(np.float64)).astype(dtype), rtol=3e-14 if dtype is np.float64 else 2e-7)


@pytest.mark.parametrize("name, scipy_name", [("bessel_i", "iv"), ("bessel_ie", "ive"), ("bessel_j", "jv")])
def test_bessel_functions_agree_with_scipy(name, scipy_name):
    scipy = pytest.importorskip("scipy.special")
    x = np.concatenate([np.linspace(-40.0, 40.0, 81), [1e-9, 1e3, math.nan]])
    for n in (-3, -2, 0, 1, 2, 3, 9):
        got = np.array([getattr(special, name)(v, n) for v in x])
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(got, getattr(scipy, scipy_name)(n, x), rtol=2e-13, atol=1e-14)


def test_bessel_functions_of_large_arguments_stay_small_and_end():
    for n in (0, 1, 2, 100):
        for x in (1e5, 1e15, 1e300):
            assert abs(special.bessel_j(x, n)) <= math.sqrt(2.1 / (math.pi * x)) * 1.01
            assert special.bessel_ie(x, n) == pytest.approx(1 / math.sqrt(2 * math.pi * x), rel=1e-1 if n == 100 else 1e-4)
        assert special.bessel_i(x, n) == math.inf


def test_polygamma_far_left_ends():
    assert special.polygamma(-1e15 - 0.5, 1) == pytest.approx(math.pi**2, rel=1e-12)
    assert special.polygamma(-math.inf, 1) == math.inf  # as in SciPy
    assert special.polygamma(-2.0, 1) == math.inf


def test_remainder_is_exact():
    rng = np.random.default_rng(5)
    for a, b in rng.normal(size=(500, 2)) * 10 ** rng.uniform(-8, 8, (500, 2)):
        assert special.remainder(a, b) == math.remainder(a, b)


def test_families_have_an_integer_second_operand():
    assert set(FAMILIES) <= set(SPECIAL)
