"""Real MPI libraries over real TCP, on the emulated cluster."""
