"""Figures over many runs."""
