"""Voted Kernel Regularization and its norm-1 support vector machine."""
