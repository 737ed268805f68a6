"""The way back: what of flat files is in other models, and a modular file that says so, proved."""
