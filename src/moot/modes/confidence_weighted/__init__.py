from moot.modes.confidence_weighted.pipeline import MODE

__all__ = ["MODE"]
