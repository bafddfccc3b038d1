"""Discriminative similarity: settings, values, programs, bounds."""
