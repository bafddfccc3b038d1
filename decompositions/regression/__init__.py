"""Rademacher complexity for regression: bounded losses, complexity and model selection."""
