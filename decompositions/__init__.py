"""Decompositions: the loop, its drivers, and one wiring module per paper."""
