"""LPBoost over kernelized shapelets: its settings, programs, patterns and bounds."""
