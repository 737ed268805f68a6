"""What the output files hold, and in which order."""
