"""Decompositions of compact programs: their structure, Dantzig-Wolfe, and the pricing of blocks."""
