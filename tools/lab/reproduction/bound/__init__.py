"""How near the algorithms come to what no allreduce can do better, simulated and on the emulated cluster."""
