from moot.modes.brainstorm.pipeline import MODE

__all__ = ["MODE"]
