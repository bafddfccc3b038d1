"""Programs: pure builders from arrays and settings to Pyomo models; kernels, penalties, bounds."""
