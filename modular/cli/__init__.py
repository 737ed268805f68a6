"""The command line: click commands, one a file. They parse arguments, call the API and print."""
