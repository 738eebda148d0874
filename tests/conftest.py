"""Compiled test programs are kept in the checkout, so that a second run is fast and no run touches the user's cache."""

import os
from pathlib import Path

os.environ.setdefault("LINAD_CACHE_DIR", str(Path(__file__).parents[1] / ".linad-cache"))
