"""What `starling whatif` predicts of recorded sites, beside the same arrivals on the simulated cluster."""
