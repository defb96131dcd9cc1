"""A training in PyTorch on the emulated cluster, with Starling and without."""
