"""Evals a user can run: how well search finds, and what an answer costs to read."""
