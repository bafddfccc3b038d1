"""Data sets and their readers."""
