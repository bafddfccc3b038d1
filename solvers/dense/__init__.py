"""Solvers of small dense programs, for large batches or very frequent calls."""
