"""Decompositions: the loop, its drivers and one folder per paper."""
