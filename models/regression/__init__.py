"""Regression with a bounded loss: settings, values, programs, bounds."""
