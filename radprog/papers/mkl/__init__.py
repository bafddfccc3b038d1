"""Multiple kernel learning: wiring, words, plots, tables."""
