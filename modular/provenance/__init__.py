"""From a line of a generated file back to the line to edit: blame, where, tracebacks. Nothing heavy is loaded here."""
