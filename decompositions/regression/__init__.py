"""Rademacher complexity for regression: bounded losses, complexity, model selection."""
