"""Regression with a bounded loss: wiring, words, plots, tables."""
