"""Allreduce when ranks arrive at different times, beside the figures of Proficz (2018)."""
