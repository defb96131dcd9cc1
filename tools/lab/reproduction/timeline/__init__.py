"""The picture of README: one simulated call with a late rank, under two algorithms."""
