"""The adapters, one per solver."""
