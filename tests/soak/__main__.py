"""``python -m tests.soak``: see `run`. Branches are followed from before the modules that have them are imported."""

import sys

from .branches import branches

if __name__ == "__main__":
    branches.follow()
    from .run import main

    sys.exit(main())
