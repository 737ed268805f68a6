"""Access to the machine: bounded reading and safe writing of files, programs, signals.

Paths and bytes go in; contents, or errors that name the path, come out. Nothing here
knows what a model or a project is.
"""
