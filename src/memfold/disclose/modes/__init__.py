"""Modes as data: one JSON file each. ``mode.py`` reads them."""
