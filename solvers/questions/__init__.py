"""Analyses of programs: conflicts, ranges, exact optima, capabilities of solvers."""
