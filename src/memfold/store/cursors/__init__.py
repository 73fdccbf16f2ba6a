"""Where the state of a search waits between steps."""
