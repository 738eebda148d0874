"""The arguments of each program, by a size that grows by four."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import (
    continua, data, fields, filters, grids, inference, instruments, laboratories, methods, models, numerics, outdoors,
    physics, recurrences, sciences, series, trades, vectors, workshop,
)  # fmt: skip

ROOMS = (
    continua, data, fields, filters, grids, inference, instruments, laboratories, methods, models, numerics, outdoors,
    physics, recurrences, sciences, series, trades, vectors, workshop,
)  # fmt: skip


def function(name: str) -> Callable:
    """A program by its name."""
    return next(found for room in ROOMS if (found := vars(room).get(name)) is not None)


def arguments(grow: float = 1) -> dict[str, tuple]:
    """The arguments of every program, by its name; their cells are ``grow`` times as many as at first."""
    rng = np.random.default_rng(0)
    r, normal = rng.random, rng.normal

    def n(size: float, least: int = 4) -> int:
        return max(least, int(size * grow))

    def side(size: float, least: int = 4) -> int:
        return max(least, round(size * grow**0.5))

    def sparse(rows: int, most: int = 9) -> tuple[np.ndarray, ...]:
        """A dominant matrix by rows, with one to ``most`` entries in each."""
        counts = rng.integers(1, most + 1, rows)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        first = indptr[:-1]
        indices = rng.integers(0, rows, indptr[-1])
        indices[first] = np.arange(rows)
        values = 0.1 * r(indptr[-1])
        values[first] += 2.0
        return indptr, indices, values

    def definite(size: int, reach: int = 2) -> tuple[np.ndarray, ...]:
        """A symmetric matrix with a band, by rows."""
        rows = [[j for j in range(i - reach, i + reach + 1) if 0 <= j < size] for i in range(size)]
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        indices = np.concatenate(rows)
        values = np.concatenate([[4.0 + 0.01 * i if i == j else -0.7 for j in row] for i, row in enumerate(rows)])
        return indptr, indices, values

    small, big, dims, states = side(30), n(10_000), side(5, 3), side(8)
    mesh = n(5000)
    plate = (small, small)
    low, box = side(12), n(10) if grow < 1 else round(12 * grow ** (1 / 3))
    symmetric = 0.3 * np.random.default_rng(1).normal(size=(side(50), side(50)))
    power = 2 ** max(2, int(np.log2(4096 * grow)))
    def network(people: int, friends: int = 6) -> tuple[np.ndarray, ...]:
        """A random graph by rows."""
        counts = rng.integers(1, 2 * friends, people)
        return np.concatenate([[0], np.cumsum(counts)]), rng.integers(0, people, np.sum(counts))

    def sheet(side: int) -> tuple[np.ndarray, ...]:
        """A square of triangles: where its points are, where they were, and the corners of each triangle."""
        rest = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).reshape(-1, 2) * 1.0
        corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
        lower = np.stack([corner, corner + side, corner + 1], axis=1)
        upper = np.stack([corner + side, corner + side + 1, corner + 1], axis=1)
        return rest + 0.1 * normal(size=rest.shape), rest, np.concatenate([lower, upper])

    def cloth(side: int) -> np.ndarray:
        """A square of points one apart, not quite at rest."""
        flat = np.stack(np.meshgrid(np.arange(side), np.arange(side), [0.0], indexing="ij"), axis=-1)
        return flat.reshape(side, side, 3) * 1.0 + 0.05 * normal(size=(side, side, 3))

    def aerofoil(count: int) -> tuple[np.ndarray, np.ndarray]:
        """The corners of an ellipse of panels, with a sharp end."""
        angle = np.linspace(0.0, 2.0 * np.pi, count + 1)
        return 0.5 * (1.0 + np.cos(angle)), -0.06 * np.sin(angle) * (1.0 - 0.5 * np.cos(angle))

    def nodes(count: int) -> np.ndarray:
        return np.linspace(0.5, 8.0, count)

    def tree(tips: int) -> tuple[np.ndarray, ...]:
        """Who is joined in each inner node of a tree, youngest first, and lengths of branches."""
        alive, pairs = list(range(tips)), []
        for k in range(tips - 1):
            one, other = (alive.pop(int(rng.integers(len(alive)))) for _ in range(2))
            pairs.append((one, other))
            alive.append(tips + k)
        return *np.array(pairs).T.copy(), 0.1 + r(2 * tips - 2)

    degree, wide, people = side(12), side(40), side(30)
    return {
        "limited_advection": (np.sin(r(n(200))), 0.4, 200),
        "shallow_water": (1.0 + 0.1 * r(n(200)), 0.1 * r(n(200)), 0.02, 200),
        "gray_scott": (r(plate), r(plate), 0.04, 0.06, 0.9, 80),
        "gray_scott_inner": (r(plate), r(plate), 0.04, 0.06, 0.9, 80),
        "rk4_pendulums": (normal(size=n(32)), normal(size=n(32)), 0.5, 0.05, 200),
        "crank_nicolson": (r(n(200)), 0.3, 80),
        "eikonal": (1.0 + r(plate), 8),
        "life_of_heat": (1.0 + r(plate), r(plate), 30),
        "clipped_growth": (r(n(200)), r(n(200)), 0.5, 120),
        "leapfrog_string": (normal(size=50), 0.5 * r(n(200)), 400),
        "garch": (0.1 * normal(size=big), np.array([0.001, 0.1, 0.8])),
        "egarch": (0.1 * normal(size=big), -0.4, 0.1, -0.05, 0.9),
        "arma": (normal(size=big), np.array([0.4, 0.2, 0.1]), np.array([0.3, 0.1])),
        "holt_winters": (5.0 + normal(size=big), 0.3, 0.1, 0.2, 12),
        "rnn": (normal(size=(300, 4)), 0.1 * normal(size=(2 * states, 2 * states)), normal(size=(2 * states, 4)), normal(size=2 * states)),
        "rnn_copied": (normal(size=(300, 4)), 0.1 * normal(size=(2 * states, 2 * states)), normal(size=(2 * states, 4)), normal(size=2 * states)),
        "kalman_matrix": (normal(size=(300, 2)), 0.9 * np.eye(dims) + 0.05 * normal(size=(dims, dims)), normal(size=(2, dims)), 0.1, 0.5),
        "hawkes": (np.cumsum(r(big)), 0.5, 0.4, 1.5),
        "newton_roots": (6.0 * r(big),),
        "adaptive_decay": (1.0 + r(n(200)), 2.0, 1e-3),
        "biquads": (normal(size=n(5000)), 0.3 * r((4, 5))),
        "mixture": (normal(size=(n(300), 6)), normal(size=5), normal(size=(5, 6)), 0.1 * normal(size=(5, 21))),
        "csr_jacobi": (*sparse(n(300)), r(n(300)), 40),
        "csr_rows": (*sparse(n(2000)), r(n(2000))),
        "csr_conjugate_gradients": (*definite(n(300)), r(n(300)), 40),
        "assembly": (r((mesh // 2, 2)), np.stack([(np.arange(mesh) + k) % (mesh // 2) for k in (0, 1, 3)], axis=1), r(mesh // 2)),
        "coo_assembly": (rng.integers(0, mesh // 3, mesh), rng.integers(0, mesh // 3, mesh), r(mesh), r(mesh // 3)),
        "linked_cells": (r((n(400), 2)), 1.0, side(8)),
        "fft": (normal(size=power), normal(size=power)),
        "table_lookup": (r(200), r(big)),
        "group_effects": (normal(size=big), rng.integers(0, 60, big), normal(size=60), 1.3),
        "forward_backward": (rng.integers(0, 5, 400), rng.dirichlet(np.ones(states), states), r((states, 5))),
        "weighted_distance": (r((n(2000), 40)), r((n(2000), 40)), r(40)),
        "online_regression": (normal(size=(300, states)), normal(size=300), 0.99),
        "cholesky_likelihood": (3.0 * r(side(60)), normal(size=side(60)), 0.5, 0.1),
        "barycentric": (r((n(300), 3)), 40),
        "diffusion_box": (r((box, box, box)), 0.1 + 0.05 * r(box), 40),
        "wave_plate": (0.3 + 0.3 * r(plate), normal(size=80), 0.1),
        "lorenz_ensemble": (normal(size=(n(20), 3)), 10.0, 28.0, 2.7, 0.005, 60),
        "stiff_kinetics": (np.array([0.04, 3e7, 1e4]), np.array([1.0, 0.0, 0.0]), 0.1, n(100)),
        "particle_mesh": (64.0 * r(n(300)), normal(size=n(300)), 0.01, 64, 30),
        "nbody_vectors": (normal(size=(low, 3)), 0.1 * normal(size=(low, 3)), r(low), 0.01, 20),
        "chain_field": (normal(size=(n(60), 8)), normal(size=(8, 8)), rng.integers(0, 8, n(60))),
        "soft_alignment": (normal(size=side(50)), normal(size=side(40)), 0.5, 0.3),
        "american_put": (80.0 + 40.0 * r(6), 100.0, 0.05, 0.2, 1.0, side(60)),
        "heston_paths": (normal(size=(n(200), 24, 2)), 1.5, 0.04, 0.5, -0.6, 0.98),
        "age_epidemic": (r((12, 12)), 0.01 * r(12), 0.05, 0.1, 0.05, n(200)),
        "drawdown": (normal(size=n(4000)), r(5)),
        "message_passing": (normal(size=(n(100), 8)), rng.integers(0, n(100), n(500)), rng.integers(0, n(100), n(500)), 0.1 * normal(size=(8, 8)), 3),
        "tax_revenue": (6.0 * r(n(3000)), np.array([0.5, 1.0, 2.0, 4.0]), np.array([0.0, 0.1, 0.2, 0.35]), 0.3),
        "running_medians": (normal(size=n(1500)), 3),
        "attention": (normal(size=(side(50), 12)), normal(size=(12, 8)), normal(size=(12, 8)), normal(size=(12, 8))),
        "spline_fit": (np.arange(n(200)) + 0.4 * r(n(200)), normal(size=n(200)), (n(200) - 2) * r(n(2000))),
        "ray_spheres": (normal(size=(n(400), 3)), 4.0 * normal(size=(10, 3)), 0.5 + r(10), np.array([0.6, 0.0, 0.8])),
        "arm_reach": (normal(size=(n(60), 6)), r(6), r(3)),
        "ldl_solve": (symmetric @ symmetric.T + 5.0 * np.eye(len(symmetric)), normal(size=len(symmetric))),
        "gram_schmidt": (normal(size=(side(80), side(16))), normal(size=side(80))),
        "clenshaw": (normal(size=20), 2.0 * r(n(500)) - 1.0),
        "density": (normal(size=side(100)), 3.0 * normal(size=side(60)), 0.3),
        "bilateral": (r((side(20), side(20))), 1.5, 0.3, 2),
        "thresholded_edges": (r((2 * small, 2 * small)), 3.0),
        "lattice_boltzmann": (1.0 + 0.05 * r((side(24), side(24))), 0.8, 1e-3, 10),
        "level_set": (4.0 * normal(size=plate), 0.5 + r(plate), 0.05, 40),
        "optical_flow": (r(plate), r(plate), 0.7, 30),
        "smoothed_particles": (3.0 * r((side(40), 2)), 0.1 * normal(size=(side(40), 2)), 0.5, 0.1, 0.01, 4),
        "elastic_sheet": (*sheet(side(20)), 1.0, 2.0),
        "two_stream": (0.3 * r(n(500)), 0.2 + 0.7 * r(n(500)), 0.7, 0.6),
        "godunov_burgers": (np.sin(6.0 * r(n(200))), 0.2, 80),
        "alternating_directions": (r(plate), 0.4, 20),
        "projections": (r(plate), np.linspace(0.1, 3.0, n(12)), normal(size=(n(12), small))),
        "lstm_tagger": (normal(size=(100, 4)), 0.3 * normal(size=(4 * states, 4 + states)), 0.1 * normal(size=4 * states), normal(size=states), np.sign(normal(size=100))),
        "trained_network": (normal(size=(wide, 5)), normal(size=wide), 0.4 * normal(size=(states, 5)), 0.4 * normal(size=states), 0.1, 20),
        "particle_filter": (normal(size=60), normal(size=(60, n(100))), 0.8, 0.3, 0.5),
        "network_epidemic": (*network(n(300)), 0.1 * r(n(300)), 0.08, 0.1, 40),
        "soft_viterbi": (normal(size=(60, side(12))), normal(size=(side(12), side(12))), 0.5),
        "soft_clusters": (normal(size=(n(200), 3)), normal(size=(4, 3)), 2.0, 10),
        "local_alignment": (normal(size=(wide, 6)), normal(size=(wide, 6)), 2.0, 0.5),
        "value_iteration": (nodes(n(40)), np.array([0.3, 0.8, 1.5]), rng.dirichlet(np.ones(3), 3), 0.95, 2.0, 12),
        "factor_model": (normal(size=(100, wide)), normal(size=(wide, 3)), 0.5 + r(wide)),
        "levinson": (normal(size=n(2000)), 12),
        "givens_least_squares": (normal(size=(wide, side(10))), normal(size=wide)),
        "geoid": (r(n(50)), 6.0 * r(n(50)), normal(size=(degree, degree)), normal(size=(degree, degree))),
        "ewald": (r((people, 3)), normal(size=people), 5.0, 3),
        "hodgkin_huxley": (10.0 + normal(size=n(500)), np.array([120.0, 36.0, 0.3]), 0.01),
        "black_scholes_grid": (0.2 + 0.1 * r(n(100)), 0.03, 1.0, 0.01, 40),
        "bspline_curve": (normal(size=(40, 2)), 36.0 * r(n(1000)), normal(size=(n(1000), 2))),
        "page_rank": (r((wide, wide)), 0.85, 20),
        "kuramoto": (6.0 * r(wide), normal(size=wide), 1.5, 0.05, 20),
        "beam": (1.0 + r(n(400)), r(n(400)), 0.5),
        "forest": (r(plate), 0.3, 0.8, 40),
        "line_spectrum": (np.linspace(0.0, 40.0, n(1000)), 40.0 * r(12), 0.5 + r(12), r(12), r(n(1000))),
        "nested_logit": (normal(size=(n(500), 12)), np.array([0, 3, 7, 12]), np.array([0.5, 0.7, 0.9]), rng.integers(0, 12, n(500))),
        "convolution": (normal(size=(small + 2, small + 2)), 0.3 * normal(size=(4, 3, 3)), normal(size=4)),
        "beamformer": (normal(size=(n(500), 16)), normal(size=(n(500), 16)), 3.0 * np.arange(16.0), 0.3, 0.5 + r(16)),
        "orbit": (np.array([1.0, 0.1, 0.2]), np.array([0.0, 0.9, 0.3]), 0.01, 0.01, n(1000)),
        "reweighted": (normal(size=(n(400), 6)), rng.integers(0, 2, n(400)) * 1.0, 0.5, 6),
        "tree_likelihood": (*tree(12), rng.integers(0, 4, (12, n(200))), 0.5),
        "traffic": (r(n(200)), 0.2 + 0.1 * r(n(200)), 0.8, 1.2, 100),
        "ice_sheet": (0.1 * r(n(200)), 0.01 * r(n(200)), 0.5, 100),
        "plucked_string": (normal(size=n(5000)), normal(size=100), 0.995, 0.4),
        "thin_film": (1.3 + r(12), 0.1 + 0.1 * r(12), 0.4 + 0.4 * r(n(300)), r(n(300))),
        "inside_parses": (0.5 + r((side(16), 4)), 0.3 * r((4, 4, 4))),
        "ratings": (rng.integers(0, 40, n(3000)), rng.integers(0, 40, n(3000)), rng.integers(0, 2, n(3000)) * 1.0, 0.1 * normal(size=40), 0.2),
        "river_routing": (np.maximum(np.arange(n(60)) + rng.integers(1, 4, n(60)), 0) % n(60), 0.5 + r(n(60)), r((50, n(60))), 1.0, 0.2),
        "spike_train": (normal(size=n(1000)), rng.poisson(0.3, n(1000)), 0.1 * normal(size=15), -0.2 * r(8), -1.0),
        "structure_factors": (r((wide, 3)), r(wide), rng.integers(-4, 5, (wide, 3)) * 1.0, r(wide), 0.02),
        "doses": (np.arange(6.0) * 8.0, 1.0 + r(6), 48.0 * np.sort(r(n(400))), normal(size=n(400)), 0.9, 0.2, 3.0),
        "projection_matrix": (np.linspace(0.5, 4.0, side(60)), np.array([0.4, 0.8, 0.5]), np.array([-0.5, 0.8]), 0.3, 20),
        "pose_graph": (np.arange(n(500)), (np.arange(n(500)) + rng.integers(1, 5, n(500))) % n(500), normal(size=(n(500), 3)), normal(size=(n(500), 3)), 2.0),
        "dam_break": (1.0 + r(n(200)), 0.1 * normal(size=n(200)), 0.1 * r(n(200)), 1e-3, 40),
        "lu_by_hand": (normal(size=(side(60), side(60))) + 2.0 * np.eye(side(60)), normal(size=side(60))),
        "volume_samples": (normal(size=(box, box, box)), r((n(2000), 3))),
        "seismic_section": (0.5 + 0.3 * r((wide, wide)), normal(size=60), 0.1 * normal(size=(60, wide)), 0.9, 0.02),
        "reactor": (normal(size=12), 0.5 * r(12), 300.0 * r(12), rng.integers(0, 2, (12, 8)), rng.integers(0, 2, (12, 8)), r(8), 500.0, 1e-3, n(100)),
        "soil_column": (-1.0 - r(n(60)), 1.5, 1.8, 0.1 + 0.1 * r(n(60)), 0.05 * r(60), 0.2, 0.005, 60),
        "coating": (1.3 + r(12), 0.1 + 0.1 * r(12), 0.4 + 0.3 * r(n(100)), r(n(100))),
        "weather_ring": (normal(size=n(40)), normal(size=(60, (n(40) + 1) // 2)), 8.0, 0.02),
        "rock_gravity": (r((n(100), 3)), r((50, 3)) - np.array([0.0, 0.0, 2.0]), r(50), normal(size=n(100))),
        "transport_plate": (r(plate), 0.4, 0.3, 20),
        "argon": (3.0 * normal(size=(n(100), 3)), *network(n(100), 10), 8.0, 1e-3, 10),
        "steam_table": (np.cumsum(0.1 + r(20)), np.cumsum(0.1 + r(16)), normal(size=(20, 16)), 9.0 * r((n(2000), 2))),
        "affine_gaps": (rng.integers(0, 4, side(40)), rng.integers(0, 4, side(40)), normal(size=(4, 4)), 1.0, 0.3),
        "graph_layers": (*(graph := network(n(100))), r(len(graph[1])), 0.5 * normal(size=(n(100), 8)), 3),
        "euler_tube": (1.0 + 0.1 * r(n(200)), 0.1 * r(n(200)), 2.5 + 0.1 * r(n(200)), 0.1, 60),
        "quadrotor": (0.1 * normal(size=(n(500), 4)), np.array([0.5, 0.6, 0.9]), np.ones(3), 0.01),
        "extended_kalman": (1.0 + 0.1 * normal(size=(n(100), 2)), 0.01, 0.1, 0.1),
        "camera_poses": (0.3 * normal(size=(10, 6)), normal(size=(n(100), 3)), rng.integers(0, 10, n(600)), rng.integers(0, n(100), n(600)), normal(size=(n(600), 2)), 1.5),
        "langevin": (0.1 * normal(size=2), normal(size=(n(500), 2)), 2.0, 0.5 + r(4), normal(size=(4, 2)), 0.02),
        "spring_mesh": (cloth(side(12)), 40.0, 0.02, 0.01, 60),
        "momentum_descent": (normal(size=(n(200), 8)), normal(size=n(200)), 0.5 * normal(size=(8, 6)), 0.5 * normal(size=6), 0.1, 0.8, 20),
        "gaussian_beam": (0.1 + r(40), 0.3 * r(40), 0.5 + r(n(100)), 2.0),
        "wavelet_shrinkage": (normal(size=power), normal(size=power), 0.4, 2 if grow < 1 else 8),
        "folded_chain": (2.0 * normal(size=side(60, 8)), 1.9, 3.0),
        "isotonic_fit": (np.sort(normal(size=n(2000))) + normal(size=n(2000)), 0.5 + r(n(2000))),
        "rate_matrices": (0.5 + r(6), 0.1 + r(n(100)), r((n(100), 4, 4))),
        "backprojection": (r((side(32), side(32))), np.linspace(0.0, 3.0, 12), 10.0 * r((12, side(32)))),
        "spectral_burgers": (np.sin(2.0 * np.pi * np.arange(side(64)) / side(64)), 0.05, 0.01, 30),
        "many_servers": (r(n(4000)), 4.0 * r(n(4000)), 5),
        "bond_ladder": (0.02 + 0.01 * r(side(40)), 1.0 + 0.02 * r(side(40)), 0.03),
        "wing_panels": (*aerofoil(side(40)), 0.1),
        "reverberation": (normal(size=n(4000)), np.array([0.8, 0.75, 0.7, 0.78]), np.array([223, 251, 281, 307]), 0.3),
        "station_network": (100.0 * r((n(300), 2)), first := rng.integers(0, n(300), n(1500)), (first + rng.integers(1, 4, n(1500))) % n(300), 50.0 + r(n(1500)), r(n(1500)), r(n(300))),
        "titration": (np.linspace(1.0, 60.0, n(100)), np.array([2.1, 7.2, 9.5]), 0.05, 50.0, 2.0 + 10.0 * r(n(100))),
        "swap_curve": (0.02 + 0.01 * r(30), 0.01 * r(30), 30.0 * r(n(1000)), r(n(1000))),
        "transits": (np.linspace(-1.5, 1.5, n(200)), 1.0 - 0.01 * r(n(200)), 0.1, 0.9, 0.3, np.array([0.4, 0.2]), 50),
        "vaccinated_waves": (r((8, 8)), 100.0 + r(8), 0.1 * r((n(100), 8)), 0.02, 0.3, 0.2, r(n(100))),
        "fringes": (r((small, small)), np.array([1.5, 0.7]), 0.3 * normal(size=6)),
        "rank_likelihood": (normal(size=big), rng.integers(0, 50, big), rng.permutation(big), r(50)),
        "yee_cavity": (normal(size=plate), 1.0 + r(plate), 0.5, 40),
        "cahn_hilliard": (0.2 * normal(size=plate), 0.01, 0.5, 40),
        "plankton_column": (1.0 + r(n(200)), 0.2 + r(n(200)), 0.1 + r(n(200)), 1.0, 0.2, 60),
        "snow_and_soil": (4.0 * np.maximum(normal(size=big), 0.0), 5.0 + 10.0 * normal(size=big), 120.0, 2.0, 3.0, 0.3, 0.02),
        "car_following": (20.0 * np.arange(n(100)), 5.0 + r(n(100)), 10.0, 2.0, 1.5, 60),
        "tide_gauge": (np.arange(n(1000)) * 1.0, normal(size=n(1000)), r(12), 6.0 * r(12), 0.1 + 0.5 * r(12)),
        "darcy": (0.5 + r(plate), normal(size=plate), 40),
        "sand_box": (side(12) * r((side(30), 2)), 0.4 + 0.2 * r(side(30)), 50.0, 0.01, 20),
        "power_line": (np.sin(0.1 * np.arange(n(400))), 2.0, 1.5, side(100)),
        "evaporation": (20.0 + 5.0 * r(n(3000)), 0.4 + 0.4 * r(n(3000)), 1.0 + r(n(3000)), 10.0 + 10.0 * r(n(3000)), 0.23),
        "red_and_black": (normal(size=plate), 1.5, 20),
        "neural_field": (r(n(200)), normal(size=12), 4.0, 30),
        "ship_waves": (r((side(40), 10)), 3.0, side(40)),
        "spin_echo": (0.5 + r(n(100)), 0.05 + 0.1 * r(n(100)), normal(size=n(100)), 0.6, 40),
        "coil_field": (normal(size=(side(40), 3)), 3.0 + normal(size=(side(40), 3)), 2.0),
        "mass_spectrum": (np.linspace(0.0, 40.0, n(500)), rng.poisson(5.0, n(500)) * 1.0, 40.0 * r(12), 0.5 + r(12), 0.5 + r(12)),
        "item_responses": (normal(size=n(200)), normal(size=20), 0.5 + r(20), 0.1 + 0.2 * r(20), rng.integers(0, 2, (n(200), 20))),
        "factorise": (r((side(40), side(30))), r((side(40), 4)), r((4, side(30))), 20),
        "transport_plan": (np.full(side(40), 1.0 / side(40)), np.full(side(30), 1.0 / side(30)), r((side(40), side(30))), 0.2, 30),
        "smooth_picture": (r(plate), 0.2, 40),
        "sharpened": (0.5 + r(n(300)), 0.2 * np.ones(5), 20),
        "defaults": (normal(size=side(50)) - 1.5, 0.2 + 0.3 * r(side(50)), normal(size=side(20)), 4),
        "bezier_lengths": (normal(size=(n(10), 5, 2)), 40),
        "bessel_sum": (0.5 + 10.0 * r(n(1000)), 4),
        "pendulum_periods": (3.0 * r(n(2000)), 1.5),
        "shared_information": (r(n(3000)), r(n(3000)), 16, 0.99),
        "battery": (0.2 + r(n(3000)), np.linspace(0.0, 1.0, 20), 3.0 + np.sort(r(20)), 0.02, 0.05, 100.0, 4.0 * n(3000)),
        "loud_bands": (normal(size=(n(20), 256)), np.hanning(256), r((12, 129))),
        "food_web": (0.5 + r(12), 0.1 + r(12), -0.2 * r((12, 12)), 0.05, n(300)),
        "star": (1.5, 0.003 / max(grow, 1), n(1000)),
        "hidden_units": (rng.integers(0, 2, (n(100), 32)) * 1.0, 0.3 * normal(size=(32, 16)), normal(size=32), normal(size=16)),
        "cable": (r(n(200)), r(n(200)), 1.0, 0.3, 60),
        "echo_image": (normal(size=(16, 300)), np.linspace(-5.0, 5.0, 16), np.linspace(-4.0, 4.0, n(200)), 10.0, 0.15),
        "edge_strength": (r(plate), 0.01),
        "cosine_blocks": (r((8 * side(6, 1), 8 * side(6, 1))), 0.1 + r((8, 8))),
        "weno_ring": (1.0 + 0.3 * np.sin(np.linspace(0.0, 6.0, n(300))), 0.1, 10),
        "sliding_lines": (normal(size=n(2000, 40)), 7),
        "time_warp": (normal(size=side(100)), normal(size=side(110))),
        "shortest_paths": (0.1 + r((side(40), side(40))),),
        "likeliest_states": (normal(size=(n(100), 12)), normal(size=(12, 12))),
    }
