from moot.modes.blueprint.pipeline import MODE

__all__ = ["MODE"]
