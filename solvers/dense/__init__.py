"""Solvers of small dense programs, many at once or very often."""
