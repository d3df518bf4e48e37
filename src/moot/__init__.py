"""Many language models deliberate, one answer comes out, and everyone can see why."""
