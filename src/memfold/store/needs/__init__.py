"""The ports by who needs them; ports.py gathers them."""
