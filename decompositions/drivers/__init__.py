"""Drivers of decomposition methods. A driver defines the step that the loop repeats."""
