"""Functions that build Pyomo models from arrays and settings; kernels, penalties and bounds."""
