"""The vocabulary that modes share: pure functions and values."""
