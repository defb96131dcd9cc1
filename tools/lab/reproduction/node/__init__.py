"""Calls through the memory of one node."""
