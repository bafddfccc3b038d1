"""Rademacher programs: learning by mathematical programming, with a certificate."""
