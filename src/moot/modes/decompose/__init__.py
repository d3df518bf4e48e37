from moot.modes.decompose.pipeline import MODE

__all__ = ["MODE"]
