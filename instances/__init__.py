"""Data: data sets, readers, seeded generators."""
