"""Rules that merge a modular class into its parent class."""
