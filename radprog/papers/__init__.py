"""One folder per paper, with its wiring, descriptions, figures and tables."""
