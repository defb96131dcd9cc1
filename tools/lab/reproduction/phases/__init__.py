"""How fast the tuner follows ranks that are late by turns, on the emulated cluster."""
