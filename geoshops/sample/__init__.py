"""The generated country: real places, invented booths; the same for the same seed."""
