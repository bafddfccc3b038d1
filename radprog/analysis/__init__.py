"""Analyses of programs and results: prices, ranges, conflicts, paths."""
