"""What a host is to memfold: its settings, written and given back, and its limits."""
