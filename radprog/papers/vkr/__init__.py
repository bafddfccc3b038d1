"""Voted Kernel Regularization: wiring, words, plots, tables."""
