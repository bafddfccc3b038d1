"""What else a solved or unsolvable program can tell: conflicts, ranges, capabilities."""
