"""Drivers of decomposition: each makes the step that the loop repeats."""
