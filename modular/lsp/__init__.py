"""The language server: what `modular lsp` answers an editor.

`server` knows the protocol, `session` what is open, `workspace` one project; each feature has a file of its own.
"""
