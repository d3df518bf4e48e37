"""`python -m moot` is `moot`."""

from __future__ import annotations

from moot.cli import main

if __name__ == "__main__":
    main()
