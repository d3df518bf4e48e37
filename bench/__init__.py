"""Benchmarks: ratios measured in one run, so that a noisy machine cancels out."""
