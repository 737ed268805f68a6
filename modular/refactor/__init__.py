"""Changes of hand-written sources that keep what they mean: renaming a class, function or method in all models."""
