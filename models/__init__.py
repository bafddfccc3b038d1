"""Programs as pure functions from arrays and settings to Pyomo models; kernels, penalties,
bounds."""
