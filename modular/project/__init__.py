"""Finds the models of a project, their files and the source library.

The functions take a root folder, and return a project, paths and the graph of models.
"""
