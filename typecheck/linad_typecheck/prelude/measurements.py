"""`scipy.ndimage`: derivatives of pictures, morphology, values between cells, and statistics of whole arrays."""

from __future__ import annotations

import numpy as np
import scipy.ndimage as sn

from . import implements


def _plain(output):
    if output is not None:
        raise TypeError("takes no `output`")


def _sloped(input, axis, across, mode, cval):
    """Differences along an axis, smoothed along the other ones."""
    a = np.asarray(input)
    out = sn.correlate1d(a, [-1.0, 0.0, 1.0], axis, None, mode, cval)
    if a.ndim == 2:
        return sn.correlate1d(out, across, 1 if axis == 0 or axis == -2 else 0, None, mode, cval)
    return out


@implements("scipy.ndimage.sobel")
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Sobel's filter: differences along an axis, smoothed across it.

    >>> sobel(np.array([1.0, 2.0, 4.0]))
    array([1., 3., 2.])
    """
    _plain(output)
    return _sloped(input, axis, [1.0, 2.0, 1.0], mode, cval)


@implements("scipy.ndimage.prewitt")
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt's filter: differences along an axis, summed across it.

    >>> prewitt(np.array([1.0, 2.0, 4.0]))
    array([1., 3., 2.])
    """
    _plain(output)
    return _sloped(input, axis, [1.0, 1.0, 1.0], mode, cval)


@implements("scipy.ndimage.laplace")
def laplace(input, output=None, mode="reflect", cval=0.0):
    """Second differences, summed over the axes.

    >>> laplace(np.array([1.0, 2.0, 4.0]))
    array([ 1.,  1., -2.])
    """
    _plain(output)
    a = np.asarray(input)
    out = sn.correlate1d(a, [1.0, -2.0, 1.0], 0, None, mode, cval)
    return out + sn.correlate1d(a, [1.0, -2.0, 1.0], 1, None, mode, cval) if a.ndim == 2 else out


@implements("scipy.ndimage.gaussian_laplace")
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0):
    """Second derivatives of a Gaussian filter, summed over the axes.

    >>> gaussian_laplace(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 1.0).round(3)
    array([ 0.197,  0.002, -0.399,  0.002,  0.197])
    """
    _plain(output)
    a = np.asarray(input)
    if a.ndim == 1:
        return sn.gaussian_filter(a, sigma, 2, None, mode, cval)
    down = sn.gaussian_filter(a, sigma, (2, 0), None, mode, cval)
    return down + sn.gaussian_filter(a, sigma, (0, 2), None, mode, cval)


@implements("scipy.ndimage.gaussian_gradient_magnitude")
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0):
    """The length of the gradient of a Gaussian filter.

    >>> gaussian_gradient_magnitude(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 1.0).round(3)
    array([0.095, 0.241, 0.   , 0.241, 0.095])
    """
    _plain(output)
    a = np.asarray(input)
    if a.ndim == 1:
        return np.abs(sn.gaussian_filter(a, sigma, 1, None, mode, cval))
    down = sn.gaussian_filter(a, sigma, (1, 0), None, mode, cval)
    right = sn.gaussian_filter(a, sigma, (0, 1), None, mode, cval)
    return np.sqrt(down * down + right * right)


@implements("scipy.ndimage.uniform_filter")
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Moving average along all axes.

    >>> uniform_filter(np.array([3.0, 6.0, 9.0]))
    array([4., 6., 8.])
    """
    _plain(output)
    if origin != 0 or axes is not None:
        raise TypeError("takes no `origin` and no `axes`")
    a = np.asarray(input)
    sizes = size if isinstance(size, (tuple, list)) else (size,) * a.ndim
    once = sn.uniform_filter1d(a, sizes[0], 0, None, mode, cval)
    return sn.uniform_filter1d(once, sizes[1], 1, None, mode, cval) if a.ndim == 2 else once


def _window(size, axis, a):
    if a.ndim == 1:
        return (size,)
    return (size, 1) if axis == 0 or axis == -2 else (1, size)


@implements("scipy.ndimage.maximum_filter1d")
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The greatest of the cells in a window along an axis.

    >>> maximum_filter1d(np.array([1.0, 3.0, 2.0, 0.0]), 3)
    array([3., 3., 3., 2.])
    """
    a = np.asarray(input)
    return sn.maximum_filter(a, _window(size, axis, a), None, output, mode, cval, origin)


@implements("scipy.ndimage.minimum_filter1d")
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The least of the cells in a window along an axis.

    >>> minimum_filter1d(np.array([1.0, 3.0, 2.0, 0.0]), 3)
    array([1., 1., 0., 0.])
    """
    a = np.asarray(input)
    return sn.minimum_filter(a, _window(size, axis, a), None, output, mode, cval, origin)


def _flat(footprint, structure):
    if footprint is not None or structure is not None:
        raise TypeError("takes the window by its `size`")


def _mirrored(a, size):
    """The window, and whether its even sizes lie the other way, as in a dilation."""
    sizes = size if isinstance(size, (tuple, list)) else (size,) * a.ndim
    for n in sizes:
        if n % 2 == 0:
            raise ValueError("takes windows of odd sizes")
    return sizes


@implements("scipy.ndimage.grey_dilation")
def grey_dilation(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The greatest of the cells in a window, of odd sizes, around each cell.

    >>> grey_dilation(np.array([1.0, 3.0, 2.0, 0.0]), 3)
    array([3., 3., 3., 2.])
    """
    _flat(footprint, structure)
    a = np.asarray(input)
    return sn.maximum_filter(a, _mirrored(a, size), None, output, mode, cval, origin, axes=axes)


@implements("scipy.ndimage.grey_erosion")
def grey_erosion(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The least of the cells in a window, of odd sizes, around each cell.

    >>> grey_erosion(np.array([1.0, 3.0, 2.0, 0.0]), 3)
    array([1., 1., 0., 0.])
    """
    _flat(footprint, structure)
    a = np.asarray(input)
    return sn.minimum_filter(a, _mirrored(a, size), None, output, mode, cval, origin, axes=axes)


@implements("scipy.ndimage.grey_opening")
def grey_opening(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation of the erosion, in a window of odd sizes.

    >>> grey_opening(np.array([1.0, 3.0, 2.0, 2.0, 0.0]), 3)
    array([1., 2., 2., 2., 0.])
    """
    eroded = grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return grey_dilation(eroded, size, footprint, structure, output, mode, cval, origin, axes=axes)


@implements("scipy.ndimage.grey_closing")
def grey_closing(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The erosion of the dilation, in a window of odd sizes.

    >>> grey_closing(np.array([3.0, 1.0, 3.0, 0.0]), 3)
    array([3., 3., 3., 3.])
    """
    dilated = grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return grey_erosion(dilated, size, footprint, structure, output, mode, cval, origin, axes=axes)


@implements("scipy.ndimage.morphological_gradient")
def morphological_gradient(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation less the erosion.

    >>> morphological_gradient(np.array([1.0, 3.0, 2.0]), 3)
    array([2., 2., 1.])
    """
    dilated = grey_dilation(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return dilated - grey_erosion(input, size, footprint, structure, output, mode, cval, origin, axes=axes)


@implements("scipy.ndimage.white_tophat")
def white_tophat(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """An array less its opening.

    >>> white_tophat(np.array([1.0, 3.0, 2.0, 2.0, 0.0]), 3)
    array([0., 1., 0., 0., 0.])
    """
    opened = grey_opening(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return np.asarray(input) - opened


@implements("scipy.ndimage.black_tophat")
def black_tophat(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The closing of an array less the array.

    >>> black_tophat(np.array([3.0, 1.0, 3.0, 0.0]), 3)
    array([0., 2., 0., 3.])
    """
    closed = grey_closing(input, size, footprint, structure, output, mode, cval, origin, axes=axes)
    return closed - np.asarray(input)


def _whole(labels, index):
    if labels is not None or index is not None:
        raise TypeError("is of the whole array, without `labels` and `index`")


@implements("scipy.ndimage.sum", "scipy.ndimage.sum_labels")
def sum_labels(input, labels=None, index=None):
    """The sum of an array.

    >>> float(sum_labels(np.array([1.0, 3.0])))
    4.0
    """
    _whole(labels, index)
    return np.sum(input)


@implements("scipy.ndimage.mean")
def mean(input, labels=None, index=None):
    """The mean of an array.

    >>> float(mean(np.array([1.0, 3.0])))
    2.0
    """
    _whole(labels, index)
    return np.mean(np.asarray(input) * np.float64(1.0))


@implements("scipy.ndimage.variance")
def variance(input, labels=None, index=None):
    """The variance of an array.

    >>> float(variance(np.array([1.0, 3.0])))
    1.0
    """
    _whole(labels, index)
    return np.var(np.asarray(input) * np.float64(1.0))


@implements("scipy.ndimage.standard_deviation")
def standard_deviation(input, labels=None, index=None):
    """The standard deviation of an array.

    >>> float(standard_deviation(np.array([1.0, 3.0])))
    1.0
    """
    _whole(labels, index)
    return np.std(np.asarray(input) * np.float64(1.0))


@implements("scipy.ndimage.maximum")
def maximum(input, labels=None, index=None):
    """The greatest number of an array.

    >>> float(maximum(np.array([1.0, 3.0])))
    3.0
    """
    _whole(labels, index)
    return np.max(input)


@implements("scipy.ndimage.minimum")
def minimum(input, labels=None, index=None):
    """The least number of an array.

    >>> float(minimum(np.array([1.0, 3.0])))
    1.0
    """
    _whole(labels, index)
    return np.min(input)
