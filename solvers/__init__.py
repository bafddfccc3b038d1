"""Solvers: from a Pyomo model to matrices to one solver, one small adapter each."""
