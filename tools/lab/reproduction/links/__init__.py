"""topology_tree on the links of a machine with 8 devices, beside MXNet's proposal."""
