from moot.modes.chain.pipeline import MODE

__all__ = ["MODE"]
