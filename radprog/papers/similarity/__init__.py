"""Discriminative similarity: wiring, words, plots, tables."""
