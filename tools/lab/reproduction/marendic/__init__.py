"""Reductions under load imbalance, beside the figures of Marendic et al. (2012)."""
