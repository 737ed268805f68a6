"""The command line: `commands` has a file for each command, `rendering` the forms in which results are shown."""
