"""A folder per paper: its wiring, its words, its plots, its tables."""
