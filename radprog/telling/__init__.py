"""Results, analyses and tables for people: lines of text, and their tables."""
