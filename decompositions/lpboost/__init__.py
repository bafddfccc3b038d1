"""Boosting kernelized shapelets."""
