from moot.modes.red_team.pipeline import MODE

__all__ = ["MODE"]
