"""What answers are worth: evidence for each pair, calibration (Dawid–Skene), tempering, correlated errors."""
