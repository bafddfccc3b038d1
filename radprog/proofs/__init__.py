"""Certificates in exact arithmetic, for a checker that is independent of this package."""
