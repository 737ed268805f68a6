"""Many models: which, in which order, by which processes, from which cache, formatted, written, watched."""
