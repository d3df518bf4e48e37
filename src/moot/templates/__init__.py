"""Reasoning templates: found by meaning, kept per person."""
