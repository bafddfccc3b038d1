"""Certificates in exact arithmetic, for a checker that trusts nothing of this package."""
