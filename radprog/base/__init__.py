"""The lowest layer, independent of data sets: errors, limits, tolerances, types, writing."""
