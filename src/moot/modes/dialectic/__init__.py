from moot.modes.dialectic.pipeline import MODE

__all__ = ["MODE"]
