from moot.modes.debate.pipeline import MODE

__all__ = ["MODE"]
