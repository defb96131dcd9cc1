"""Beside Soga et al. (2007)."""
