"""Evals a user can run: search, what an answer costs, the observer, outlines, the read gate."""
