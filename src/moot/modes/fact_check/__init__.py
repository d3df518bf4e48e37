from moot.modes.fact_check.pipeline import MODE

__all__ = ["MODE"]
