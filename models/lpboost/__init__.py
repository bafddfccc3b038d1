"""LPBoost over kernelized shapelets: settings, programs, patterns, bounds."""
