"""`scipy.spatial.transform.Rotation`: one rotation, or a stack of them, as unit quaternions with the scalar last.

The functions ``from_`` and ``identity`` give the quaternion in a tuple; the others take an object with it as ``quat``.

Euler angles are computed as by E. Bernardes and S. Viollet, Quaternion to Euler angles conversion, 2022, as in SciPy.
"""

from __future__ import annotations

import numpy as np

from . import implements


def _quaternion(x, y, z, w):
    """The quaternion, or one for each row."""
    return (np.stack((x, y, z, w), axis=-1),)


def _unit(q):
    norm = np.sqrt(np.sum(q * q, axis=-1))
    if np.any(norm == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return (q / norm[..., None],) if q.ndim > 1 else (q / norm,)


def _rows(v, count, what):
    """An array of floats, one or a stack of them, whose last axis has ``count`` cells."""
    v = 1.0 * np.asarray(v)
    if v.ndim not in (1, 2):
        raise TypeError(f"takes {what} here")
    if v.shape[-1] != count:
        raise ValueError(f"Expected {what}")
    return v


@implements("scipy.spatial.transform.Rotation.from_quat")
def from_quat(quat, *, scalar_first=False):
    """Rotation from a quaternion, which is normalised.

    >>> from_quat([0.0, 0.0, 0.0, 2.0])[0]
    array([0., 0., 0., 1.])
    """
    q = _rows(quat, 4, "a quaternion, or one in each row")
    return _unit(np.concatenate((q[..., 1:], q[..., :1]), axis=-1) if scalar_first else q)


@implements("scipy.spatial.transform.Rotation.identity")
def identity(num=None):
    """The rotation by 0, or ``num`` of them.

    >>> identity()[0]
    array([0., 0., 0., 1.])
    """
    if num is None:
        return (np.array([0.0, 0.0, 0.0, 1.0]),)
    return (np.zeros((num, 4)) + np.array([0.0, 0.0, 0.0, 1.0]),)


@implements("scipy.spatial.transform.Rotation.from_rotvec")
def from_rotvec(rotvec, degrees=False):
    """Rotation about a vector, by its length.

    >>> from_rotvec([0.0, 0.0, np.pi])[0].round(6)
    array([0., 0., 1., 0.])
    """
    v = _rows(rotvec, 3, "a vector of three, or one in each row")
    v = v * (np.pi / 180.0) if degrees else v
    square = np.sum(v * v, axis=-1)
    small = square <= 1e-6
    angle = np.sqrt(np.where(small, 1.0, square))
    scale = np.where(small, 0.5 - square / 48.0 + square * square / 3840.0, np.sin(0.5 * angle) / angle)
    w = np.where(small, 1.0 - square / 8.0 + square * square / 384.0, np.cos(0.5 * angle))
    return _quaternion(scale * v[..., 0], scale * v[..., 1], scale * v[..., 2], w)


@implements("scipy.spatial.transform.Rotation.from_matrix")
def from_matrix(matrix, *, assume_valid=False):
    """Rotation from a matrix, of which the nearest orthogonal one counts.

    >>> from_matrix(np.eye(3))[0]
    array([0., 0., 0., 1.])
    """
    m = 1.0 * np.asarray(matrix)
    if m.ndim == 3:
        found = np.zeros((len(m), 4))
        for i in range(len(m)):
            found[i] = _of_matrix(m[i])
        return (found,)
    if m.ndim != 2:
        raise TypeError("takes a matrix, or a stack of them")
    return (_of_matrix(m),)


def _of_matrix(matrix):
    if np.linalg.det(matrix) <= 0.0:
        raise ValueError("Non-positive determinant (left-handed or null coordinate frame) in rotation matrix")
    m = 1.0 * matrix
    for _ in range(100):  # Newton's method for the orthogonal factor
        new = 0.5 * (m + np.linalg.inv(m).T)
        near = np.max(np.abs(new - m)) < 1e-14
        m = new
        if near:
            break
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    if trace >= m[0, 0] and trace >= m[1, 1] and trace >= m[2, 2]:
        q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace])
    elif m[0, 0] >= m[1, 1] and m[0, 0] >= m[2, 2]:
        q = np.array([1.0 - trace + 2.0 * m[0, 0], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]])
    elif m[1, 1] >= m[2, 2]:
        q = np.array([m[0, 1] + m[1, 0], 1.0 - trace + 2.0 * m[1, 1], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]])
    else:
        q = np.array([m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1.0 - trace + 2.0 * m[2, 2], m[1, 0] - m[0, 1]])
    return q / np.sqrt(np.sum(q * q))


def _axis(letter):
    return 0 if letter == "x" else 1 if letter == "y" else 2


def _about(axis, angle):
    """The quaternion of a rotation about an axis of the coordinates."""
    s, c = np.sin(0.5 * angle), np.cos(0.5 * angle)
    zero = 0.0 * s
    return np.stack((s if axis == 0 else zero, s if axis == 1 else zero, s if axis == 2 else zero, c), axis=-1)


def _product(p, q):
    """The quaternion of ``q``, followed by ``p``."""
    px, py, pz, pw = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    qx, qy, qz, qw = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return _quaternion(
        pw * qx + qw * px + py * qz - pz * qy, pw * qy + qw * py + pz * qx - px * qz,
        pw * qz + qw * pz + px * qy - py * qx, pw * qw - px * qx - py * qy - pz * qz,
    )[0]  # fmt: skip


@implements("scipy.spatial.transform.Rotation.from_euler")
def from_euler(seq, angles, degrees=False):
    """Rotation from angles about axes of the coordinates; capital letters are axes that turn along.

    >>> from_euler("z", np.pi)[0].round(6)
    array([0., 0., 1., 0.])
    """
    if not isinstance(seq, str):
        raise TypeError("takes the axes as a text that is known")
    a = 1.0 * np.asarray(angles)
    a = a * (np.pi / 180.0) if degrees else a
    letters = seq.lower()
    if len(letters) == 1 and a.ndim == 0:
        return (_about(_axis(letters[0]), a),)
    if a.ndim == 0 or a.ndim > 2:
        raise TypeError("takes an angle for each axis, or a row of them for each rotation")
    if a.shape[-1] != len(letters):
        raise ValueError("Expected one angle for each axis")
    q = _about(_axis(letters[0]), a[..., 0])
    for k in range(1, len(letters)):
        turn = _about(_axis(letters[k]), a[..., k])
        q = _product(turn, q) if seq == letters else _product(q, turn)
    return (q,)


@implements("scipy.spatial.transform.Rotation.as_quat")
def as_quat(self, canonical=False, *, scalar_first=False):
    """The quaternion of a rotation, the scalar last.

    >>> as_quat(_example()).round(6)
    array([0., 0., 1., 0.])
    """
    q = 1.0 * self.quat
    if canonical:
        w = q[..., 3]
        turn = np.where(w < 0.0, -1.0, 1.0)
        q = q * (turn[..., None] if q.ndim > 1 else turn)
    return np.concatenate((q[..., 3:], q[..., :3]), axis=-1) if scalar_first else q


@implements("scipy.spatial.transform.Rotation.as_matrix")
def as_matrix(self):
    """The matrix of a rotation.

    >>> as_matrix(_example()).round(6)[2]
    array([0., 0., 1.])
    """
    q = self.quat
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    cells = np.stack(
        (
            x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
            2.0 * (x * y + z * w), y * y - x * x - z * z + w * w, 2.0 * (y * z - x * w),
            2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z * z - x * x - y * y + w * w,
        ),
        axis=-1,
    )  # fmt: skip
    return cells.reshape(3, 3) if q.ndim == 1 else cells.reshape(len(q), 3, 3)


@implements("scipy.spatial.transform.Rotation.as_rotvec")
def as_rotvec(self, degrees=False):
    """The axis of a rotation, of the length of its angle.

    >>> as_rotvec(_example()).round(6)
    array([0.      , 0.      , 3.141593])
    """
    q = as_quat(self, True)
    v = q[..., :3]
    square = np.sum(v * v, axis=-1)
    small = square <= 2.5e-7
    sine = np.sqrt(np.where(small, 1.0, square))
    series = 2.0 + square / 3.0 + 3.0 * square * square / 20.0
    scale = np.where(small, series, 2.0 * np.arctan2(sine, q[..., 3]) / sine)
    scale = scale * (180.0 / np.pi) if degrees else scale
    return np.stack((scale * v[..., 0], scale * v[..., 1], scale * v[..., 2]), axis=-1)


@implements("scipy.spatial.transform.Rotation.magnitude")
def magnitude(self):
    """The angle of a rotation.

    >>> round(float(magnitude(_example())), 6)
    3.141593
    """
    q = self.quat
    v = q[..., :3]
    return 2.0 * np.arctan2(np.sqrt(np.sum(v * v, axis=-1)), np.abs(q[..., 3]))


@implements("scipy.spatial.transform.Rotation.inv")
def inv(self):
    """The inverse rotation.

    >>> inv(_example())[0].round(6)[2]
    np.float64(-1.0)
    """
    return (self.quat * np.array([-1.0, -1.0, -1.0, 1.0]),)


@implements("scipy.spatial.transform.Rotation.__mul__")
def multiply(self, other):
    """The rotation ``other``, followed by this one.

    >>> abs(multiply(_example(), _example())[0].round(6))
    array([0., 0., 0., 1.])
    """
    q = _product(self.quat, other.quat)
    if q.ndim == 1:
        return (q / np.sqrt(np.sum(q * q)),)
    return (q / np.sqrt(np.sum(q * q, axis=-1))[:, None],)


@implements("scipy.spatial.transform.Rotation.apply")
def apply(self, vectors, inverse=False):
    """Vectors, rotated.

    >>> apply(_example(), [1.0, 0.0, 2.0]).round(6)
    array([-1.,  0.,  2.])
    """
    m = as_matrix(self)
    v = _rows(vectors, 3, "a vector of three, or one in each row")
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    if inverse:
        return np.stack(
            tuple(m[..., 0, k] * x + m[..., 1, k] * y + m[..., 2, k] * z for k in range(3)), axis=-1
        )
    return np.stack(tuple(m[..., k, 0] * x + m[..., k, 1] * y + m[..., k, 2] * z for k in range(3)), axis=-1)


@implements("scipy.spatial.transform.Rotation.as_euler")
def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
    """The angles about axes of the coordinates; capital letters are axes that turn along.

    >>> as_euler(_example(), "xyz").round(6)
    array([0.      , 0.      , 3.141593])
    """
    if not isinstance(seq, str) or len(seq) != 3:
        raise TypeError("takes the axes as a text of three letters that is known")
    letters = seq.lower()
    extrinsic = seq == letters
    i, j, k = _axis(letters[0]), _axis(letters[1]), _axis(letters[2])
    if not extrinsic:
        i, k = k, i
    symmetric = i == k
    if symmetric:
        k = 3 - i - j
    sign = (i - j) * (j - k) * (k - i) // 2
    q = self.quat
    if symmetric:
        a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    else:
        a, b = q[..., 3] - q[..., j], q[..., i] + q[..., k] * sign
        c, d = q[..., j] + q[..., 3], q[..., k] * sign - q[..., i]
    half_sum, half_diff = np.arctan2(b, a), np.arctan2(d, c)
    second = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    at_zero, at_pi = np.abs(second) <= 1e-7, np.abs(second - np.pi) <= 1e-7
    turn = -2.0 if extrinsic else 2.0
    alone = np.where(at_zero, 2.0 * half_sum, turn * half_diff)
    less = np.where(at_zero | at_pi, alone if extrinsic else 0.0, half_sum - half_diff)
    more = np.where(at_zero | at_pi, 0.0 if extrinsic else alone, half_sum + half_diff)
    if not symmetric:
        more, second = more * sign, second - 0.5 * np.pi
    found = _wrapped(np.stack((less, second, more) if extrinsic else (more, second, less), axis=-1))
    return found * (180.0 / np.pi) if degrees else found


def _wrapped(angle):
    """Angles from -pi to pi."""
    return np.where(angle < -np.pi, angle + 2.0 * np.pi, np.where(angle > np.pi, angle - 2.0 * np.pi, angle))


def _example():
    """A rotation by pi about the third axis, for examples."""
    from collections import namedtuple

    return namedtuple("Rotation", "quat")(from_rotvec([0.0, 0.0, np.pi])[0])
