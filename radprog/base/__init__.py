"""What every layer uses and no data set is: errors, limits, tolerances, types, writing."""
