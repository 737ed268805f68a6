"""Infers modular files from flat model files, and finds the nearest library classes.

Takes the paths of flat or modular files and a project with models to inherit from.
Returns reports with proved modular files or ranked classes; writes files if asked.
"""
