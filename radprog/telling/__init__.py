"""Results, analyses and tables as lines of text and tables."""
