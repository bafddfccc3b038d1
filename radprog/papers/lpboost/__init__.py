"""LPBoost over shapelets: wiring, words, plots, tables."""
