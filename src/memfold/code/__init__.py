"""Reading code in layers: the outline, one symbol, the whole file where that is worth it."""
