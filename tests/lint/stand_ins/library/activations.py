"""A table of functions."""

ACT2FN = {"silu": len, "gelu": abs}
