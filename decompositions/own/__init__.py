"""Methods for the user's own Pyomo programs, and certificates of answers."""
