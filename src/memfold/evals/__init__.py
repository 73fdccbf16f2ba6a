"""Benchmarks and evals as a user can run them."""
