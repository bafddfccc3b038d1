"""Solvers: Pyomo models as matrices, and one small adapter per solver."""
