"""The tuner and its rivals in the gym."""
