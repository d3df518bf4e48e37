"""Panels and configs to come back to."""
