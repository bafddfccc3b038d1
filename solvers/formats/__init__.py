"""Files of programs and of solutions: writers, readers, names."""
