"""The language server that `modular lsp` starts.

In: messages of the editor, handled by `server` in one thread. Out: answers of one
module for each feature, and diagnostics that `projects` sends as files change.
"""
