"""Drivers of decomposition: each makes the step that the one loop repeats."""
