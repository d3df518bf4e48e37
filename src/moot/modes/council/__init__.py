from moot.modes.council.pipeline import MODE

__all__ = ["MODE"]
