"""memfold: memory for coding agents that survives the session."""
