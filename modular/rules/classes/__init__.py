"""How a class is flattened."""
