from moot.modes.delphi.pipeline import MODE

__all__ = ["MODE"]
