"""Whether the preload library does harm to calls that follow each other at once."""
