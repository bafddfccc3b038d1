"""Drivers of decomposition methods. A driver makes the step that the loop repeats."""
