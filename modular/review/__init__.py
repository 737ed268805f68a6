"""`modular review`: static pages that show where each generated line comes from, and what a change does."""
