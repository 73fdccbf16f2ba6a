"""The gate: a large file that memory knows is answered with its outline first."""
