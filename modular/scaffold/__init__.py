"""Sets up libraries (`modular init`) and starts models (`modular new`).

In: the files of a project. Out: settings, a pre-commit hook and a workflow, or the
modular file of a new model.
"""
