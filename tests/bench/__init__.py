"""The parts of the bench that a figure rests on."""
