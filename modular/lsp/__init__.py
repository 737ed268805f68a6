"""The language server that `modular lsp` starts.

`server` speaks the protocol, `projects` knows which files are open and does what has time in steps, `workspace` is one project;
every feature of the editor has a module of its own. All of it runs in one thread.
"""
