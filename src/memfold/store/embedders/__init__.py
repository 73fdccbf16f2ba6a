"""Embedders: texts as vectors, for the `semantic` extra."""
