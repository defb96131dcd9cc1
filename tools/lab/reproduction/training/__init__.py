"""Training of a neural network, beside the figures of Proficz (2018), section 6."""
