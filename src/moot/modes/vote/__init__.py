from moot.modes.vote.pipeline import MODE

__all__ = ["MODE"]
