"""The same council on other people's work, each adapter run by `worker.py` in an environment of its own."""
