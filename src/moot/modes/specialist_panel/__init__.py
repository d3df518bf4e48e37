from moot.modes.specialist_panel.pipeline import MODE

__all__ = ["MODE"]
