"""The commands, one a file: each parses its arguments, calls the API and prints what comes of it."""
