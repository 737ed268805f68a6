"""The machine: files read and written with bounds, programs, signals, terminals."""
