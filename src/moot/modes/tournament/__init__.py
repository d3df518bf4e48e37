from moot.modes.tournament.pipeline import MODE

__all__ = ["MODE"]
