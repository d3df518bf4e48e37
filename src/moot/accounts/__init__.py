"""People: how they sign in, what they hand to programs, the links they give away."""
