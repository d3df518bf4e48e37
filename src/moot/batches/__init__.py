"""Batches: many questions asked as one, some of them at a time, resumable, within a budget."""
