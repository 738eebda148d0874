"""Gas in a tube, drones, filters, cameras, wells: in NumPy's style, most with small vectors."""

import numpy as np
from jaxtyping import Float64, Int64

Vec = Float64[np.ndarray, "n"]


def euler_tube(rho0: Vec, mom0: Vec, ene0: Vec, lam: float, steps: int) -> float:
    """Gas in a tube: limited slopes, Rusanov's flux, arrays for each conserved quantity."""
    rho, mom, ene = rho0.copy(), mom0.copy(), ene0.copy()
    for t in range(steps):
        u = mom / rho
        p = 0.4 * (ene - 0.5 * rho * u * u)
        c = np.sqrt(1.4 * p / rho) + np.abs(u)
        a = np.maximum(c[1:], c[:-1])
        f1 = 0.5 * (mom[1:] + mom[:-1]) - 0.5 * a * (rho[1:] - rho[:-1])
        m = mom * u + p
        f2 = 0.5 * (m[1:] + m[:-1]) - 0.5 * a * (mom[1:] - mom[:-1])
        e = (ene + p) * u
        f3 = 0.5 * (e[1:] + e[:-1]) - 0.5 * a * (ene[1:] - ene[:-1])
        rho[1:-1] -= lam * (f1[1:] - f1[:-1])
        mom[1:-1] -= lam * (f2[1:] - f2[:-1])
        ene[1:-1] -= lam * (f3[1:] - f3[:-1])
    return np.sum(rho * rho) + np.sum(mom * mom)


def quadrotor(
    controls: Float64[np.ndarray, "t 4"], inertia: Float64[np.ndarray, "3"], goal: Float64[np.ndarray, "3"], dt: float
) -> float:
    """A drone's flight: quaternion, rotation matrix, cross products; a quadratic cost along the path."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    w = np.zeros(3)
    x = np.zeros(3)
    v = np.zeros(3)
    cost = 0.0
    for t in range(controls.shape[0]):
        u = controls[t]
        torque = np.array([u[1], u[2], u[3]])
        w = w + dt * (torque - np.cross(w, inertia * w)) / inertia
        dq = 0.5 * np.array([
            -q[1] * w[0] - q[2] * w[1] - q[3] * w[2],
            q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
            q[0] * w[1] - q[1] * w[2] + q[3] * w[0],
            q[0] * w[2] + q[1] * w[1] - q[2] * w[0],
        ])  # fmt: skip
        q = q + dt * dq
        q = q / np.linalg.norm(q)
        up = np.array(
            [2.0 * (q[1] * q[3] + q[0] * q[2]), 2.0 * (q[2] * q[3] - q[0] * q[1]), 1.0 - 2.0 * (q[1] ** 2 + q[2] ** 2)]
        )
        v = v + dt * ((9.81 + u[0]) * up - np.array([0.0, 0.0, 9.81]) - 0.1 * v)
        x = x + dt * v
        cost += np.sum((x - goal) ** 2) + 0.01 * np.dot(u, u)
    return cost


def extended_kalman(z: Float64[np.ndarray, "t 2"], q: float, r: float, dt: float) -> float:
    """A target that turns, seen by range and bearing: an extended Kalman filter with matrices of five by five."""
    m = np.array([1.0, 1.0, 0.3, 0.1, 0.05])
    P = np.eye(5)
    Q = q * np.eye(5)
    R = r * np.eye(2)
    ll = 0.0
    for t in range(z.shape[0]):
        c, s = np.cos(m[3]), np.sin(m[3])
        F = np.eye(5)
        F[0, 2], F[0, 3] = dt * c, -dt * m[2] * s
        F[1, 2], F[1, 3] = dt * s, dt * m[2] * c
        F[3, 4] = dt
        m = np.array([m[0] + dt * m[2] * c, m[1] + dt * m[2] * s, m[2], m[3] + dt * m[4], m[4]])
        P = F @ P @ F.T + Q
        rho2 = m[0] ** 2 + m[1] ** 2
        rho = np.sqrt(rho2)
        H = np.zeros((2, 5))
        H[0, 0], H[0, 1] = m[0] / rho, m[1] / rho
        H[1, 0], H[1, 1] = -m[1] / rho2, m[0] / rho2
        y = z[t] - np.array([rho, np.arctan2(m[1], m[0])])
        S = H @ P @ H.T + R
        det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
        inv = np.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det
        K = P @ H.T @ inv
        m = m + K @ y
        P = P - K @ H @ P
        ll -= 0.5 * (np.dot(y, inv @ y) + np.log(det))
    return ll


def camera_poses(
    pose: Float64[np.ndarray, "c 6"],
    points: Float64[np.ndarray, "p 3"],
    cam: Int64[np.ndarray, "o"],
    pt: Int64[np.ndarray, "o"],
    seen: Float64[np.ndarray, "o 2"],
    focal: float,
) -> float:
    """Reprojection with Rodrigues' rotation in vectors of three, Huber's loss."""
    total = 0.0
    for o in range(len(cam)):
        w = pose[cam[o], :3]
        shift = pose[cam[o], 3:]
        p = points[pt[o]]
        theta = np.sqrt(np.dot(w, w)) + 1e-12
        axis = w / theta
        turned = np.cos(theta) * p + np.sin(theta) * np.cross(axis, p) + (1.0 - np.cos(theta)) * np.dot(axis, p) * axis
        seen_from = turned + shift
        uv = focal * seen_from[:2] / (4.0 + seen_from[2])
        e = np.linalg.norm(uv - seen[o])
        total += 0.5 * e * e if e < 1.0 else e - 0.5
    return total


def langevin(
    x0: Float64[np.ndarray, "2"],
    noise: Float64[np.ndarray, "t 2"],
    height: float,
    width: Float64[np.ndarray, "w"],
    centre: Float64[np.ndarray, "w 2"],
    dt: float,
) -> float:
    """A particle in wells under given noise, its energy by vectors of two, a running histogram with soft edges."""
    x = x0.copy()
    histogram = np.zeros(8)
    edges = np.linspace(-2.0, 2.0, 8)
    for t in range(noise.shape[0]):
        force = -0.5 * x
        for k in range(len(width)):
            d = x - centre[k]
            force += height * np.exp(-np.dot(d, d) / width[k]) * d / width[k]
        x = x + dt * force + np.sqrt(2.0 * dt) * noise[t]
        histogram += np.exp(-4.0 * (edges - x[0]) ** 2)
    histogram /= np.sum(histogram)
    return -np.sum(histogram * np.log(histogram + 1e-9))
