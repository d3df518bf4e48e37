from moot.modes.peer_review.pipeline import MODE

__all__ = ["MODE"]
