"""Data sets, their readers, and seeded generators."""
