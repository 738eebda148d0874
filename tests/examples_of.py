"""How many examples Hypothesis draws: few and always the same in a normal run, more and others with LINAD_EXAMPLES=n."""

import os

from hypothesis import HealthCheck, settings

MANY = int(os.environ.get("LINAD_EXAMPLES", "1"))  # a factor


def quick(examples: int) -> settings:
    return settings(
        max_examples=examples * MANY,
        deadline=None,
        derandomize=MANY == 1,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
