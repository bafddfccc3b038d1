"""Questions to a program: prices, ranges, conflicts, paths."""
