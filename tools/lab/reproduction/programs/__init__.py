"""What whole programs gain or lose under the preload library."""
