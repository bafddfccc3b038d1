"""Voted Kernel Regularization: settings, programs, penalties, bounds."""
