"""How well the cost model ranks the algorithms, simulated and on the emulated cluster."""
