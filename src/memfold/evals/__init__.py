"""Evals a user can run: how search finds, what an answer costs, what outlines list."""
