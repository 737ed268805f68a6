"""The language server that `modular lsp` starts.

`server` speaks the protocol, `worker` does the work in order of urgency, `projects` knows which files are open, `workspace`
is one project; every feature of the editor has a module of its own.
"""
