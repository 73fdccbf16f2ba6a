"""Symbols of a whole tree: kept ready, brought up to date by what changed, searched by name."""
