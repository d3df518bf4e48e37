from moot.modes.jury.pipeline import MODE

__all__ = ["MODE"]
