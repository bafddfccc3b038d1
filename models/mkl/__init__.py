"""Multiple kernel learning with tail sums: settings, values, programs, bounds."""
